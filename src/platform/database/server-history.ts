// Whether a standby has what the primary had at a moment, and is a standby of that primary at all (ADR 035). Positions in the log of changes (LSN)
// are compared by PostgreSQL. They mean something within one history only: each promoted server goes on with a history of its own, under the next
// number of a *timeline*, and two that were promoted at the same time have the same number. So the primary of each timeline has a mark, a row with a
// random text, which a standby has when it follows that primary.
import { type Kysely, sql } from 'kysely';

export const HISTORY = 'gatehouse_history';

/** What everything that the primary has committed lies before. */
export interface Position {
  readonly lsn: string;
  /** The server as it was initialized, copies of its files included, and the database in it. */
  readonly system: string;
  readonly mark: string;
}

/**
 * A restored dump has the same rows, also the mark, in another system; a copy made by `create database ... template` in another database, whose number
 * is in the path of its tables.
 */
const SYSTEM = `(pg_control_system()).system_identifier || ' ' || substring(pg_relation_filepath('${HISTORY}') from '.*/')`;
const TIMELINE = `left(pg_walfile_name(pg_current_wal_insert_lsn()), 8)`;

/**
 * Asked of the primary. What is committed is on its disk, unless the operator has turned synchronous commits off: then it may still be in memory.
 * `mark` is null if the primary has none since it became one.
 */
export const POSITION = `select ${SYSTEM} as system,
  (case current_setting('synchronous_commit') when 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end)::text as lsn,
  (select mark from ${HISTORY} where timeline = ${TIMELINE}) as mark`;

export type PositionRow = Omit<Position, 'mark'> & { readonly mark: string | null };

/** Both become part of a statement. */
const LSN = /^[0-9A-F]{1,8}\/[0-9A-F]{1,8}$/;

export function positionOf({ lsn, system, mark }: PositionRow): Position | undefined {
  if (!LSN.test(lsn)) throw new Error('this is no position');
  return mark === null ? undefined : { lsn, system, mark };
}

/** Asked of a standby. What it has applied, the next statement sees. */
export const stateAt = ({ lsn }: Position): string => `select ${SYSTEM} as system, pg_is_in_recovery() as standby,
  (select mark from ${HISTORY}) as mark, coalesce(pg_last_wal_replay_lsn() >= '${lsn}', false) as reached`;

export interface StandbyRow {
  readonly system: string;
  readonly standby: boolean;
  readonly mark: string | null;
  readonly reached: boolean;
}

/** `reached`: it has everything up to the position. */
export type Verdict = 'reached' | 'behind' | 'no_standby' | 'other_system';

export function judge({ system, mark }: Position, row: StandbyRow): Verdict {
  if (row.system !== system) return 'other_system';
  if (!row.standby) return 'no_standby';
  // It may follow another server that was promoted, or not have the newest mark yet.
  return row.mark === mark && row.reached ? 'reached' : 'behind';
}

/** Whoever makes it holds the lock of the migrations. */
export async function createHistoryTable<S>(trx: Kysely<S>): Promise<void> {
  await sql`create table if not exists ${sql.table(HISTORY)} (id integer primary key, timeline text not null, mark text not null)`.execute(
    trx,
  );
}

/** On the primary, once after it became one. Of several processes one does it. */
export async function writeMark<S>(db: Kysely<S>): Promise<void> {
  await sql`insert into ${sql.table(HISTORY)} as known (id, timeline, mark)
    values (1, ${sql.raw(TIMELINE)}, gen_random_uuid()::text)
    on conflict (id) do update set timeline = excluded.timeline, mark = excluded.mark where known.timeline <> excluded.timeline`.execute(
    db,
  );
}
