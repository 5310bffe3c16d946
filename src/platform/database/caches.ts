// Creates the caches of a database. All caches are created here, so that each is told of every change and none answers while the feed
// is down.
import { Cache, type CacheCounts, type CacheOptions, type Feed } from './cache.ts';
import { CachedSet, type CachedSetOptions } from './cached-set.ts';
import { Followed, type FollowedOptions } from './followed.ts';

export interface Caches {
  /** Values by key, as they were last read. */
  cached<V extends NonNullable<unknown>>(options: CacheOptions<V>): Cache<V>;
  /** A complete set of ids. */
  cachedSet(options: CachedSetOptions): CachedSet;
  /** A value that is always at hand. It has to be started. */
  followed<V>(options: FollowedOptions<V>): Followed<V>;
  /**
   * For values that are valid until anything changes. Returns the version of the database as this process knows it: a new one after
   * every change, undefined while changes may be missed. `size` counts the values stored under such a version.
   */
  versioned(options: { readonly name: string; readonly counts: CacheCounts; size(): number }): () => number | undefined;
  /** Number of entries by cache name. */
  cacheSizes(): Record<string, number>;
  /** Answers from memory, by cache name, and questions without one. */
  cacheHits(): Record<string, number>;
  cacheMisses(): Record<string, number>;
}

export function createCaches(feed: Feed): Caches {
  const registered = new Map<string, { readonly size: number; readonly counts: CacheCounts }>();
  const caches: { drop(tags: readonly string[] | undefined): void }[] = [];
  let version = 0;
  // Registered first: later subscribers that read a cache must not get an old value.
  feed.onChange((tags) => {
    version++;
    for (const cache of caches) cache.drop(tags);
  });

  function register(name: string, cache: { readonly size: number; readonly counts: CacheCounts }): void {
    if (registered.has(name)) throw new Error(`two caches have the name ${name}`);
    registered.set(name, cache);
  }
  const byName = (value: (cache: { readonly size: number; readonly counts: CacheCounts }) => number) => () =>
    Object.fromEntries([...registered].map(([name, cache]) => [name, value(cache)]));

  return {
    cached(options) {
      const cache = new Cache(feed, options);
      register(options.name, cache);
      caches.push(cache);
      return cache;
    },
    cachedSet(options) {
      const set = new CachedSet(feed, options);
      register(options.name, set);
      caches.push(set);
      return set;
    },
    followed(options) {
      const followed = new Followed(feed, options);
      caches.push(followed);
      return followed;
    },
    versioned({ name, counts, size }) {
      register(name, {
        counts,
        get size() {
          return size();
        },
      });
      return () => (feed.live() ? version : undefined);
    },
    cacheSizes: byName(({ size }) => size),
    cacheHits: byName(({ counts }) => counts.hits),
    cacheMisses: byName(({ counts }) => counts.misses),
  };
}
