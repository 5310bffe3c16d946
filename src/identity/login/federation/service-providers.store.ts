// Service providers in the database.
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, Reader, ServiceProviderRow, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

export const findServiceProvider = (db: Reader, id: string): Promise<ServiceProviderRow | undefined> =>
  db.selectFrom('service_providers').where('id', '=', id).selectAll().executeTakeFirst();

export function listServiceProviders(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<ServiceProviderRow> | undefined> {
  const all = db.read.selectFrom('service_providers').selectAll('service_providers');
  return readPage(applyCriteria(all, db.dialect, criteria), { table: 'service_providers' }, page, all);
}

export const enabledServiceProviders = (
  db: Reader,
  limit: number,
): Promise<Pick<ServiceProviderRow, 'id' | 'auth_url' | 'sp_url'>[]> =>
  db
    .selectFrom('service_providers')
    .where('enabled', '=', 1)
    .orderBy('id')
    .select(['id', 'auth_url', 'sp_url'])
    .limit(limit)
    .execute();

export async function countServiceProviders(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('service_providers')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function insertServiceProvider(tx: Tx, row: ServiceProviderRow): Promise<void> {
  await tx.insertInto('service_providers').values(row).execute();
}

/** Undefined when there is none. */
export async function updateServiceProvider(
  tx: Tx,
  id: string,
  values: Partial<ServiceProviderRow>,
): Promise<ServiceProviderRow | undefined> {
  // An update without values is no statement.
  return tx
    .updateTable('service_providers')
    .set({ id, ...values })
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** False when there is none. */
export async function deleteServiceProvider(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('service_providers').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
