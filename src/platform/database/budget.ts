// How long one request may wait for the database, all its queries together. Time it spends on anything else does not count.
import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseUnavailable } from './errors.ts';

/** Of a whole request. One that fails says so while its caller still listens. */
const REQUEST_MS = 6_000;
/** What a request set going and goes on for so long is no longer the request. */
const REQUEST_ENDS_MS = 60_000;
/** In lines behind others that get ahead: the database answers, there is only much to do. */
export const LINE_MS = 60_000;

/** Time that may be spent waiting, by some clock. What is waited for at the same time counts once. */
class Allowance {
  readonly #now: () => number;
  #left: number;
  #waiting = 0;
  #since = 0;

  constructor(milliseconds: number, now: () => number) {
    this.#left = milliseconds;
    this.#now = now;
  }

  /** What may still be waited; throws when that is nothing. */
  left(): number {
    const left = this.#left - (this.#waiting > 0 ? this.#now() - this.#since : 0);
    if (left <= 0) throw new DatabaseUnavailable('the request waited for the database as long as it may');
    return left;
  }

  begin(): void {
    if (this.#waiting++ === 0) this.#since = this.#now();
  }

  end(): void {
    if (--this.#waiting === 0) this.#left -= this.#now() - this.#since;
  }
}

/** Goes on while this process has nothing to do. An answer that lies there until the process comes to it is not the database's delay. */
const idleTime = (): number => performance.eventLoopUtilization().idle;

export class Budget {
  /** Of jobs nobody waits for: their statements may take longer. */
  readonly isPatient: boolean;
  readonly #ends: number;
  readonly #answers: Allowance;
  readonly #lines = new Allowance(LINE_MS, () => performance.now());

  constructor(milliseconds: number) {
    this.isPatient = milliseconds === Number.POSITIVE_INFINITY;
    this.#answers = new Allowance(milliseconds, idleTime);
    this.#ends = performance.now() + REQUEST_ENDS_MS;
  }

  get #isOver(): boolean {
    return this.isPatient || performance.now() > this.#ends;
  }

  /** How long an answer may still be waited for; throws when that is not at all. */
  left(): number {
    return this.#isOver ? Number.POSITIVE_INFINITY : this.#answers.left();
  }

  begin(): void {
    this.#answers.begin();
  }

  end(): void {
    this.#answers.end();
  }

  /** Waits in a line of this process, which costs nothing of the time for answers. */
  async inLine(enter: (limitMs: number) => Promise<void>): Promise<void> {
    const limit = this.#isOver ? LINE_MS : this.#lines.left();
    this.#lines.begin();
    try {
      await enter(limit);
    } finally {
      this.#lines.end();
    }
  }
}

const budgets = new AsyncLocalStorage<Budget>();

/** Everything the work asks of a database counts together. Inside another one it has one of its own. */
export const withBudget = <T>(work: () => T, milliseconds = REQUEST_MS): T => budgets.run(new Budget(milliseconds), work);

/** For jobs and commands: nobody waits for them. */
export const patiently = <T>(work: () => T): T => budgets.run(new Budget(Number.POSITIVE_INFINITY), work);

export const currentBudget = (): Budget | undefined => budgets.getStore();
