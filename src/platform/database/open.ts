// Opens PostgreSQL if a URL is set, otherwise a SQLite file.
import type { Database } from './database.ts';
import type { MigrationSource } from './migrate.ts';
import type { PostgresOptions } from './postgres.ts';
import { openSqlite } from './sqlite.ts';
import { type DatabaseReader, readSqlite } from './sqlite-reader.ts';

export interface DatabaseOptions extends PostgresOptions {
  readonly databaseUrl: string | undefined;
}

export async function openDatabase<S>(file: string, migrations: MigrationSource, options: DatabaseOptions): Promise<Database<S>> {
  if (!options.databaseUrl) return openSqlite<S>(file, migrations);
  // Imported here, because a process on SQLite never needs the driver (1 MB).
  const { openPostgres } = await import('./postgres.ts');
  return openPostgres<S>(options.databaseUrl, migrations, options);
}

/** Opens a database read-only while services use it. Nothing is written, migrated or created. */
export async function readDatabase<S>(
  file: string,
  { databaseUrl, setting }: Pick<DatabaseOptions, 'databaseUrl'> & { readonly setting: string },
): Promise<DatabaseReader<S>> {
  if (!databaseUrl) return readSqlite<S>(file);
  const { readPostgres } = await import('./postgres-reader.ts');
  return readPostgres<S>(databaseUrl, setting);
}
