// So many at a time; the others wait in a line. A line that gets ahead may be waited in for long: each has only short things to do. One in
// which nothing happens is left soon.
import { currentBudget, LINE_MS } from './budget.ts';
import { DatabaseUnavailable, isUnavailable } from './errors.ts';

/** Longer than a lock or a statement is waited for: several in a row failed, and none succeeded. */
const STALL_MS = 6_000;

export class Semaphore {
  #free: number;
  readonly #count: number;
  readonly #stallMs: number;
  readonly #line: (() => void)[] = [];
  /** When somebody got something done. */
  #moved = 0;

  constructor(count: number, stallMs = STALL_MS) {
    this.#free = count;
    this.#count = count;
    this.#stallMs = stallMs;
  }

  get isUnused(): boolean {
    return this.#free === this.#count;
  }

  /** No longer than that, and no longer than the line may stand still. */
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
      const look = (): void => {
        const end = Math.min(arrived + limitMs, Math.max(arrived, this.#moved) + stallMs);
        const rest = end - performance.now();
        if (rest > 0) {
          timer = setTimeout(look, rest);
          return;
        }
        this.#line.splice(this.#line.indexOf(enter), 1);
        reject(new DatabaseUnavailable('too many wait for the database'));
      };
      this.#line.push(enter);
      look();
    });
  }

  /** As long as the request that asks may wait in lines. */
  async acquire(): Promise<void> {
    const budget = currentBudget();
    if (this.#free > 0 || !budget) return this.acquireWithin(LINE_MS);
    await budget.inLine((limit) => this.acquireWithin(limit, budget.isPatient ? LINE_MS : this.#stallMs));
  }

  /** Whether something got done: whoever waits learns from it that waiting is worth it. */
  release(hasMoved = true): void {
    if (hasMoved) this.#moved = performance.now();
    const next = this.#line.shift();
    if (next) next();
    else this.#free++;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    let hasMoved = true;
    try {
      return await work();
    } catch (error) {
      hasMoved = !isUnavailable(error);
      throw error;
    } finally {
      this.release(hasMoved);
    }
  }
}

/** A line for each name, one at a time in each. */
export class KeyedLocks {
  readonly #lines = new Map<string, Semaphore>();

  async run<T>(name: string, work: () => Promise<T>): Promise<T> {
    let line = this.#lines.get(name);
    if (!line) {
      line = new Semaphore(1);
      this.#lines.set(name, line);
    }
    try {
      return await line.run(work);
    } finally {
      if (line.isUnused) this.#lines.delete(name);
    }
  }
}
