// Previews what would be shown to the verifier.
import { type EvaluatedRequest, type PresentationDeps, type PresentationExchange, selectionOf } from './data.ts';
import type { DisclosedPaths } from './disclosed-paths.ts';
import { createPauses } from './pauses.ts';
import type { PresentationAnswer, PresentationRequest } from './presentation.schema.ts';
import { chooseQueries, isRequired, type QueryMatches } from './query.ts';
import { createVpTokens } from './vp-token.ts';

/** Maximum number of paths in a preview. Further matches are left out. */
const MAX_PATHS = 20_000;

type PreviewDeps = Pick<PresentationDeps, 'clock' | 'exchanges' | 'formats' | 'storedCredentials' | 'matcher'>;

interface PreviewMatch {
  readonly credentialId: string;
  readonly disclosed: DisclosedPaths;
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
  for (const { matches } of results) {
    const own: PreviewMatch[] = [];
    for (const match of matches) {
      if (pathCount > MAX_PATHS && own.length > 0) break;
      await pause();
      const disclosed = await disclosedIn(evaluated, match);
      pathCount += disclosed.length;
      own.push({ credentialId: match.candidate.row.id, disclosed });
    }
    byQuery.push(own);
  }
  return byQuery;
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
      required: isRequired(query, id),
      claims: claims.map((path) => [...path]),
      matches: previews[at]!,
    })),
    ...(transactionData ? { transactionData: [...transactionData.shown] } : {}),
    satisfiable: chooseQueries(query, results, []) !== undefined,
  };
}
