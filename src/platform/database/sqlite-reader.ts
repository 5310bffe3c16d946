// Opens the SQLite database read-only. One process writes it; any number of others may read it at the same time.
import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Kysely } from 'kysely';
import { ConfigError } from '../config/index.ts';
import { SqliteConnection, sqliteDialect } from './sqlite-driver.ts';

export interface DatabaseReader<S> {
  readonly read: Kysely<S>;
  close(): Promise<void>;
}

export function readSqlite<S>(path: string): DatabaseReader<S> {
  if (!existsSync(path)) throw new ConfigError(`there is no database ${path}; the first start creates it`);
  const handle = new DatabaseSync(path, { readOnly: true });
  handle.exec('pragma busy_timeout = 5000');
  const read = new Kysely<S>({ dialect: sqliteDialect(new SqliteConnection(handle)) });
  return {
    read,
    async close() {
      await read.destroy();
      handle.close();
    },
  };
}
