// Limits how long one request may wait for the database, for all its queries together. Other time does not count.
import { AsyncLocalStorage } from 'node:async_hooks';
import { DatabaseUnavailable } from './errors.ts';

/** For a whole request: short enough that the client is still waiting for the error. */
const REQUEST_MS = 6_000;
/** Work that a request started and that still runs after this time counts as background work. */
const REQUEST_ENDS_MS = 60_000;
/** In queues that move: the database answers, there is only much to do. */
export const QUEUE_MS = 60_000;

/** An amount of waiting time, by some clock. Concurrent waits count once. */
class Allowance {
  readonly #now: () => number;
  #left: number;
  #waiting = 0;
  #since = 0;

  constructor(milliseconds: number, now: () => number) {
    this.#left = milliseconds;
    this.#now = now;
  }

  /** The remaining time; throws if there is none. */
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

/** A clock that only advances while this process is idle. If an answer has arrived but the process is busy, that is not the database's delay. */
const idleTime = (): number => performance.eventLoopUtilization().idle;

export class Budget {
  /** For background jobs: their statements may take longer. */
  readonly isUnlimited: boolean;
  readonly #ends: number;
  readonly #answers: Allowance;
  readonly #queues = new Allowance(QUEUE_MS, () => performance.now());

  constructor(milliseconds: number) {
    this.isUnlimited = milliseconds === Number.POSITIVE_INFINITY;
    this.#answers = new Allowance(milliseconds, idleTime);
    this.#ends = performance.now() + REQUEST_ENDS_MS;
  }

  get #isOver(): boolean {
    return this.isUnlimited || performance.now() > this.#ends;
  }

  /** The remaining time for answers; throws if there is none. */
  left(): number {
    return this.#isOver ? Number.POSITIVE_INFINITY : this.#answers.left();
  }

  begin(): void {
    this.#answers.begin();
  }

  end(): void {
    this.#answers.end();
  }

  /** Waits in a queue of this process, which does not count as waiting for answers. */
  async inQueue(enter: (limitMs: number) => Promise<void>): Promise<void> {
    const limit = this.#isOver ? QUEUE_MS : this.#queues.left();
    this.#queues.begin();
    try {
      await enter(limit);
    } finally {
      this.#queues.end();
    }
  }
}

const budgets = new AsyncLocalStorage<Budget>();

/** Gives the work a time budget for all its database queries. A nested call gets a budget of its own. */
export const withBudget = <T>(work: () => T, milliseconds = REQUEST_MS): T => budgets.run(new Budget(milliseconds), work);

/** For jobs and commands, without a time limit. */
export const withoutTimeLimit = <T>(work: () => T): T => budgets.run(new Budget(Number.POSITIVE_INFINITY), work);

export const currentBudget = (): Budget | undefined => budgets.getStore();
