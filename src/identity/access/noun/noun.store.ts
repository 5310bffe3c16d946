// Rows of the nouns, by the name of their table.
import { lockRow, type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, Reader, Tables, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

/** What the tables of all nouns have. */
interface NounRow {
  id: string;
  /** Attributes that only clients know, as JSON; not in the tables of closed nouns. */
  extra?: string;
}

/** Tables that have these columns. */
export type NounTable = { [T in keyof Tables]: Tables[T] extends NounRow ? T : never }[keyof Tables];
export type RowOf<T extends NounTable> = Tables[T] & NounRow;
/** The statements are the same for every such table; their types would differ. */
type SomeTable = 'policies';

export const findRow = async <T extends NounTable>(db: Reader, table: T, id: string): Promise<RowOf<T> | undefined> =>
  (await db
    .selectFrom(table as SomeTable)
    .where('id', '=', id)
    .selectAll()
    .executeTakeFirst()) as RowOf<T> | undefined;

/** So that concurrent changes do not overwrite each other. */
export const lockNoun = <T extends NounTable>(db: Database, tx: Tx, table: T, id: string): Promise<RowOf<T> | undefined> =>
  lockRow(db, tx, table as SomeTable, id) as Promise<unknown> as Promise<RowOf<T> | undefined>;

export function listRows<T extends NounTable>(
  db: Database,
  table: T,
  page: PageRequest,
  criteria: readonly Criterion[],
): Promise<RowPage<RowOf<T>> | undefined> {
  const all = db.read.selectFrom(table as SomeTable).selectAll();
  const rows = readPage(applyCriteria(all, db.dialect, criteria), { table: table as SomeTable }, page, all);
  return rows as Promise<unknown> as Promise<RowPage<RowOf<T>> | undefined>;
}

export async function insertRow<T extends NounTable>(tx: Tx, table: T, row: RowOf<T>): Promise<void> {
  await tx
    .insertInto(table as SomeTable)
    .values(row as never)
    .execute();
}

/** Without its id: SQLite would look for all rows that refer to it. */
export async function updateRow<T extends NounTable>(tx: Tx, table: T, { id, ...values }: RowOf<T>): Promise<void> {
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
