// What was resolved lately. Documents change, and keys are withdrawn: nothing is kept for long.
import type { DIDCache, DIDResolutionResult } from 'did-resolver';
import type { Clock } from '../../platform/clock.ts';

const MAX_ENTRIES = 1000;
/** Long enough that a broken host is not asked by every request, short enough that nobody waits for what was just published. */
const ERROR_SECONDS = 10;

interface Kept {
  readonly result: DIDResolutionResult;
  readonly until: number;
}

export function createCache(clock: Clock, cacheSeconds: number): DIDCache {
  const kept = new Map<string, Kept>();
  const flights = new Map<string, Promise<DIDResolutionResult>>();

  const alive = (did: string): Kept | undefined => {
    const entry = kept.get(did);
    return entry && entry.until > clock.now() ? entry : undefined;
  };

  function keep(did: string, result: DIDResolutionResult): void {
    const { error, maxAge } = result.didResolutionMetadata as { error?: string; maxAge?: number };
    // A host that is out of reach for a moment takes nothing away that is still valid.
    if (error === 'failed' && alive(did)?.result.didDocument) return;
    const seconds = Math.min(cacheSeconds, (error ? ERROR_SECONDS : maxAge) ?? cacheSeconds);
    kept.delete(did);
    if (seconds > 0) kept.set(did, { result, until: clock.now() + seconds * 1000 });
    if (kept.size > MAX_ENTRIES) kept.delete(kept.keys().next().value!);
  }

  // Callers get copies: what one of them does to a document, the next must not see.
  return async ({ did }, resolve, options) => {
    if (!options?.fresh) {
      const known = alive(did)?.result ?? flights.get(did);
      if (known) return structuredClone(await known);
    }
    const flight = resolve();
    flights.set(did, flight);
    try {
      const result = await flight;
      // Of several at once the one asked last is kept, whichever comes last.
      if (flights.get(did) === flight) keep(did, result);
      return structuredClone(result);
    } finally {
      if (flights.get(did) === flight) flights.delete(did);
    }
  };
}
