// Messages that wait to be sent, or could not be: notifications to the web hook, and mails.
import { isoTime, seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, foundPage, pageOf, single } from '../../ground/resource/index.ts';
import { type Delivery, findDelivery, listDeliveries, queueStates, removeDelivery, retryDelivery } from './deliveries.store.ts';

const time = (at: number): string => isoTime(at * 1000);

export const renderDelivery = (delivery: Delivery) => {
  const { id, kind, subject, recipient, attempts, created_at, next_at, last_error, failed_at, expires_at } = delivery;
  return {
    id,
    kind,
    subject,
    recipient,
    state: failed_at !== null ? 'failed' : last_error === null ? 'waiting' : 'retrying',
    attempts,
    last_error,
    created_at: time(created_at),
    next_attempt_at: failed_at === null ? time(next_at) : null,
    failed_at: failed_at === null ? null : time(failed_at),
    expires_at: expires_at === null ? null : time(expires_at),
  };
};

/** One of these, or nothing. */
function choiceIn<const C extends string>(query: Query, name: string, choices: readonly C[]): C | undefined {
  const value = single(query, name);
  const found = choices.find((choice) => choice === value);
  if (value !== undefined && found === undefined)
    fail('request.bad_value', { field: name, why: `it must be one of ${choices.join(', ')}` });
  return found;
}

export function createDeliveries({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  return {
    /** How many of each kind wait or were given up. */
    states: () => queueStates(db.read),

    target: async (id: string): Promise<IdentityTarget<Delivery>> =>
      targetOf(
        await findDelivery(db.read, id),
        () => ({}),
        () => fail('delivery.not_found', { id }),
      ),

    async list(query: Query) {
      const filter = {
        kind: choiceIn(query, 'kind', ['web_hook', 'mail']),
        state: choiceIn(query, 'state', ['waiting', 'failed']),
        recipient: single(query, 'recipient')?.trim().toLowerCase() || undefined,
      };
      const page = foundPage(query, await listDeliveries(db.lists, filter, pageOf(query)));
      return { ...page, items: page.items.map(renderDelivery) };
    },

    /** Begins again, with all attempts. */
    async retry(caller: Caller, { id, kind, subject, expires_at }: Delivery): Promise<void> {
      const now = seconds(clock);
      if (expires_at !== null && expires_at <= now) fail('delivery.expired', { id });
      await change(caller, async ({ tx, audit }) => {
        if (!(await retryDelivery(tx, { kind, id }, now))) fail('delivery.not_failed', { id });
        audit('delivery.retried', { kind: 'delivery', id }, { kind, subject });
      });
    },

    async remove(caller: Caller, { id, kind, subject }: Delivery): Promise<void> {
      await change(caller, async ({ tx, audit }) => {
        if (!(await removeDelivery(tx, { kind, id }))) fail('delivery.not_found', { id });
        audit('delivery.deleted', { kind: 'delivery', id }, { kind, subject });
      });
    },
  };
}
