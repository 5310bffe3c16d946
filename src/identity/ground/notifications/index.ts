// Notifications about the security of accounts, sent to a web hook: signed, retried, off by default. They are stored in the transaction
// of the event they report, so that neither happens without the other.
import { createHmac } from 'node:crypto';
import { type Clock, isoTime, seconds } from '../../../platform/clock.ts';
import { newId } from '../../../platform/ids.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Outbound } from '../../../platform/outbound/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database } from '../database/index.ts';
import { createOutbox, type Schedule } from '../outbox/index.ts';
import { insertNotification } from './notifications.store.ts';

const TIMEOUT_MS = 4_000;
const SCHEDULE: Schedule = { firstRetrySeconds: 5, maxWaitSeconds: 3600, maxAttempts: 15, atOnce: 1 };

export type Notify = (change: Change, event: string, userId: string) => Promise<void>;

/** `t=<seconds>,v1=<hex>`: HMAC-SHA256 of `<seconds>.<body>` with the shared secret. */
export const signature = (secret: string, at: number, body: string): string =>
  `t=${at},v1=${createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')}`;

export function createNotifications(deps: {
  db: Database;
  clock: Clock;
  log: Log;
  outbound: Outbound;
  /** Where they go now; undefined when none are sent. */
  webhook(): { readonly url: string; readonly secret: string } | undefined;
}) {
  const { clock, outbound, webhook } = deps;
  const outbox = createOutbox({
    ...deps,
    queue: 'outbox',
    // What waits while there is none is sent when there is one again.
    isOn: () => webhook() !== undefined,
    schedule: SCHEDULE,
    logFields: ({ id, event }) => ({ notification: id, event }),
    refused: 'web hook did not take a notification',
    failure: 'notifications could not be sent; they will be tried again',
    async send({ event, body }) {
      const hook = webhook();
      if (!hook) return { status: 'off', isAway: true };
      const { url, secret } = hook;
      const headers = {
        'Content-Type': 'application/json',
        'X-Gatehouse-Event': event,
        'X-Gatehouse-Signature': signature(secret, seconds(clock), body),
      };
      const { status } = await outbound({ method: 'POST', url, headers, body, timeoutMs: TIMEOUT_MS, kind: 'web-hook' });
      return status >= 200 && status < 300 ? undefined : { status };
    },
  });

  const notify: Notify = async ({ tx }, event, userId) => {
    if (!webhook()) return;
    const [id, now] = [newId(), seconds(clock)];
    const body = JSON.stringify({ id, event, user_id: userId, at: isoTime(clock.now()) });
    await insertNotification(tx, { id, event, body, attempts: 0, next_at: now, created_at: now });
  };

  return {
    notify,
    sendDue: outbox.sendDue,
    start: outbox.start,
    stop: outbox.stop,
    sweep: outbox.sweep,
  };
}
