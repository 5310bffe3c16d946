// What a database has to forget when it was restored from a backup.
import { DatabaseSync } from 'node:sqlite';

/**
 * Credentials that were issued after the backup are in wallets, and nobody can revoke them any more. Their entries in the status lists are among those
 * that no credential has: these say "revoked" from now on, and no new credential gets one of them.
 */
export const CLOSED_BY_RESTORE = 2;

/** Before a service is started with it. A database of an earlier version has no lists. */
export function closeStatusLists(file: string): void {
  const db = new DatabaseSync(file);
  try {
    const hasLists = db.prepare("select 1 from sqlite_master where type = 'table' and name = 'status_lists'").get();
    if (hasLists) db.exec(`update status_lists set is_full = ${CLOSED_BY_RESTORE}, version = version + 1`);
  } finally {
    db.close();
  }
}
