// Recent counts by key: a bounded number of keys, each for a bounded time.
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';

const MAX_KEYS = 50_000;
const bounded = (key: string): string => createHash('sha256').update(key).digest('base64url');

export class RecentCounts {
  readonly #forMs: number;
  readonly #clock: Clock;
  readonly #counts = new Map<string, { readonly count: number; readonly at: number }>();

  constructor(forMs: number, clock: Clock) {
    this.#forMs = forMs;
    this.#clock = clock;
  }

  /** Adds one. */
  add(key: string): void {
    const count = this.count(key) + 1;
    const id = bounded(key);
    this.#counts.delete(id);
    this.#counts.set(id, { count, at: this.#clock.now() });
    if (this.#counts.size > MAX_KEYS) this.#counts.delete(this.#counts.keys().next().value!);
  }

  count(key: string): number {
    const entry = this.#counts.get(bounded(key));
    // The absolute value, because the clock may be set back.
    return entry && Math.abs(this.#clock.now() - entry.at) < this.#forMs ? entry.count : 0;
  }

  forget(key: string): void {
    this.#counts.delete(bounded(key));
  }
}
