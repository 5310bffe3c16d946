// Slow key generation (RSA takes seconds): one key at a time, fairly between owners, in a separate thread. Several at once in
// libuv's pool, which hashes passwords, would block all logins.
import { notCounted } from '../../platform/deadline.ts';
import { FairQueue } from '../../platform/limits/index.ts';
import type { Algorithm } from '../../verifiable/jose/index.ts';
import { fail } from '../ground/faults.ts';

/** Running and waiting together. */
const MAX_PER_OWNER = 3;
const RULES = { slots: 1, maxWaiting: 20, patienceMs: 15_000 };

export const isSlow = (algorithm: string): boolean => algorithm === 'RS256' || algorithm === 'PS256';

/** The owner of the new key, and a signal that aborts when they no longer wait. */
export interface KeyRequester {
  readonly owner: string;
  readonly signal?: AbortSignal | undefined;
}

/** The queue of this process. */
export function createSlowKeys(rules = RULES) {
  const queue = new FairQueue(rules);
  const pendingByOwner = new Map<string, number>();

  return {
    get waiting(): number {
      return queue.waiting;
    },
    async make<T>(algorithm: Algorithm, { owner, signal }: KeyRequester, work: () => Promise<T>): Promise<T> {
      if (!isSlow(algorithm)) return work();
      const count = pendingByOwner.get(owner) ?? 0;
      if (count >= MAX_PER_OWNER) fail('too-many-at-once', undefined, { headers: { 'Retry-After': '10' } });
      pendingByOwner.set(owner, count + 1);
      try {
        // A key of this kind may take longer than another request.
        return await notCounted(() => queue.run({ key: owner, signal }, work));
      } finally {
        const left = pendingByOwner.get(owner)! - 1;
        if (left > 0) pendingByOwner.set(owner, left);
        else pendingByOwner.delete(owner);
      }
    },
  };
}

export type SlowKeys = ReturnType<typeof createSlowKeys>;
