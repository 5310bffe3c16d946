// Attempts at a secret are counted: each takes from a bucket that fills again with time, and a success gives its one back.
import type { Clock } from '../clock.ts';
import { fail } from '../faults/index.ts';

export interface ThrottleRule {
  readonly attempts: number;
  readonly perSeconds: number;
}

interface Bucket {
  left: number;
  at: number;
}

/** Keys kept; the oldest go first, so that an attacker with many addresses costs bounded memory. */
const MAX_KEYS = 50_000;

export class Throttle {
  readonly #rule: ThrottleRule;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  /** `undefined` limits nothing. */
  constructor(rule: ThrottleRule | undefined, clock: Clock) {
    this.#rule = rule ?? { attempts: Number.POSITIVE_INFINITY, perSeconds: 1 };
    this.#clock = clock;
  }

  /** Counts the attempt unless it succeeds. */
  async guard<T>(key: string, attempt: () => Promise<T>): Promise<T> {
    this.take(key);
    const value = await attempt();
    this.giveBack(key);
    return value;
  }

  /** Before the secret is looked at, so that parallel guesses count as well. */
  take(key: string): void {
    const bucket = this.#filled(key);
    if (bucket.left < 1) {
      const wait = Math.ceil(((1 - bucket.left) * this.#rule.perSeconds) / this.#rule.attempts);
      fail('request.too_many', { seconds: wait }, { headers: { 'Retry-After': String(wait) } });
    }
    bucket.left -= 1;
  }

  giveBack(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket) bucket.left = Math.min(this.#rule.attempts, bucket.left + 1);
  }

  #filled(key: string): Bucket {
    const now = this.#clock.now();
    const { attempts, perSeconds } = this.#rule;
    const old = this.#buckets.get(key);
    const left = old ? Math.min(attempts, old.left + ((now - old.at) / 1000) * (attempts / perSeconds)) : attempts;
    const bucket = { left, at: now };
    this.#buckets.delete(key);
    this.#buckets.set(key, bucket);
    if (this.#buckets.size > MAX_KEYS) this.#buckets.delete(this.#buckets.keys().next().value!);
    return bucket;
  }
}
