// A semaphore with a queue. Each waits until the deadline of its request. Whose request came first goes first, so that under load some get
// done in time instead of all being late.
import { currentDeadline, Deadline } from '../deadline.ts';

/** For background jobs. */
const QUEUE_MS = 60_000;

interface Waiter {
  /** When its request came. */
  readonly since: number;
  enter(): void;
}

export class Semaphore {
  #free: number;
  readonly #count: number;
  readonly #queue: Waiter[] = [];

  constructor(count: number) {
    this.#free = count;
    this.#count = count;
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

  async acquire(): Promise<void> {
    if (this.#free > 0) this.#free--;
    else await this.#wait();
  }

  #wait(): Promise<void> {
    const own = currentDeadline();
    const deadline = own && !own.isUnlimited ? own : new Deadline(QUEUE_MS);
    const since = own?.began ?? deadline.began;
    return new Promise<void>((resolve, reject) => {
      const enter = (): void => {
        cancel();
        resolve();
      };
      const later = this.#queue.findIndex((other) => other.since > since);
      this.#queue.splice(later < 0 ? this.#queue.length : later, 0, { since, enter });
      const cancel = deadline.atEnd((error) => {
        this.#queue.splice(
          this.#queue.findIndex((other) => other.enter === enter),
          1,
        );
        reject(error);
      });
    });
  }

  release(): void {
    const next = this.#queue.shift();
    if (next) next.enter();
    else this.#free++;
  }

  async run<T>(work: () => Promise<T>): Promise<T> {
    await this.acquire();
    try {
      return await work();
    } finally {
      this.release();
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
