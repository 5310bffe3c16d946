// Members of a group, one user at a time.
import { seconds } from '../../../platform/clock.ts';
import type { Query } from '../../../platform/http/index.ts';
import { type DirectoryGuard, tagOf } from '../../access/context/index.ts';
import type { Caller, IdentityTarget, RankGuard } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { GroupRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, failOnBrokenReference } from '../../ground/resource/index.ts';
import { findUser, pageOfUsers } from '../users/index.ts';
import { addMembers, findGroup, isMember, membershipEndsOf, removeMembers, updateGroup } from './groups.store.ts';

/** A group and a user, who both exist. */
export interface Membership {
  readonly groupId: string;
  readonly userId: string;
}

export function createMemberships(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & { refuseIfOutranked: RankGuard; directory: DirectoryGuard },
) {
  const { db, clock, change, refuseIfOutranked, directory } = deps;

  /** A caller who may not see both the group and the user learns about neither. */
  async function membershipTarget(groupId: string, userId: string): Promise<IdentityTarget<Membership>> {
    const [group, user] = await Promise.all([findGroup(db.read, groupId), findUser(db.read, userId)]);
    return {
      facts: group && user ? { domains: [group.domain_id, user.domain_id] } : {},
      get() {
        if (!group) fail('group.not_found', { id: groupId });
        if (!user) fail('user.not_found', { id: userId });
        return { groupId, userId };
      },
    };
  }

  async function add(caller: Caller, { groupId, userId }: Membership): Promise<void> {
    await refuseIfOutranked(db.read, caller, 'identity:add_user_to_group', { groupId });
    await change(caller, (transaction) => addIn(transaction, caller, { groupId, userId }));
  }

  /** In an existing transaction. The caller of this function has asked the policy. */
  async function addIn({ tx, audit, invalidate }: Change, caller: Caller, { groupId, userId }: Membership): Promise<void> {
    await directory.forbid('group', groupId, tx);
    await refuseIfOutranked(tx, caller, 'identity:add_user_to_group', { groupId }, { admits: [userId] });
    await failOnBrokenReference(
      () => fail('group.not_found', { id: groupId }),
      () => addMembers(tx, groupId, [{ userId, display: null }]),
    );
    await updateGroup(tx, groupId, { updated_at: clock.now() });
    invalidate(tagOf.user(userId));
    audit('group.member_added', { kind: 'group', id: groupId }, { user_id: userId });
  }

  async function removeUser(caller: Caller, { groupId, userId }: Membership): Promise<void> {
    await refuseIfOutranked(db.read, caller, 'identity:remove_user_from_group', { groupId });
    await directory.forbid('group', groupId);
    await change(caller, async ({ tx, audit, invalidate }) => {
      await refuseIfOutranked(tx, caller, 'identity:remove_user_from_group', { groupId });
      if (!(await removeMembers(tx, groupId, [userId]))) fail('group.not_member', { user: userId, group: groupId });
      await updateGroup(tx, groupId, { updated_at: clock.now() });
      invalidate(tagOf.user(userId));
      audit('group.member_removed', { kind: 'group', id: groupId }, { user_id: userId });
    });
  }

  return {
    membershipTarget,
    /** By group, in seconds; without those that do not end. */
    membershipEnds: (userId: string): Promise<Map<string, number>> => membershipEndsOf(db.read, userId),
    members: (caller: Caller, { id }: GroupRow, query: Query) =>
      pageOfUsers(db, caller, query, { group: { groupId: id, now: seconds(clock) } }),
    add,
    addIn,
    removeUser,
    async check({ groupId, userId }: Membership): Promise<void> {
      if (!(await isMember(db.read, groupId, userId, seconds(clock)))) fail('group.not_member', { user: userId, group: groupId });
    },
  };
}
