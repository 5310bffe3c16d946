// Keys of the OpenID provider in the database.
import type { Reader, Tx } from '../../ground/database/index.ts';

export interface SealedKey {
  readonly id: string;
  readonly kind: string;
  readonly sealed: string;
  readonly active_from: number;
}

export function readKeys(db: Reader): Promise<SealedKey[]> {
  return db.selectFrom('openid_keys').orderBy('active_from').orderBy('id').selectAll().execute();
}

export async function insertKeys(tx: Tx, keys: readonly SealedKey[]): Promise<void> {
  await tx
    .insertInto('openid_keys')
    .values([...keys])
    .execute();
}

export async function deleteKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom('openid_keys')
      .where('id', 'in', [...ids])
      .execute();
}
