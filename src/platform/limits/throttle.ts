// Attempts are counted: each takes from a bucket that fills again with time, and a success gives its one back.
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

/** Keys kept; those not used for longest go first, so that an attacker with many addresses costs bounded memory. */
const MAX_KEYS = 50_000;

/** Keys hold what strangers typed: kept at one length, whatever that is. */
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

  /** Refuses as `take` would, and counts nothing. */
  check(key: string): void {
    if (this.#rule) this.#refuseEmpty(this.#rule, this.#left(this.#rule, this.#buckets.get(bounded(key))));
  }

  /** Before the secret is looked at, so that parallel guesses count as well. */
  take(key: string): void {
    if (!this.#rule) return;
    const id = bounded(key);
    const left = this.#left(this.#rule, this.#buckets.get(id));
    // Known again only if there was something to take: a refusal costs no memory.
    this.#refuseEmpty(this.#rule, left);
    this.#keep(id, left - 1);
  }

  refund(key: string): void {
    const id = bounded(key);
    const bucket = this.#buckets.get(id);
    if (!this.#rule || !bucket) return;
    bucket.left += 1;
    if (this.#left(this.#rule, bucket) >= this.#rule.attempts) this.#buckets.delete(id);
  }

  /** Whether there is one left. */
  has(key: string): boolean {
    return !this.#rule || this.#left(this.#rule, this.#buckets.get(bounded(key))) >= 1;
  }

  /** As if it had never been counted. */
  forget(key: string): void {
    this.#buckets.delete(bounded(key));
  }

  /** Keys that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  #left({ attempts, perSeconds }: ThrottleRule, bucket: Bucket | undefined): number {
    if (!bucket) return attempts;
    const now = this.#clock.now();
    // A clock that was set back must not keep anyone out for as long as the step: time goes on from where it is now.
    if (bucket.at > now) bucket.at = now;
    return Math.min(attempts, bucket.left + ((now - bucket.at) / 1000) * (attempts / perSeconds));
  }

  #refuseEmpty({ attempts, perSeconds }: ThrottleRule, left: number): void {
    if (left >= 1) return;
    const wait = Math.ceil(((1 - left) * perSeconds) / attempts);
    fail('request.too_many', { seconds: wait }, { headers: { 'Retry-After': String(wait) } });
  }

  #keep(id: string, left: number): void {
    this.#buckets.delete(id);
    this.#buckets.set(id, { left, at: this.#clock.now() });
    if (this.#buckets.size > MAX_KEYS) this.#buckets.delete(this.#buckets.keys().next().value!);
  }
}
