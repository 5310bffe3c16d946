// A queue for expensive work: a few run at once, and waiting clients take turns, so that no client blocks the others.
import { performance } from 'node:perf_hooks';
import { currentDeadline } from '../deadline.ts';
import { fault } from '../faults/index.ts';
import { Histogram } from '../metrics/index.ts';

/** Whose work it is, and whether they are still waiting. */
export interface QueueClient {
  /** Work with the same key shares one turn. */
  readonly key: string;
  readonly signal?: AbortSignal | undefined;
}

interface QueuedWork {
  start(): void;
  refuse(error: Error): void;
}

export interface FairQueueRules {
  /** How many run at once. */
  readonly slots: number;
  /** How many wait at most. */
  readonly maxWaiting: number;
  /** The longest expected wait for the last in the queue, in milliseconds. */
  readonly patienceMs: number;
}

/** Weight of the newest measurement in the moving average. */
const WEIGHT = 0.2;

export class FairQueue {
  readonly #rules: FairQueueRules;
  readonly #now: () => number;
  /** Waiting work by key. The first key is next; after its turn it moves to the end. */
  readonly #queues = new Map<string, QueuedWork[]>();
  #idle: (() => void)[] = [];
  #free: number;
  #waiting = 0;
  #started = 0;
  /** Average duration of the work, in milliseconds. */
  #average = 0;
  #refused = 0;
  /** How long work waited before it began. */
  readonly waits = new Histogram();

  constructor(rules: FairQueueRules, now: () => number = () => performance.now()) {
    this.#rules = rules;
    this.#now = now;
    this.#free = rules.slots;
  }

  get waiting(): number {
    return this.#waiting;
  }

  /** Resolves when nothing runs or waits any more. Work whose client has disconnected is included. */
  async settled(): Promise<void> {
    if (this.#free === this.#rules.slots) return;
    await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  /** How many were started so far. */
  get started(): number {
    return this.#started;
  }

  /** How many were refused because too many waited. */
  get refused(): number {
    return this.#refused;
  }

  async run<T>(client: QueueClient, work: () => Promise<T>): Promise<T> {
    if (client.signal?.aborted) throw abandoned();
    const arrived = this.#now();
    if (this.#free > 0) this.#free--;
    else await this.#wait(client);
    this.#started++;
    const from = this.#now();
    this.waits.observe((from - arrived) / 1000);
    try {
      return await work();
    } finally {
      const took = this.#now() - from;
      this.#average = this.#average === 0 ? took : this.#average + (took - this.#average) * WEIGHT;
      this.#next();
    }
  }

  /** Until its turn, or the deadline of its request. */
  async #wait({ key, signal }: QueueClient): Promise<void> {
    const deadline = currentDeadline();
    if (this.#waiting >= this.#capacity()) this.#makeRoom(key);
    let cancel: (() => void) | undefined;
    let forgetDeadline: (() => void) | undefined;
    try {
      await new Promise<void>((start, refuse) => {
        const one = { start, refuse };
        const queue = this.#queues.get(key);
        if (queue) queue.push(one);
        else this.#queues.set(key, [one]);
        this.#waiting++;
        cancel = () => {
          if (this.#remove(key, one)) refuse(abandoned());
        };
        signal?.addEventListener('abort', cancel, { once: true });
        forgetDeadline = deadline?.atEnd(() => {
          if (!this.#remove(key, one)) return;
          this.#refused++;
          refuse(this.#busy());
        });
      });
    } finally {
      forgetDeadline?.();
      if (cancel) signal?.removeEventListener('abort', cancel);
    }
  }

  /** How many can be served in time. */
  #capacity(): number {
    const { slots, maxWaiting, patienceMs } = this.#rules;
    return this.#average === 0
      ? maxWaiting
      : Math.min(maxWaiting, Math.max(slots, Math.floor((patienceMs * slots) / this.#average)));
  }

  #busy(): Error {
    return fault('server.busy', undefined, { headers: { 'Retry-After': String(Math.ceil(this.#rules.patienceMs / 1000)) } });
  }

  /** Refuses the last of the longest queue. That is the new one, unless another client has more waiting. */
  #makeRoom(key: string): void {
    let [longest, length] = [key, (this.#queues.get(key)?.length ?? 0) + 1];
    for (const [other, queue] of this.#queues) if (queue.length > length) [longest, length] = [other, queue.length];
    this.#refused++;
    if (longest === key) throw this.#busy();
    const last = this.#queues.get(longest)!.at(-1)!;
    this.#remove(longest, last);
    last.refuse(this.#busy());
  }

  #remove(key: string, one: QueuedWork): boolean {
    const queue = this.#queues.get(key) ?? [];
    const at = queue.indexOf(one);
    if (at < 0) return false;
    queue.splice(at, 1);
    this.#waiting--;
    if (queue.length === 0) this.#queues.delete(key);
    return true;
  }

  #next(): void {
    const [turn] = this.#queues;
    if (!turn) {
      this.#free++;
      if (this.#free === this.#rules.slots) for (const tell of this.#idle.splice(0)) tell();
      return;
    }
    const [key, queue] = turn;
    const one = queue.shift()!;
    this.#waiting--;
    this.#queues.delete(key);
    if (queue.length > 0) this.#queues.set(key, queue);
    one.start();
  }
}

const abandoned = () => fault('request.abandoned');
