// Exports audit events: each at least once, in the order of their times, by one process at a time. How far it came is in the database, so that
// none is lost when a process ends. Old events are deleted when all destinations have them.
import { randomUUID } from 'node:crypto';
import { type Clock, seconds } from '../clock.ts';
import type { Database } from '../database/index.ts';
import { withoutTimeLimit } from '../deadline.ts';
import { type Job, repeat } from '../jobs/index.ts';
import type { Log } from '../log/index.ts';
import {
  type AuditExportRow,
  claimExport,
  type ExportTables,
  eventsAfter,
  findExport,
  moveExport,
  oldestAfter,
  type Position,
  releaseExport,
} from './audit-export.store.ts';
import type { CadfMessage, StoredEvent } from './cadf.ts';
import type { AuditDestination } from './destinations.ts';
import { createRetention } from './retention.ts';

const EVERY_MS = 1_000;
const BATCH = 500;
/** Longer than a destination may take for a batch. */
const HOLD_SECONDS = 60;
const MAX_WAIT_SECONDS = 60;
const DAY = 86_400;
/**
 * Events are stored with the time just before the end of their change, by the clock of their process. After this time none is stored with an
 * earlier one: with replicas, that is the difference of their clocks and the time of a commit. SQLite has one process that writes one change
 * after the other.
 */
export const SETTLE_SECONDS = { sqlite: 5, postgres: 90 } as const;
/** How far the clocks of replicas may differ. If the cursor is further ahead, the clock was set back. */
const CLOCK_SECONDS = { sqlite: 0, postgres: 60 } as const;
/** How far the export goes back then. */
const REPEATED_SECONDS = DAY;

const START: Position = { at: 0, event_id: '' };

export interface AuditExportDeps<S extends ExportTables> {
  readonly db: Database<S>;
  readonly clock: Clock;
  readonly log: Log;
  readonly destinations: readonly AuditDestination[];
  /** How long events are kept; undefined: for ever. */
  readonly days: number | undefined;
  toCadf(event: StoredEvent): CadfMessage;
}

/** What one destination remembers between attempts. */
interface Attempts {
  failures: number;
  /** Not before this time (seconds). */
  next: number;
  /** Events in the next batch. Fewer after a failure: the receiver may find a batch too large, or need too long for it. */
  batch: number;
}

