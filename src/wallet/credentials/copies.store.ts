// Copies of stored credentials, and the keys they are bound to. Every statement filters by owner.
import type { CredentialInstanceRow, KeyRow, Reader, Tx } from '../ground/database.ts';

export async function insertInstances(tx: Tx, rows: readonly CredentialInstanceRow[]): Promise<void> {
  await tx
    .insertInto('credential_instances')
    .values([...rows])
    .execute();
}

/** Copies of credentials, in the order they were received. */
export function instancesOf(db: Reader, owner: string, credentialIds: readonly string[]): Promise<CredentialInstanceRow[]> {
  if (credentialIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('credential_instances')
    .where('owner', '=', owner)
    .where('credential_id', 'in', credentialIds)
    .orderBy('credential_id')
    .orderBy('id')
    .selectAll()
    .execute();
}

export type CopyKey = Pick<KeyRow, 'id' | 'kid' | 'algorithm' | 'public_jwk' | 'state'>;

/** Keys that copies are bound to. */
export async function signingKeys(db: Reader, owner: string, ids: readonly string[]): Promise<Map<string, CopyKey>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('keys')
    .where('owner', '=', owner)
    .where('id', 'in', ids)
    .select(['id', 'kid', 'algorithm', 'public_jwk', 'state'])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

export async function deleteInstance(tx: Tx, owner: string, id: string): Promise<void> {
  await tx.deleteFrom('credential_instances').where('owner', '=', owner).where('id', '=', id).execute();
}
