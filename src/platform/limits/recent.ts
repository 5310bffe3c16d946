// Numbers kept lately under a key: a bounded number of keys, each for a bounded time.
import { createHash } from 'node:crypto';
import type { Clock } from '../clock.ts';

const MAX_KEYS = 50_000;
const bounded = (key: string): string => createHash('sha256').update(key).digest('base64url');

export class RecentCounts {
  readonly #forMs: number;
  readonly #clock: Clock;
  readonly #kept = new Map<string, { readonly count: number; readonly at: number }>();

  constructor(forMs: number, clock: Clock) {
    this.#forMs = forMs;
    this.#clock = clock;
  }

  /** One more. */
  add(key: string): void {
    const count = this.count(key) + 1;
    const id = bounded(key);
    this.#kept.delete(id);
    this.#kept.set(id, { count, at: this.#clock.now() });
    if (this.#kept.size > MAX_KEYS) this.#kept.delete(this.#kept.keys().next().value!);
  }

  count(key: string): number {
    const kept = this.#kept.get(bounded(key));
    // In both directions: a clock may be set back.
    return kept && Math.abs(this.#clock.now() - kept.at) < this.#forMs ? kept.count : 0;
  }

  forget(key: string): void {
    this.#kept.delete(bounded(key));
  }
}
