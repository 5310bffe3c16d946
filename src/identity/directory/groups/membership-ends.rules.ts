// Memberships that were given for a time. They count no longer from that time on (access/context/), and are removed here.
import { seconds } from '../../../platform/clock.ts';
import { withDeadline } from '../../../platform/deadline.ts';
import { serviceActor } from '../../ground/audit/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { endedMemberships } from './groups.store.ts';
import { takeFromGroup } from './membership.ts';

/** The names of so many users fit into one message that other processes get about a change. */
const BATCH = 150;

export function createMembershipEnds({ db, clock, change }: Pick<Deps, 'db' | 'clock' | 'change'>) {
  const endOf = (groupId: string, userIds: readonly string[]): Promise<number> =>
    change(serviceActor, (transaction) => takeFromGroup(transaction, clock, groupId, userIds, seconds(clock)));

  return async function sweep(): Promise<number> {
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
  };
}
