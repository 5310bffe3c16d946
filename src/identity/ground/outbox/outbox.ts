// Sends the rows of a queue: each by one process, with growing waits between attempts, until it is delivered or given up.

import { type Clock, seconds } from '../../../platform/clock.ts';
import { forEachConcurrently } from '../../../platform/for-each-concurrently.ts';
import { type Job, repeat } from '../../../platform/jobs/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Database, Tables } from '../database/index.ts';
import { claimRow, deleteRow, dueRows, noteFailure, type Queue, sweepFailed } from './outbox.store.ts';

const EVERY_MS = 1_000;
const BATCH = 20;
const MAX_ERROR = 255;
/** How long a message that was given up is kept. */
const KEEP_FAILED_SECONDS = 7 * 86_400;

export interface Schedule {
  /** Longer than the time limit of sending, so that a message is not sent twice at the same time. */
  readonly firstRetrySeconds: number;
  readonly maxWaitSeconds: number;
  readonly maxAttempts: number;
  /** How many messages are sent at the same time. */
  readonly atOnce: number;
}

export interface Failure {
  /** For the log. Must not contain the message or its recipient. */
  readonly status: string | number;
  /** Do not try again. It stays for a while, and an administrator can send it again. */
  readonly isFinal?: boolean;
  /** Nobody needs it any more. */
  readonly isOver?: boolean;
  /** Do not try other messages now: the next round does. */
  readonly isAway?: boolean;
}

export interface OutboxOptions<Q extends Queue> {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly queue: Q;
  readonly schedule: Schedule;
  /** Whether there is anywhere to send to. Otherwise all messages wait. */
  isOn?(): boolean;
  /** Returns undefined when it was delivered. If it throws, it is tried again. */
  send(row: Tables[Q], stopping?: AbortSignal): Promise<Failure | undefined>;
  /** Fields that identify a row in the log. */
  logFields(row: Tables[Q]): Readonly<Record<string, string>>;
  /** Log message for a failed delivery. */
  readonly refused: string;
  /** Log message if the queue could not be read. */
  readonly failure: string;
}

export function createOutbox<Q extends Queue>(options: OutboxOptions<Q>) {
  const { db, clock, log, queue, schedule, isOn = () => true, send, logFields, refused, failure } = options;
  let job: Job | undefined;

  /** Returns true if other messages need not be tried now. */
  async function sendOne(row: Tables[Q], stopping: AbortSignal | undefined): Promise<boolean> {
    const wait = Math.min(schedule.firstRetrySeconds * 2 ** row.attempts, schedule.maxWaitSeconds);
    if (!(await claimRow(db, queue, row, seconds(clock) + wait))) return false;
    const failed = await send(row, stopping).catch((error: Error): Failure => ({ status: error.message }));
    const attempt = row.attempts + 1;
    if (!failed || failed.isOver) await deleteRow(db, queue, row.id);
    else {
      const isGivenUp = failed.isFinal || attempt >= schedule.maxAttempts;
      await noteFailure(db, queue, row.id, String(failed.status).slice(0, MAX_ERROR), isGivenUp ? seconds(clock) : null);
    }
    if (failed) log.warn({ ...logFields(row), attempt, status: failed.status }, refused);
    return failed?.isAway === true;
  }

  async function sendDue(stopping?: AbortSignal): Promise<void> {
    if (!isOn()) return;
    let isAway = false;
    await forEachConcurrently(schedule.atOnce, await dueRows(db.read, queue, seconds(clock), BATCH), async (row) => {
      if (isAway || stopping?.aborted) return;
      if (await sendOne(row, stopping)) isAway = true;
    });
  }

  return {
    sendDue,
    sweep: (): Promise<number> => sweepFailed(db, queue, seconds(clock) - KEEP_FAILED_SECONDS),
    start(): void {
      job = repeat({ everyMs: EVERY_MS, run: sendDue, log, failure, logsOnce: true });
    },
    async stop(): Promise<void> {
      await job?.stop();
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
