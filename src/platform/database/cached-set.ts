// A whole set of ids in memory, for questions that are most often answered by no: what is not in a cache might still be in the
// database, what is not in the whole set is not.
import type { Feed } from './database.ts';

const RETRY_MS = 1000;
/** More changes at once than this: everything is read again. */
const MAX_PENDING = 1000;

export interface SetMember {
  readonly id: string;
  /** In seconds: then nobody asks about it any more. */
  readonly expiresAt: number;
}

export interface CachedSetOptions {
  /** Its label in the metrics. The test that cuts the feed has a line for every name. */
  readonly name: string;
  /** A change that adds an id touches this and the id. */
  readonly tagPrefix: string;
  /** All there are, page by page. */
  read(): AsyncIterable<readonly SetMember[]>;
  /** Those of these that are in the database. */
  find(ids: readonly string[]): Promise<readonly SetMember[]>;
}

export class CachedSet {
  readonly #feed: Pick<Feed, 'live'>;
  readonly #options: CachedSetOptions;
  /** When they expire, by id. */
  #members = new Map<string, number>();
  /** False from the moment changes may have been missed until everything was read again. */
  #complete = false;
  #newest = 0;
  /**
   * What the feed told and was not looked up yet. Everybody who may connect to the database may notify on any channel: what they tell
   * makes us look into the table, and neither counts nor stays in memory.
   */
  #told = new Set<string>();
  /** Those that are being looked up. Who is told of one of them again looks again: it may have been added since. */
  #asked = new Set<string>();

  /** Reads in the background: until it has, it cannot tell. */
  constructor(feed: Pick<Feed, 'live'>, options: CachedSetOptions) {
    this.#feed = feed;
    this.#options = options;
    void this.#load();
  }

  get size(): number {
    return this.#members.size;
  }

  /** Undefined when memory cannot tell: ask the database. */
  has(id: string): boolean | undefined {
    if (!this.#complete || !this.#feed.live()) return undefined;
    return this.#members.has(id) || (this.#told.has(id) || this.#asked.has(id) ? undefined : false);
  }

  /** What this process has stored in the database. */
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
      if (id !== undefined && !this.#members.has(id)) this.#told.add(id);
    }
    if (this.#told.size > MAX_PENDING) void this.#load();
    else if (this.#told.size > 0) void this.#lookUpTold();
  }

  async #load(): Promise<void> {
    const mine = ++this.#newest;
    this.#complete = false;
    this.#members = new Map();
    this.#told = new Set();
    try {
      for await (const page of this.#options.read()) {
        if (mine !== this.#newest) return;
        for (const member of page) this.add(member);
      }
      if (mine === this.#newest) this.#complete = true;
    } catch {
      if (mine === this.#newest) setTimeout(() => void this.#load(), RETRY_MS).unref();
    }
  }

  /** Until it is done, the database is asked about these. */
  async #lookUpTold(): Promise<void> {
    if (this.#asked.size > 0) return;
    while (this.#told.size > 0) {
      [this.#asked, this.#told] = [this.#told, new Set()];
      try {
        for (const member of await this.#options.find([...this.#asked])) this.add(member);
      } catch {
        void this.#load();
      }
      this.#asked = new Set();
    }
  }
}
