// A change that builds on what is there must hold the row: two that come at once would otherwise each undo the other's half.
import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from './database.ts';

/** The row as it is now, held until the change ends; undefined when it is gone. SQLite has one writer anyway. */
export async function lockRow<S, T extends keyof S & string>(
  { dialect }: Pick<Database<S>, 'dialect'>,
  tx: Tx<S>,
  table: T,
  id: string,
): Promise<Selectable<S[T]> | undefined> {
  const hold = dialect === 'postgres' ? sql`for update` : sql``;
  const { rows } = await sql<Selectable<S[T]>>`select * from ${sql.table(table)} where id = ${id} ${hold}`.execute(tx);
  return rows[0];
}
