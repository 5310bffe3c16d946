// The table of changes on PostgreSQL (ADR 032): one row for each transaction that invalidated something. It belongs to the database as all services
// use it, like the table of migrations, and is made beside them.
import { type Kysely, sql } from 'kysely';
import type { ChangeRow } from './change-reading.ts';
import { insertWithNext, type RowsByTable } from './insert-rows.ts';

export const CHANGES = 'gatehouse_changes';

/** A list of more bytes is stored as '*': anything may have changed. Every process reads every row. */
const MAX_TAGS_BYTES = 100_000;
/** More rows than this are not read at once. */
const MAX_ROWS = 5_000;
/** Fewer are not worth a transaction. */
const MIN_DELETED = 100;
const MAX_DELETED = 10_000;

/** Whoever makes it holds the lock of the migrations. */
export async function createChangeTable<S>(trx: Kysely<S>): Promise<void> {
  await sql`create table if not exists ${sql.table(CHANGES)} (xid bigint not null, tags text not null, deleted_below bigint)`.execute(
    trx,
  );
  // Not unique: after a restore into another server, numbers of transactions come again.
  await sql`create index if not exists gatehouse_changes_xid on ${sql.table(CHANGES)} (xid)`.execute(trx);
  // It has no key. Without this, rows of a table that is published (logical replication of all tables) could not be deleted.
  await sql`alter table ${sql.table(CHANGES)} replica identity full`.execute(trx);
}

/** In the transaction of the change, with other rows. */
export function insertChange<S>(trx: Kysely<S>, tags: string, rows: RowsByTable<S>): Promise<void> {
  const value = Buffer.byteLength(tags) < MAX_TAGS_BYTES ? tags : '*';
  const textWith = (parameter: string): string =>
    `insert into "${CHANGES}" (xid, tags) values (pg_current_xact_id()::text::bigint, ${parameter})`;
  return insertWithNext(trx, rows, [{ textWith, value }]);
}

/** One statement, so that all of it is of one snapshot. `$1` and `$2`: the rows to ask for (questionOf). */
export const NEW_ROWS = `(select json_agg(json_build_array(tags, deleted_below)) from (
  select tags, deleted_below from ${CHANGES} where xid >= $1 or xid = any($2::bigint[]) limit ${MAX_ROWS + 1}) as found)`;

export type StoredRow = readonly [tags: string, deletedBelow: number | null];

/** Whoever may write the table may have written anything. What is no list of tags only empties the caches. */
function parseTags(text: string): readonly string[] | undefined {
  try {
    const tags: unknown = JSON.parse(text);
    return Array.isArray(tags) && tags.every((tag) => typeof tag === 'string') ? tags : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined if there are too many. */
export const parseRows = (rows: readonly StoredRow[] | null): ChangeRow[] | undefined =>
  (rows?.length ?? 0) > MAX_ROWS
    ? undefined
    : (rows ?? []).map(([tags, deletedBelow]) => ({ tags: parseTags(tags), deletedBelow }));

/** Deletes rows of transactions below this one, and says so in the same transaction. Returns whether there are more. */
export async function deleteChangesBelow<S>(db: Kysely<S>, noted: number): Promise<boolean> {
  const { rows } = await sql<{ count: number }>`
    with old as (
      select ctid as place from ${sql.table(CHANGES)}
      where xid < least(${noted}::bigint, pg_snapshot_xmin(pg_current_snapshot())::text::bigint) order by xid limit ${MAX_DELETED}
    ), gone as (
      delete from ${sql.table(CHANGES)} where ctid in (select place from old) and (select count(*) from old) >= ${MIN_DELETED} returning xid
    ), said as (
      insert into ${sql.table(CHANGES)} (xid, tags, deleted_below)
      select pg_current_xact_id()::text::bigint, '[]', max(xid) + 1 from gone having count(*) > 0
    )
    select count(*) as count from gone`.execute(db);
  return rows[0]!.count === MAX_DELETED;
}

/**
 * Rows that a backup of another server brought: a row that can be seen is never of a transaction that has not begun. They would be read as new
 * again and again.
 */
export async function deleteChangesOfOtherServers<S>(db: Kysely<S>): Promise<void> {
  await sql`delete from ${sql.table(CHANGES)} where xid >= pg_snapshot_xmax(pg_current_snapshot())::text::bigint`.execute(db);
}
