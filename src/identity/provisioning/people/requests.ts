// Requests of strangers that may lead to a mail. The answer does not wait for the work, so that neither its content nor its time tells
// whether an account exists. Nor do the times of the next requests tell it, which the work delays: it starts at a random moment.
import { randomInt } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../../platform/clock.ts';
import { type AttemptOrigin, addressKey, FairQueue, Throttle } from '../../../platform/limits/index.ts';
import type { Log } from '../../../platform/log/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { mailboxKey } from './addresses.ts';

/** From one address of the network. */
const REQUESTS = { attempts: 30, perSeconds: 600 };
/** To one mailbox for one reason, whoever asks for them. */
const MAILS = { attempts: 5, perSeconds: 3600 };
/** A mail takes some milliseconds more than none; the moment it starts is spread over many of them. */
const SPREAD_MS = 500;
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
  const accepted = new Set<Promise<void>>();
  const stopping = new AbortController();
  let moment: Promise<void> | undefined;

  /** The same for all requests until then, so that they are worked on in their order. */
  const randomMoment = (): Promise<void> => {
    moment ??= delay(randomInt(SPREAD_MS), undefined, { signal: stopping.signal })
      .catch(() => undefined)
      .then(() => {
        moment = undefined;
      });
    return moment;
  };

  return {
    /**
     * Runs the work after the answer. Fails if there were too many requests from this address, or if the database is away: then nobody
     * must be told that a mail is on its way.
     */
    async accept({ address, requestId }: StrangerRequest, work: () => Promise<void>): Promise<void> {
      const key = addressKey(address);
      byAddress.take(key);
      await db.ping();
      const later: Promise<void> = randomMoment()
        .then(() => queue.run({ key }, work))
        .catch((error: unknown) => log.error({ request_id: requestId, err: error }, 'a request for a mail failed'))
        .finally(() => accepted.delete(later));
      accepted.add(later);
    },

    /** Counts a mail to this mailbox. False if it has got too many: people cannot be flooded with mails. */
    mayMail(mailbox: string, reason: MailReason): boolean {
      const key = `${reason} ${mailboxKey(mailbox)}`;
      if (!byMailbox.has(key)) return false;
      byMailbox.take(key);
      return true;
    },

    /** The service stops: waits for no moment any more. Resolves when nothing is left to do. */
    async settled(): Promise<void> {
      stopping.abort();
      await Promise.all(accepted);
    },
  };
}

export type MailRequests = ReturnType<typeof createMailRequests>;
