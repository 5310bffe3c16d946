// Rows are locked so that concurrent updates do not overwrite each other.
import { type Selectable, sql } from 'kysely';
import type { Database, Tx } from './database.ts';

/**
 * Reads a row and locks it until the transaction ends; undefined if there is none. SQLite has only one writer and needs no lock. `share`: for
 * a transaction that only depends on the row; others may do so at the same time.
 */
export async function lockRow<S, T extends keyof S & string>(
  { dialect }: Pick<Database<S>, 'dialect'>,
  tx: Tx<S>,
  table: T,
  id: string,
  mode: 'update' | 'share' = 'update',
): Promise<Selectable<S[T]> | undefined> {
  const lockClause = dialect === 'postgres' ? (mode === 'share' ? sql`for share` : sql`for update`) : sql``;
  const { rows } = await sql<Selectable<S[T]>>`select * from ${sql.table(table)} where id = ${id} ${lockClause}`.execute(tx);
  return rows[0];
}

/**
 * Locks rows until the transaction ends, in an order that all callers have in common. Other rows may refer to them meanwhile: whoever adds a
 * reference and locks something else that this transaction needs would wait for it, and it for them.
 */
export async function lockRows<S, T extends keyof S & string>(
  { dialect }: Pick<Database<S>, 'dialect'>,
  tx: Tx<S>,
  table: T,
  ids: readonly string[],
): Promise<void> {
  if (dialect !== 'postgres' || ids.length === 0) return;
  await sql`select id from ${sql.table(table)} where id in (${sql.join(ids)}) order by id for no key update`.execute(tx);
}
