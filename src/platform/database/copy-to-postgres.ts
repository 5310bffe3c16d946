// Copies a SQLite database into an empty PostgreSQL database of the same version: all tables in one transaction, so that an interrupted
// copy leaves nothing behind.
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/index.ts';
import { type MigrationSource, migrate, RECORDS } from './migrate.ts';
import { readPostgres } from './postgres-reader.ts';
import { readSqlite } from './sqlite-reader.ts';

export interface CopyOptions {
  readonly file: string;
  readonly url: string;
  /** The setting that holds the URL, for messages. */
  readonly setting: string;
  readonly migrations: MigrationSource;
  /** Runs in the transaction before anything is written, for example to see the rows of all owners. */
  prepare?(tx: Kysely<unknown>): Promise<void>;
}

const BATCH = 2_000;

async function tablesOf(tx: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> ${RECORDS} order by relname
  `.execute(tx);
  return rows.map(({ name }) => name);
}

/** The lock keeps out services that start meanwhile: they wait, and then find the data. */
async function lockEmptyTables(tx: Kysely<unknown>, tables: readonly string[], setting: string): Promise<void> {
  await sql`set local lock_timeout = '10s'`.execute(tx);
  await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in access exclusive mode`.execute(tx);
  for (const table of tables) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
    if (rows.length > 0)
      throw new ConfigError(
        `${setting}: this database is in use already (${table} has rows); give an empty one, so that nothing is overwritten`,
      );
  }
}

/** Rows refer to rows of tables that come later, and to rows of their own table. References are checked at the end. */
async function checkReferencesAtEnd(tx: Kysely<unknown>): Promise<() => Promise<void>> {
  const { rows } = await sql<{ table: string; name: string }>`
    select conrelid::regclass::text as table, conname as name from pg_constraint
    where connamespace = current_schema()::regnamespace and contype = 'f' and not condeferrable
  `.execute(tx);
  const alter = async (timing: string): Promise<void> => {
    for (const { table, name } of rows)
      await sql`alter table ${sql.raw(table)} alter constraint ${sql.id(name)} ${sql.raw(timing)}`.execute(tx);
  };
  await alter('deferrable initially deferred');
  return async () => {
    await sql`set constraints all immediate`.execute(tx);
    await alter('not deferrable');
  };
}

/** Only a bug could make them differ, and it must not lose a column. */
async function compareColumns(from: Kysely<unknown>, tx: Kysely<unknown>, table: string): Promise<void> {
  const there = await sql<{ name: string }>`select name from pragma_table_info(${table})`.execute(from);
  const here = await sql<{ name: string }>`
    select attname as name from pg_attribute where attrelid = ${`"${table}"`}::regclass and attnum > 0 and not attisdropped
  `.execute(tx);
  const names = (rows: readonly { name: string }[]): string =>
    rows
      .map(({ name }) => name)
      .sort()
      .join(', ');
  if (names(there.rows) !== names(here.rows))
    throw new Error(`${table} has the columns ${names(there.rows)} in SQLite, and ${names(here.rows)} in PostgreSQL`);
}

async function copyTable(from: Kysely<unknown>, tx: Kysely<unknown>, table: string): Promise<number> {
  await compareColumns(from, tx, table);
  let copied = 0;
  for (let last = -1; ; ) {
    const { rows } = await sql<Record<string, unknown>>`
      select rowid as "copied rowid", * from ${sql.table(table)} where rowid > ${last} order by rowid limit ${BATCH}
    `.execute(from);
    if (rows.length === 0) return copied;
    last = Number(rows.at(-1)!['copied rowid']);
    await sql`
      insert into ${sql.table(table)} select * from json_populate_recordset(null::${sql.table(table)}, ${JSON.stringify(rows)}::json)
    `.execute(tx);
    copied += rows.length;
  }
}

async function countsOf(db: Kysely<unknown>, tables: readonly string[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>();
  for (const table of tables) {
    const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db);
    counts.set(table, rows[0]!.count);
  }
  return counts;
}

/** Returns the number of rows. The caller makes sure that no service writes to the file. */
export async function copyToPostgres({ file, url, setting, migrations, prepare }: CopyOptions): Promise<number> {
  const source = readSqlite<unknown>(file);
  // One connection without time limits: nobody else is served from it.
  const target = readPostgres<unknown>(url, setting);
  try {
    await migrate(target.read, migrations, { dialect: 'postgres', name: setting });
    const rows = await target.read.transaction().execute(async (tx) => {
      await prepare?.(tx);
      const tables = await tablesOf(tx);
      await lockEmptyTables(tx, tables, setting);
      const checkReferences = await checkReferencesAtEnd(tx);
      let copied = 0;
      for (const table of tables) copied += await copyTable(source.read, tx, table);
      await checkReferences();
      const [before, after] = [await countsOf(source.read, tables), await countsOf(tx, tables)];
      for (const table of tables)
        if (before.get(table) !== after.get(table))
          throw new Error(`${table}: ${before.get(table)} rows became ${after.get(table)}`);
      return copied;
    });
    await sql`analyze`.execute(target.read);
    return rows;
  } finally {
    await target.close();
    await source.close();
  }
}
