// A database as an earlier schema had it, with the data of a current one: the tables and columns that were there then. Migrations only
// add, so what is left out was not there.
import { copyFileSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { openDatabase } from '../../src/platform/database/index.ts';

const OPTIONS = { poolSize: 2, namedStatements: true };
const RECORDS = 'kysely_migration';

export const migrationsOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.sql'))
    .sort();

/** A folder with the first so many migrations. The caller removes it. */
function firstMigrations(folder: string, count: number): string {
  const to = mkdtempSync(join(tmpdir(), 'gatehouse-older-'));
  for (const name of migrationsOf(folder).slice(0, count)) copyFileSync(join(folder, name), join(to, name));
  return to;
}

type Rows = ReadonlyMap<string, readonly Readonly<Record<string, unknown>>[]>;

/** All rows of a SQLite database, by table. */
export function rowsOf(path: string): Rows {
  const db = new DatabaseSync(path, { readOnly: true });
  const tables = db.prepare("select name from sqlite_master where type = 'table' and name not like 'sqlite_%'").all() as {
    name: string;
  }[];
  const rows = new Map(
    tables.map(({ name }) => [name, db.prepare(`select * from "${name}"`).all() as Record<string, unknown>[]]),
  );
  db.close();
  return rows;
}

interface OlderDatabase {
  columnsOf(table: string): Promise<readonly string[]>;
  insert(table: string, row: Readonly<Record<string, unknown>>): Promise<void>;
  close(): Promise<void>;
}

function olderSqlite(path: string): OlderDatabase {
  const db = new DatabaseSync(path);
  db.exec('pragma foreign_keys = off; pragma synchronous = off; begin');
  return {
    columnsOf: async (table) =>
      (db.prepare('select name from pragma_table_info(?)').all(table) as { name: string }[]).map(({ name }) => name),
    async insert(table, row) {
      const names = Object.keys(row);
      const text = `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map(() => '?').join(', ')})`;
      db.prepare(text).run(...(Object.values(row) as string[]));
    },
    async close() {
      db.exec('commit');
      db.close();
    },
  };
}

async function olderPostgres(url: string): Promise<OlderDatabase> {
  const client = new Client(url);
  await client.connect();
  // The server of the tests lets us: rows are inserted in any order.
  await client.query("set session_replication_role = 'replica'");
  return {
    async columnsOf(table) {
      const text =
        'select column_name as name from information_schema.columns where table_name = $1 and table_schema = current_schema()';
      return (await client.query<{ name: string }>(text, [table])).rows.map(({ name }) => name);
    },
    async insert(table, row) {
      const names = Object.keys(row);
      const text = `insert into "${table}" (${names.map((name) => `"${name}"`).join(', ')}) values (${names.map((_, index) => `$${index + 1}`).join(', ')})`;
      await client.query(text, Object.values(row));
    },
    close: () => client.end(),
  };
}

/** Makes it at `place` (a file, or a URL of PostgreSQL) with the schema after so many migrations. */
export async function makeOlder(place: string, folder: string, count: number, rows: Rows): Promise<void> {
  const databaseUrl = place.startsWith('postgres') ? place : undefined;
  const migrations = firstMigrations(folder, count);
  await (await openDatabase(place, migrations, { ...OPTIONS, databaseUrl })).close();
  rmSync(migrations, { recursive: true });
  const db = databaseUrl ? await olderPostgres(place) : olderSqlite(place);
  for (const [table, all] of rows) {
    if (table === RECORDS) continue;
    const columns = await db.columnsOf(table);
    if (columns.length === 0) continue;
    for (const row of all)
      await db.insert(table, Object.fromEntries(Object.entries(row).filter(([name]) => columns.includes(name))));
  }
  await db.close();
}
