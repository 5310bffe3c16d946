// Presentation (OID4VP 1.0): from a verifier's request to an answer with only the requested claims. The steps are listed here in
// order; each has its own file.
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import { type ExchangeSummary, isFinished } from '../exchanges/index.ts';
import { fail } from '../ground/faults.ts';
import type { IdempotentRequest } from '../resource/index.ts';
import { isPreviewed, type PresentationData, type PresentationDeps, type PresentationExchange } from './data.ts';
import { evaluateRequest } from './evaluation.ts';
import type { PresentationAnswer, PresentationRequest, Verifier } from './presentation.schema.ts';
import { previewPresentation } from './preview.ts';
import { rejectRequest, reportErrorsToVerifier } from './refusal.ts';
import type { VerifierRequest } from './request.ts';
import { resumeExchange, type StartedExchange, startExchange } from './start.ts';
import { submitPresentation } from './submission.ts';
import { authenticateVerifier } from './verifier.ts';

/** Faults that the caller can fix. The exchange waits. */
const RECOVERABLE = ['selection-does-not-match', 'preview-required', 'preview-outdated', 'invalid-request'];
const isRecoverable = (error: unknown): boolean => error instanceof Fault && RECOVERABLE.includes(error.code);

function checkPreviewed({ rules }: PresentationDeps, exchange: PresentationExchange): void {
  if (rules.requirePreview && !isPreviewed(exchange)) fail('preview-required');
}

async function answerVerifier(
  deps: PresentationDeps,
  { exchange, request }: StartedExchange,
  verifier: Verifier,
  body: PresentationRequest,
): Promise<PresentationAnswer> {
  if (body.action === 'reject') return rejectRequest(deps, exchange, request, verifier);
  const evaluated = await evaluateRequest(deps, request, verifier);
  if (body.preview) return previewPresentation(deps, exchange, evaluated, body);
  checkPreviewed(deps, exchange);
  return submitPresentation(deps, exchange, evaluated, body);
}

const aboutVerifier = ({ name, trust }: Verifier, { responseUri }: VerifierRequest): ExchangeSummary => ({
  ...(name === undefined ? {} : { name }),
  proof: trust,
  responseUri,
});

/** After a preview the exchange waits for an answer. Everything else ends it. */
const work = (deps: PresentationDeps, started: StartedExchange, body: PresentationRequest): Promise<PresentationAnswer> =>
  deps.exchanges.run(started.exchange, isRecoverable, async () => {
    const verifier = await authenticateVerifier(started.request, deps);
    deps.exchanges.step(started.exchange, 'verifier known', { detail: `${verifier.prefix}, ${verifier.trust}` });
    started.exchange.summary = aboutVerifier(verifier, started.request);
    return reportErrorsToVerifier(deps.outbound, started.request, () => answerVerifier(deps, started, verifier, body));
  });

async function proceed(
  deps: PresentationDeps,
  caller: Caller,
  body: PresentationRequest,
  once: IdempotentRequest,
): Promise<PresentationAnswer> {
  const { exchangeId } = body;
  const started =
    exchangeId === undefined
      ? await startExchange(deps, caller, body, once)
      : await resumeExchange(deps, caller, exchangeId, once);
  return work(deps, started, body);
}

/** The answer of an earlier request with the same Idempotency-Key, if its exchange is finished. */
async function earlierAnswer(
  { exchanges }: PresentationDeps,
  caller: Caller,
  id: string,
): Promise<PresentationAnswer | undefined> {
  const row = await exchanges.find(caller, id);
  if (!isFinished(row.state) || row.sealed === null) return undefined;
  return exchanges.openFinished<PresentationData>(row, caller).data.answer;
}

export function createPresentations(deps: PresentationDeps) {
  return {
    async process(caller: Caller, body: PresentationRequest, once: IdempotentRequest): Promise<PresentationAnswer> {
      const earlier = await once.earlierResult();
      const answer = earlier === undefined ? undefined : await earlierAnswer(deps, caller, earlier);
      return answer ?? proceed(deps, caller, body, once);
    },
  };
}

export type Presentations = ReturnType<typeof createPresentations>;
