// A complete set of ids in memory, for lookups that usually find nothing. A cache cannot tell that an id does not exist; a complete
// set can.
import type { CacheCounts, Feed } from './cache.ts';

const RETRY_MS = 1000;
/** With more pending ids than this, the whole set is read again. */
const MAX_PENDING = 1000;

export interface SetMember {
  readonly id: string;
  /** In seconds. After that nobody looks it up any more. */
  readonly expiresAt: number;
}

export interface CachedSetOptions {
  /** Its label in the metrics. test/caches.test.ts has an entry for every name. */
  readonly name: string;
  /** A change that adds an id invalidates the tag made of this prefix and the id. */
  readonly tagPrefix: string;
  /** All members, page by page. */
  read(): AsyncIterable<readonly SetMember[]>;
  /** The given ids that are in the database. */
  find(ids: readonly string[]): Promise<readonly SetMember[]>;
}

export class CachedSet {
  readonly #feed: Pick<Feed, 'live'>;
  readonly #options: CachedSetOptions;
  /** Expiry times by id. */
  #members = new Map<string, number>();
  /** False from the moment changes may have been missed until the whole set was read again. */
  #complete = false;
  #latestLoad = 0;
  /**
   * Ids from the feed that were not looked up yet. Whoever may write the table of changes may name any, so that only makes us look
   * into the table. The id itself is not trusted, and does not stay in memory.
   */
  #pending = new Set<string>();
  /** Ids that are being looked up. If the feed names one of them again, it is looked up again: it may have been added since. */
  #inLookup = new Set<string>();

  readonly counts: CacheCounts = { hits: 0, misses: 0 };

  /** Reads in the background. Until that is done, `has` returns undefined. */
  constructor(feed: Pick<Feed, 'live'>, options: CachedSetOptions) {
    this.#feed = feed;
    this.#options = options;
    void this.#load();
  }

  get size(): number {
    return this.#members.size;
  }

  /** Undefined when memory does not know. Then ask the database. */
  has(id: string): boolean | undefined {
    const known = this.#knows(id);
    if (known === undefined) this.counts.misses++;
    else this.counts.hits++;
    return known;
  }

  #knows(id: string): boolean | undefined {
    if (!this.#complete || !this.#feed.live()) return undefined;
    return this.#members.has(id) || (this.#pending.has(id) || this.#inLookup.has(id) ? undefined : false);
  }

  /** Adds an id that is in the database. */
  add({ id, expiresAt }: SetMember): void {
    this.#members.set(id, expiresAt);
  }

  deleteExpired(before: number): void {
    for (const [id, expiresAt] of this.#members) if (expiresAt < before) this.#members.delete(id);
  }

  /** After a change; `undefined` when anything may have changed. */
  drop(tags: readonly string[] | undefined): void {
    if (!tags) return void this.#load();
    const { tagPrefix } = this.#options;
    for (const tag of tags) {
      const id = tag.startsWith(tagPrefix) ? tag.slice(tagPrefix.length) : undefined;
      if (id !== undefined && !this.#members.has(id)) this.#pending.add(id);
    }
    if (this.#pending.size > MAX_PENDING) void this.#load();
    else if (this.#pending.size > 0) void this.#lookUpPending();
  }

  async #load(): Promise<void> {
    const load = ++this.#latestLoad;
    this.#complete = false;
    this.#members = new Map();
    this.#pending = new Set();
    try {
      for await (const page of this.#options.read()) {
        if (load !== this.#latestLoad) return;
        for (const member of page) this.add(member);
      }
      if (load === this.#latestLoad) this.#complete = true;
    } catch {
      if (load === this.#latestLoad) setTimeout(() => void this.#load(), RETRY_MS).unref();
    }
  }

  /** Until it is done, `has` returns undefined for these ids. */
  async #lookUpPending(): Promise<void> {
    if (this.#inLookup.size > 0) return;
    while (this.#pending.size > 0) {
      [this.#inLookup, this.#pending] = [this.#pending, new Set()];
      try {
        for (const member of await this.#options.find([...this.#inLookup])) this.add(member);
      } catch {
        void this.#load();
      }
      this.#inLookup = new Set();
    }
  }
}
