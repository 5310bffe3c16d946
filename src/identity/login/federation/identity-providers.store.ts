// Identity providers, their remote ids and protocols in the database.
import { type PageRequest, type RowPage, readPage, takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { Database, IdentityProviderRow, ProtocolRow, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

export const findIdentityProvider = (db: Reader, id: string): Promise<IdentityProviderRow | undefined> =>
  db.selectFrom('identity_providers').where('id', '=', id).selectAll().executeTakeFirst();

export function listIdentityProviders(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<IdentityProviderRow> | undefined> {
  const all = db.lists.selectFrom('identity_providers').selectAll('identity_providers');
  return readPage(applyCriteria(all, db.dialect, criteria), { table: 'identity_providers' }, page, all);
}

/** The remote ids of these providers: provider id to remote ids. */
export async function remoteIdsOf(db: Reader, providerIds: readonly string[]): Promise<Map<string, string[]>> {
  if (providerIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('identity_provider_remote_ids')
    .where('provider_id', 'in', [...providerIds])
    .orderBy('remote_id')
    .selectAll()
    .execute();
  const groups = Map.groupBy(rows, (row) => row.provider_id);
  return new Map([...groups].map(([id, own]) => [id, own.map((row) => row.remote_id)]));
}

export async function insertIdentityProvider(tx: Tx, row: IdentityProviderRow): Promise<void> {
  await tx.insertInto('identity_providers').values(row).execute();
}

export async function updateIdentityProvider(tx: Tx, id: string, values: Partial<IdentityProviderRow>): Promise<void> {
  await tx.updateTable('identity_providers').set(values).where('id', '=', id).execute();
}

export async function replaceRemoteIds(tx: Tx, providerId: string, remoteIds: readonly string[]): Promise<void> {
  await tx.deleteFrom('identity_provider_remote_ids').where('provider_id', '=', providerId).execute();
  if (remoteIds.length > 0)
    await tx
      .insertInto('identity_provider_remote_ids')
      .values(remoteIds.map((remote_id) => ({ remote_id, provider_id: providerId })))
      .execute();
}

export async function deleteIdentityProvider(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('identity_providers').where('id', '=', id).execute();
}

/**
 * Changes of a provider lock it for themselves, and sign-ins share it, so that it stays as it is until they end. It is locked before users: whoever
 * needs both in another order would wait for a transaction that waits for them. By name and not by its row: many sign-ins that share
 * a row let nobody change it.
 */
async function lock(db: Database, tx: Tx, id: string, mode: 'alone' | 'shared'): Promise<IdentityProviderRow | undefined> {
  await takeAdvisoryLock(db, tx, `identity provider ${id}`, mode);
  return findIdentityProvider(tx, id);
}

export const lockIdentityProvider = (db: Database, tx: Tx, id: string): Promise<IdentityProviderRow | undefined> =>
  lock(db, tx, id, 'alone');

/** For sign-ins. */
export const holdIdentityProvider = (db: Database, tx: Tx, id: string): Promise<IdentityProviderRow | undefined> =>
  lock(db, tx, id, 'shared');

export const findProtocol = (db: Reader, providerId: string, id: string): Promise<ProtocolRow | undefined> =>
  db.selectFrom('federation_protocols').where('provider_id', '=', providerId).where('id', '=', id).selectAll().executeTakeFirst();

/** The providers whose protocol of this id has the mapping; always in the same order, in which they are locked. */
export async function providersOfMapping(db: Reader, protocol: string, mappingId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('federation_protocols')
    .where('id', '=', protocol)
    .where('mapping_id', '=', mappingId)
    .orderBy('provider_id')
    .select('provider_id')
    .execute();
  return rows.map((row) => row.provider_id);
}

export const listProtocols = (db: Reader, providerId: string): Promise<ProtocolRow[]> =>
  db.selectFrom('federation_protocols').where('provider_id', '=', providerId).orderBy('id').selectAll().execute();

export async function insertProtocol(tx: Tx, row: ProtocolRow): Promise<void> {
  await tx.insertInto('federation_protocols').values(row).execute();
}

/** This and `deleteProtocol` return false when there is none. */
export async function updateProtocol(
  tx: Tx,
  { provider_id, id }: ProtocolRow,
  values: Partial<Pick<ProtocolRow, 'mapping_id' | 'remote_id_attribute'>>,
): Promise<boolean> {
  // An update without values is no statement.
  const { numUpdatedRows } = await tx
    .updateTable('federation_protocols')
    .set({ id, ...values })
    .where('provider_id', '=', provider_id)
    .where('id', '=', id)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteProtocol(tx: Tx, { provider_id, id }: ProtocolRow): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('federation_protocols')
    .where('provider_id', '=', provider_id)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
