// Which database: PostgreSQL where an address is set, else a file of SQLite.
import type { Database } from './database.ts';
import type { MigrationSource } from './migrate.ts';
import type { PostgresOptions } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export interface DatabaseOptions extends PostgresOptions {
  readonly databaseUrl: string | undefined;
}

export async function openDatabase<S>(file: string, migrations: MigrationSource, options: DatabaseOptions): Promise<Database<S>> {
  if (!options.databaseUrl) return openSqlite<S>(file, migrations);
  // Here, not above: its driver is a megabyte a process on SQLite never uses.
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres<S>(options.databaseUrl, migrations, options);
}
