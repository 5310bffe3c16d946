// Bulk changes of the members of a group. Their cost does not depend on the size of the group.
import type { Clock } from '../../platform/clock.ts';
import { tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { GroupRow } from '../database.ts';
import { fail } from '../faults.ts';
import { failOnBrokenReference } from '../resource/index.ts';
import {
  addMembers,
  candidatesAmong,
  type GroupMember,
  type MemberCandidate,
  memberIds,
  type NewMember,
  readMembers,
  removeMembers,
  removeMembersOf,
  setMembershipEnd,
  updateGroup,
} from './groups.store.ts';

export type MemberChange =
  | { readonly kind: 'add' | 'replace'; readonly members: readonly NewMember[] }
  | { readonly kind: 'remove'; readonly userIds: readonly string[] }
  | { readonly kind: 'removeWhere'; readonly test: (member: GroupMember) => boolean }
  | { readonly kind: 'clear' };

/** Databases limit the number of parameters in a statement. */
const CHUNK = 500;

function* chunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += CHUNK) yield items.slice(at, at + CHUNK);
}

/** Fails when these users may not be added. Not called for existing members. */
export type CheckNewMembers = (userIds: readonly string[]) => Promise<void>;

/** Skips ids that are not users of the group's domain: another client may just have deleted them. */
async function add(
  { tx, audit, invalidate }: Change,
  group: GroupRow,
  members: readonly NewMember[],
  checkNewMembers: CheckNewMembers,
): Promise<number> {
  const requested = new Map(members.map((member) => [member.userId, member]));
  let count = 0;
  for (const chunk of chunks([...requested.keys()])) {
    const candidates = await candidatesAmong(tx, group, chunk);
    const isNew = ({ id, member, display }: MemberCandidate): boolean =>
      member === null || (requested.get(id)!.display ?? display) !== display;
    const rows = candidates.filter(isNew).map(({ id }) => requested.get(id)!);
    if (rows.length === 0) continue;
    await checkNewMembers(candidates.filter(({ member }) => member === null).map(({ id }) => id));
    await failOnBrokenReference(
      () => fail('server.unavailable', undefined, { headers: { 'Retry-After': '1' }, reason: 'a member is being deleted' }),
      () => addMembers(tx, group.id, rows),
    );
    for (const { userId } of rows) invalidate(tagOf.user(userId));
    audit('group.members_added', { kind: 'group', id: group.id }, { user_ids: rows.map(({ userId }) => userId) });
    count += rows.length;
  }
  return count;
}

async function remove({ tx, audit, invalidate }: Change, group: GroupRow, userIds: readonly string[]): Promise<number> {
  let count = 0;
  for (const chunk of chunks([...new Set(userIds)])) {
    const removed = await removeMembers(tx, group.id, chunk);
    if (removed > 0) audit('group.members_removed', { kind: 'group', id: group.id }, { user_ids: chunk });
    count += removed;
  }
  if (count > 0) invalidate(tagOf.group(group.id));
  return count;
}

async function clear({ tx, audit, invalidate }: Change, group: GroupRow): Promise<number> {
  const count = await removeMembers(tx, group.id);
  if (count === 0) return 0;
  invalidate(tagOf.group(group.id));
  audit('group.members_removed', { kind: 'group', id: group.id }, { all: count });
  return count;
}

/** Members that stay are not changed. */
async function replace(
  transaction: Change,
  group: GroupRow,
  members: readonly NewMember[],
  checkNewMembers: CheckNewMembers,
): Promise<number> {
  if (members.length === 0) return clear(transaction, group);
  const requested = new Set(members.map(({ userId }) => userId));
  const gone = (await memberIds(transaction.tx, group.id)).filter((id) => !requested.has(id));
  return (await remove(transaction, group, gone)) + (await add(transaction, group, members, checkNewMembers));
}

async function removeWhere(transaction: Change, group: GroupRow, test: (member: GroupMember) => boolean): Promise<number> {
  const matching = (await readMembers(transaction.tx, [group.id])).filter(test);
  return remove(
    transaction,
    group,
    matching.map((member) => member.userId),
  );
}

/** Returns how many members were added, removed or renamed. */
export async function changeMembers(
  transaction: Change,
  group: GroupRow,
  changes: readonly MemberChange[],
  checkNewMembers: CheckNewMembers,
): Promise<number> {
  let count = 0;
  for (const change of changes) {
    if (change.kind === 'add') count += await add(transaction, group, change.members, checkNewMembers);
    else if (change.kind === 'replace') count += await replace(transaction, group, change.members, checkNewMembers);
    else if (change.kind === 'remove') count += await remove(transaction, group, change.userIds);
    else if (change.kind === 'removeWhere') count += await removeWhere(transaction, group, change.test);
    else count += await clear(transaction, group);
  }
  return count;
}

interface OneMember {
  readonly groupId: string;
  readonly userId: string;
  /** When the membership ends, in seconds; null for never. */
  readonly expiresAt: number | null;
}

/** This and `takeFromGroup` are for transactions of other modules. */
export async function addToGroup(
  { tx, audit, invalidate }: Change,
  clock: Clock,
  { groupId, userId, expiresAt }: OneMember,
): Promise<void> {
  await addMembers(tx, groupId, [{ userId, display: null, expiresAt }]);
  await updateGroup(tx, groupId, { updated_at: clock.now() });
  invalidate(tagOf.user(userId));
  audit('group.member_added', { kind: 'group', id: groupId }, { user_id: userId });
}

/** For somebody who is a member, or was one until a moment ago. */
export async function renewMembership(transaction: Change, clock: Clock, member: OneMember): Promise<void> {
  const { tx, invalidate } = transaction;
  if (!(await setMembershipEnd(tx, member.groupId, member.userId, member.expiresAt)))
    return addToGroup(transaction, clock, member);
  invalidate(tagOf.user(member.userId));
}

/** Skips users who are not members. `endedBefore`: and those whose membership had not ended by then. Returns how many it was. */
export async function takeFromGroup(
  { tx, audit, invalidate }: Change,
  clock: Clock,
  groupId: string,
  userIds: readonly string[],
  endedBefore?: number,
): Promise<number> {
  const removed = await removeMembersOf(tx, groupId, userIds, endedBefore);
  if (removed.length === 0) return 0;
  await updateGroup(tx, groupId, { updated_at: clock.now() });
  for (const userId of removed) {
    invalidate(tagOf.user(userId));
    audit('group.member_removed', { kind: 'group', id: groupId }, { user_id: userId });
  }
  return removed.length;
}
