// A semaphore with a queue. While the queue moves, a caller may wait long, since each holder has only short work. When nothing moves, it
// gives up soon.
import { currentBudget, QUEUE_MS } from './budget.ts';
import { DatabaseUnavailable, isUnavailable } from './errors.ts';

/** Longer than the limits for locks and statements: by then several in a row have failed. */
const STALL_MS = 6_000;

export class Semaphore {
  #free: number;
  readonly #count: number;
  readonly #stallMs: number;
  readonly #queue: (() => void)[] = [];
  /** When a holder last succeeded. */
  #lastProgress = 0;

  constructor(count: number, stallMs = STALL_MS) {
    this.#free = count;
    this.#count = count;
    this.#stallMs = stallMs;
  }

  get isUnused(): boolean {
    return this.#free === this.#count;
  }

  /** How many hold it. */
  get held(): number {
    return this.#count - this.#free;
  }

  get waiting(): number {
    return this.#queue.length;
  }

  /** Waits at most `limitMs`, and at most `stallMs` without progress. */
  async acquireWithin(limitMs: number, stallMs = this.#stallMs): Promise<void> {
    if (this.#free > 0) {
      this.#free--;
      return;
    }
    const arrived = performance.now();
    await new Promise<void>((resolve, reject) => {
      let timer: NodeJS.Timeout | undefined;
      const enter = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const check = (): void => {
        const end = Math.min(arrived + limitMs, Math.max(arrived, this.#lastProgress) + stallMs);
        const rest = end - performance.now();
        if (rest > 0) {
          timer = setTimeout(check, rest);
          return;
        }
        this.#queue.splice(this.#queue.indexOf(enter), 1);
        reject(new DatabaseUnavailable('too many requests are waiting for the database'));
      };
      this.#queue.push(enter);
      check();
    });
  }

  /** Waits as long as the budget of the current request allows. */
  async acquire(): Promise<void> {
    const budget = currentBudget();
    if (this.#free > 0 || !budget) return this.acquireWithin(QUEUE_MS);
    await budget.inQueue((limit) => this.acquireWithin(limit, budget.isUnlimited ? QUEUE_MS : this.#stallMs));
  }

  /** `madeProgress`: the work succeeded, so it is worth waiting. */
  release(madeProgress = true): void {
    if (madeProgress) this.#lastProgress = performance.now();
    const next = this.#queue.shift();
    if (next) next();
    else this.#free++;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    let madeProgress = true;
    try {
      return await work();
    } catch (error) {
      madeProgress = !isUnavailable(error);
      throw error;
    } finally {
      this.release(madeProgress);
    }
  }
}

/** One lock for each name. */
export class KeyedLocks {
  readonly #locks = new Map<string, Semaphore>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    let lock = this.#locks.get(name);
    if (!lock) {
      lock = new Semaphore(1);
      this.#locks.set(name, lock);
    }
    try {
      return await lock.run(work);
    } finally {
      if (lock.isUnused) this.#locks.delete(name);
    }
  }
}
