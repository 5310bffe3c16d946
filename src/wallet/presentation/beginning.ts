// Which exchange a request is about: a new one, or one that waits. A request is answered once.
import { createHash } from 'node:crypto';
import { isUniqueViolation } from '../../platform/database/index.ts';
import { Fault } from '../../platform/faults/index.ts';
import type { Caller } from '../access/index.ts';
import { isAnswered } from '../exchanges/index.ts';
import { fail } from '../faults.ts';
import type { Once } from '../resource/index.ts';
import { PROTOCOL, type PresentationData, type PresentationDeps, type Running } from './data.ts';
import type { PresentationRequest } from './presentation.schema.ts';
import { type Opened, openRequest } from './request.ts';

type Beginning = Pick<PresentationDeps, 'exchanges' | 'callbacks' | 'outbound'>;

/** An exchange somebody works on now, and the request it is about. */
export interface Begun {
  readonly exchange: Running;
  readonly opened: Opened;
}

const digestOf = (value: unknown): string => createHash('sha256').update(JSON.stringify(value)).digest('base64url');

/** A verifier makes a nonce for each request (OID4VP, 5.2). */
export const requestHashOf = ({ resolved, nonce }: Opened): string => digestOf([resolved.client.effective, nonce]);

/** All that is asked, without what an honest verifier makes anew each time. */
export function questionOf({ resolved }: Pick<Opened, 'resolved'>): string {
  const { iat, exp, nbf, jti, wallet_nonce, client_metadata, ...rest } = resolved.authorizationRequestPayload as Readonly<
    Record<string, unknown>
  >;
  return digestOf(rest);
}

const dataOf = (uri: string, opened: Opened): PresentationData => ({
  uri,
  ...(opened.fetched ? { fetched: opened.fetched } : {}),
  question: questionOf(opened),
  isPreviewed: false,
});

const answeredBefore = (exchangeId: string): never => fail('request-already-answered', undefined, { detail: { exchangeId } });

/** Goes on with the request as it was read first: with the keys and formats the verifier named then. */
async function reopen({ exchanges, callbacks, outbound }: Beginning, exchange: Running): Promise<Begun> {
  try {
    const { uri, fetched } = exchange.data;
    return { exchange, opened: await openRequest(uri, { callbacks, outbound }, fetched) };
  } catch (error) {
    await exchanges.release(exchange);
    throw error;
  }
}

/** The same request came before, and waits. */
async function takeUpSame(deps: Beginning, caller: Caller, id: string, question: string, once: Once): Promise<Begun> {
  const { exchanges } = deps;
  const exchange = await exchanges.takeUp<PresentationData>(caller, id, PROTOCOL, once).catch((error: unknown) => {
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

export async function beginExchange(deps: Beginning, caller: Caller, { uri }: PresentationRequest, once: Once): Promise<Begun> {
  const { exchanges, callbacks, outbound } = deps;
  if (uri === undefined) fail('invalid-request', { why: 'give the uri of the request' });
  const opened = await openRequest(uri, { callbacks, outbound });
  const requestHash = requestHashOf(opened);
  const data = dataOf(uri, opened);
  const before = await exchanges.findByRequest(caller, PROTOCOL, requestHash);
  if (before && isAnswered(before.state)) answeredBefore(before.id);
  if (before) return takeUpSame(deps, caller, before.id, data.question, once);
  const { effective: peer, prefix } = opened.resolved.client;
  const exchange = await exchanges
    .open(caller, PROTOCOL, data, { state: 'requested', peer, requestHash, once })
    .catch((error: unknown) => {
      // The same request, at the same moment: one of them is answered.
      if (isUniqueViolation(error)) fail('request-already-answered');
      throw error;
    });
  exchanges.step(exchange, 'request read', { detail: prefix });
  return { exchange, opened };
}

export async function takeUpExchange(deps: Beginning, caller: Caller, id: string, once: Once): Promise<Begun> {
  return reopen(deps, await deps.exchanges.takeUp<PresentationData>(caller, id, PROTOCOL, once));
}
