// Keys of ours at providers, in the database.
import type { ProviderKeyRow, Reader, Tx } from '../../ground/database/index.ts';

/** The newest first. */
export const keysOfProvider = (db: Reader, providerId: string): Promise<ProviderKeyRow[]> =>
  db
    .selectFrom('provider_keys')
    .where('provider_id', '=', providerId)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .selectAll()
    .execute();

export async function insertKeys(tx: Tx, rows: readonly ProviderKeyRow[]): Promise<void> {
  if (rows.length > 0) await tx.insertInto('provider_keys').values(rows).execute();
}

export async function deleteKeys(tx: Tx, rows: readonly Pick<ProviderKeyRow, 'id'>[]): Promise<void> {
  const ids = rows.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('provider_keys').where('id', 'in', ids).execute();
}

export async function deleteKeysOfProvider(tx: Tx, providerId: string): Promise<void> {
  await tx.deleteFrom('provider_keys').where('provider_id', '=', providerId).execute();
}
