// The people who gave an application access, for those who manage it. Ending the access of one ends their consent and all tokens of the
// application for them; it can ask them again.
import { seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import { namesOf } from '../../directory/grants/index.ts';
import type { ConsumerRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, pageOf } from '../../ground/resource/index.ts';
import type { Records } from '../records/index.ts';
import { readGrantHolders } from './application-grants.store.ts';

export interface ApplicationGrantsDeps extends Pick<Deps, 'db' | 'clock' | 'change'> {
  readonly records: Records;
}

export function createApplicationGrants({ db, clock, change, records }: ApplicationGrantsDeps) {
  return {
    async list({ id }: ConsumerRow, query: Query) {
      const page = pageOf(query);
      const rows = await readGrantHolders(db.read, id, { ...page, now: seconds(clock) });
      const items = rows.slice(0, page.limit);
      const names = await namesOf(
        db.read,
        'users',
        items.map(({ userId }) => userId),
      );
      return {
        items: items.map((item) => ({ ...item, name: names.get(item.userId)?.name ?? '' })),
        next: rows.length > page.limit ? items.at(-1)!.userId : null,
        // The pages before the marker are read from the first one.
        previous: page.marker === undefined ? null : '',
      };
    },

    async end(caller: Caller, { id }: ConsumerRow, userId: string): Promise<void> {
      await change(caller, async (transaction) => {
        const now = seconds(clock);
        const [found] = await readGrantHolders(transaction.tx, id, { limit: 1, marker: undefined, now, userId });
        if (!found) fail('application_grant.not_found', { id: userId });
        await records.endConsents(transaction, userId, id);
        transaction.invalidate(tagOf.user(userId));
        transaction.audit('consent.revoked', { kind: 'user', id: userId }, { consumer_id: id });
      });
    },
  };
}

export type ApplicationGrants = ReturnType<typeof createApplicationGrants>;
