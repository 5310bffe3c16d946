// Rows of the nouns, by the name of their table.
import { lockRow, type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, Reader, Tables, Tx } from '../../ground/database/index.ts';
import type { NounName, TableOf } from '../../ground/noun-names.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

/** What the tables of all nouns have. */
interface NounRow {
  id: string;
  /** Attributes that only clients know, as JSON; not in the tables of closed nouns. */
  extra?: string;
}

export type NounTable = TableOf<NounName>;
type TableRow<T extends NounTable> = Tables[T] & NounRow;
export type RowOf<One extends NounName> = TableRow<TableOf<One>>;
/** The statements are the same for every such table; their types would differ. */
type SomeTable = 'policies';

export const findRow = async <T extends NounTable>(db: Reader, table: T, id: string): Promise<TableRow<T> | undefined> =>
  (await db
    .selectFrom(table as SomeTable)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()) as TableRow<T> | undefined;

/** So that concurrent changes do not overwrite each other. */
export const lockNoun = <T extends NounTable>(db: Database, tx: Tx, table: T, id: string): Promise<TableRow<T> | undefined> =>
  lockRow(db, tx, table as SomeTable, id) as Promise<unknown> as Promise<TableRow<T> | undefined>;

export function listRows<T extends NounTable>(
  db: Database,
  table: T,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<TableRow<T>> | undefined> {
  const all = db.lists.selectFrom(table as SomeTable).selectAll();
  const rows = readPage(applyCriteria(all, db.dialect, criteria), { table: table as SomeTable }, page, all);
  return rows as Promise<unknown> as Promise<RowPage<TableRow<T>> | undefined>;
}

export async function insertRow<T extends NounTable>(tx: Tx, table: T, row: TableRow<T>): Promise<void> {
  await tx
    .insertInto(table as SomeTable)
    .values(row as never)
    .execute();
}

/** Without its id: SQLite would look for all rows that refer to it. */
export async function updateRow<T extends NounTable>(tx: Tx, table: T, { id, ...values }: TableRow<T>): Promise<void> {
  await tx
    .updateTable(table as SomeTable)
    .set(values as never)
    .where('id', '=', id)
    .execute();
}

/** Whether it was there. */
export async function deleteRow(tx: Tx, table: NounTable, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom(table as SomeTable)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
