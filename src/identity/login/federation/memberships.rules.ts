// Memberships that a mapping gave for a time (`authorization_ttl` of the provider). They count no longer from that time on (access/context/), and are
// removed here.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { withDeadline } from '../../../platform/deadline.ts';
import { endedMemberships, takeFromGroup } from '../../directory/groups/index.ts';
import { type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';

/** The names of so many users fit into one message that other processes get about a change. */
const BATCH = 150;

export interface MembershipDeps {
  readonly db: Database;
  readonly clock: Clock;
  readonly change: RunChange;
}

/** When memberships end that a provider gives now, in seconds; null for never. Keystone counts in minutes. */
export const membershipEnd = (clock: Clock, { authorization_ttl: minutes }: { readonly authorization_ttl: number | null }) =>
  minutes ? seconds(clock) + minutes * 60 : null;

export function createMembershipEnds({ db, clock, change }: MembershipDeps) {
  const endOf = (groupId: string, userIds: readonly string[]): Promise<number> =>
    change(serviceActor, (transaction) => takeFromGroup(transaction, clock, groupId, userIds, seconds(clock)));

  return {
    /** Removes those that have ended. Returns how many. */
    async sweep(): Promise<number> {
      let total = 0;
      for (;;) {
        const rows = await endedMemberships(db.read, seconds(clock), BATCH);
        let removed = 0;
        for (const [groupId, own] of Map.groupBy(rows, (row) => row.group_id)) {
          const userIds = own.map((row) => row.user_id);
          removed += await withDeadline(() => endOf(groupId, userIds));
        }
        total += removed;
        if (rows.length < BATCH || removed === 0) return total;
      }
    },
  };
}
