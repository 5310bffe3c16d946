// A part of an exchange is worked on: the claim is kept meanwhile, and what goes wrong is written down.
import { withoutTimeLimit } from '../../platform/database/index.ts';
import { Fault } from '../../platform/faults/index.ts';
import { repeat } from '../../platform/jobs/index.ts';
import { actAs } from '../access/index.ts';
import { addStep, CLAIM_MS, type Exchange, type ExchangeDeps } from './exchange.ts';
import { renewClaim } from './exchanges.store.ts';
import { endExchange, releaseExchange } from './progress.ts';

/** Keeps the claim while the work goes on. One that was let go, or that another has, is not taken back. */
async function withClaim<T>(deps: ExchangeDeps, exchange: Exchange<unknown>, work: () => Promise<T>): Promise<T> {
  const { db, clock, log, renewMs } = deps;
  const renew = (): Promise<void> =>
    db.write(async (tx) => {
      await actAs(db, tx, exchange.owner);
      await renewClaim(tx, exchange, clock.now() + CLAIM_MS);
    });
  const renewals = repeat({
    everyMs: renewMs,
    // Not of the time the request has. What fails is tried again long before the claim ends.
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
 * Runs a part of an exchange. What goes wrong is written down and told with everything that happened before; a fault that the
 * caller can mend leaves the exchange waiting, any other ends it. When another works on it by now, nothing is written.
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
