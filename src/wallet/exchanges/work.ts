// Runs a part of an exchange: renews the claim meanwhile, and records errors.
import { withoutTimeLimit } from '../../platform/deadline.ts';
import { Fault } from '../../platform/faults/index.ts';
import { repeat } from '../../platform/jobs/index.ts';
import { actAs } from '../access/index.ts';
import { addStep, CLAIM_MS, type Exchange, type ExchangeDeps } from './exchange.ts';
import { renewClaim } from './exchanges.store.ts';
import { endExchange, releaseExchange } from './progress.ts';

/** Renews the claim while the work runs. A claim that was released or lost is not taken back. */
async function withClaim<T>(deps: ExchangeDeps, exchange: Exchange<unknown>, work: () => Promise<T>): Promise<T> {
  const { db, clock, log, renewMs } = deps;
  const renew = (): Promise<void> =>
    db.write(async (tx) => {
      await actAs(db, tx, exchange.owner);
      await renewClaim(tx, exchange, clock.now() + CLAIM_MS);
    });
  const renewals = repeat({
    everyMs: renewMs,
    // Not limited by the deadline of the request. A failed renewal is repeated long before the claim expires.
    run: () => withoutTimeLimit(renew),
    log,
    failure: 'the claim of an exchange could not be renewed; it will be tried again',
    logsOnce: true,
  });
  try {
    return await work();
  } finally {
    await renewals.stop();
  }
}

/**
 * Runs a part of an exchange. Errors are recorded as a step, and returned with all steps. After a recoverable fault the exchange
 * waits; any other error ends it. If another worker has claimed it meanwhile, nothing is written.
 */
export async function runExchange<T>(
  deps: ExchangeDeps,
  exchange: Exchange<unknown>,
  mendable: (error: unknown) => boolean,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await withClaim(deps, exchange, work);
  } catch (error) {
    const code = error instanceof Fault ? error.code : 'unexpected';
    addStep(deps, exchange, 'stopped', { error: code, ...(error instanceof Fault ? { detail: error.message } : {}) });
    if (mendable(error)) await releaseExchange(deps, exchange);
    else
      await deps.change(exchange.caller, exchange.owner, (transaction) =>
        endExchange(deps, exchange, 'failed', transaction, { outcome: code }),
      );
    if (!(error instanceof Fault)) throw error;
    throw error.with({ exchangeId: exchange.id, steps: exchange.steps });
  }
}