export function createAuditExports<S extends ExportTables>(deps: AuditExportDeps<S>) {
  const { clock, log, destinations, toCadf } = deps;
  // The tables of each service have at least these.
  const db = deps.db as unknown as Database<ExportTables>;
  const holder = randomUUID();
  const settleSeconds = SETTLE_SECONDS[db.dialect];
  const retention = createRetention(deps);
  const jobs: Job[] = [];
  const attempts = new Map(destinations.map(({ name }): [string, Attempts] => [name, { failures: 0, next: 0, batch: BATCH }]));
  const exported: Record<string, number> = Object.fromEntries(destinations.map(({ name }) => [name, 0]));
  const failed: Record<string, number> = Object.fromEntries(destinations.map(({ name }) => [name, 0]));
  const until = (): number => seconds(clock) + HOLD_SECONDS;
  const settledBefore = (): number => seconds(clock) - settleSeconds + 1;
  /** No event that is settled can be so late. */
  const isAhead = ({ at }: Position): boolean => at >= settledBefore() + CLOCK_SECONDS[db.dialect];

  /** When the clock was set back, events may have been stored before the cursor: some are exported again, so that none is lost. */
  async function followClock(row: AuditExportRow): Promise<Position> {
    const at = settledBefore() - REPEATED_SECONDS;
    if (!isAhead(row)) return row;
    log.warn({ export: row.name }, 'the clock was set back: the audit events of a day are exported again');
    await moveExport(db, row, { at, event_id: '', until: until(), count: 0 });
    return { at, event_id: '' };
  }

  /** Returns whether there may be more. */
  async function exportBatch({ name, send }: AuditDestination, stopping: AbortSignal | undefined): Promise<boolean> {
    const position = (await findExport(db.read, name)) ?? START;
    const limit = attempts.get(name)!.batch;
    const next = { before: settledBefore(), limit };
    // Nothing is written while there is nothing to do.
    if (!isAhead(position) && (await eventsAfter(db.read, position, { ...next, limit: 1 })).length === 0) return false;
    if (
      !(await claimExport(db, name, {
        holder,
        now: seconds(clock),
        until: until(),
        longest: HOLD_SECONDS + CLOCK_SECONDS.postgres,
      }))
    )
      return false;
    const row = (await findExport(db.read, name))!;
    const from = await followClock(row);
    // From the primary: what the position moves over may be deleted.
    const events = await eventsAfter(db.read, from, next);
    if (events.length === 0) return false;
    await send(events.map(toCadf), stopping);
    const last = events.at(-1)!;
    const moved = await moveExport(
      db,
      { ...row, ...from },
      { at: last.at, event_id: last.id, until: until(), count: events.length },
    );
    exported[name]! += events.length;
    return moved && events.length === limit;
  }

  async function exportTo(destination: AuditDestination, stopping?: AbortSignal): Promise<void> {
    const state = attempts.get(destination.name)!;
    const wait = state.next - seconds(clock);
    // Longer only if the clock was set back since.
    if (wait > 0 && wait <= MAX_WAIT_SECONDS) return;
    try {
      while (!stopping?.aborted && (await withoutTimeLimit(() => exportBatch(destination, stopping))))
        state.batch = Math.min(state.batch * 2, BATCH);
      state.failures = 0;
    } catch (error) {
      failed[destination.name]!++;
      state.next = seconds(clock) + Math.min(2 ** state.failures++, MAX_WAIT_SECONDS);
      state.batch = Math.max(1, Math.floor(state.batch / 2));
      throw error;
    }
  }

  /** How far all destinations came; undefined if one has not begun. */
  async function slowest(): Promise<Position | undefined> {
    let [first, ...others] = await Promise.all(destinations.map(({ name }) => findExport(db.read, name)));
    for (const one of others)
      if (first && (!one || one.at < first.at || (one.at === first.at && one.event_id < first.event_id))) first = one;
    return first;
  }

  return {
    /** Exports what is due, for tests. */
    async exportDue(): Promise<void> {
      for (const destination of destinations) await exportTo(destination);
    },

    keepByMonth: retention.keepByMonth,

    start(): void {
      jobs.push(retention.start());
      for (const destination of destinations)
        jobs.push(
          repeat({
            everyMs: EVERY_MS,
            run: (stopping) => exportTo(destination, stopping),
            log,
            failure: `audit events could not be exported (${destination.name}); they will be sent again`,
            logsOnce: true,
          }),
        );
    },

    async stop(): Promise<void> {
      await Promise.all(jobs.map((job) => job.stop()));
      // So that another process need not wait. If it fails, it waits.
      for (const { name } of destinations) await releaseExport(db, name, holder).catch(() => {});
    },

    /** Deletes events that are older than they are kept, and never before they were exported. */
    async sweep(stopping?: AbortSignal): Promise<number> {
      const upTo = destinations.length === 0 ? undefined : await slowest();
      return destinations.length > 0 && !upTo ? 0 : retention.sweep(upTo, stopping);
    },

    exported: (): Readonly<Record<string, number>> => exported,
    failed: (): Readonly<Record<string, number>> => failed,
    /** Age of the oldest event that a destination does not have yet, beyond the time that events need to settle. */
    async lags(): Promise<Readonly<Record<string, number>>> {
      const lags: [string, number][] = [];
      for (const { name } of destinations) {
        const at = await oldestAfter(db.read, (await findExport(db.read, name)) ?? START);
        lags.push([name, at === undefined ? 0 : Math.max(0, seconds(clock) - settleSeconds - at)]);
      }
      return Object.fromEntries(lags);
    },
  };
}

export type AuditExports = ReturnType<typeof createAuditExports>;
