// A PostgreSQL database of a source.
import pg from 'pg';
import { ImportError } from '../source.ts';
import { quotedBy, type Row, type SqlSource } from './sql.ts';

const CONNECT_MS = 10_000;

/** Every value as text: columns.ts knows what it is. */
const types = { getTypeParser: () => (value: string) => value };

export async function openPostgresSource(url: URL): Promise<SqlSource> {
  const where = `${url.hostname}${url.port ? `:${url.port}` : ''}${url.pathname}`;
  const client = new pg.Client({
    connectionString: url.href,
    connectionTimeoutMillis: CONNECT_MS,
    application_name: 'gatehouse import',
    types: types as unknown as pg.CustomTypesConfig,
  });
  // The next query fails with it, too.
  client.on('error', () => {});
  const failed = (error: unknown, what: string): never => {
    throw new ImportError(`${what} ${where}: ${(error as Error).message}`);
  };
  try {
    await client.connect();
    // What is read belongs together, whatever changes there meanwhile.
    await client.query('begin isolation level repeatable read read only');
  } catch (error) {
    await client.end().catch(() => {});
    failed(error, 'cannot connect to');
  }
  const query = async (text: string, values: readonly unknown[] = []): Promise<Row[]> => {
    let at = 0;
    const numbered = text.replace(/\?/g, () => `$${++at}`);
    try {
      return (await client.query(numbered, [...values])).rows as Row[];
    } catch (error) {
      return failed(error, 'cannot read from');
    }
  };
  return {
    dialect: 'postgres',
    quoted: quotedBy('"'),
    query,
    async columnsOf(table) {
      const rows = await query(
        'select column_name from information_schema.columns where table_schema = any(current_schemas(false)) and table_name = ?',
        [table],
      );
      return new Set(rows.map(({ column_name }) => String(column_name)));
    },
    close: () => client.end(),
  };
}
