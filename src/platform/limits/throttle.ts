// A token bucket: each attempt takes one token, tokens refill with time, and a success refunds its token.
import { createHash } from 'node:crypto';
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

/** Maximum number of keys. The least recently used are dropped, so that an attacker with many addresses cannot exhaust the memory. */
const MAX_KEYS = 50_000;

/** Keys contain user input. Hashing gives them a fixed length. */
const bounded = (key: string): string => createHash('sha256').update(key).digest('base64url');

export class Throttle {
  readonly #rule: ThrottleRule | undefined;
  readonly #clock: Clock;
  readonly #buckets = new Map<string, Bucket>();

  /** `undefined` limits nothing. */
  constructor(rule: ThrottleRule | undefined, clock: Clock) {
    this.#rule = rule;
    this.#clock = clock;
  }

  /** Refuses as `take` would, but counts nothing. */
  check(key: string): void {
    if (this.#rule) this.#refuseEmpty(this.#rule, this.#left(this.#rule, this.#buckets.get(bounded(key))));
  }

  /** Called before the secret is checked, so that parallel guesses count, too. */
  take(key: string): void {
    if (!this.#rule) return;
    const id = bounded(key);
    const left = this.#left(this.#rule, this.#buckets.get(id));
    // Refuses before it stores anything: a refusal must not use memory.
    this.#refuseEmpty(this.#rule, left);
    this.#store(id, left - 1);
  }

  refund(key: string): void {
    const id = bounded(key);
    const bucket = this.#buckets.get(id);
    if (!this.#rule || !bucket) return;
    bucket.left += 1;
    if (this.#left(this.#rule, bucket) >= this.#rule.attempts) this.#buckets.delete(id);
  }

  /** Whether an attempt is left. */
  has(key: string): boolean {
    return !this.#rule || this.#left(this.#rule, this.#buckets.get(bounded(key))) >= 1;
  }

  /** Resets the count of this key. */
  forget(key: string): void {
    this.#buckets.delete(bounded(key));
  }

  /** Number of stored keys. */
  get size(): number {
    return this.#buckets.size;
  }

  #left({ attempts, perSeconds }: ThrottleRule, bucket: Bucket | undefined): number {
    if (!bucket) return attempts;
    const now = this.#clock.now();
    // If the clock was set back, the bucket must not stay empty until the old time comes again.
    if (bucket.at > now) bucket.at = now;
    return Math.min(attempts, bucket.left + ((now - bucket.at) / 1000) * (attempts / perSeconds));
  }

  #refuseEmpty({ attempts, perSeconds }: ThrottleRule, left: number): void {
    if (left >= 1) return;
    const wait = Math.ceil(((1 - left) * perSeconds) / attempts);
    fail('request.too_many', { seconds: wait }, { headers: { 'Retry-After': String(wait) } });
  }

  #store(id: string, left: number): void {
    this.#buckets.delete(id);
    this.#buckets.set(id, { left, at: this.#clock.now() });
    if (this.#buckets.size > MAX_KEYS) this.#buckets.delete(this.#buckets.keys().next().value!);
  }
}
