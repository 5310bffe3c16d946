// Copies a SQLite database into an empty PostgreSQL database of the same version: all rows in one transaction. The database is marked
// before it gets its tables, and until it has its rows, so that no service starts on tables that an interrupted copy left empty.
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/index.ts';
import { CHANGES } from './change-table.ts';
import { type MigrationSource, migrate, RECORDS, UNFINISHED_COPY } from './migrate.ts';
import { readPostgres } from './postgres-reader.ts';
import { HISTORY } from './server-history.ts';
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

const LOCK_NOT_AVAILABLE = '55P03';
const BATCH = 2_000;
/** A batch becomes one text, and as JSON up to six times as long. Pictures have megabytes. */
const BATCH_BYTES = 16 * 1024 * 1024;

/** There are rows, which nobody copied in part: a copy brings all or none. */
class InUseError extends ConfigError {}

async function tablesOf(tx: Kysely<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition
      and relname not in (${RECORDS}, ${UNFINISHED_COPY}, ${CHANGES}, ${HISTORY}) order by relname
  `.execute(tx);
  return rows.map(({ name }) => name);
}

/** A role or a database may have limits for services, which a copy exceeds. */
async function withoutTimeLimits(tx: Kysely<unknown>): Promise<void> {
  await sql`select set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true)`.execute(
    tx,
  );
}

/** The lock keeps out services that start meanwhile: they wait, and then find the data. */
async function lockEmptyTables(tx: Kysely<unknown>, tables: readonly string[], setting: string): Promise<void> {
  if (tables.length === 0) return;
  await sql`set local lock_timeout = '10s'`.execute(tx);
  await sql`lock table ${sql.join(tables.map((table) => sql.table(table)))} in access exclusive mode`
    .execute(tx)
    .catch((error: { code?: string }) => {
      if (error.code !== LOCK_NOT_AVAILABLE) throw error;
      throw new ConfigError(`${setting}: something else uses this database, perhaps a service; stop it, and try again`);
    });
  for (const table of tables) {
    const { rows } = await sql`select 1 from ${sql.table(table)} limit 1`.execute(tx);
    if (rows.length > 0)
      throw new InUseError(
        `${setting}: this database is in use already (${table} has rows); give an empty one, so that nothing is overwritten. ` +
          `If a former run copied it, run the command again with ${setting}= (empty), for the other one`,
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

/** Only a bug could make them differ, and it must not lose a column. Returns their names. */
async function compareColumns(from: Kysely<unknown>, tx: Kysely<unknown>, table: string): Promise<string[]> {
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
  return there.rows.map(({ name }) => name);
}

/** The last row of the next batch, after the row `last`. */
export async function endOfBatch(
  from: Kysely<unknown>,
  table: string,
  columns: readonly string[],
  last: number,
): Promise<number | undefined> {
  const size = sql.join(
    columns.map((name) => sql`coalesce(octet_length(${sql.ref(name)}), 0)`),
    sql` + `,
  );
  const { rows } = await sql<{ id: number; bytes: number }>`
    select rowid as id, ${size} as bytes from ${sql.table(table)} where rowid > ${last} order by rowid limit ${BATCH}
  `.execute(from);
  let total = 0;
  const tooMany = rows.findIndex(({ bytes }, at) => {
    total += bytes;
    return at > 0 && total > BATCH_BYTES;
  });
  return rows.at(tooMany === -1 ? -1 : tooMany - 1)?.id;
}

async function copyTable(from: Kysely<unknown>, tx: Kysely<unknown>, table: string): Promise<number> {
  const columns = await compareColumns(from, tx, table);
  let copied = 0;
  for (let last = -1; ; ) {
    const end = await endOfBatch(from, table, columns, last);
    if (end === undefined) return copied;
    const { rows } = await sql<Record<string, unknown>>`
      select * from ${sql.table(table)} where rowid > ${last} and rowid <= ${end} order by rowid
    `.execute(from);
    last = end;
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

/** A database of something else would get our tables beside its own, and its tables have no rows that we could copy. */
async function refuseOthers(db: Kysely<unknown>, setting: string): Promise<void> {
  const { rows } = await sql`select 1 where to_regclass(${RECORDS}) is not null`.execute(db);
  const [table] = rows.length > 0 ? [] : await tablesOf(db);
  if (table !== undefined)
    throw new ConfigError(`${setting}: this database has tables of something else (${table}); give an empty one`);
}

type Target = Omit<CopyOptions, 'file'>;

const unmark = (db: Kysely<unknown>): Promise<unknown> => sql`drop table if exists ${sql.table(UNFINISHED_COPY)}`.execute(db);

/** A database with rows belongs to a service, which must be able to start on it. */
async function unmarkUsed<T>(db: Kysely<unknown>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InUseError) await unmark(db);
    throw error;
  }
}

/** Only an empty database is marked: the mark keeps services from starting on it. */
const markEmpty = (db: Kysely<unknown>, { setting, prepare }: Target): Promise<void> =>
  db.transaction().execute(async (tx) => {
    await withoutTimeLimits(tx);
    await prepare?.(tx);
    await lockEmptyTables(tx, await tablesOf(tx), setting);
    await sql`create table if not exists ${sql.table(UNFINISHED_COPY)} (since timestamptz not null default now())`.execute(tx);
  });

async function prepareTarget(db: Kysely<unknown>, target: Target): Promise<void> {
  const { setting, migrations } = target;
  const { rows } = await sql<{ encoding: string }>`select current_setting('server_encoding') as encoding`.execute(db);
  if (rows[0]!.encoding !== 'UTF8')
    throw new ConfigError(`${setting}: this database has the encoding ${rows[0]!.encoding}; create it with UTF8`);
  await refuseOthers(db, setting);
  await unmarkUsed(db, () => markEmpty(db, target));
  await migrate(db, migrations, { dialect: 'postgres', name: setting, isCopy: true });
}

/** Fails if the copy would be refused. So one of two databases is not copied when the other cannot be. */
export async function checkCopy(options: Target): Promise<void> {
  const target = readPostgres<unknown>(options.url, options.setting);
  try {
    await prepareTarget(target.read, options);
  } finally {
    await target.close();
  }
}

/** Returns the number of rows. The caller makes sure that no service writes to the file. */
export async function copyToPostgres({ file, ...options }: CopyOptions): Promise<number> {
  const { url, setting, prepare } = options;
  const source = readSqlite<unknown>(file);
  // One connection: nobody else is served from it.
  const target = readPostgres<unknown>(url, setting);
  try {
    await prepareTarget(target.read, options);
    const copy = target.read.transaction();
    const copyAll = async (tx: Kysely<unknown>): Promise<number> => {
      await withoutTimeLimits(tx);
      await prepare?.(tx);
      const tables = await tablesOf(tx);
      await lockEmptyTables(tx, tables, setting);
      const checkReferences = await checkReferencesAtEnd(tx);
      let copied = 0;
      for (const table of tables)
        copied += await copyTable(source.read, tx, table).catch((error: Error) => {
          throw new Error(`${table}: ${error.message}`, { cause: error });
        });
      await checkReferences();
      const [before, after] = [await countsOf(source.read, tables), await countsOf(tx, tables)];
      for (const table of tables)
        if (before.get(table) !== after.get(table))
          throw new Error(`${table}: ${before.get(table)} rows became ${after.get(table)}`);
      await unmark(tx);
      return copied;
    };
    const rows = await unmarkUsed(target.read, () => copy.execute(copyAll));
    await sql`analyze`.execute(target.read);
    return rows;
  } finally {
    await target.close();
    await source.close();
  }
}
