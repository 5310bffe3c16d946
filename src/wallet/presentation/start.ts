// Starts an exchange for a request, or resumes a waiting one. A request is answered only once.
import { createHash } from 'node:crypto';
import { isUniqueViolation } from '../../platform/database/index.ts';
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import { isAnswered } from '../exchanges/index.ts';
import { fail } from '../ground/faults.ts';
import type { IdempotentRequest } from '../resource/index.ts';
import { PROTOCOL, type PresentationData, type PresentationDeps, type PresentationExchange } from './data.ts';
import type { PresentationRequest } from './presentation.schema.ts';
import { openRequest, type VerifierRequest } from './request.ts';

type StartDeps = Pick<PresentationDeps, 'exchanges' | 'callbacks' | 'outbound'>;

/** A claimed exchange and its request. */
export interface StartedExchange {
  readonly exchange: PresentationExchange;
  readonly request: VerifierRequest;
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** Identifies a request: verifiers create a new nonce for each one (OID4VP, 5.2). */
export const requestHashOf = ({ resolved, nonce }: VerifierRequest): string => digestOf([resolved.client.effective, nonce]);

/** A digest of the request without the values that change each time it is fetched. */
export function questionOf({ resolved }: Pick<VerifierRequest, 'resolved'>): string {
  const { iat, exp, nbf, jti, wallet_nonce, client_metadata, ...rest } = resolved.authorizationRequestPayload as Readonly<
    Record<string, unknown>
  >;
  return digestOf(rest);
}

const dataOf = (uri: string, request: VerifierRequest): PresentationData => ({
  uri,
  ...(request.fetched ? { fetched: request.fetched } : {}),
  question: questionOf(request),
  isPreviewed: false,
});

const answeredBefore = (exchangeId: string): never => fail('request-already-answered', undefined, { detail: { exchangeId } });

/** Continues with the request as it was first fetched, including its keys and formats. */
async function reopen({ exchanges, callbacks, outbound }: StartDeps, exchange: PresentationExchange): Promise<StartedExchange> {
  try {
    const { uri, fetched } = exchange.data;
    return { exchange, request: await openRequest(uri, { callbacks, outbound }, fetched) };
  } catch (error) {
    await exchanges.release(exchange);
    throw error;
  }
}

/** Resumes the waiting exchange of the same request. */
async function resumeSameRequest(
  deps: StartDeps,
  caller: Caller,
  id: string,
  question: string,
  once: IdempotentRequest,
): Promise<StartedExchange> {
  const { exchanges } = deps;
  const exchange = await exchanges.resume<PresentationData>(caller, id, PROTOCOL, once).catch((error: unknown) => {
    // It was answered meanwhile.
    if (error instanceof Fault && error.code === 'exchange-finished') answeredBefore(id);
    throw error;
  });
  if (exchange.data.question !== question) {
    await exchanges.release(exchange);
    fail('invalid-presentation-request', { why: 'it asks for something else than before' });
  }
  return reopen(deps, exchange);
}

export async function startExchange(
  deps: StartDeps,
  caller: Caller,
  { uri }: PresentationRequest,
  once: IdempotentRequest,
): Promise<StartedExchange> {
  const { exchanges, callbacks, outbound } = deps;
  if (uri === undefined) fail('invalid-request', { why: 'give the uri of the request' });
  const request = await openRequest(uri, { callbacks, outbound });
  const requestHash = requestHashOf(request);
  const data = dataOf(uri, request);
  const before = await exchanges.findByRequest(caller, PROTOCOL, requestHash);
  if (before && isAnswered(before.state)) answeredBefore(before.id);
  if (before) return resumeSameRequest(deps, caller, before.id, data.question, once);
  const { effective: peer, prefix } = request.resolved.client;
  const exchange = await exchanges
    .start(caller, PROTOCOL, data, { state: 'requested', peer, requestHash, once })
    .catch((error: unknown) => {
      // The same request was sent twice at the same time. Only one is answered.
      if (isUniqueViolation(error)) fail('request-already-answered');
      throw error;
    });
  exchanges.step(exchange, 'request read', { detail: prefix });
  return { exchange, request };
}

export async function resumeExchange(
  deps: StartDeps,
  caller: Caller,
  id: string,
  once: IdempotentRequest,
): Promise<StartedExchange> {
  return reopen(deps, await deps.exchanges.resume<PresentationData>(caller, id, PROTOCOL, once));
}
