// A migration's statements as SQLite takes them, and what earlier versions left half done: they ran migrations without a transaction, so
// that one that was killed left tables and columns without a record of them.
import { type Kysely, sql } from 'kysely';
import { ConfigError } from '../config/index.ts';

const ADD_COLUMN = /^alter table (\w+) add column (if not exists )?(\w+) /i;
const CREATE = /^create (?:unique )?(table|index) (if not exists )?(\w+) /i;

/** Strict tables, and integers of one width. What exists already is never run (below), so SQLite's lack of `if not exists` is no lack. */
export function toSqlite(statement: string): string {
  const form = statement.replace(/\bbigint\b/g, 'integer').replace(/\badd column if not exists\b/i, 'add column');
  return /^create table/i.test(form) ? `${form} strict` : form;
}

/** SQLite keeps the text a table was made by, with its own capitals in front. */
const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replace(/ if not exists /, ' ')
    .replace(/\s+/g, ' ')
    .trim();

/**
 * Whether a statement of a migration without a record was run, and must not be again. The same table, index or column as the migration
 * would make is what a killed start left; anything else of that name is not ours to guess about. Statements that change rows are run
 * again: they say what rows shall be, and no service ran on them in between.
 */
export async function isAlreadyApplied<S>(db: Kysely<S>, statement: string, otherwise: string): Promise<boolean> {
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
    `${otherwise}: ${kind} ${name} is there already and is another one; restore a backup, or move the file away to begin anew`,
  );
}
