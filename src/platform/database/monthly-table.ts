// A large table of events by month, on PostgreSQL (ADR 034): parts by a column of seconds (UTC), made ahead. A month that is old is dropped as a whole.
// All changes of tables are short transactions that give up soon when somebody else is in the way, and are tried again.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { obstacleOf, type Part, readParts } from './monthly-parts.ts';

export interface MonthlyTable {
  readonly table: string;
  /** A number, never null: seconds since 1970. */
  readonly column: string;
}

/** So many months are there beside the present one. */
const MONTHS_AHEAD = 2;
/**
 * The former table keeps at least so many days from now on. While it is read to its end, it refuses later rows: should nobody take that back,
 * because everything was killed and the version before was started again, there is so much time to notice.
 */
const DAYS_KEPT = 35;
const DAY = 86_400;
/** Ends a cleaning of the table by the server, which gives way after a second. Only other changes of tables wait behind it. */
const QUIET_LOCK_MS = 3_000;
/** Everybody waits behind this one. */
const LOUD_LOCK_MS = 300;
const ATTEMPTS = 20;
const ATTEMPT_PAUSE_MS = 1_000;
/** More rows are not moved while others wait: their month stays where they are. */
const MAX_MOVED = 20_000;

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';
const CANCELED = '57014';
const UNDEFINED_OBJECT = '42704';

const codeOf = (error: unknown): unknown => (error as { code?: unknown } | null)?.code;
const startOfMonth = (seconds: number, further = 0): number => {
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + further, 1) / 1000;
};
const nameOfMonth = (table: string, start: number): string =>
  `${table}_${new Date(start * 1000).toISOString().slice(0, 7).replace('-', '_')}`;
/** What was there before, and what no month is there for. */
const formerPart = (table: string): string => `${table}_former`;
const outsidePart = (table: string): string => `${table}_outside`;
const constraintOf = (table: string): string => `${table}_by_month`;

/** In a transaction that alone changes this table; `loud`: and uses it. Undefined if others are in the way. */
async function whileLocked<S, T>(
  db: Kysely<S>,
  table: string,
  mode: 'quiet' | 'loud',
  work: (trx: Kysely<S>) => Promise<T>,
): Promise<T | undefined> {
  const waitAtMost = (trx: Kysely<S>, milliseconds: number) =>
    sql`select set_config('lock_timeout', ${`${milliseconds}ms`}, true)`.execute(trx);
  try {
    return await db.transaction().execute(async (trx) => {
      await waitAtMost(trx, QUIET_LOCK_MS);
      await sql`lock table only ${sql.table(table)} in share update exclusive mode`.execute(trx);
      await waitAtMost(trx, LOUD_LOCK_MS);
      if (mode === 'loud') await sql`lock table only ${sql.table(table)} in access exclusive mode`.execute(trx);
      return await work(trx);
    });
  } catch (error) {
    if (codeOf(error) === LOCK_NOT_AVAILABLE || codeOf(error) === DEADLOCK) return undefined;
    throw error;
  }
}

/** The same, several times. */
async function whileLockedAtLast<S, T>(
  db: Kysely<S>,
  table: string,
  work: (trx: Kysely<S>) => Promise<T>,
  stopping?: AbortSignal,
): Promise<T | undefined> {
  for (let attempt = 1; ; attempt++) {
    const done = await whileLocked(db, table, 'loud', work);
    if (done !== undefined || attempt === ATTEMPTS || stopping?.aborted) return done;
    await sleep(ATTEMPT_PAUSE_MS);
  }
}

/** Whoever may read the table, such as the user of backups, may read its parts. */
async function copyGrants<S>(trx: Kysely<S>, from: string, to: string): Promise<void> {
  const { rows } = await sql<{ statement: string }>`
    select format('grant %s on table %I to %s%s', privilege_type, ${to}::text,
      case when grantee = 0 then 'public' else quote_ident(pg_get_userbyid(grantee)) end,
      case when is_grantable then ' with grant option' else '' end) as statement
    from pg_class, aclexplode(relacl) where oid = to_regclass(${from}) and grantee <> relowner`.execute(trx);
  for (const { statement } of rows) await sql.raw(statement).execute(trx);
}

const attach = (table: string, part: string, bounds: string) =>
  sql`alter table ${sql.table(table)} attach partition ${sql.table(part)} ${sql.raw(bounds)}`;

/** Rows of the month that came before it was there are moved to it. Too many stay outside, for good. */
async function addMonth<S>(trx: Kysely<S>, { table, column }: MonthlyTable, start: number): Promise<boolean> {
  const [part, outside, end] = [nameOfMonth(table, start), outsidePart(table), startOfMonth(start, 1)];
  await sql`lock table only ${sql.table(outside)} in access exclusive mode`.execute(trx);
  const isInMonth = sql`${sql.ref(column)} >= ${start} and ${sql.ref(column)} < ${end}`;
  const early = await sql`select 1 from ${sql.table(outside)} where ${isInMonth} limit ${MAX_MOVED + 1}`.execute(trx);
  if (early.rows.length > MAX_MOVED) return false;
  await sql`create table ${sql.table(part)} (like ${sql.table(outside)} including all)`.execute(trx);
  await copyGrants(trx, table, part);
  await sql`with moved as (delete from ${sql.table(outside)} where ${isInMonth} returning *)
    insert into ${sql.table(part)} select * from moved`.execute(trx);
  await attach(table, part, `for values from (${start}) to (${end})`).execute(trx);
  return true;
}

