// Messages are stored in the transaction of the event they report, and sent until they are delivered or given up.
import { type Clock, seconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { type Job, repeat } from '../../platform/jobs/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database, OutboxRow } from '../database.ts';
import { claimNotification, deleteNotification, dueNotifications, insertNotification } from './outbox.store.ts';

const EVERY_MS = 1_000;
const BATCH = 20;
const FIRST_RETRY_SECONDS = 5;
/** Shorter than the first retry, so that a message is not sent twice at the same time. */
export const TIMEOUT_MS = 4_000;
const MAX_ATTEMPTS = 15;
const MAX_WAIT_SECONDS = 3600;

export interface OutboxOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** Returns undefined when it was delivered, else what went wrong. */
  send(row: OutboxRow): Promise<string | number | undefined>;
  /** Log message for a failed delivery. */
  readonly refused: string;
}

export function createOutbox({ db, clock, log, send, refused }: OutboxOptions) {
  let job: Job | undefined;

  async function sendOne(row: OutboxRow): Promise<void> {
    const wait = Math.min(FIRST_RETRY_SECONDS * 2 ** row.attempts, MAX_WAIT_SECONDS);
    if (!(await claimNotification(db, row, seconds(clock) + wait))) return;
    const status = await send(row).catch((error: Error) => error.message);
    if (status === undefined || row.attempts + 1 >= MAX_ATTEMPTS) await deleteNotification(db, row.id);
    if (status !== undefined) log.warn({ notification: row.id, event: row.event, attempt: row.attempts + 1, status }, refused);
  }

  async function sendDue(stopping?: AbortSignal): Promise<void> {
    for (const row of await dueNotifications(db.read, seconds(clock), BATCH)) if (!stopping?.aborted) await sendOne(row);
  }

  return {
    async add({ tx }: Change, event: string, bodyOf: (id: string) => object): Promise<void> {
      const [id, now] = [newId(), seconds(clock)];
      const body = JSON.stringify(bodyOf(id));
      await insertNotification(tx, { id, event, body, attempts: 0, next_at: now, created_at: now });
    },
    sendDue,
    start(): void {
      const failure = 'notifications could not be sent; they will be tried again';
      job = repeat({ everyMs: EVERY_MS, run: sendDue, log, failure, logsOnce: true });
    },
    async stop(): Promise<void> {
      await job?.stop();
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
