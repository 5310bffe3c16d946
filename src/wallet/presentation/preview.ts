// Previews what would be shown to the verifier.
import { formatNamed } from '../../verifiable/formats/index.ts';
import { displayText } from '../credentials/index.ts';
import { createClaimMatcher } from './claims.ts';
import { type EvaluatedRequest, type PresentationDeps, type PresentationExchange, selectionOf } from './data.ts';
import type { DisclosedPaths } from './disclosed-paths.ts';
import { createPauses } from './pauses.ts';
import type { PresentationAnswer, PresentationRequest } from './presentation.schema.ts';
import { type CredentialSet, chooseQueries, isRequired, type Match, type PresentationQuery, type QueryMatches } from './query.ts';
import { createVpTokens } from './vp-token.ts';

/** Maximum number of paths in a preview. Further matches are left out. */
const MAX_PATHS = 20_000;

type PreviewDeps = Pick<PresentationDeps, 'clock' | 'exchanges' | 'formats' | 'storedCredentials' | 'matcher'>;

interface PreviewMatch {
  readonly credentialId: string;
  readonly disclosed: DisclosedPaths;
  readonly claimSets?: { readonly index: number; readonly disclosed: DisclosedPaths }[];
}

/** A verifier may leave a choice of claims. Further sets are left out. */
const MAX_CLAIM_SETS = 10;
const MAX_PURPOSE = 500;

/** The claim sets that this credential can answer. */
async function claimSetsOf(
  disclosedIn: (match: Match) => Promise<DisclosedPaths>,
  query: PresentationQuery['credentials'][number],
  match: Match,
): Promise<NonNullable<PreviewMatch['claimSets']>> {
  const found: NonNullable<PreviewMatch['claimSets']> = [];
  for (const index of (query.claim_sets ?? []).slice(0, MAX_CLAIM_SETS).keys()) {
    const paths = createClaimMatcher(query, index)(match.candidate.content.claims);
    if (paths) found.push({ index, disclosed: await disclosedIn({ ...match, paths }) });
  }
  return found;
}

/** At least one match for each query, more while the limit allows. */
async function previewMatches(
  deps: PreviewDeps,
  evaluated: EvaluatedRequest,
  results: readonly QueryMatches[],
): Promise<PreviewMatch[][]> {
  const { disclosedIn } = createVpTokens(deps);
  const pause = createPauses();
  const byQuery: PreviewMatch[][] = [];
  let pathCount = 0;
  for (const [at, { matches }] of results.entries()) {
    const query = evaluated.query.credentials[at]!;
    const own: PreviewMatch[] = [];
    for (const match of matches) {
      if (pathCount > MAX_PATHS && own.length > 0) break;
      await pause();
      const disclosed = await disclosedIn(evaluated, match);
      const claimSets = await claimSetsOf((one) => disclosedIn(evaluated, one), query, match);
      pathCount += claimSets.reduce((sum, set) => sum + set.disclosed.length, disclosed.length);
      own.push({ credentialId: match.candidate.row.id, disclosed, ...(query.claim_sets ? { claimSets } : {}) });
    }
    byQuery.push(own);
  }
  return byQuery;
}

/** The final version has no purpose, but verifiers of drafts send one. */
function setOf({ options, required, purpose }: CredentialSet) {
  const text = displayText(purpose, MAX_PURPOSE);
  return {
    options: options.map((option) => [...option]),
    required: required !== false,
    ...(text === undefined ? {} : { purpose: text }),
  };
}

/** Only for display. It is never fetched. */
function policyOf({ policy_uri: uri }: Readonly<Record<string, unknown>>): { policyUri?: string } {
  const url = typeof uri === 'string' && uri.length <= 2000 ? URL.parse(uri) : null;
  return url && /^https?:$/.test(url.protocol) ? { policyUri: url.href } : {};
}

export async function previewPresentation(
  deps: PreviewDeps,
  exchange: PresentationExchange,
  evaluated: EvaluatedRequest,
  body: PresentationRequest,
): Promise<PresentationAnswer> {
  const { exchanges, matcher } = deps;
  const { query, verifier, transactionData, verifierFormats } = evaluated;
  const results = await matcher.match(exchange.caller, query, selectionOf(body), false, verifierFormats);
  const previews = await previewMatches(deps, evaluated, results);
  const selected = chooseQueries(query, results, []);
  exchange.data = { ...exchange.data, isPreviewed: true };
  exchanges.step(exchange, 'preview shown');
  await exchanges.release(exchange);
  return {
    status: 'preview',
    exchangeId: exchange.id,
    verifier,
    query: results.map(({ id, format, claims }, at) => ({
      id,
      format,
      supported: formatNamed(format) !== undefined,
      required: isRequired(query, id),
      claims: claims.map((path) => [...path]),
      matches: previews[at]!,
    })),
    ...(query.credential_sets ? { sets: query.credential_sets.map(setOf) } : {}),
    ...(selected ? { selected } : {}),
    responseUri: evaluated.request.responseUri,
    ...policyOf(evaluated.request.clientMetadata),
    ...(transactionData ? { transactionData: [...transactionData.shown] } : {}),
    satisfiable: selected !== undefined,
  };
}
