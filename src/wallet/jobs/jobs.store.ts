// Jobs on the rows of all owners: deleting what has expired, and resealing secrets.
import type { Seal } from '../../platform/seal/index.ts';
import { type ResealResult, resealColumns } from '../../platform/sealed/index.ts';
import { actAs, EVERYONE } from '../access/index.ts';
import type { Database, Tx } from '../ground/database.ts';
import { SEALED_COLUMNS } from './sealed.ts';

/** Deletes the expired rows of all modules in one transaction. Returns how many. */
export async function sweepExpired(db: Database, all: readonly { sweep(tx: Tx): Promise<number> }[]): Promise<number> {
  return db.write(async (tx) => {
    await actAs(db, tx, EVERYONE);
    let count = 0;
    for (const { sweep } of all) count += await sweep(tx);
    return count;
  });
}

/**
 * After a change of the master key: reseals everything under the current key. It fails if a row is sealed under a key that was
 * not given. Damaged rows are skipped and reported.
 */
export const resealAll = (db: Database, seal: Seal & { readonly keyId: string }): Promise<ResealResult> =>
  resealColumns(db, SEALED_COLUMNS, seal, (tx) => actAs(db, tx, EVERYONE));
