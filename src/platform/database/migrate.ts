// Migrations are numbered SQL files, forward only, written once for both databases with column types both have. Each runs in one
// transaction with its record: after an interruption it is either done or not begun.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/index.ts';
import { CHANGES, createChangeTable } from './change-table.ts';
import type { Dialect } from './database.ts';
import { isAlreadyApplied, toSqlite } from './migrate-sqlite.ts';
import { createHistoryTable, HISTORY } from './server-history.ts';

/** The folder of a service's `001-name.sql` files. */
export type MigrationSource = string;

export interface MigrationTarget {
  readonly dialect: Dialect;
  /** The name for messages: its file, or the setting that holds its URL. */
  readonly name: string;
  /** The rows will be copied from another database. */
  readonly isCopy?: boolean;
}

/** A table that is there while rows are missing that are to be copied. It goes with the transaction that brings them. */
export const UNFINISHED_COPY = 'gatehouse_unfinished_copy';

/** The table of Kysely's own migrator, which created the first databases. */
export const RECORDS = 'kysely_migration';
/** The lock of that migrator, so that replicas of older versions that start at the same time wait for it, too. */
export const LOCK = '3853314791062309107';

interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** Text sorts by bytes, as in SQLite, so that pages have the same order in both databases. */
const toPostgres = (statement: string): string => statement.replace(/\btext\b/g, 'text collate "C"');

function statementsOf(text: string): string[] {
  const code = text.replace(/--.*$/gm, '');
  return code
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean);
}

function migrationsIn(folder: MigrationSource): Migration[] {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return files.sort().map((file) => ({
    name: file.replace(/\.sql$/, ''),
    statements: statementsOf(readFileSync(join(folder, file), 'utf8')),
  }));
}

async function appliedNames<S>(db: Kysely<S>, dialect: Dialect): Promise<Set<string>> {
  const there =
    dialect === 'sqlite'
      ? await sql`select 1 from sqlite_master where type = 'table' and name = ${RECORDS}`.execute(db)
      : await sql`select 1 where to_regclass(${RECORDS}) is not null`.execute(db);
  if (there.rows.length === 0) return new Set();
  const { rows } = await sql<{ name: string }>`select name from ${sql.table(RECORDS)}`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

/** What a start would do, without doing it. */
export async function migrationState<S>(
  db: Kysely<S>,
  folder: MigrationSource,
  dialect: Dialect,
): Promise<{ pending: string[]; unknown: string[]; last: string | undefined; isCopyUnfinished: boolean }> {
  const names = migrationsIn(folder).map(({ name }) => name);
  const done = await appliedNames(db, dialect);
  return {
    pending: names.filter((name) => !done.has(name)),
    unknown: [...done].filter((name) => !names.includes(name)).sort(),
    last: [...done].sort().at(-1),
    isCopyUnfinished: dialect === 'postgres' && (await isCopyUnfinished(db)),
  };
}

/** The first missing migration. A database with migrations unknown to us belongs to a newer version, and we would damage it. */
function nextMigration(
  migrations: readonly Migration[],
  done: ReadonlySet<string>,
  target: MigrationTarget,
): Migration | undefined {
  const unknown = [...done].filter((name) => !migrations.some((one) => one.name === name)).sort();
  if (unknown.length > 0)
    throw new ConfigError(
      `${target.name}: this database was written by a newer version of Gatehouse (it has ${unknown.at(-1)}, this one ends at ` +
        `${migrations.at(-1)?.name}); start that version or a later one, or restore a backup that this version made`,
    );
  return migrations.find(({ name }) => !done.has(name));
}

async function apply<S>(trx: Kysely<S>, { name, statements }: Migration, target: MigrationTarget): Promise<void> {
  for (const statement of statements) {
    if (target.dialect === 'postgres') await sql.raw(toPostgres(statement)).execute(trx);
    else if (!(await isAlreadyApplied(trx, statement, `${target.name}: ${name} cannot be applied`)))
      await sql.raw(toSqlite(statement)).execute(trx);
  }
  await sql`insert into ${sql.table(RECORDS)} (name, timestamp) values (${name}, ${new Date().toISOString()})`.execute(trx);
}

/** On PostgreSQL. */
async function hasTable<S>(db: Kysely<S>, name: string): Promise<boolean> {
  return (await sql`select 1 where to_regclass(${name}) is not null`.execute(db)).rows.length > 0;
}

const isCopyUnfinished = <S>(db: Kysely<S>): Promise<boolean> => hasTable(db, UNFINISHED_COPY);

/** Tables of platform/database itself on PostgreSQL. */
const OWN_TABLES = [
  [CHANGES, createChangeTable],
  [HISTORY, createHistoryTable],
] as const;

/** A service would find empty tables, and take itself for a new one. */
async function refuseUnfinishedCopy<S>(db: Kysely<S>, name: string): Promise<void> {
  if (await isCopyUnfinished(db))
    throw new ConfigError(
      `${name}: data are being copied into this database, or that was interrupted; run gatehouse move-to-postgres again. ` +
        `To begin a new service in it instead, drop the table ${UNFINISHED_COPY}`,
    );
}

const takeLock = <S>(trx: Kysely<S>): Promise<unknown> => sql`select pg_advisory_xact_lock(${sql.raw(LOCK)})`.execute(trx);

/** Returns the names of the migrations it applied. */
export async function migrate<S>(db: Kysely<S>, folder: MigrationSource, target: MigrationTarget): Promise<string[]> {
  const migrations = migrationsIn(folder);
  const applied: string[] = [];
  if (target.dialect === 'postgres' && !target.isCopy) await refuseUnfinishedCopy(db, target.name);
  // Checked without a lock or a write, so that a service can start on a full disk or a standby.
  while (nextMigration(migrations, await appliedNames(db, target.dialect), target)) {
    const name = await db.transaction().execute(async (trx) => {
      // When several processes start together, one applies the migration and the others find it applied.
      if (target.dialect === 'postgres') {
        await takeLock(trx);
        // A migration that waits for a table lock makes every later query on that table wait, too.
        await sql`set local lock_timeout = '60s'`.execute(trx);
      }
      await sql`create table if not exists ${sql.table(RECORDS)} (name varchar(255) not null primary key, timestamp varchar(255) not null)`.execute(
        trx,
      );
      const next = nextMigration(migrations, await appliedNames(trx, target.dialect), target);
      if (next) await apply(trx, next, target);
      return next?.name;
    });
    if (name !== undefined) applied.push(name);
  }
  for (const [table, create] of target.dialect === 'postgres' ? OWN_TABLES : []) {
    if (await hasTable(db, table)) continue;
    await db.transaction().execute(async (trx) => {
      await takeLock(trx);
      await create(trx);
    });
  }
  return applied;
}
