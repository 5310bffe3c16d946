// Which tokens were revoked one by one: all of them in memory, and in the database for when memory cannot tell.

import { type Clock, seconds } from '../../platform/clock.ts';
import type { TokenRecord } from '../access/index.ts';
import type { Actor, RunChange } from '../audit/index.ts';
import type { Database } from '../database.ts';
import { findRevoked, insertRevoked, isRevoked, readRevoked, sweepRevoked } from './revocations.store.ts';

const PREFIX = 'revoked:';

export interface Revocations {
  /** Undefined: memory cannot tell; ask `lookUp`. */
  cached(auditId: string): boolean | undefined;
  lookUp(auditId: string): Promise<boolean>;
  revoke(actor: Actor, record: TokenRecord): Promise<void>;
  /** Forgets what has expired. Returns how many. */
  sweep(): Promise<number>;
  readonly size: number;
}

/** Reads what there is in the background: until it is read, the database is asked about each token. */
export function createRevocations(deps: {
  db: Database;
  change: RunChange;
  clock: Clock;
  allowExpiredSeconds: number;
}): Revocations {
  const { db, change, clock } = deps;
  const revoked = db.cachedSet({
    name: 'revoked_tokens',
    tagPrefix: PREFIX,
    read: () => readRevoked(db.read),
    find: (auditIds) => findRevoked(db.read, auditIds),
  });

  return {
    cached: (auditId) => revoked.has(auditId),
    lookUp: (auditId) => isRevoked(db.read, auditId),
    async revoke(actor, record) {
      const end = Math.ceil(record.expiresAt / 1000);
      await change(actor, async ({ tx, audit, invalidate }) => {
        await insertRevoked(tx, record.auditId, end);
        audit('token.revoked', { kind: 'token', id: record.auditId }, { user_id: record.userId });
        invalidate(PREFIX + record.auditId);
      });
      revoked.add({ id: record.auditId, expiresAt: end });
    },
    async sweep() {
      const before = seconds(clock) - deps.allowExpiredSeconds;
      const swept = await sweepRevoked(db, before);
      // Also those whose rows another process swept.
      revoked.deleteExpired(before);
      return swept;
    },
    get size() {
      return revoked.size;
    },
  };
}
