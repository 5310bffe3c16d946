// Translates migrations to SQLite, and continues migrations that earlier versions left half done. Those ran migrations without a
// transaction: when they were killed, tables and columns stayed behind without a record of the migration.
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/index.ts';

const ADD_COLUMN = /^alter table (\w+) add column (if not exists )?(\w+) /i;
const CREATE = /^create (?:unique )?(table|index) (if not exists )?(\w+) /i;

/** Strict tables, and one integer type. SQLite has no `add column if not exists`; isAlreadyApplied replaces it. */
export function toSqlite(statement: string): string {
  const form = statement.replace(/\bbigint\b/g, 'integer').replace(/\badd column if not exists\b/i, 'add column');
  return /^create table/i.test(form) ? `${form} strict` : form;
}

/** SQLite stores the statement that created a table, with the first words in capitals. */
const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replace(/ if not exists /, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Whether a statement of an unrecorded migration was already run and must be skipped. If the table, index or column is the one the
 * migration would create, a killed start left it behind. If it differs, we refuse. Statements that change rows are run again: they set
 * rows to fixed values, and no service has run in between.
 */
export async function isAlreadyApplied<S>(db: Kysely<S>, statement: string, failure: string): Promise<boolean> {
  const [, table, , column] = ADD_COLUMN.exec(statement) ?? [];
  if (table && column) {
    const { rows } = await sql`select 1 from pragma_table_info(${table}) where name = ${column}`.execute(db);
    return rows.length > 0;
  }
  const [, kind, tolerant, name] = CREATE.exec(statement) ?? [];
  if (!kind || !name) return false;
  const { rows } = await sql<{ sql: string }>`select sql from sqlite_master where type = ${kind} and name = ${name}`.execute(db);
  const [found] = rows;
  if (!found || tolerant || normalized(found.sql) === normalized(toSqlite(statement))) return found !== undefined;
  throw new ConfigError(
    `${failure}: ${kind} ${name} is there already and is another one; restore a backup, or move the file away to begin anew`,
  );
}
