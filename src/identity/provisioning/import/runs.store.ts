// Runs of imports in the database, with their reports.
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, ImportRunRow, Reader, Tx } from '../../ground/database/index.ts';

export const findRun = (db: Reader, id: string): Promise<ImportRunRow | undefined> =>
  db.selectFrom('import_runs').where('id', '=', id).selectAll().executeTakeFirst();

export const listRuns = (db: Database, page: PageRequest): Promise<RowPage<ImportRunRow> | undefined> => {
  const all = db.lists.selectFrom('import_runs').selectAll('import_runs');
  return readPage(all, { table: 'import_runs', by: 'started_at', descending: true }, page, all);
};

export async function insertRun(tx: Tx, row: ImportRunRow): Promise<void> {
  await tx.insertInto('import_runs').values(row).execute();
}

export async function updateRun(tx: Tx, id: string, values: Partial<ImportRunRow>): Promise<void> {
  await tx.updateTable('import_runs').set(values).where('id', '=', id).execute();
}

/** The oldest of a source, so that the newest `kept` stay. Returns the ids of those that were deleted. */
export async function deleteOldRuns(tx: Tx, source: string, kept: number): Promise<string[]> {
  const old = await tx
    .selectFrom('import_runs')
    .where('source', '=', source)
    .orderBy('started_at', 'desc')
    .orderBy('id', 'desc')
    .select('id')
    .limit(1000)
    .offset(kept)
    .execute();
  const ids = old.map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('import_runs').where('id', 'in', ids).execute();
  return ids;
}
