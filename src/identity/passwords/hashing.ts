// Hashing: slow by intent, so those who need it wait in a fair line, and what is begun is counted.
import { availableParallelism } from 'node:os';
import { FairQueue } from '../../platform/limits/index.ts';
import type { IdentityConfig } from '../settings.ts';
import { hashOfNobody, hashPassword, isOutdated, verifyPassword } from './argon2.ts';

/** Whoever would have to wait longer for a hash is better told so. */
const PATIENCE_MS = 5000;

export function createHashing(config: IdentityConfig) {
  const cost = { memory: config.argon2Memory, passes: config.argon2Passes };
  const queue = new FairQueue({
    slots: Math.max(1, availableParallelism() - 1),
    maxWaiting: config.hashQueue,
    patienceMs: PATIENCE_MS,
  });
  let begun = 0;
  return {
    queue,
    /** What a password is compared with where there is none. */
    nobody: hashOfNobody(cost),
    hash(password: string): Promise<string> {
      begun++;
      return hashPassword(password, cost);
    },
    verify(password: string, hash: string): Promise<boolean> {
      begun++;
      return verifyPassword(password, hash);
    },
    isOutdated: (hash: string): boolean => isOutdated(hash, cost),
    /** Hashes that were begun. */
    get begun() {
      return begun;
    },
  };
}

export type Hashing = ReturnType<typeof createHashing>;
