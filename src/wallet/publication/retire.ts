// Removes keys from documents after their grace period.
import type { Clock } from '../../platform/clock.ts';
import { EVERYONE, type RunWalletChange, readAs, theNode } from '../access/index.ts';
import type { Database } from '../ground/database.ts';
import { overdueKeys } from './publication.store.ts';
import type { Publication } from './publication.ts';

const BATCH = 100;

/** Returns how many keys were removed. */
export async function retireKeys(deps: {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunWalletChange;
  readonly publication: Publication;
}): Promise<number> {
  const { db, clock, change, publication } = deps;
  const due = await readAs(db, EVERYONE, (reader) => overdueKeys(reader, clock.now(), BATCH));
  const failures: unknown[] = [];
  for (const { id, owner } of due)
    await change(theNode, owner, async (transaction) => {
      await publication.removeKey(transaction, owner, id);
      transaction.audit('key.retired', { kind: 'key', id });
    }).catch((error: unknown) => failures.push(error));
  // A failure with one key, for example a damaged document, does not stop the others.
  if (failures.length > 0) throw failures[0];
  return due.length;
}
