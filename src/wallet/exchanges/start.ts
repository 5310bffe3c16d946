// Starts an exchange, or resumes a waiting one. Both claim it for one worker.
import { randomUUID } from 'node:crypto';
import { newUlid } from '../../platform/ids.ts';
import type { Caller } from '../access/index.ts';
import type { ExchangeRow, ExchangeState, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { type IdempotentRequest, notIdempotent } from '../resource/index.ts';
import { CLAIM_MS, columnsOf, type Exchange, type ExchangeDeps, openRow, type Protocol } from './exchange.ts';
import { claimExchange, findByRequest, findExchange, insertExchange } from './exchanges.store.ts';
import { isFinished } from './states.ts';
import type { ExchangeSummary } from './summary.ts';

const LIFE_MS = 24 * 3600 * 1000;

export interface ExchangeStart {
  readonly state: ExchangeState;
  readonly peer?: string;
  readonly summary?: ExchangeSummary;
  readonly requestHash?: string;
  readonly once?: IdempotentRequest;
}

export async function startExchange<Data>(
  deps: ExchangeDeps,
  caller: Caller,
  protocol: Protocol,
  data: Data,
  { state, peer, summary = {}, requestHash, once = notIdempotent }: ExchangeStart,
): Promise<Exchange<Data>> {
  const { owner } = caller;
  const now = deps.clock.now();
  const exchange: Exchange<Data> = {
    id: `ex_${newUlid(now)}`,
    owner,
    caller,
    protocol,
    claim: randomUUID(),
    state,
    peer,
    data,
    steps: [],
    summary,
    pollAt: null,
    expiresAt: now + LIFE_MS,
  };
  await deps.change(caller, owner, async (transaction) => {
    const { tx, audit } = transaction;
    // The same request was sent twice at the same time, and the other one was faster.
    const same = requestHash === undefined ? undefined : await findByRequest(tx, owner, protocol, requestHash);
    if (same) fail('exchange-busy', undefined, { detail: { exchangeId: same.id } });
    if ((await once.claim(transaction, exchange.id)) !== undefined) fail('exchange-busy');
    await insertExchange(tx, {
      id: exchange.id,
      owner,
      protocol,
      ...columnsOf(deps, exchange),
      outcome: null,
      result: null,
      request_hash: requestHash ?? null,
      claimed_until: now + CLAIM_MS,
      claimed_by: exchange.claim,
      created_at: now,
    });
    audit('exchange.begun', { kind: 'exchange', id: exchange.id }, { protocol });
  });
  return exchange;
}

/** Finds an exchange that can be continued, of any protocol if none is given. */
export async function findWaiting(
  { tx }: Pick<WalletChange, 'tx'>,
  owner: string,
  id: string,
  protocol: Protocol | undefined,
  now: number,
): Promise<ExchangeRow> {
  const found = await findExchange(tx, owner, id);
  if (!found || (protocol && found.protocol !== protocol)) fail('not-found', { kind: 'exchange' });
  if (isFinished(found.state)) fail('exchange-finished', { state: found.state }, { detail: { exchangeId: id } });
  // The answer is still being sent, or the process died before it knew whether it arrived.
  if (found.state === 'answering') fail('request-already-answered', undefined, { detail: { exchangeId: id } });
  if (found.expires_at <= now) fail('exchange-expired', undefined, { detail: { exchangeId: id } });
  return found;
}

/** Resumes a waiting exchange. */
export async function resumeExchange<Data>(
  deps: ExchangeDeps,
  caller: Caller,
  id: string,
  protocol: Protocol,
  once: IdempotentRequest = notIdempotent,
): Promise<Exchange<Data>> {
  const { owner } = caller;
  const now = deps.clock.now();
  const claim = { claimed_by: randomUUID(), claimed_until: now + CLAIM_MS };
  const row = await deps.change(caller, owner, async (transaction) => {
    const found = await findWaiting(transaction, owner, id, protocol, now);
    if (!(await claimExchange(transaction.tx, owner, id, claim, now)))
      fail('exchange-busy', undefined, { detail: { exchangeId: id } });
    await once.claim(transaction, id);
    transaction.audit('exchange.continued', { kind: 'exchange', id });
    return found;
  });
  return openRow<Data>(deps, row, caller, claim.claimed_by);
}
