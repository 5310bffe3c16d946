// Which tokens were revoked one by one: in memory while the feed is live, else asked of the database.
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Actor, RunChange } from '../audit/index.ts';
import type { Database } from '../database.ts';
import { insertRevoked, isRevoked, readRevoked, sweepRevoked } from './revocations.store.ts';
import type { TokenRecord } from './token-format.ts';

const PREFIX = 'revoked:';
const RETRY_MS = 1000;

export interface Revocations {
  /** Undefined: memory cannot tell; ask `lookUp`. */
  known(auditId: string): boolean | undefined;
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
  let revoked = new Set<string>();
  /** False from the moment news may have been missed until everything was read again. */
  let complete = false;
  let newest = 0;

  async function reload(): Promise<void> {
    const mine = ++newest;
    complete = false;
    const found = new Set<string>();
    revoked = found;
    try {
      for await (const page of readRevoked(db.read)) {
        if (mine !== newest) return;
        for (const auditId of page) found.add(auditId);
      }
      if (mine === newest) complete = true;
    } catch {
      if (mine === newest) setTimeout(() => void reload(), RETRY_MS).unref();
    }
  }

  db.feed.onChange((tags) => {
    if (!tags) void reload();
    for (const tag of tags ?? []) if (tag.startsWith(PREFIX)) revoked.add(tag.slice(PREFIX.length));
  });
  void reload();

  return {
    known: (auditId) => (complete && db.feed.live() ? revoked.has(auditId) : undefined),
    lookUp: (auditId) => isRevoked(db.read, auditId),
    async revoke(actor, record) {
      await change(actor, async ({ tx, audit, touch }) => {
        await insertRevoked(tx, record.auditId, Math.ceil(record.expiresAt / 1000));
        audit('token.revoked', { kind: 'token', id: record.auditId }, { user_id: record.userId });
        touch(PREFIX + record.auditId);
      });
    },
    async sweep() {
      const swept = await sweepRevoked(db, seconds(clock) - deps.allowExpiredSeconds);
      for (const auditId of swept) revoked.delete(auditId);
      return swept.length;
    },
    get size() {
      return revoked.size;
    },
  };
}