async function addOutside<S>(trx: Kysely<S>, table: string, like: string): Promise<void> {
  const outside = outsidePart(table);
  await sql`create table ${sql.table(outside)} (like ${sql.table(like)} including all)`.execute(trx);
  await copyGrants(trx, table, outside);
  await attach(table, outside, 'default').execute(trx);
}

const covers = (start: number) => (part: Part) => !part.isOutside && part.from <= start && start < part.to;

/** The months that should be there and are not. */
function missingMonths(parts: readonly Part[], now: number): number[] {
  const wanted = Array.from({ length: MONTHS_AHEAD + 1 }, (_, index) => startOfMonth(now, index));
  return wanted.filter((start) => !parts.some(covers(start)));
}

/** Adds what is missing. Inserts go on meanwhile; who reads the whole table waits for the moment of each month. */
async function addMissing<S>(db: Kysely<S>, target: MonthlyTable, now: number): Promise<'complete' | 'busy'> {
  const { table } = target;
  const hasOutside = await whileLocked(db, table, 'quiet', async (trx) => {
    const parts = await readParts(trx, table);
    if (!parts.some(({ isOutside }) => isOutside)) await addOutside(trx, table, parts[0]!.name);
    return true;
  });
  if (!hasOutside) return 'busy';
  for (const start of missingMonths(await readParts(db, table), now)) {
    const done = await whileLocked(db, table, 'quiet', async (trx) => {
      // Another process may have been first.
      const isMissing = missingMonths(await readParts(trx, table), now).includes(start);
      if (isMissing) await addMonth(trx, target, start);
      return true;
    });
    if (!done) return 'busy';
  }
  return 'complete';
}

const dropConstraint = <S>(trx: Kysely<S>, table: string, name: string) =>
  sql`alter table ${sql.table(table)} drop constraint if exists ${sql.id(name)}`.execute(trx).then(() => true);

/** Where the rows of the table end, if that is proven. Another process that does the same may have taken our constraint back, or made it again. */
async function provenEnd<S>(trx: Kysely<S>, table: string): Promise<number | undefined> {
  const { rows } = await sql<{ definition: string }>`
    select pg_get_constraintdef(oid) as definition from pg_constraint
    where conrelid = to_regclass(${table}) and conname = ${constraintOf(table)} and convalidated`.execute(trx);
  const [, end] = /< '(\d+)'::bigint/.exec(rows[0]?.definition ?? '') ?? [];
  return end === undefined ? undefined : Number(end);
}

/** Makes a table with parts in place of the former one, which becomes its first. Nothing is read: the constraint proves where its rows end. */
async function exchange<S>(trx: Kysely<S>, { table, column }: MonthlyTable): Promise<'done' | 'stopped' | 'taken'> {
  if (!(await isWhole(trx, table))) return 'done';
  // A view may have been made while the table was read to its end.
  if ((await obstacleOf(trx, table)) !== undefined) return 'stopped';
  const end = await provenEnd(trx, table);
  if (end === undefined) return 'taken';
  const former = formerPart(table);
  const formerName = (name: string): string =>
    (name.startsWith(`${table}_`) ? `${former}${name.slice(table.length)}` : `${former}_${name}`).slice(0, 63);
  const { rows: indexes } = await sql<{ name: string; definition: string; is_primary: boolean }>`
    select i.relname as name, pg_get_indexdef(i.oid) as definition, indisprimary as is_primary
    from pg_index x join pg_class i on i.oid = x.indexrelid where indrelid = to_regclass(${table})`.execute(trx);
  await sql`alter table ${sql.table(table)} rename to ${sql.id(former)}`.execute(trx);
  for (const { name } of indexes) await sql`alter index ${sql.id(name)} rename to ${sql.id(formerName(name))}`.execute(trx);
  await sql`create table ${sql.table(table)} (like ${sql.table(former)} including defaults including storage including comments)
    partition by range (${sql.ref(column)})`.execute(trx);
  await copyGrants(trx, former, table);
  // A primary key of all would have to contain the time. Each part keeps its own.
  for (const { definition, is_primary: isPrimary } of indexes) if (!isPrimary) await sql.raw(definition).execute(trx);
  await attach(table, former, `for values from (minvalue) to (${end})`).execute(trx);
  await dropConstraint(trx, former, constraintOf(table));
  return 'done';
}

const isWhole = async <S>(db: Kysely<S>, table: string): Promise<boolean> => (await readParts(db, table)).length === 0;

