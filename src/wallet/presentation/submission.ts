// The answer: what is shown is chosen, presentations are made, copies are used up, and the verifier gets it (OID4VP, 8).
import { fail } from '../faults.ts';
import { sendAnswer } from './answer.ts';
import { concludeExchange } from './conclusion.ts';
import { type Asked, type PresentationDeps, type Running, selectionOf } from './data.ts';
import type { PresentationAnswer, PresentationRequest } from './presentation.schema.ts';
import { canConfirm, chooseQueries, isAnswerable } from './query.ts';
import type { Confirmation } from './transaction-data.ts';
import { type Chosen, createVpTokens, type Made } from './vp-token.ts';

/** Undoes a change. */
class CopyGone extends Error {}
/** Answers made before giving up, where other processes of the same wallet use up the copies each time. */
const MAX_TRIES = 5;

/** What is shown for each query that is answered. */
export async function choosePresentations(
  { matching }: Pick<PresentationDeps, 'matching'>,
  { caller }: Running,
  { query, understood }: Asked,
  body: PresentationRequest,
): Promise<Chosen[]> {
  const results = await matching.match(caller, query, selectionOf(body), true, understood);
  const chosen = chooseQueries(query, results, Object.keys(body.selection ?? {}));
  if (!chosen && !isAnswerable(query, understood))
    fail('no-matching-credential', undefined, { detail: { protocol: { error: 'vp_formats_not_supported' } } });
  if (!chosen)
    fail(body.selection || body.credentialIds ? 'selection-does-not-match' : 'no-matching-credential', {
      why: 'what is selected does not answer the request',
    });
  return results
    .filter(({ id }) => chosen.includes(id))
    .map((result) => ({ result, matches: result.multiple ? result.matches : result.matches.slice(0, 1) }));
}

const confirmedBy = ({ transactionData }: Asked, shown: readonly Chosen[]): ReadonlyMap<string, Confirmation> | undefined =>
  transactionData?.confirmedBy(shown.flatMap(({ result, matches }) => (canConfirm(matches) ? result.id : [])));

/**
 * Written down when everything is ready and nothing is sent yet, with the copies that are used up: whatever happens to us now,
 * this request is not answered a second time, and no copy is shown to anybody else. False when one of them is gone meanwhile.
 */
export async function useCopies(
  { change, exchanges, heldCredentials }: Pick<PresentationDeps, 'change' | 'exchanges' | 'heldCredentials'>,
  exchange: Running,
  { copies }: Pick<Made, 'copies'>,
): Promise<boolean> {
  const { state } = exchange;
  exchange.state = 'answering';
  try {
    await change(exchange.caller, exchange.owner, async (transaction) => {
      for (const { candidate, copy } of copies)
        if (!(await heldCredentials.take(transaction, candidate, copy))) throw new CopyGone();
      await exchanges.save(exchange, transaction);
    });
    return true;
  } catch (error) {
    exchange.state = state;
    if (error instanceof CopyGone) return false;
    throw error;
  }
}

export async function submitPresentation(
  deps: PresentationDeps,
  exchange: Running,
  asked: Asked,
  body: PresentationRequest,
): Promise<PresentationAnswer> {
  const { outbound, exchanges } = deps;
  const { opened, verifier } = asked;
  const vpTokens = createVpTokens(deps);
  const shown = await choosePresentations(deps, exchange, asked, body);
  const confirmed = confirmedBy(asked, shown);
  let made = await vpTokens.make(asked, shown, confirmed);
  exchanges.step(exchange, 'answer made', { detail: shown.map(({ result }) => result.id).join(', ') });
  try {
    const redirectUri = await sendAnswer(outbound, opened, async () => {
      for (let tries = 1; !(await useCopies(deps, exchange, made)); tries++) {
        if (tries === MAX_TRIES) fail('exchange-busy', undefined, { detail: { exchangeId: exchange.id } });
        made.putBack();
        made = await vpTokens.make(asked, shown, confirmed);
      }
      return made.form;
    });
    exchanges.step(exchange, 'answer accepted');
    return await concludeExchange(deps, exchange, {
      status: 'submitted',
      exchangeId: exchange.id,
      verifier,
      presented: made.presented,
      ...(redirectUri === undefined ? {} : { redirectUri }),
      responseMode: opened.responseMode,
    });
  } finally {
    made.putBack();
  }
}
