// Migrations are SQL files, numbered, forward only, written once for both databases in the columns both have. Each one and its record
// are one transaction on both: interrupted anywhere, the next start finds it done, or not begun.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/index.ts';
import type { Dialect } from './database.ts';
import { isAlreadyApplied, toSqlite } from './migrate-sqlite.ts';

/** The folder of a service's `001-name.sql` files. */
export type MigrationSource = string;

export interface MigrationTarget {
  readonly dialect: Dialect;
  /** What a person calls this database: its file, or the setting that names it. */
  readonly name: string;
}

/** Tables of the query builder's own migrator, which made the first databases. */
const RECORDS = 'kysely_migration';
/** Its lock, too: a replica of an older version that starts at the same time waits for the same one. */
const LOCK = '3853314791062309107';

interface Migration {
  readonly name: string;
  readonly statements: readonly string[];
}

/** PostgreSQL: text sorts by bytes, as in SQLite, so that pages have the same order everywhere. */
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

/** The first that is missing. A database that has seen more than we know belongs to a newer program, which an older one would damage. */
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

/** Returns the names of what was applied. */
export async function migrate<S>(db: Kysely<S>, folder: MigrationSource, target: MigrationTarget): Promise<string[]> {
  const migrations = migrationsIn(folder);
  const applied: string[] = [];
  // Nothing to do is found out without a lock and without a write: a full disk or a standby can still be read.
  while (nextMigration(migrations, await appliedNames(db, target.dialect), target)) {
    const name = await db.transaction().execute(async (trx) => {
      // Processes that start together: one applies it, the others find it applied.
      if (target.dialect === 'postgres') {
        await sql`select pg_advisory_xact_lock(${sql.raw(LOCK)})`.execute(trx);
        // One that waits for a table makes everybody wait behind it.
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
  return applied;
}
