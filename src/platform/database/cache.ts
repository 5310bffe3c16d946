// What was read from the database, in memory: bounded, and dropped by every change of what it was read from. Nothing is answered
// from it and nothing goes into it while changes of other processes may be missed.
import type { Clock } from '../clock.ts';
import type { MaybePromise } from '../maybe-promise.ts';
import type { Feed } from './database.ts';

export interface CacheOptions<V> {
  /** Its label in the metrics. The test that cuts the feed has a line for every name. */
  readonly name: string;
  /** Entries. Beyond that the oldest goes. */
  readonly limit: number;
  /** What the value depends on: a change that touches one of them drops the entry. */
  tags(value: V, key: string): readonly string[];
  /** For what ends by itself: when, in milliseconds of that clock. */
  readonly expiry?: { readonly clock: Clock; at(value: V): number };
}

interface CacheEntry<V> {
  readonly value: V;
  readonly tags: readonly string[];
  readonly expiresAt: number;
}

/** Loads that overlap without end must not make the list of dropped tags endless. */
const MAX_DROPPED = 10_000;

export class Cache<V extends NonNullable<unknown>> {
  readonly #feed: Pick<Feed, 'live'>;
  readonly #options: CacheOptions<V>;
  readonly #entries = new Map<string, CacheEntry<V>>();
  readonly #keysByTag = new Map<string, Set<string>>();
  /** Loads under way that began after the last change: whoever asks meanwhile may share them. */
  readonly #loads = new Map<string, Promise<V | undefined>>();
  #loading = 0;
  /** Grows when the list below was cut short: loads from before cannot know what they missed. */
  #cuts = 0;
  /** Tags dropped while loads are under way; `undefined` stands for everything. */
  #dropped: (string | undefined)[] = [];

  constructor(feed: Pick<Feed, 'live'>, options: CacheOptions<V>) {
    this.#feed = feed;
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** From memory, or undefined when it has to be loaded. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || !this.#feed.live()) return undefined;
    if (entry.expiresAt === Number.POSITIVE_INFINITY || this.#options.expiry!.clock.now() < entry.expiresAt) return entry.value;
    this.#remove(key);
    return undefined;
  }

  /** At once when memory has it: a promise that has nothing to wait for costs a microsecond, which the hot paths would feel. */
  getOrLoad(key: string, read: () => MaybePromise<V | undefined>): MaybePromise<V | undefined> {
    return this.get(key) ?? this.load(key, read);
  }

  /** Reads, whatever memory has. Of those who ask for the same at the same time one reads. What is not found is not stored. */
  load(key: string, read: () => MaybePromise<V | undefined>): Promise<V | undefined> {
    if (!this.#feed.live()) return this.#read(key, read);
    const shared = this.#loads.get(key);
    // It may have failed for reasons of whoever asked first, who had waited for other things before.
    if (shared) return shared.catch(() => this.#read(key, read));
    const load = this.#read(key, read).finally(() => {
      if (this.#loads.get(key) === load) this.#loads.delete(key);
    });
    this.#loads.set(key, load);
    return load;
  }

  /** After a change; `undefined` drops everything. */
  drop(tags: readonly string[] | undefined): void {
    // A read that began before the change is not for those who ask after it.
    this.#loads.clear();
    for (const tag of tags ?? [undefined]) this.#dropTag(tag);
  }

  #dropTag(tag: string | undefined): void {
    if (this.#loading > 0) this.#dropped.push(tag);
    if (this.#dropped.length > MAX_DROPPED) {
      this.#dropped = [];
      this.#cuts++;
    }
    if (tag === undefined) {
      this.#entries.clear();
      this.#keysByTag.clear();
      return;
    }
    for (const key of this.#keysByTag.get(tag) ?? []) this.#remove(key);
  }

  /** A value that one of its tags was dropped of meanwhile is answered, and not stored. */
  async #read(key: string, read: () => MaybePromise<V | undefined>): Promise<V | undefined> {
    const [seen, cuts] = [this.#dropped.length, this.#cuts];
    this.#loading++;
    try {
      const value = await read();
      if (value === undefined || cuts !== this.#cuts || !this.#feed.live()) return value;
      const tags = this.#options.tags(value, key);
      const missed = this.#dropped.slice(seen);
      if (!missed.some((tag) => tag === undefined || tags.includes(tag))) this.#store(key, value, tags);
      return value;
    } finally {
      this.#loading--;
      if (this.#loading === 0) this.#dropped = [];
    }
  }

  #store(key: string, value: V, tags: readonly string[]): void {
    const { limit, expiry } = this.#options;
    this.#remove(key);
    // Oldest first: simple, and a wrongly dropped entry only costs one read.
    if (this.#entries.size >= limit) this.#remove(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, tags, expiresAt: expiry ? expiry.at(value) : Number.POSITIVE_INFINITY });
    for (const tag of tags) {
      const keys = this.#keysByTag.get(tag);
      if (keys) keys.add(key);
      else this.#keysByTag.set(tag, new Set([key]));
    }
  }

  #remove(key: string): void {
    const entry = this.#entries.get(key);
    if (!entry) return;
    this.#entries.delete(key);
    for (const tag of entry.tags) {
      const keys = this.#keysByTag.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByTag.delete(tag);
    }
  }
}
