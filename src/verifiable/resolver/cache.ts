// Cache of resolved DIDs. Entries are short-lived, because documents change and keys are revoked.
import type { DIDCache, DIDResolutionResult } from 'did-resolver';
import type { Clock } from '../../platform/clock.ts';

const MAX_ENTRIES = 1000;
/** Long enough to spare a broken host, short enough that a newly published document is found soon. */
const ERROR_SECONDS = 10;

interface CacheEntry {
  readonly result: DIDResolutionResult;
  readonly until: number;
}

export function createCache(clock: Clock, cacheSeconds: number): DIDCache {
  const entries = new Map<string, CacheEntry>();
  const flights = new Map<string, Promise<DIDResolutionResult>>();

  const alive = (did: string): CacheEntry | undefined => {
    const entry = entries.get(did);
    return entry && entry.until > clock.now() ? entry : undefined;
  };

  function store(did: string, result: DIDResolutionResult): void {
    const { error, maxAge } = result.didResolutionMetadata as { error?: string; maxAge?: number };
    // If a host is temporarily unreachable, a valid entry stays.
    if (error === 'failed' && alive(did)?.result.didDocument) return;
    const seconds = Math.min(cacheSeconds, (error ? ERROR_SECONDS : maxAge) ?? cacheSeconds);
    entries.delete(did);
    if (seconds > 0) entries.set(did, { result, until: clock.now() + seconds * 1000 });
    if (entries.size > MAX_ENTRIES) entries.delete(entries.keys().next().value!);
  }

  // Callers get copies, so that they cannot change a cached document.
  return async ({ did }, resolve, options) => {
    if (!options?.fresh) {
      const cached = alive(did)?.result ?? flights.get(did);
      if (cached) return structuredClone(await cached);
    }
    const flight = resolve();
    flights.set(did, flight);
    try {
      const result = await flight;
      // Of several concurrent requests, the result of the latest request is cached.
      if (flights.get(did) === flight) store(did, result);
      return structuredClone(result);
    } finally {
      if (flights.get(did) === flight) flights.delete(did);
    }
  };
}
