// The caches of a database. They are made here and nowhere else: each hears of every change, and none answers while the feed is down.
import { Cache, type CacheOptions } from './cache.ts';
import { CachedSet, type CachedSetOptions } from './cached-set.ts';
import type { Feed } from './database.ts';

export interface Caches {
  /** Values by key, as they were last read. */
  cached<V extends NonNullable<unknown>>(options: CacheOptions<V>): Cache<V>;
  /** A whole set of ids. */
  cachedSet(options: CachedSetOptions): CachedSet;
  /**
   * For what holds until anything at all changes: the version of the database as this process knows it, another one after every
   * change; undefined while changes may be missed. `size` counts what is stored with such a version.
   */
  versioned(options: { readonly name: string; size(): number }): () => number | undefined;
  /** How many entries each of them has, by name. */
  cacheSizes(): Record<string, number>;
}

export function createCaches(feed: Feed): Caches {
  const sizes = new Map<string, () => number>();
  const listening: { drop(tags: readonly string[] | undefined): void }[] = [];
  let version = 0;
  // The first to hear of a change: whoever hears of it later and asks a cache gets no old answer.
  feed.onChange((tags) => {
    version++;
    for (const cache of listening) cache.drop(tags);
  });

  function register(name: string, size: () => number): void {
    if (sizes.has(name)) throw new Error(`two caches have the name ${name}`);
    sizes.set(name, size);
  }

  return {
    cached(options) {
      const cache = new Cache(feed, options);
      register(options.name, () => cache.size);
      listening.push(cache);
      return cache;
    },
    cachedSet(options) {
      const set = new CachedSet(feed, options);
      register(options.name, () => set.size);
      listening.push(set);
      return set;
    },
    versioned({ name, size }) {
      register(name, size);
      return () => (feed.live() ? version : undefined);
    },
    cacheSizes: () => Object.fromEntries([...sizes].map(([name, size]) => [name, size()])),
  };
}
