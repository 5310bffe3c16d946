// Saves, releases and ends exchanges. Only the worker with the claim may write.
import type { ExchangeRow, FinalState, WalletChange } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { CLAIM_MS, columnsOf, type Exchange, type ExchangeDeps } from './exchange.ts';
import { updateClaimed, updateExchange } from './exchanges.store.ts';

/** How long finished exchanges can be looked up. */
export const RETENTION_MS = 30 * 24 * 3600 * 1000;

export interface ExchangeEnd {
  readonly outcome?: string;
  /** The answer for repeated requests. */
  readonly result?: object;
  /** Keeps the sealed data, because something is still to be sent. */
  readonly keep?: boolean;
}

/** A worker that lost its claim must not overwrite the work of another. */
async function write({ tx }: WalletChange, exchange: Exchange<unknown>, values: Partial<ExchangeRow>): Promise<void> {
  if (!(await updateClaimed(tx, exchange, values))) fail('exchange-busy', undefined, { detail: { exchangeId: exchange.id } });
}

/** Saves within the given change or in a new one. The claim is kept. */
export async function saveExchange(deps: ExchangeDeps, exchange: Exchange<unknown>, transaction?: WalletChange): Promise<void> {
  const work = async (within: WalletChange): Promise<void> => {
    await write(within, exchange, { ...columnsOf(deps, exchange), claimed_until: deps.clock.now() + CLAIM_MS });
    within.audit(`exchange.${exchange.state}`, { kind: 'exchange', id: exchange.id });
  };
  if (transaction) await work(transaction);
  else await deps.change(exchange.caller, exchange.owner, work);
}

/** Ends an exchange, and deletes its sealed data unless something is still to be sent. */
export async function endExchange(
  deps: ExchangeDeps,
  exchange: Exchange<unknown>,
  state: FinalState,
  transaction: WalletChange,
  { outcome = state, result, keep = false }: ExchangeEnd = {},
): Promise<void> {
  exchange.state = state;
  await write(transaction, exchange, {
    ...columnsOf(deps, exchange),
    outcome,
    ...(result === undefined ? {} : { result: JSON.stringify(result) }),
    ...(keep ? {} : { sealed: null, poll_at: null }),
    claimed_until: 0,
    expires_at: deps.clock.now() + RETENTION_MS,
  });
  transaction.audit(`exchange.${state}`, { kind: 'exchange', id: exchange.id }, { outcome });
  deps.count({ protocol: exchange.protocol, outcome });
}

/** Updates a finished exchange after a notification was sent or failed. */
export async function recordAfterEnd(deps: ExchangeDeps, exchange: Exchange<unknown>, keep: boolean): Promise<void> {
  await deps.change(exchange.caller, exchange.owner, async ({ tx, audit }) => {
    const { steps, sealed: rest, poll_at, updated_at } = columnsOf(deps, exchange);
    const left = keep ? { sealed: rest, poll_at } : { sealed: null, poll_at: null };
    await updateExchange(tx, exchange.owner, exchange.id, { steps, updated_at, ...left });
    audit('exchange.noted', { kind: 'exchange', id: exchange.id });
  });
}

/** Releases the claim, so that the exchange can be resumed. */
export async function releaseExchange(deps: ExchangeDeps, exchange: Exchange<unknown>): Promise<void> {
  await deps.change(exchange.caller, exchange.owner, async (transaction) => {
    await write(transaction, exchange, { ...columnsOf(deps, exchange), claimed_until: 0 });
    transaction.audit('exchange.waits', { kind: 'exchange', id: exchange.id });
  });
}
