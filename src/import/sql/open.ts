// Opens the database of a source by its address. A driver is loaded when it is needed.
import { existsSync, statSync } from 'node:fs';
import { ImportError } from '../source.ts';
import type { SqlSource } from './sql.ts';

/** A path, or an address as SQLAlchemy and others write it, such as `mysql+pymysql://keystone@db/keystone`. */
export async function openSql(location: string, password: string | undefined): Promise<SqlSource> {
  const [, scheme] = /^([a-z]+)(?:\+\w+)?:\/\//.exec(location) ?? [];
  if (scheme === undefined || scheme === 'sqlite') {
    const path = location.replace(/^sqlite(?:\+\w+)?:\/\/\/?/, '');
    if (!existsSync(path) || !statSync(path).isFile()) throw new ImportError(`there is no file ${path}`);
    return (await import('./sqlite.ts')).openSqliteSource(path);
  }
  const url = URL.parse(location.replace(/^([a-z]+)\+\w+:/, '$1:'));
  if (!url) throw new ImportError('the address of the database cannot be read');
  if (password !== undefined) url.password = encodeURIComponent(password);
  if (['postgresql', 'postgres'].includes(scheme)) return (await import('./postgres.ts')).openPostgresSource(url);
  throw new ImportError(`databases at ${scheme}: cannot be read; postgresql:, sqlite: and paths of SQLite files can`);
}
