// Notifications of what concerns the safety of an account, sent to a web hook: signed, retried from a table, off by default.
// They are written in the transaction of what they tell of, so that neither happens without the other.
import { createHmac } from 'node:crypto';
import { type Clock, isoTime, seconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Outbound } from '../../platform/outbound/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database } from '../database.ts';
import { claimNotification, deleteNotification, dueNotifications, insertNotification } from './outbox.store.ts';

export type Notify = (change: Change, event: string, userId: string) => Promise<void>;

const EVERY_MS = 1_000;
const BATCH = 20;
const FIRST_RETRY_SECONDS = 5;
/** Shorter than the first wait: until it is over, nobody else may send what is being sent. */
const TIMEOUT_MS = 4_000;
const MAX_ATTEMPTS = 15;
const MAX_WAIT_SECONDS = 3600;

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<seconds>.<body>` under the secret both sides know. */
export const signature = (secret: string, at: number, body: string): string =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;

export function createNotifications(deps: {
  db: Database;
  clock: Clock;
  log: Log;
  outbound: Outbound;
  webhook: { readonly url: string; readonly secret: string } | undefined;
}) {
  const { db, clock, log, outbound, webhook } = deps;
  let timer: NodeJS.Timeout | undefined;
  let running: Promise<void> | undefined;
  let stopped = false;

  const notify: Notify = async ({ tx }, event, userId) => {
    if (!webhook) return;
    const id = newId();
    const now = seconds(clock);
    const body = JSON.stringify({ id, event, user_id: userId, at: isoTime(clock.now()) });
    await insertNotification(tx, { id, event, body, attempts: 0, next_at: now, created_at: now });
  };

  async function sendDue(): Promise<void> {
    if (!webhook) return;
    for (const row of await dueNotifications(db.read, seconds(clock), BATCH)) {
      if (stopped) return;
      const wait = Math.min(FIRST_RETRY_SECONDS * 2 ** row.attempts, MAX_WAIT_SECONDS);
      if (!(await claimNotification(db, row, seconds(clock) + wait))) continue;
      const headers = {
        'Content-Type': 'application/json',
        'X-Gatehouse-Event': row.event,
        'X-Gatehouse-Signature': signature(webhook.secret, seconds(clock), row.body),
      };
      const status = await outbound({ method: 'POST', url: webhook.url, headers, body: row.body, timeoutMs: TIMEOUT_MS }).then(
        (answer) => answer.status,
        (error: Error) => error.message,
      );
      const delivered = typeof status === 'number' && status >= 200 && status < 300;
      if (delivered || row.attempts + 1 >= MAX_ATTEMPTS) await deleteNotification(db, row.id);
      if (!delivered)
        log.warn(
          { notification: row.id, event: row.event, attempt: row.attempts + 1, status },
          'web hook did not take a notification',
        );
    }
  }

  return {
    notify,
    sendDue,
    start(): void {
      if (!webhook) return;
      timer = setInterval(() => {
        // One round at a time: a slow web hook must not leave a queue of them.
        running ??= sendDue()
          .catch((error: unknown) => log.warn({ err: error }, 'notifications could not be sent'))
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
