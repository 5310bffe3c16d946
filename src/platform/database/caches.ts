// Creates the caches of a database. All caches are created here, so that each is told of every change and none answers while the feed
// is down.
import { Cache, type CacheOptions } from './cache.ts';
import { CachedSet, type CachedSetOptions } from './cached-set.ts';
import type { Feed } from './database.ts';

export interface Caches {
  /** Values by key, as they were last read. */
  cached<V extends NonNullable<unknown>>(options: CacheOptions<V>): Cache<V>;
  /** A complete set of ids. */
  cachedSet(options: CachedSetOptions): CachedSet;
  /**
   * For values that are valid until anything changes. Returns the version of the database as this process knows it: a new one after
   * every change, undefined while changes may be missed. `size` counts the values stored under such a version.
   */
  versioned(options: { readonly name: string; size(): number }): () => number | undefined;
  /** Number of entries by cache name. */
  cacheSizes(): Record<string, number>;
}

export function createCaches(feed: Feed): Caches {
  const sizes = new Map<string, () => number>();
  const caches: { drop(tags: readonly string[] | undefined): void }[] = [];
  let version = 0;
  // Registered first: later subscribers that read a cache must not get an old value.
  feed.onChange((tags) => {
    version++;
    for (const cache of caches) cache.drop(tags);
  });

  function register(name: string, size: () => number): void {
    if (sizes.has(name)) throw new Error(`two caches have the name ${name}`);
    sizes.set(name, size);
  }

  return {
    cached(options) {
      const cache = new Cache(feed, options);
      register(options.name, () => cache.size);
      caches.push(cache);
      return cache;
    },
    cachedSet(options) {
      const set = new CachedSet(feed, options);
      register(options.name, () => set.size);
      caches.push(set);
      return set;
    },
    versioned({ name, size }) {
      register(name, size);
      return () => (feed.live() ? version : undefined);
    },
    cacheSizes: () => Object.fromEntries([...sizes].map(([name, size]) => [name, size()])),
  };
}
