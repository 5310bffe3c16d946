// Who calls: the owner of a wallet, as rules see them.
import { createHash } from 'node:crypto';
import { type AuditActor, createChanges, type RunAuditedChange as RunChangeOn } from '../../platform/audit/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { KeyedLocks, takeAdvisoryLock } from '../../platform/database/index.ts';
import type { Database, Tables, WalletChange } from '../database.ts';
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

/** The owner of what a person keeps here: who they are at their provider, without saying so. */
export const ownerOf = (issuer: string, subject: string): string =>
  createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('base64url');

export type RunWalletChange = <T>(caller: Caller, owner: string, work: (change: WalletChange) => Promise<T>) => Promise<T>;

/**
 * A change of one owner's things, with its audit event. Changes of one owner follow one another: keys, DIDs and documents
 * depend on each other, and whoever changes one reads the others first.
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
    // Whoever waits for the same owner's other changes holds no connection meanwhile: the database is left to other owners, and
    // its lock is for other processes. SQLite writes changes that wait together at once.
    return db.dialect === 'postgres' ? lines.run(owner, run) : run();
  };
}

/** Caches of what an owner has are dropped with every change of it. */
export const ownerTag = (owner: string): string => `wallet:${owner}`;
