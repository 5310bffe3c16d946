// How long one request may wait for the database, all its queries together. Time it spends on anything else does not count.
import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseUnavailable } from './errors.ts';

/** Of a whole request. One that fails says so while its caller still listens. */
const REQUEST_MS = 6_000;
/** What a request set going and goes on for so long is no longer the request. */
const REQUEST_ENDS_MS = 60_000;

export class Budget {
  /** Of jobs nobody waits for: their statements may take longer. */
  readonly isPatient: boolean;
  readonly #ends: number;
  #left: number;
  #waiting = 0;
  #since = 0;

  constructor(milliseconds: number) {
    this.isPatient = milliseconds === Number.POSITIVE_INFINITY;
    this.#left = milliseconds;
    this.#ends = performance.now() + REQUEST_ENDS_MS;
  }

  /** What may still be waited; throws when that is nothing. */
  left(): number {
    const now = performance.now();
    if (now > this.#ends) return Number.POSITIVE_INFINITY;
    const left = this.#left - (this.#waiting > 0 ? now - this.#since : 0);
    if (left <= 0) throw new DatabaseUnavailable('the request waited for the database as long as it may');
    return left;
  }

  begin(): void {
    if (this.#waiting++ === 0) this.#since = performance.now();
  }

  end(): void {
    if (--this.#waiting === 0) this.#left -= performance.now() - this.#since;
  }
}

const budgets = new AsyncLocalStorage<Budget>();

/** Everything the work asks of a database counts together. Inside another one it has one of its own. */
export const withBudget = <T>(work: () => T, milliseconds = REQUEST_MS): T => budgets.run(new Budget(milliseconds), work);

/** For jobs and commands: nobody waits for them. */
export const patiently = <T>(work: () => T): T => budgets.run(new Budget(Number.POSITIVE_INFINITY), work);

export const currentBudget = (): Budget | undefined => budgets.getStore();
