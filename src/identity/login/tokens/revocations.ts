// Tokens revoked one by one: all of them in memory, and in the database for when the cache is not available.

import { type Clock, seconds } from '../../../platform/clock.ts';
import type { TokenRecord } from '../../access/context/index.ts';
import type { Actor, Change, RunChange } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { findRevoked, insertRevoked, isRevoked, readRevoked, sweepRevoked } from './revocations.store.ts';

const PREFIX = 'revoked:';

/**
 * The name of a browser session among the revoked tokens. Revoking a token does not revoke the tokens that were made from it (as in
 * Keystone), ending a session does.
 */
export const sessionKey = (auditId: string): string => `session ${auditId}`;

export interface Revocations {
  /** Undefined when the cache is not available; then use `lookUp`. */
  cached(auditId: string): boolean | undefined;
  lookUp(auditId: string): Promise<boolean>;
  revoke(actor: Actor, record: TokenRecord): Promise<void>;
  /** Revokes all tokens that were made from browser sessions, as a part of their end. */
  revokeSessions(transaction: Change, auditIds: readonly string[]): Promise<void>;
  /** Revokes tokens, and all that were made from some, which another service revoked. Kept until `expiresAt` (seconds). */
  takeOver(
    transaction: Change,
    auditIds: { readonly tokens: readonly string[]; readonly chains: readonly string[] },
    expiresAt: number,
  ): Promise<void>;
  /** Deletes expired entries. Returns how many. */
  sweep(): Promise<number>;
  readonly size: number;
  /** Since the start. */
  readonly counts: { readonly token: number; readonly session: number };
}

/** Loads the cache in the background. Until then, each token is looked up in the database. */
export function createRevocations(deps: {
  db: Database;
  change: RunChange;
  clock: Clock;
  tokenSeconds: number;
  allowExpiredSeconds: number;
}): Revocations {
  const { db, change, clock } = deps;
  const revoked = db.cachedSet({
    name: 'revoked_tokens',
    tagPrefix: PREFIX,
    read: () => readRevoked(db.read),
    find: (auditIds) => findRevoked(db.read, auditIds),
  });

  const counts = { token: 0, session: 0 };

  return {
    counts,
    cached: (auditId) => revoked.has(auditId),
    lookUp: (auditId) => isRevoked(db.read, auditId),
    async revoke(actor, record) {
      const end = Math.ceil(record.expiresAt / 1000);
      await change(actor, async ({ tx, audit, invalidate }) => {
        await insertRevoked(tx, [record.auditId], end);
        audit('token.revoked', { kind: 'token', id: record.auditId }, { user_id: record.userId });
        invalidate(PREFIX + record.auditId);
      });
      revoked.add({ id: record.auditId, expiresAt: end });
      counts.token++;
    },
    async revokeSessions({ tx, invalidate }, auditIds) {
      const keys = auditIds.map(sessionKey);
      // The last of their tokens may have been made just now, or before the clock was set back: one is valid that is ahead by its whole life.
      await insertRevoked(tx, keys, seconds(clock) + 2 * deps.tokenSeconds + 1);
      for (const key of keys) invalidate(PREFIX + key);
      counts.session += keys.length;
    },
    async takeOver({ tx, audit, invalidate }, { tokens, chains }, expiresAt) {
      const keys = [...tokens, ...chains.map(sessionKey)];
      if (keys.length === 0) return;
      await insertRevoked(tx, keys, expiresAt);
      for (const key of keys) invalidate(PREFIX + key);
      for (const id of new Set([...tokens, ...chains])) audit('token.revoked', { kind: 'token', id }, { by: 'keystone' });
    },
    async sweep() {
      const before = seconds(clock) - deps.allowExpiredSeconds;
      const swept = await sweepRevoked(db, before);
      // Also removes those whose rows another process deleted.
      revoked.deleteExpired(before);
      return swept;
    },
    get size() {
      return revoked.size;
    },
  };
}
