// Requests of strangers that may lead to a mail. The answer does not wait for the work, so that neither its content nor its time tells
// whether an account exists.
import type { Clock } from '../../platform/clock.ts';
import { type AttemptOrigin, addressKey, FairQueue, Throttle } from '../../platform/limits/index.ts';
import type { Log } from '../../platform/log/index.ts';
import type { Database } from '../database.ts';
import { nameKey } from '../users/index.ts';

/** From one address of the network. */
const REQUESTS = { attempts: 30, perSeconds: 600 };
/** To one mailbox for one reason, whoever asks for them. */
const MAILS = { attempts: 5, perSeconds: 3600 };
const QUEUE = { slots: 1, maxWaiting: 200, patienceMs: 60_000 };

/** Each is counted on its own: strangers who register with an address must not keep its owner from a new password. */
export type MailReason = 'new password' | 'registration' | 'new address';

/** A request of somebody who is not signed in. */
export interface StrangerRequest extends AttemptOrigin {
  readonly requestId: string;
}

export function createMailRequests({
  db,
  clock,
  log,
  rateLimits,
}: {
  readonly db: Pick<Database, 'ping'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly rateLimits: boolean;
}) {
  const byAddress = new Throttle(rateLimits ? REQUESTS : undefined, clock);
  const byMailbox = new Throttle(rateLimits ? MAILS : undefined, clock);
  const queue = new FairQueue(QUEUE);

  return {
    /**
     * Runs the work after the answer. Fails if there were too many requests from this address, or if the database is away: then nobody
     * must be told that a mail is on its way.
     */
    async accept({ address, requestId }: StrangerRequest, work: () => Promise<void>): Promise<void> {
      const key = addressKey(address);
      byAddress.take(key);
      await db.ping();
      const later = async (): Promise<void> => {
        await new Promise((resolve) => setImmediate(resolve));
        await queue.run({ key }, work);
      };
      later().catch((error: unknown) => log.error({ request_id: requestId, err: error }, 'a request for a mail failed'));
    },

    /** Counts a mail to this mailbox. False if it has got too many: people cannot be flooded with mails. */
    mayMail(mailbox: string, reason: MailReason): boolean {
      const key = `${reason} ${nameKey(mailbox)}`;
      if (!byMailbox.has(key)) return false;
      byMailbox.take(key);
      return true;
    },

    /** Resolves when nothing is left to do. */
    async settled(): Promise<void> {
      await new Promise((resolve) => setImmediate(resolve));
      await queue.settled();
    },
  };
}

export type MailRequests = ReturnType<typeof createMailRequests>;
