// Which tokens were revoked one by one: in memory while the feed is live, else asked of the database.
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Actor, RunChange } from '../audit/index.ts';
import type { Database } from '../database.ts';
import { findRevoked, insertRevoked, isRevoked, type Revoked, readRevoked, sweepRevoked } from './revocations.store.ts';
import type { TokenRecord } from './token-format.ts';

const PREFIX = 'revoked:';
const RETRY_MS = 1000;
/** More news at once than this: everything is read again. */
const TOLD_AT_MOST = 1000;

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
  /** When their tokens expire, by audit id. */
  let revoked = new Map<string, number>();
  /** False from the moment news may have been missed until everything was read again. */
  let complete = false;
  let newest = 0;
  /**
   * What the feed told and was not looked up yet. Everybody who may connect to the database may notify on any channel: what they tell
   * makes us look into the table, and neither ends a token nor stays in memory.
   */
  let told = new Set<string>();
  /** Those that are being looked up. Who is told of one of them again looks again: it may have been revoked since. */
  let asked = new Set<string>();

  const keep = (rows: readonly Revoked[]): void => {
    for (const { audit_id: auditId, expires_at: end } of rows) revoked.set(auditId, end);
  };

  async function reload(): Promise<void> {
    const mine = ++newest;
    complete = false;
    revoked = new Map();
    told = new Set();
    try {
      for await (const page of readRevoked(db.read)) {
        if (mine !== newest) return;
        keep(page);
      }
      if (mine === newest) complete = true;
    } catch {
      if (mine === newest) setTimeout(() => void reload(), RETRY_MS).unref();
    }
  }

  /** Until it is done, the database is asked about these. */
  async function lookUpTold(): Promise<void> {
    if (asked.size > 0) return;
    while (told.size > 0) {
      [asked, told] = [told, new Set()];
      try {
        keep(await findRevoked(db.read, [...asked]));
      } catch {
        void reload();
      }
      asked = new Set();
    }
  }

  db.feed.onChange((tags) => {
    if (!tags) return void reload();
    for (const tag of tags) {
      const auditId = tag.startsWith(PREFIX) ? tag.slice(PREFIX.length) : undefined;
      if (auditId !== undefined && !revoked.has(auditId)) told.add(auditId);
    }
    if (told.size > TOLD_AT_MOST) void reload();
    else if (told.size > 0) void lookUpTold();
  });
  void reload();

  function known(auditId: string): boolean | undefined {
    if (!complete || !db.feed.live()) return undefined;
    return revoked.has(auditId) || (told.has(auditId) || asked.has(auditId) ? undefined : false);
  }

  return {
    known,
    lookUp: (auditId) => isRevoked(db.read, auditId),
    async revoke(actor, record) {
      const end = Math.ceil(record.expiresAt / 1000);
      await change(actor, async ({ tx, audit, touch }) => {
        await insertRevoked(tx, record.auditId, end);
        audit('token.revoked', { kind: 'token', id: record.auditId }, { user_id: record.userId });
        touch(PREFIX + record.auditId);
      });
      revoked.set(record.auditId, end);
    },
    async sweep() {
      const before = seconds(clock) - deps.allowExpiredSeconds;
      const swept = await sweepRevoked(db, before);
      // Also those whose rows another process swept.
      for (const [auditId, end] of revoked) if (end < before) revoked.delete(auditId);
      return swept;
    },
    get size() {
      return revoked.size;
    },
  };
}
