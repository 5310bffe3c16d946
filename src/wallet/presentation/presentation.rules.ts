// Showing credentials (OID4VP 1.0): from a verifier's request to an answer that holds what was asked for, and nothing else. The
// steps stand here in their order; each has a file of its own.
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import { isOver } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import type { Once } from '../resource/index.ts';
import { type Begun, beginExchange, takeUpExchange } from './beginning.ts';
import { isPreviewed, type PresentationData, type PresentationDeps, type Running } from './data.ts';
import { evaluateRequest } from './evaluation.ts';
import type { PresentationAnswer, PresentationRequest, Verifier } from './presentation.schema.ts';
import { previewPresentation } from './preview.ts';
import { rejectRequest, tellingVerifier } from './refusal.ts';
import { submitPresentation } from './submission.ts';
import { authenticateVerifier } from './verifier.ts';

/** What the caller can mend: the exchange waits for them. */
const MENDABLE = ['selection-does-not-match', 'preview-required'];
const canBeMended = (error: unknown): boolean => error instanceof Fault && MENDABLE.includes(error.code);

function checkPreviewed({ rules }: PresentationDeps, exchange: Running): void {
  if (rules.requirePreview && !isPreviewed(exchange)) fail('preview-required');
}

async function answerVerifier(
  deps: PresentationDeps,
  { exchange, opened }: Begun,
  verifier: Verifier,
  body: PresentationRequest,
): Promise<PresentationAnswer> {
  if (body.action === 'reject') return rejectRequest(deps, exchange, opened, verifier);
  const asked = await evaluateRequest(deps, opened, verifier);
  if (body.preview) return previewPresentation(deps, exchange, asked, body);
  checkPreviewed(deps, exchange);
  return submitPresentation(deps, exchange, asked, body);
}

/** A preview can be followed by an answer; everything else ends the exchange, one way or the other. */
const work = (deps: PresentationDeps, begun: Begun, body: PresentationRequest): Promise<PresentationAnswer> =>
  deps.exchanges.during(begun.exchange, canBeMended, async () => {
    const verifier = await authenticateVerifier(begun.opened, deps);
    deps.exchanges.step(begun.exchange, 'verifier known', { detail: `${verifier.prefix}, ${verifier.trust}` });
    return tellingVerifier(deps.outbound, begun.opened, () => answerVerifier(deps, begun, verifier, body));
  });

async function proceed(
  deps: PresentationDeps,
  caller: Caller,
  body: PresentationRequest,
  once: Once,
): Promise<PresentationAnswer> {
  const { exchangeId } = body;
  const begun =
    exchangeId === undefined
      ? await beginExchange(deps, caller, body, once)
      : await takeUpExchange(deps, caller, exchangeId, once);
  return work(deps, begun, body);
}

/** What the same request came to before, where it is over. */
async function earlierAnswer(
  { exchanges }: PresentationDeps,
  caller: Caller,
  id: string,
): Promise<PresentationAnswer | undefined> {
  const row = await exchanges.find(caller, id);
  if (!isOver(row.state) || row.sealed === null) return undefined;
  return exchanges.revived<PresentationData>(row, caller).data.answer;
}

export function createPresentations(deps: PresentationDeps) {
  return {
    async process(caller: Caller, body: PresentationRequest, once: Once): Promise<PresentationAnswer> {
      const earlier = await once.earlier();
      const answer = earlier === undefined ? undefined : await earlierAnswer(deps, caller, earlier);
      return answer ?? proceed(deps, caller, body, once);
    },
  };
}

export type Presentations = ReturnType<typeof createPresentations>;
