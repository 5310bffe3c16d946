// Hashing is slow on purpose, so requests wait for it in a fair queue. Hashes are counted for a metric.
import { availableParallelism } from 'node:os';
import { FairQueue } from '../../../platform/limits/index.ts';
import { inSpan } from '../../../platform/tracing/index.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { dummyHash, hashPassword, isOurs, isOutdated, verifyPassword } from './argon2.ts';
import { readHash } from './hash-forms/index.ts';

/** Requests that would have to wait longer are refused at once. */
const PATIENCE_MS = 5000;

export function createHashing(config: IdentityConfig) {
  const cost = { memory: config.argon2Memory, passes: config.argon2Passes };
  const queue = new FairQueue({
    slots: Math.max(1, availableParallelism() - 1),
    maxWaiting: config.hashQueue,
    patienceMs: PATIENCE_MS,
  });
  const dummy = dummyHash(cost);
  let begun = 0;

  /** With one of ours: a digest takes no time at all, which would say who exists. */
  async function verifyOther(password: string, hash: string): Promise<boolean> {
    begun++;
    const [fits] = await Promise.all([readHash(hash)?.fits(password) ?? false, verifyPassword(password, dummy)]);
    return fits;
  }

  return {
    queue,
    /** Compared with when a user has no password. */
    dummyHash: dummy,
    hash(password: string): Promise<string> {
      begun++;
      return inSpan('password.hash', {}, () => hashPassword(password, cost));
    },
    verify(password: string, hash: string): Promise<boolean> {
      begun++;
      return inSpan('password.verify', {}, () => (isOurs(hash) ? verifyPassword : verifyOther)(password, hash));
    },
    isOutdated: (hash: string): boolean => isOutdated(hash, cost),
    /** Number of hashes started. */
    get begun() {
      return begun;
    },
  };
}

export type Hashing = ReturnType<typeof createHashing>;
