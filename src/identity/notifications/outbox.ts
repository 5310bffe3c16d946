// What is to be sent to others is written down in the transaction it tells of, and sent from there until it arrives.
import { atOnce } from '../../platform/at-once.ts';
import { type Clock, seconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database, OutboxRow } from '../database.ts';
import { claimNotification, deleteNotification, dueNotifications, insertNotification, type Kind } from './outbox.store.ts';

const EVERY_MS = 1_000;
const BATCH = 20;
const FIRST_RETRY_SECONDS = 5;
/** Shorter than the first wait: until it is over, nobody else may send what is being sent. */
export const TIMEOUT_MS = 4_000;
const MAX_ATTEMPTS = 15;
const MAX_WAIT_SECONDS = 3600;

export interface OutboxOptions {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly kind: Kind;
  /** How many are sent at the same time: one that does not answer keeps no others. */
  readonly sentAtOnce: number;
  /** Undefined when it arrived; else what went wrong. */
  send(row: OutboxRow): Promise<string | number | undefined>;
  readonly refused: string;
}

export function createOutbox({ db, clock, log, kind, sentAtOnce, send, refused }: OutboxOptions) {
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;
  let failing = false;

  async function sendOne(row: OutboxRow): Promise<void> {
    if (stopped) return;
    const wait = Math.min(FIRST_RETRY_SECONDS * 2 ** row.attempts, MAX_WAIT_SECONDS);
    if (!(await claimNotification(db, row, seconds(clock) + wait))) return;
    const status = await send(row).catch((error: Error) => error.message);
    if (status === undefined || row.attempts + 1 >= MAX_ATTEMPTS) await deleteNotification(db, row.id);
    if (status !== undefined) log.warn({ notification: row.id, event: row.event, attempt: row.attempts + 1, status }, refused);
  }

  async function sendDue(): Promise<void> {
    await atOnce(sentAtOnce, await dueNotifications(db.read, kind, seconds(clock), BATCH), sendOne);
  }

  return {
    async add({ tx }: Change, event: string, bodyOf: (id: string) => object): Promise<void> {
      const [id, now] = [newId(), seconds(clock)];
      const body = JSON.stringify(bodyOf(id));
      await insertNotification(tx, { id, event, body, attempts: 0, next_at: now, created_at: now });
    },
    sendDue,
    start(): void {
      timer = setInterval(() => {
        // One round at a time: whoever is slow must not leave a queue of them.
        running ??= sendDue()
          .then(
            () => {
              failing = false;
            },
            (error: unknown) => {
              // Once, not every second of an outage.
              if (!failing) log.warn({ err: error }, 'notifications could not be sent; they will be tried again');
              failing = true;
            },
          )
          .finally(() => {
            running = undefined;
          });
      }, EVERY_MS);
      timer.unref();
    },
    async stop(): Promise<void> {
      clearInterval(timer);
      stopped = true;
      await running;
    },
  };
}

export type Outbox = ReturnType<typeof createOutbox>;
