// Cancels an exchange for its owner. Nobody else is told: a verifier is refused with `action: reject` instead.
import { type Caller, readList } from '../access/index.ts';
import type { ExchangeRow } from '../ground/database.ts';
import { fail } from '../ground/faults.ts';
import { time } from '../resource/index.ts';
import type { ExchangeDeps, ExchangeStep } from './exchange.ts';
import { claimExchange, updateExchange } from './exchanges.store.ts';
import { RETENTION_MS } from './progress.ts';
import { findWaiting } from './start.ts';
import { isUntouched } from './states.ts';

/** The exchange before and after. */
export interface CancelledExchange {
  readonly before: ExchangeRow;
  readonly after: ExchangeRow;
}

/** Does not open the sealed data, so that a damaged exchange can be cancelled as well. */
export async function cancelExchange(deps: ExchangeDeps, caller: Caller, { owner, id }: ExchangeRow): Promise<CancelledExchange> {
  const { clock, change, count, unlessDamaged } = deps;
  const now = clock.now();
  const cancelled = await change(caller, owner, async ({ tx, audit }) => {
    const row = await findWaiting({ tx }, owner, id, undefined, now);
    // Somebody who works on it would overwrite the end.
    if (!(await claimExchange(tx, owner, id, { claimed_by: 'cancelled', claimed_until: 0 }, now)))
      fail('exchange-busy', undefined, { detail: { exchangeId: id } });
    const steps = unlessDamaged('exchange', id, () => readList<ExchangeStep>(row.steps, 'at', 'step')) ?? [];
    const values: Partial<ExchangeRow> = {
      state: 'cancelled',
      outcome: 'cancelled',
      steps: JSON.stringify([...steps, { at: time(now), step: 'cancelled' }]),
      sealed: null,
      poll_at: null,
      updated_at: now,
      expires_at: now + RETENTION_MS,
      ...(isUntouched(row.state) ? { request_hash: null } : {}),
    };
    await updateExchange(tx, owner, id, values);
    audit('exchange.cancelled', { kind: 'exchange', id });
    return { before: row, after: { ...row, ...values } };
  });
  count({ protocol: cancelled.after.protocol, outcome: 'cancelled' });
  return cancelled;
}