/** Reads the table to its end, beside everything else. `taken`: another process is at it, too, and took our constraint back. */
async function prove<S>(
  db: Kysely<S>,
  database: Database<S>,
  table: string,
  stopping: AbortSignal | undefined,
): Promise<'done' | 'stopped' | 'taken'> {
  let cancel: (() => void) | undefined;
  try {
    await db.transaction().execute(async (trx) => {
      await sql`select set_config('statement_timeout', '0', true), set_config('lock_timeout', ${`${QUIET_LOCK_MS}ms`}, true)`.execute(
        trx,
      );
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(trx);
      cancel = () => void sql`select pg_cancel_backend(${rows[0]!.pid})`.execute(database.read).catch(() => {});
      stopping?.addEventListener('abort', cancel);
      await sql`alter table ${sql.table(table)} validate constraint ${sql.id(constraintOf(table))}`.execute(trx);
    });
    return stopping?.aborted ? 'stopped' : 'done';
  } catch (error) {
    if (codeOf(error) === UNDEFINED_OBJECT) return 'taken';
    if (codeOf(error) === CANCELED || codeOf(error) === LOCK_NOT_AVAILABLE) return 'stopped';
    throw error;
  } finally {
    if (cancel) stopping?.removeEventListener('abort', cancel);
  }
}

async function divide<S>(
  db: Kysely<S>,
  database: Database<S>,
  target: MonthlyTable,
  { now, stopping }: { readonly now: number; readonly stopping?: AbortSignal | undefined },
): Promise<boolean> {
  const { table, column } = target;
  const name = constraintOf(table);
  const { rows } = await sql<{ newest: number | string | null }>`
    select max(${sql.ref(column)}) as newest from ${sql.table(table)}`.execute(db);
  // Rows of a clock that was wrong belong to the former table, too.
  const end = startOfMonth(Math.max(now + DAYS_KEPT * DAY, Number(rows[0]?.newest ?? 0)), 1);
  const begun = await whileLockedAtLast(
    db,
    table,
    async (trx) => {
      if (!(await isWhole(trx, table))) return false;
      // One that was left behind by a process that was killed.
      await dropConstraint(trx, table, name);
      await sql`alter table ${sql.table(table)} add constraint ${sql.id(name)} check (${sql.ref(column)} < ${sql.lit(String(end))}::bigint) not valid`.execute(
        trx,
      );
      return true;
    },
    stopping,
  );
  if (!begun) return false;
  let state: 'done' | 'stopped' | 'taken' = 'stopped';
  try {
    const proof = await prove(db, database, table, stopping);
    state =
      proof === 'done' ? ((await whileLockedAtLast(db, table, (trx) => exchange(trx, target), stopping)) ?? 'stopped') : proof;
  } finally {
    // It must not stay: it refuses what is later. One that another process made is its own to take back.
    if (state === 'stopped') await whileLockedAtLast(db, table, (trx) => dropConstraint(trx, table, name));
  }
  return state === 'done';
}

/** The constraint of a process that was killed, where nobody tries again: in a month or two the table would refuse everything. */
async function takeBack<S>(database: Database<S>, table: string): Promise<void> {
  const name = constraintOf(table);
  const { rows } = await sql`select 1 from pg_constraint where conrelid = to_regclass(${table}) and conname = ${name}`.execute(
    database.read,
  );
  if (rows.length > 0)
    await database.onOwnConnection((db) => whileLockedAtLast(db, table, (trx) => dropConstraint(trx, table, name)));
}

/** `kept`: why the table stays as it is. `busy`: others were in the way; to be tried again later. */
export type MonthsResult = { readonly state: 'complete' | 'busy' } | { readonly state: 'kept'; readonly obstacle: string };

/**
 * Divides the table by month, if it is not, and makes the months ahead. Others may do so at the same time, and use the table. Without a need it
 * asks one question. `now`: seconds.
 */
export async function keepMonths<S>(
  database: Database<S>,
  target: MonthlyTable,
  options: { readonly now: number; readonly stopping?: AbortSignal | undefined },
): Promise<MonthsResult> {
  const { table } = target;
  const isComplete = (parts: readonly Part[]): boolean =>
    parts.some(({ isOutside }) => isOutside) && missingMonths(parts, options.now).length === 0;
  const parts = await readParts(database.read, table);
  if (isComplete(parts)) return { state: 'complete' };
  const obstacle = await obstacleOf(database.read, table);
  if (obstacle !== undefined) {
    await takeBack(database, table);
    return { state: 'kept', obstacle };
  }
  return database.onOwnConnection(async (db) => {
    if (parts.length === 0 && !(await divide(db, database, target, options))) return { state: 'busy' };
    return { state: await addMissing(db, target, options.now) };
  });
}

/** Drops a part. `isDone` is asked while nobody writes to it. False if it was not, or others are in the way. */
export async function dropPart<S>(
  database: Database<S>,
  { table }: MonthlyTable,
  part: string,
  isDone: (trx: Kysely<S>) => Promise<boolean>,
): Promise<boolean> {
  return database.onOwnConnection(async (db) => {
    // Reads of the table reach every part, so this waits for all of them.
    const dropped = await whileLocked(db, table, 'loud', async (trx) => {
      const isThere = (await readParts(trx, table)).some(({ name }) => name === part);
      if (!isThere || !(await isDone(trx))) return false;
      await sql`drop table ${sql.table(part)}`.execute(trx);
      return true;
    });
    return dropped ?? false;
  });
}
