// Inserts many rows, also of several tables, by statements whose texts do not depend on their number: they are compiled and planned once.
// PostgreSQL gets all of them in one statement: each costs a way to the server and back, which is more than the rows do.
import { CompiledQuery, type Insertable, type Kysely, PostgresAdapter } from 'kysely';
import { noteGrowth } from './grown-tables.ts';
import { WITH_NEXT } from './with-next.ts';

/** By the names of their tables: a table comes before those that refer to it. The rows of a table have the same columns. */
export type RowsByTable<S> = { readonly [T in keyof S & string]?: readonly Insertable<S[T]>[] };

interface Insert {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly Readonly<Record<string, unknown>>[];
}

/** An insert of PostgreSQL with one value. */
export interface OtherInsert {
  textWith(parameter: string): string;
  readonly value: string;
}

/** Names are those of our tables and columns, never a client's. */
const list = (names: readonly string[]): string => names.map((name) => `"${name}"`).join(', ');
const into = ({ table, columns }: Insert): string => `insert into "${table}" (${list(columns)})`;

/** Half a character cannot be stored: as in every other statement, it becomes the sign for an unknown one. */
const wellFormed = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.toWellFormed() : value);

const ofRows = (insert: Insert): OtherInsert => ({
  textWith: (parameter) =>
    `${into(insert)} select ${list(insert.columns)} from json_populate_recordset(null::"${insert.table}", ${parameter})`,
  value: JSON.stringify(insert.rows, wellFormed),
});

/** Foreign keys are checked at its end: a row may refer to another one of it. */
function together(inserts: readonly OtherInsert[], prefix: string): CompiledQuery {
  const parts = inserts.map(({ textWith }, at) => textWith(`$${at + 1}`));
  const others = parts.slice(0, -1).map((part, at) => `part${at} as (${part})`);
  const text = `${prefix}${others.length > 0 ? `with ${others.join(', ')} ` : ''}${parts.at(-1)}`;
  return CompiledQuery.raw(
    text,
    inserts.map(({ value }) => value),
  );
}

/** All of both. */
export function withRows<S>(some: RowsByTable<S>, more: RowsByTable<S>): RowsByTable<S> {
  const all = { ...some } as Record<string, readonly unknown[] | undefined>;
  for (const [table, rows = []] of Object.entries(more) as [string, readonly unknown[] | undefined][])
    all[table] = [...(all[table] ?? []), ...rows];
  return all as RowsByTable<S>;
}

function insertOf(table: string, rows: Insert['rows']): Insert {
  const columns = Object.keys(rows[0]!);
  // What only another row has would be left out without a word.
  const isOther = (row: object): boolean =>
    Object.keys(row).length !== columns.length || columns.some((column) => !Object.hasOwn(row, column));
  if (rows.some(isOther)) throw new Error(`rows for ${table} have different columns`);
  return { table, columns, rows };
}

const insertsOf = <S>(tables: RowsByTable<S>): Insert[] =>
  (Object.entries(tables) as [string, Insert['rows']][])
    .filter(([, rows]) => rows.length > 0)
    .map(([table, rows]) => insertOf(table, rows));

async function insertOnPostgres<S>(tx: Kysely<S>, inserts: readonly OtherInsert[], prefix = ''): Promise<void> {
  if (inserts.length > 0) await tx.executeQuery(together(inserts, prefix));
}

/** On PostgreSQL, with what follows in the transaction: usually its end. */
export const insertWithNext = <S>(tx: Kysely<S>, tables: RowsByTable<S>, others: readonly OtherInsert[] = []): Promise<void> =>
  insertOnPostgres(tx, [...insertsOf(tables).map(ofRows), ...others], WITH_NEXT);

export async function insertRows<S>(tx: Kysely<S>, tables: RowsByTable<S>): Promise<void> {
  if (tx.getExecutor().adapter instanceof PostgresAdapter) {
    const inserts = insertsOf(tables);
    await insertOnPostgres(tx, inserts.map(ofRows));
    for (const { table, rows } of inserts) noteGrowth(tx, table, rows.length);
    return;
  }
  for (const insert of insertsOf(tables)) {
    const text = `${into(insert)} values (${insert.columns.map(() => '?').join(', ')})`;
    for (const row of insert.rows) {
      const values = insert.columns.map((column) => row[column] ?? null);
      await tx.executeQuery(CompiledQuery.raw(text, values));
    }
  }
}
