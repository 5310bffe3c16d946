// Migrations are SQL files, numbered, forward only, written once for both databases in the columns both have.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Kysely, sql } from 'kysely';
import { type Migration, Migrator } from 'kysely/migration';
import type { Dialect } from './database.ts';

/** The folder of a service's `001-name.sql` files. */
export type MigrationSource = string;

/**
 * The files say `text` and `bigint`. SQLite: strict tables, and integers of one width.
 * PostgreSQL: text sorts by bytes, as in SQLite, so that pages have the same order everywhere.
 */
function inDialect(statement: string, dialect: Dialect): string {
  if (dialect === 'postgres') return statement.replace(/\btext\b/g, 'text collate "C"');
  const integers = statement.replace(/\bbigint\b/g, 'integer');
  return /^create table/i.test(integers) ? `${integers} strict` : integers;
}

function statements(text: string): string[] {
  const code = text.replace(/--.*$/gm, '');
  return code
    .split(/;\s*$/m)
    .map((statement) => statement.trim())
    .filter(Boolean);
}

export async function migrate<S>(db: Kysely<S>, dialect: Dialect, folder: MigrationSource): Promise<string[]> {
  const files = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  const migrations = files.sort().map((name): [string, Migration] => [
    name.replace(/\.sql$/, ''),
    {
      async up(trx) {
        for (const statement of statements(readFileSync(join(folder, name), 'utf8'))) {
          await sql.raw(inDialect(statement, dialect)).execute(trx);
        }
      },
    },
  ]);
  // Two processes that start together are kept apart by the migrator's lock.
  const migrator = new Migrator({ db, provider: { getMigrations: async () => Object.fromEntries(migrations) } });
  const { error, results } = await migrator.migrateToLatest();
  if (error) throw error;
  return (results ?? []).map((result) => result.migrationName);
}
