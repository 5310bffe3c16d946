// Which exchange a request is about: a new one, or one that waits. A request is answered once.
import { createHash } from 'node:crypto';
import { isUniqueViolation } from '../../platform/database/index.ts';
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import { isAnswered } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import type { IdempotentRequest } from '../resource/index.ts';
import { PROTOCOL, type PresentationData, type PresentationDeps, type PresentationExchange } from './data.ts';
import type { PresentationRequest } from './presentation.schema.ts';
import { openRequest, type VerifierRequest } from './request.ts';

type StartDeps = Pick<PresentationDeps, 'exchanges' | 'callbacks' | 'outbound'>;

/** An exchange somebody works on now, and the request it is about. */
export interface StartedExchange {
  readonly exchange: PresentationExchange;
  readonly request: VerifierRequest;
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** A verifier makes a nonce for each request (OID4VP, 5.2). */
export const requestHashOf = ({ resolved, nonce }: VerifierRequest): string => digestOf([resolved.client.effective, nonce]);

/** All that is asked, without what an honest verifier makes anew each time. */
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

/** Goes on with the request as it was read first: with the keys and formats the verifier named then. */
async function reopen({ exchanges, callbacks, outbound }: StartDeps, exchange: PresentationExchange): Promise<StartedExchange> {
  try {
    const { uri, fetched } = exchange.data;
    return { exchange, request: await openRequest(uri, { callbacks, outbound }, fetched) };
  } catch (error) {
    await exchanges.release(exchange);
    throw error;
  }
}

/** The same request came before, and waits. */
async function resumeSameRequest(
  deps: StartDeps,
  caller: Caller,
  id: string,
  question: string,
  once: IdempotentRequest,
): Promise<StartedExchange> {
  const { exchanges } = deps;
  const exchange = await exchanges.resume<PresentationData>(caller, id, PROTOCOL, once).catch((error: unknown) => {
    // Answered since we looked.
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
      // The same request, at the same moment: one of them is answered.
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
