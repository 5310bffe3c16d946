// What is special about regions, and the catalog in tokens, in the database.
import type { EndpointRow, Reader, RegionRow, ServiceRow, Tx } from '../../ground/database/index.ts';

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

/** In one statement, since they refer to each other. Returns the ids of those that were there. */
export async function deleteRegions(tx: Tx, ids: readonly string[]): Promise<string[]> {
  const query = tx.deleteFrom('regions').where('id', 'in', [...ids]);
  return (await query.returning('id').execute()).map(({ id }) => id);
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
