// A bounded in-memory cache of database reads. A change drops every entry that was read from the changed rows. While changes of other
// processes may be missed, the cache neither answers nor stores anything.
import type { Clock } from '../clock.ts';
import type { MaybePromise } from '../maybe-promise.ts';

export interface Feed {
  /** False while changes of other processes may be missed. Then nothing may be answered from memory; the caches check this. */
  live(): boolean;
  /** `undefined` tags mean that anything may have changed. */
  onChange(handler: (tags: readonly string[] | undefined) => void): void;
}

export interface CacheOptions<V> {
  /** Its label in the metrics. test/caches.test.ts has an entry for every name. */
  readonly name: string;
  /** Maximum number of entries. Beyond that the oldest is removed. */
  readonly limit: number;
  /** What the value depends on. A change that names one of these tags drops the entry. */
  tags(value: V, key: string): readonly string[];
  /** When a value expires by itself: in milliseconds, by this clock. */
  readonly expiry?: { readonly clock: Clock; at(value: V): number };
}

/** Plain numbers: counting must not cost more than the answer. */
export interface CacheCounts {
  hits: number;
  misses: number;
}

interface CacheEntry<V> {
  readonly value: V;
  readonly tags: readonly string[];
  readonly expiresAt: number;
}

/** Overlapping loads must not let the list of dropped tags grow without bound. */
const MAX_DROPPED = 10_000;

export class Cache<V extends NonNullable<unknown>> {
  readonly #feed: Pick<Feed, 'live'>;
  readonly #options: CacheOptions<V>;
  readonly #entries = new Map<string, CacheEntry<V>>();
  readonly #keysByTag = new Map<string, Set<string>>();
  /** Running loads that began after the last change. Other callers may share them. */
  readonly #loads = new Map<string, Promise<V | undefined>>();
  #loading = 0;
  /** Incremented when the list below is emptied early. Loads that began before cannot know what they missed, so they store nothing. */
  #overflows = 0;
  /** Tags dropped while loads are running; `undefined` stands for everything. */
  #dropped: (string | undefined)[] = [];

  /** Answers from memory, and questions it had no answer to. */
  readonly counts: CacheCounts = { hits: 0, misses: 0 };

  constructor(feed: Pick<Feed, 'live'>, options: CacheOptions<V>) {
    this.#feed = feed;
    this.#options = options;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The cached value, or undefined when it has to be loaded. */
  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry !== undefined && this.#feed.live()) {
      if (entry.expiresAt === Number.POSITIVE_INFINITY || this.#options.expiry!.clock.now() < entry.expiresAt) {
        this.counts.hits++;
        return entry.value;
      }
      this.#remove(key);
    }
    this.counts.misses++;
    return undefined;
  }

  /** Returns a cached value without a promise: even a resolved promise costs a microsecond, which matters on the hot paths. */
  getOrLoad(key: string, read: () => MaybePromise<V | undefined>): MaybePromise<V | undefined> {
    return this.get(key) ?? this.load(key, read);
  }

  /** Always reads. Concurrent callers with the same key share one read. A missing value is not stored. */
  load(key: string, read: () => MaybePromise<V | undefined>): Promise<V | undefined> {
    if (!this.#feed.live()) return this.#read(key, read);
    const shared = this.#loads.get(key);
    // The first caller may have failed for a reason of its own, such as a time limit that was already used up.
    if (shared) return shared.catch(() => this.#read(key, read));
    const load = this.#read(key, read).finally(() => {
      if (this.#loads.get(key) === load) this.#loads.delete(key);
    });
    this.#loads.set(key, load);
    return load;
  }

  /** After a change; `undefined` drops everything. */
  drop(tags: readonly string[] | undefined): void {
    // A read that began before the change must not answer callers that come after it.
    this.#loads.clear();
    for (const tag of tags ?? [undefined]) this.#dropTag(tag);
  }

  #dropTag(tag: string | undefined): void {
    if (this.#loading > 0) this.#dropped.push(tag);
    if (this.#dropped.length > MAX_DROPPED) {
      this.#dropped = [];
      this.#overflows++;
    }
    if (tag === undefined) {
      this.#entries.clear();
      this.#keysByTag.clear();
      return;
    }
    for (const key of this.#keysByTag.get(tag) ?? []) this.#remove(key);
  }

  /** If one of its tags was dropped during the read, the value is returned but not stored. */
  async #read(key: string, read: () => MaybePromise<V | undefined>): Promise<V | undefined> {
    const [start, overflows] = [this.#dropped.length, this.#overflows];
    this.#loading++;
    try {
      const value = await read();
      if (value === undefined || overflows !== this.#overflows || !this.#feed.live()) return value;
      const tags = this.#options.tags(value, key);
      const missed = this.#dropped.slice(start);
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
    const expiresAt = expiry ? expiry.at(value) : Number.POSITIVE_INFINITY;
    // It would never be answered, and would push out what is.
    if (expiry && expiresAt <= expiry.clock.now()) return;
    // Removes the oldest first: simple, and removing the wrong entry costs only one read.
    if (this.#entries.size >= limit) this.#remove(this.#entries.keys().next().value!);
    this.#entries.set(key, { value, tags, expiresAt });
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
