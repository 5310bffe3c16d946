// The caller of a request: the owner of a wallet.
import { createHash } from 'node:crypto';
import { type AuditActor, createChanges, type RunAuditedChange as RunChangeOn } from '../../platform/audit/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { KeyedLocks, takeAdvisoryLock } from '../../platform/database/index.ts';
import type { Database, Tables, WalletChange } from '../ground/database.ts';
import { actAs, NODE } from './owners.store.ts';

export interface Caller extends AuditActor {
  /** The owner, for the audit log. */
  readonly userId: string;
  readonly owner: string;
  readonly requestId: string | null;
  /** May also manage the node's own key and DID. */
  readonly isAdministrator: boolean;
}

export const theNode: Caller = { userId: NODE, owner: NODE, requestId: null, isAdministrator: true };

/** The owner id of a user: a hash, so that rows do not reveal who it is. */
export const ownerOf = (issuer: string, subject: string): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');

export type RunWalletChange = <T>(caller: Caller, owner: string, work: (change: WalletChange) => Promise<T>) => Promise<T>;

/**
 * Runs a change of one owner's wallet, with its audit event. Changes of one owner run one after another, because keys, DIDs
 * and documents depend on each other.
 */
export function createWalletChanges(db: Database, clock: Clock): RunWalletChange {
  const change: RunChangeOn<Tables> = createChanges(db, clock);
  const lines = new KeyedLocks();
  return (caller, owner, work) => {
    const run = () =>
      change(caller, async (transaction) => {
        await actAs(db, transaction.tx, owner);
        await takeAdvisoryLock(db, transaction.tx, `wallet ${owner}`);
        return work(transaction);
      });
    // A change that waits for another one of the same owner holds no database connection. The lock in the database is for other
    // processes. SQLite batches waiting changes.
    return db.dialect === 'postgres' ? lines.run(owner, run) : run();
  };
}

/** Every change of an owner's wallet invalidates this tag. */
export const ownerTag = (owner: string): string => `wallet:${owner}`;
