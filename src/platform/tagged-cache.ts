// A bounded cache whose entries name what they depend on. Dropping a tag drops its entries; a load that was
// under way while one of its tags was dropped is answered but not kept.

export interface Tagged {
  readonly tags: readonly string[];
}

/** Loads that overlap without end must not make the list of dropped tags endless. */
const MAX_DROPPED = 10_000;

export class TaggedCache<V extends Tagged> {
  readonly #limit: number;
  readonly #entries = new Map<string, V>();
  readonly #keysByTag = new Map<string, Set<string>>();
  #loading = 0;
  /** Grows when the list below was cut short: loads from before cannot know what they missed. */
  #cuts = 0;
  /** Tags dropped while loads are under way; `undefined` stands for everything. */
  #dropped: (string | undefined)[] = [];

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#entries.get(key);
  }

  async load(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const [seen, cuts] = [this.#dropped.length, this.#cuts];
    this.#loading++;
    try {
      const value = await read();
      const missed = this.#dropped.slice(seen);
      if (value && cuts === this.#cuts && !missed.some((tag) => tag === undefined || value.tags.includes(tag)))
        this.#keep(key, value);
      return value;
    } finally {
      this.#loading--;
      if (this.#loading === 0) this.#dropped = [];
    }
  }

  /** `undefined` drops everything. */
  drop(tag: string | undefined): void {
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
    for (const key of this.#keysByTag.get(tag) ?? []) this.#forget(key);
  }

  #keep(key: string, value: V): void {
    this.#forget(key);
    // Oldest first: simple, and a wrongly dropped entry only costs one read.
    if (this.#entries.size >= this.#limit) this.#forget(this.#entries.keys().next().value!);
    this.#entries.set(key, value);
    for (const tag of value.tags) {
      const keys = this.#keysByTag.get(tag);
      if (keys) keys.add(key);
      else this.#keysByTag.set(tag, new Set([key]));
    }
  }

  #forget(key: string): void {
    const value = this.#entries.get(key);
    if (!value) return;
    this.#entries.delete(key);
    for (const tag of value.tags) {
      const keys = this.#keysByTag.get(tag);
      keys?.delete(key);
      if (keys?.size === 0) this.#keysByTag.delete(tag);
    }
  }
}
