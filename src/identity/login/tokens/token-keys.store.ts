// Token keys, stored encrypted with the master key.
import type { Reader, Tx } from '../../ground/database/index.ts';

export interface SealedTokenKey {
  id: number;
  sealed: string;
  active_from: number;
}

export const readTokenKeys = (db: Reader): Promise<SealedTokenKey[]> =>
  db.selectFrom('token_keys').selectAll().orderBy('id').execute();

export async function insertTokenKey(tx: Tx, key: SealedTokenKey): Promise<void> {
  await tx.insertInto('token_keys').values(key).execute();
}

export async function deleteTokenKeys(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom('token_keys')
      .where('id', 'in', [...ids])
      .execute();
}
