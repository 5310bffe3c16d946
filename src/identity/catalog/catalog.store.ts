// Regions, services and endpoints in the database.
import { lockRow, type PageRequest, type RowPage, readPage } from '../../platform/database/index.ts';
import type { Database, EndpointRow, Reader, RegionRow, ServiceRow, Tables, Tx } from '../database.ts';
import { applyCriteria, type Criterion } from '../resource/index.ts';

export type Entry = { regions: RegionRow; services: ServiceRow; endpoints: EndpointRow };
type Table = keyof Entry & keyof Tables;

export async function findEntry<T extends Table>(db: Reader, table: T, id: string): Promise<Entry[T] | undefined> {
  return (await db
    .selectFrom(table as Table)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()) as Entry[T] | undefined;
}

export async function listEntries<T extends Table>(
  db: Database,
  table: T,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<Entry[T]> | undefined> {
  const all = db.read.selectFrom(table as Table).selectAll();
  const query = applyCriteria(all, db.dialect, criteria);
  return (await readPage(query as never, { table }, page, all as never)) as RowPage<Entry[T]> | undefined;
}

export async function insertEntry<T extends Table>(tx: Tx, table: T, row: Entry[T]): Promise<void> {
  await tx
    .insertInto(table as Table)
    .values(row as never)
    .execute();
}

/** False when it is gone, here and below. */
/** Held until the change ends, so that changes to it follow one another. */
export function lockEntry<T extends Table>(db: Database, tx: Tx, table: T, id: string): Promise<Entry[T] | undefined> {
  return lockRow(db, tx, table as Table, id) as Promise<Entry[T] | undefined>;
}

export async function updateEntry<T extends Table>(tx: Tx, table: T, id: string, values: Partial<Entry[T]>): Promise<void> {
  await tx
    .updateTable(table as Table)
    .set(values as never)
    .where('id', '=', id)
    .execute();
}

export async function deleteEntry(tx: Tx, table: Table, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom(table).where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The regions above one. */
export async function regionAncestors(db: Reader, id: string | null): Promise<Set<string>> {
  const parents = new Map(
    (await db.selectFrom('regions').select(['id', 'parent_region_id']).execute()).map((row) => [row.id, row.parent_region_id]),
  );
  const found = new Set<string>();
  for (let at = id; at !== null && at !== undefined && !found.has(at); at = parents.get(at) ?? null) found.add(at);
  return found;
}

/** A region and those below it. */
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

/** All at once, since they refer to each other. */
export async function deleteRegions(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('regions')
    .where('id', 'in', [...ids])
    .execute();
}

/** False when it was there already. */
export async function insertRegionUnlessThere(tx: Tx, row: RegionRow): Promise<boolean> {
  const result = await tx
    .insertInto('regions')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst();
  return (result.numInsertedOrUpdatedRows ?? 0n) > 0n;
}

/** What the catalog of a token is made of: enabled services and their enabled endpoints. */
export async function readCatalog(db: Reader): Promise<{ services: ServiceRow[]; endpoints: EndpointRow[] }> {
  const [services, endpoints] = await Promise.all([
    db.selectFrom('services').where('enabled', '=', 1).orderBy('type').orderBy('id').selectAll().execute(),
    db.selectFrom('endpoints').where('enabled', '=', 1).orderBy('id').selectAll().execute(),
  ]);
  return { services, endpoints };
}
