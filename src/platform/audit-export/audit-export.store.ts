// How far audit events were exported, who exports them, and the deletion of old ones.
import { type SqlBool, sql } from 'kysely';
import {
  type Database,
  dropPart,
  keepMonths,
  type MonthlyTable,
  type MonthsResult,
  type Part,
  type Reader,
  readParts,
} from '../database/index.ts';
import type { StoredEvent } from './cadf.ts';

export interface AuditExportRow {
  name: string;
  /** The last event that was exported. */
  at: number;
  event_id: string;
  /** The process that exports now, and until when nobody else does. */
  holder: string;
  held_until: number;
  exported: number;
}

export interface ExportTables {
  audit_events: StoredEvent;
  audit_exports: AuditExportRow;
}

export type Position = Pick<AuditExportRow, 'at' | 'event_id'>;

const SWEEP_BATCH = 1000;

export const findExport = (db: Reader<ExportTables>, name: string): Promise<AuditExportRow | undefined> =>
  db.selectFrom('audit_exports').where('name', '=', name).selectAll().executeTakeFirst();

/** The time alone is for tables by month: it says which months need not be searched. */
const isAfter = ({ at, event_id: id }: Position) => sql<SqlBool>`at >= ${at} and (at, id) > (${at}, ${id})`;

/** The next events, the oldest first; those stored before this time only. */
export const eventsAfter = (
  db: Reader<ExportTables>,
  position: Position,
  { before, limit }: { readonly before: number; readonly limit: number },
): Promise<StoredEvent[]> =>
  db
    .selectFrom('audit_events')
    .where(isAfter(position))
    .where('at', '<', before)
    .orderBy('at')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute();

/** When the oldest event was stored that is not exported yet. */
export async function oldestAfter(db: Reader<ExportTables>, position: Position): Promise<number | undefined> {
  const row = await db
    .selectFrom('audit_events')
    .where(isAfter(position))
    .orderBy('at')
    .orderBy('id')
    .limit(1)
    .select('at')
    .executeTakeFirst();
  return row?.at;
}

/** False while another process exports. One that holds it for longer than `longest` has had another time: the clock was set back since. */
export async function claimExport(
  db: Database<ExportTables>,
  name: string,
  {
    holder,
    now,
    until,
    longest,
  }: { readonly holder: string; readonly now: number; readonly until: number; readonly longest: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db.write(async (tx) => {
    await tx
      .insertInto('audit_exports')
      .values({ name, at: 0, event_id: '', holder: '', held_until: 0, exported: 0 })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
    return tx
      .updateTable('audit_exports')
      .set({ holder, held_until: until })
      .where('name', '=', name)
      .where((eb) => eb.or([eb('holder', '=', holder), eb('held_until', '<=', now), eb('held_until', '>', now + longest)]))
      .executeTakeFirst();
  });
  return numUpdatedRows > 0n;
}

/** False when another process has taken over. */
export async function moveExport(
  db: Database<ExportTables>,
  { name, holder, at, event_id }: AuditExportRow,
  to: Position & { readonly until: number; readonly count: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db.write((tx) =>
    tx
      .updateTable('audit_exports')
      .set((eb) => ({ at: to.at, event_id: to.event_id, held_until: to.until, exported: eb('exported', '+', to.count) }))
      .where('name', '=', name)
      .where('holder', '=', holder)
      .where('at', '=', at)
      .where('event_id', '=', event_id)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

export async function releaseExport(db: Database<ExportTables>, name: string, holder: string): Promise<void> {
  await db.write((tx) =>
    tx.updateTable('audit_exports').set({ held_until: 0 }).where('name', '=', name).where('holder', '=', holder).execute(),
  );
}

/** Deletes a batch of events from before this time, up to the position. Returns how many. `from`: the table, or a part of it. */
export async function sweepEvents(
  db: Database<ExportTables>,
  from: string,
  before: number,
  upTo: Position | undefined,
): Promise<number> {
  const table = from as 'audit_events';
  const { numDeletedRows } = await db.write((tx) =>
    tx
      .deleteFrom(table)
      .where('at', '<', before)
      .where('id', 'in', (eb) => {
        const old = eb.selectFrom(table).where('at', '<', before).orderBy('at').orderBy('id').limit(SWEEP_BATCH).select('id');
        return upTo ? old.where(sql<SqlBool>`(at, id) <= (${upTo.at}, ${upTo.event_id})`) : old;
      })
      .executeTakeFirst(),
  );
  return Number(numDeletedRows);
}

const MONTHLY: MonthlyTable = { table: 'audit_events', column: 'at' };

/** Divides them by month, and makes months ahead. On PostgreSQL only. */
export const keepEventsByMonth = (
  db: Database<ExportTables>,
  options: { readonly now: number; readonly stopping?: AbortSignal | undefined },
): Promise<MonthsResult> => keepMonths(db, MONTHLY, options);

/** The months in which events are kept, the oldest first; none where one table has them all. */
export const monthsOfEvents = (db: Database<ExportTables>): Promise<Part[]> =>
  db.dialect === 'postgres' ? readParts(db.read, MONTHLY.table) : Promise.resolve([]);

/** Whether a part has no event after the position. */
async function isExported(db: Reader<ExportTables>, part: string, upTo: Position | undefined): Promise<boolean> {
  if (!upTo) return true;
  const left = await db
    .selectFrom(part as 'audit_events')
    .where(isAfter(upTo))
    .limit(1)
    .select('id')
    .execute();
  return left.length === 0;
}

/** Drops a month, unless it has an event after the position. `busy`: others use it, to be tried again. */
export async function dropMonthOfEvents(
  db: Database<ExportTables>,
  month: string,
  upTo: Position | undefined,
): Promise<'dropped' | 'kept' | 'busy'> {
  if (!(await isExported(db.read, month, upTo))) return 'kept';
  return (await dropPart(db, MONTHLY, month, (trx) => isExported(trx, month, upTo))) ? 'dropped' : 'busy';
}
