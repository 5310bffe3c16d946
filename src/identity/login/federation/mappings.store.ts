// Mappings in the database.
import { lockRow, type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, MappingRow, Reader, Tx } from '../../ground/database/index.ts';

export const findMapping = (db: Reader, id: string): Promise<MappingRow | undefined> =>
  db.selectFrom('mappings').where('id', '=', id).selectAll().executeTakeFirst();

/** Until the transaction ends. */
export const lockMapping = (db: Database, tx: Tx, id: string): Promise<MappingRow | undefined> => lockRow(db, tx, 'mappings', id);

export function listMappings(db: Database, page: PageRequest): Promise<RowPage<MappingRow> | undefined> {
  const all = db.lists.selectFrom('mappings').selectAll('mappings');
  return readPage(all, { table: 'mappings' }, page, all);
}

export async function insertMapping(tx: Tx, row: MappingRow): Promise<void> {
  await tx.insertInto('mappings').values(row).execute();
}

/** This and `deleteMapping` return false when there is none. */
export async function updateMapping(tx: Tx, id: string, values: Pick<MappingRow, 'rules' | 'schema_version'>): Promise<boolean> {
  const { numUpdatedRows } = await tx.updateTable('mappings').set(values).where('id', '=', id).executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function deleteMapping(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('mappings').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}
