// Regions, services and endpoints in the database.
import { lockRow, type PageRequest, type RowPage, readPage } from '../../platform/database/index.ts';
import type { Database, EndpointRow, Reader, RegionRow, ServiceRow, Tables, Tx } from '../database.ts';
import { applyCriteria, type Criterion } from '../resource/index.ts';

/** Row types by table. */
export type CatalogRows = { regions: RegionRow; services: ServiceRow; endpoints: EndpointRow };
export type CatalogTable = keyof CatalogRows & keyof Tables;

export async function findEntry<T extends CatalogTable>(db: Reader, table: T, id: string): Promise<CatalogRows[T] | undefined> {
  return (await db
    .selectFrom(table as CatalogTable)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()) as CatalogRows[T] | undefined;
}

export async function listEntries<T extends CatalogTable>(
  db: Database,
  table: T,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<CatalogRows[T]> | undefined> {
  const all = db.read.selectFrom(table as CatalogTable).selectAll();
  const query = applyCriteria(all, db.dialect, criteria);
  return (await readPage(query as never, { table }, page, all as never)) as RowPage<CatalogRows[T]> | undefined;
}

export async function insertEntry<T extends CatalogTable>(tx: Tx, table: T, row: CatalogRows[T]): Promise<void> {
  await tx
    .insertInto(table as CatalogTable)
    .values(row as never)
    .execute();
}

/** The row is locked so that concurrent updates do not overwrite each other. */
export function lockEntry<T extends CatalogTable>(
  db: Database,
  tx: Tx,
  table: T,
  id: string,
): Promise<CatalogRows[T] | undefined> {
  return lockRow(db, tx, table as CatalogTable, id) as Promise<CatalogRows[T] | undefined>;
}

export async function updateEntry<T extends CatalogTable>(
  tx: Tx,
  table: T,
  id: string,
  values: Partial<CatalogRows[T]>,
): Promise<void> {
  await tx
    .updateTable(table as CatalogTable)
    .set(values as never)
    .where('id', '=', id)
    .execute();
}

/** False when the entry does not exist. */
export async function deleteEntry(tx: Tx, table: CatalogTable, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom(table).where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** A region and its ancestors. */
export async function regionAncestors(db: Reader, id: string | null): Promise<Set<string>> {
  const parents = new Map(
    (await db.selectFrom('regions').select(['id', 'parent_region_id']).execute()).map((row) => [row.id, row.parent_region_id]),
  );
  const found = new Set<string>();
  for (let at = id; at !== null && at !== undefined && !found.has(at); at = parents.get(at) ?? null) found.add(at);
  return found;
}

/** A region and its descendants. */
export async function regionTree(db: Reader, id: string): Promise<string[]> {
  const rows = await db.selectFrom('regions').select(['id', 'parent_region_id']).execute();
  const found = new Set([id]);
  for (const at of found) for (const row of rows) if (row.parent_region_id === at) found.add(row.id);
  return [...found];
}

export async function haveEndpoints(db: Reader, regionIds: readonly string[]): Promise<boolean> {
  const query = db.selectFrom('endpoints').where('region_id', 'in', [...regionIds]);
  return (await query.select('id').limit(1).execute()).length > 0;
}

/** In one statement, since they refer to each other. */
export async function deleteRegions(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('regions')
    .where('id', 'in', [...ids])
    .execute();
}

/** False when it exists already. */
export async function insertRegionIfMissing(tx: Tx, row: RegionRow): Promise<boolean> {
  const result = await tx
    .insertInto('regions')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** The enabled services and endpoints: the data of a token's catalog. */
export async function readCatalog(db: Reader): Promise<{ services: ServiceRow[]; endpoints: EndpointRow[] }> {
  const [services, endpoints] = await Promise.all([
    db.selectFrom('services').where('enabled', '=', 1).orderBy('type').orderBy('id').selectAll().execute(),
    db.selectFrom('endpoints').where('enabled', '=', 1).orderBy('id').selectAll().execute(),
  ]);
  return { services, endpoints };
}
