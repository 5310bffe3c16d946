// A line for heavy work: a few at once, and behind them the callers by turns, so that nobody fills the line for the others.
import { performance } from 'node:perf_hooks';
import { fault } from '../faults/index.ts';

/** Whose work it is, and whether they still wait for it. */
export interface QueueClient {
  /** Those with one key share one turn. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
}

interface QueuedWork {
  start(): void;
  refuse(error: Error): void;
}

export interface FairQueueRules {
  /** How many work at once. */
  readonly slots: number;
  /** How many wait at most. */
  readonly maxWaiting: number;
  /** How long the last in the line should have to wait at most, in milliseconds. */
  readonly patienceMs: number;
}

/** How much the newest measurement weighs. */
const WEIGHT = 0.2;

export class FairQueue {
  readonly #rules: FairQueueRules;
  readonly #now: () => number;
  /** In the order of turns; whoever had theirs goes to the end. */
  readonly #lines = new Map<string, QueuedWork[]>();
  #idle: (() => void)[] = [];
  #free: number;
  #waiting = 0;
  #started = 0;
  /** How long one takes, as measured. */
  #takes = 0;

  constructor(rules: FairQueueRules, now: () => number = () => performance.now()) {
    this.#rules = rules;
    this.#now = now;
    this.#free = rules.slots;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** When nobody works or waits any more: those who went away in the middle of theirs have no connection that would tell. */
  async settled(): Promise<void> {
    if (this.#free === this.#rules.slots) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** How many got their turn. */
  get started(): number {
    return this.#started;
  }

  async run<T>(place: QueueClient, work: () => Promise<T>): Promise<T> {
    if (place.signal?.aborted) throw abandoned();
    if (this.#free > 0) this.#free--;
    else await this.#wait(place);
    this.#started++;
    const from = this.#now();
    try {
      return await work();
    } finally {
      const took = this.#now() - from;
      this.#takes = this.#takes === 0 ? took : this.#takes + (took - this.#takes) * WEIGHT;
      this.#next();
    }
  }

  async #wait({ key, signal }: QueueClient): Promise<void> {
    if (this.#waiting >= this.#capacity()) this.#makeRoom(key);
    let leave: (() => void) | undefined;
    try {
      await new Promise<void>((start, refuse) => {
        const one = { start, refuse };
        const line = this.#lines.get(key);
        if (line) line.push(one);
        else this.#lines.set(key, [one]);
        this.#waiting++;
        leave = () => {
          if (this.#remove(key, one)) refuse(abandoned());
        };
        signal?.addEventListener('abort', leave, { once: true });
      });
    } finally {
      if (leave) signal?.removeEventListener('abort', leave);
    }
  }

  /** As many as can be served in time. */
  #capacity(): number {
    const { slots, maxWaiting: longest, patienceMs } = this.#rules;
    return this.#takes === 0 ? longest : Math.min(longest, Math.max(slots, Math.floor((patienceMs * slots) / this.#takes)));
  }

  /** The last of the longest line goes: the newcomer, unless others have more of it. */
  #makeRoom(key: string): void {
    let [longest, length] = [key, (this.#lines.get(key)?.length ?? 0) + 1];
    for (const [other, line] of this.#lines) if (line.length > length) [longest, length] = [other, line.length];
    const busy = fault('server.busy', undefined, {
      headers: { 'Retry-After': String(Math.ceil(this.#rules.patienceMs / 1000)) },
    });
    if (longest === key) throw busy;
    const last = this.#lines.get(longest)!.at(-1)!;
    this.#remove(longest, last);
    last.refuse(busy);
  }

  #remove(key: string, one: QueuedWork): boolean {
    const line = this.#lines.get(key) ?? [];
    const at = line.indexOf(one);
    if (at < 0) return false;
    line.splice(at, 1);
    this.#waiting--;
    if (line.length === 0) this.#lines.delete(key);
    return true;
  }

  #next(): void {
    const [turn] = this.#lines;
    if (!turn) {
      this.#free++;
      if (this.#free === this.#rules.slots) for (const tell of this.#idle.splice(0)) tell();
      return;
    }
    const [key, line] = turn;
    const one = line.shift()!;
    this.#waiting--;
    this.#lines.delete(key);
    if (line.length > 0) this.#lines.set(key, line);
    one.start();
  }
}

const abandoned = () => fault('request.abandoned');
