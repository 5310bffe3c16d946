// How long audit events are kept, and in what: on PostgreSQL the table is divided by month (ADR 034), and an old month is dropped as a whole.
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, seconds } from '../clock.ts';
import type { Database } from '../database/index.ts';
import { withoutTimeLimit } from '../deadline.ts';
import { type Job, repeat } from '../jobs/index.ts';
import type { Log } from '../log/index.ts';
import {
  dropMonthOfEvents,
  type ExportTables,
  keepEventsByMonth,
  monthsOfEvents,
  type Position,
  sweepEvents,
} from './audit-export.store.ts';

const PAUSE_MS = 10;
const DAY = 86_400;
/**
 * Events that are kept for so many days go by whole months, where there are months: up to a month later. Of those that are kept for less, each
 * goes on its day: that may be a rule about people.
 */
const BY_MONTH_FROM_DAYS = 62;
const MONTHS_EVERY_MS = 60_000;
/** After others were in the way: a large table is read to its end again. */
const MONTHS_RETRY_MS = 3_600_000;
const DROP_RETRY_MS = 600_000;

export interface RetentionDeps<S extends ExportTables> {
  readonly db: Database<S>;
  readonly clock: Clock;
  readonly log: Log;
  /** How long events are kept; undefined: for ever. */
  readonly days: number | undefined;
}

export function createRetention<S extends ExportTables>(deps: RetentionDeps<S>) {
  const { clock, log, days } = deps;
  // The tables of each service have at least these.
  const db = deps.db as unknown as Database<ExportTables>;
  let retryAt = 0;
  let dropAgainAt = 0;
  let obstacleTold: string | undefined;

  async function keepByMonth(stopping?: AbortSignal): Promise<void> {
    if (db.dialect !== 'postgres' || performance.now() < retryAt) return;
    const result = await withoutTimeLimit(() => keepEventsByMonth(db, { now: seconds(clock), stopping }));
    if (result.state === 'busy') {
      retryAt = performance.now() + MONTHS_RETRY_MS;
      log.info('the table of audit events could not be divided by month now: others use it; it will be tried again');
    }
    const obstacle = result.state === 'kept' ? result.obstacle : undefined;
    if (obstacle !== undefined && obstacle !== obstacleTold)
      log.warn({ reason: obstacle }, 'the table of audit events is not divided by month');
    obstacleTold = obstacle;
  }

  /** Drops the months that are older. Returns the tables of what is deleted row by row: what is no month would be kept for far longer. */
  async function dropMonths(before: number, isByMonth: boolean, upTo: Position | undefined): Promise<readonly string[]> {
    const months = await monthsOfEvents(db);
    const dropped = new Set<string>();
    for (const { name, to } of months) {
      if (to > before || performance.now() < dropAgainAt) continue;
      const result = await dropMonthOfEvents(db, name, upTo);
      if (result === 'dropped') {
        dropped.add(name);
        log.info({ month: name }, 'dropped old audit events');
      }
      // Each attempt holds everybody up for a moment, and what is in the way may be a backup of an hour.
      if (result === 'busy') dropAgainAt = performance.now() + DROP_RETRY_MS;
    }
    if (months.length === 0 || !isByMonth) return ['audit_events'];
    const others = months.filter(
      ({ name, isOutside, from }) => !dropped.has(name) && (isOutside || from === Number.NEGATIVE_INFINITY),
    );
    return others.map(({ name }) => name);
  }

  return {
    /** Divides the table of events by month where the database can, and makes months ahead. */
    keepByMonth,

    start: (): Job =>
      repeat({
        everyMs: MONTHS_EVERY_MS,
        run: keepByMonth,
        log,
        failure: 'the table of audit events could not be divided by month; it will be tried again',
        logsOnce: true,
      }),

    /** `upTo`: nothing after it is deleted. Returns how many rows it deleted, beside the months. */
    async sweep(upTo: Position | undefined, stopping?: AbortSignal): Promise<number> {
      if (days === undefined) return 0;
      const before = seconds(clock) - days * DAY;
      let swept = 0;
      for (const table of await dropMonths(before, days >= BY_MONTH_FROM_DAYS, upTo))
        for (let count = 1; count > 0 && !stopping?.aborted; await sleep(PAUSE_MS)) {
          count = await sweepEvents(db, table, before, upTo);
          swept += count;
        }
      return swept;
    },
  };
}
