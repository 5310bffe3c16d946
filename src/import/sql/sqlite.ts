// A SQLite file of a source.
import { DatabaseSync } from 'node:sqlite';
import { ImportError } from '../source.ts';
import { quotedBy, type Row, type SqlSource } from './sql.ts';

export function openSqliteSource(path: string): SqlSource {
  const handle = new DatabaseSync(path, { readOnly: true });
  const quoted = quotedBy('"');
  try {
    handle.exec('pragma busy_timeout = 5000; begin');
    handle.prepare('select count(*) from sqlite_master').get();
  } catch (error) {
    handle.close();
    throw new ImportError(`${path} is no database of SQLite: ${(error as Error).message}`);
  }
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  return {
    dialect: 'sqlite',
    quoted,
    async query(text, values = []) {
      let statement = statements.get(text);
      if (!statement) {
        statement = handle.prepare(text);
        // Their texts depend on the number of values.
        if (statements.size > 100) statements.clear();
        statements.set(text, statement);
      }
      return statement.all(...(values as string[])) as Row[];
    },
    async columnsOf(table) {
      const rows = handle.prepare(`pragma table_info(${quoted(table)})`).all() as { name: string }[];
      return new Set(rows.map(({ name }) => name));
    },
    async close() {
      handle.close();
    },
  };
}
