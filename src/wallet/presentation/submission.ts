// Submits an answer: selects credentials, creates presentations, consumes copies, and sends them to the verifier (OID4VP, 8).
import { fail } from '../ground/faults.ts';
import { aboutAnswer } from './about-answer.ts';
import { sendAnswer } from './answer.ts';
import { concludeExchange } from './conclusion.ts';
import { type EvaluatedRequest, type PresentationDeps, type PresentationExchange, selectionOf } from './data.ts';
import type { PresentationAnswer, PresentationRequest } from './presentation.schema.ts';
import { canConfirm, chooseQueries, isAnswerable, queriesOfUnknownFormat } from './query.ts';
import type { Confirmation } from './transaction-data.ts';
import { createVpTokens, type PreparedAnswer, type SelectedMatches } from './vp-token.ts';

/** Rolls back the change. */
class CopyGoneError extends Error {}
/** Maximum number of attempts, if other processes consume the reserved copies. */
const MAX_TRIES = 5;

const MAX_NAMED = 3;
const MAX_NAME = 50;

/** Which credentials the request cannot be answered without, in the verifier's words. */
function missingFormats(missing: ReturnType<typeof queriesOfUnknownFormat>): string {
  if (missing.length === 0) return '';
  const named = missing
    .slice(0, MAX_NAMED)
    .map(({ id, format }) => `${id.slice(0, MAX_NAME)} in the format ${format.slice(0, MAX_NAME)}, which is not known here`);
  return `: it requires ${named.join('; ')}`;
}

/** Selects the credentials for each answered query. */
export async function choosePresentations(
  { matcher }: Pick<PresentationDeps, 'matcher'>,
  { caller }: PresentationExchange,
  { query, verifierFormats }: EvaluatedRequest,
  body: PresentationRequest,
): Promise<SelectedMatches[]> {
  const selection = selectionOf(body);
  const results = await matcher.match(caller, query, selection, true, verifierFormats);
  const chosen = chooseQueries(query, results, Object.keys(selection.by ?? {}));
  if (!chosen && !isAnswerable(query, verifierFormats))
    fail(
      'no-matching-credential',
      { why: missingFormats(queriesOfUnknownFormat(query, verifierFormats)) },
      { detail: { protocol: { error: 'vp_formats_not_supported' } } },
    );
  if (!chosen && (selection.by || selection.all || selection.claimSets))
    fail('selection-does-not-match', { why: 'what is selected does not answer the request' });
  if (!chosen) return fail('no-matching-credential', { why: '' });
  return results
    .filter(({ id }) => chosen.includes(id))
    .map((result) => ({ result, matches: result.multiple ? result.matches : result.matches.slice(0, 1) }));
}

type PresentedCredentials = NonNullable<PresentationAnswer['presented']>;

/** Independent of the order. */
const contentOf = (presented: PresentedCredentials): string =>
  JSON.stringify(
    presented
      .map(({ queryId, credentialId, disclosed }) =>
        JSON.stringify([queryId, credentialId, disclosed.map((path) => JSON.stringify(path)).sort()]),
      )
      .sort(),
  );

/** The user agreed to exactly this. */
function checkConsent({ consent }: PresentationRequest, { presented }: Pick<PreparedAnswer, 'presented'>): void {
  if (consent && contentOf(consent) !== contentOf(presented)) fail('preview-outdated');
}

const confirmedBy = (
  { transactionData }: EvaluatedRequest,
  selected: readonly SelectedMatches[],
): ReadonlyMap<string, Confirmation> | undefined =>
  transactionData?.confirmedBy(selected.flatMap(({ result, matches }) => (canConfirm(matches) ? result.id : [])));

/**
 * Consumes the copies and saves the state 'answering' before anything is sent. Even after a crash the request is not answered
 * twice, and no copy is shown to another verifier. False if a copy is no longer available.
 */
export async function useCopies(
  { change, exchanges, storedCredentials }: Pick<PresentationDeps, 'change' | 'exchanges' | 'storedCredentials'>,
  exchange: PresentationExchange,
  { copies }: Pick<PreparedAnswer, 'copies'>,
): Promise<boolean> {
  const { state } = exchange;
  exchange.state = 'answering';
  try {
    await change(exchange.caller, exchange.owner, async (transaction) => {
      for (const { candidate, copy } of copies)
        if (!(await storedCredentials.consumeCopy(transaction, candidate, copy))) throw new CopyGoneError();
      await exchanges.save(exchange, transaction);
    });
    return true;
  } catch (error) {
    exchange.state = state;
    if (error instanceof CopyGoneError) return false;
    throw error;
  }
}

export async function submitPresentation(
  deps: PresentationDeps,
  exchange: PresentationExchange,
  evaluated: EvaluatedRequest,
  body: PresentationRequest,
): Promise<PresentationAnswer> {
  const { outbound, exchanges } = deps;
  const { request, verifier } = evaluated;
  const vpTokens = createVpTokens(deps);
  const selected = await choosePresentations(deps, exchange, evaluated, body);
  const confirmations = confirmedBy(evaluated, selected);
  let prepared = await vpTokens.make(evaluated, selected, confirmations);
  try {
    checkConsent(body, prepared);
    exchanges.step(exchange, 'answer made', { detail: selected.map(({ result }) => result.id).join(', ') });
    const redirectUri = await sendAnswer(outbound, request, async () => {
      exchange.summary = { ...exchange.summary, ...aboutAnswer(prepared) };
      for (let tries = 1; !(await useCopies(deps, exchange, prepared)); tries++) {
        if (tries === MAX_TRIES) fail('exchange-busy', undefined, { detail: { exchangeId: exchange.id } });
        prepared.releaseCopies();
        prepared = await vpTokens.make(evaluated, selected, confirmations);
        checkConsent(body, prepared);
      }
      return prepared.form;
    });
    exchanges.step(exchange, 'answer accepted');
    return await concludeExchange(deps, exchange, {
      status: 'submitted',
      exchangeId: exchange.id,
      verifier,
      presented: prepared.presented,
      ...(redirectUri === undefined ? {} : { redirectUri }),
      responseMode: request.responseMode,
    });
  } finally {
    prepared.releaseCopies();
  }
}
