// Bulk changes of the members of a group. Their cost does not depend on the size of the group.
import type { Clock } from '../../../platform/clock.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { GroupRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { failOnBrokenReference } from '../../ground/resource/index.ts';
import {
  addMembers,
  candidatesAmong,
  type GroupMember,
  keepMembers,
  lendMembership,
  type MemberCandidate,
  memberIds,
  type NewMember,
  readMembers,
  removeMembers,
  takeMemberships,
  updateGroup,
} from './groups.store.ts';

export type MemberChange =
  | { readonly kind: 'add' | 'replace'; readonly members: readonly NewMember[] }
  | { readonly kind: 'remove'; readonly userIds: readonly string[] }
  | { readonly kind: 'removeWhere'; readonly test: (member: GroupMember) => boolean }
  | { readonly kind: 'clear' };

type Details = Readonly<Record<string, unknown>>;

/** Databases limit the number of parameters in a statement. */
const CHUNK = 500;

function* chunks<T>(items: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += CHUNK) yield items.slice(at, at + CHUNK);
}

/** This and `removeUsers` are the change itself, for callers who have checked it. At most some hundreds at once. */
export async function addUsers(
  { tx, audit, invalidate }: Change,
  groupId: string,
  members: readonly NewMember[],
  details: Details = {},
): Promise<void> {
  await addMembers(tx, groupId, members);
  for (const { userId } of members) invalidate(tagOf.user(userId));
  audit('group.members_added', { kind: 'group', id: groupId }, { user_ids: members.map(({ userId }) => userId), ...details });
}

/** Returns how many of them were members. */
export async function removeUsers(
  { tx, audit, invalidate }: Change,
  groupId: string,
  userIds: readonly string[],
  details: Details = {},
): Promise<number> {
  const removed = await removeMembers(tx, groupId, userIds);
  if (removed === 0) return 0;
  invalidate(tagOf.group(groupId));
  audit('group.members_removed', { kind: 'group', id: groupId }, { user_ids: userIds, ...details });
  return removed;
}

/** Fails when these users may not be added. Not called for existing members. */
export type CheckNewMembers = (userIds: readonly string[]) => Promise<void>;

/** Skips ids that are not users of the group's domain: another client may just have deleted them. */
async function add(
  transaction: Change,
  group: GroupRow,
  members: readonly NewMember[],
  checkNewMembers: CheckNewMembers,
): Promise<number> {
  const requested = new Map(members.map((member) => [member.userId, member]));
  let count = 0;
  for (const chunk of chunks([...requested.keys()])) {
    const candidates = await candidatesAmong(transaction.tx, group, chunk);
    // A membership that would end does not from now on, so that it is checked like a new one.
    const isNew = ({ member, end }: MemberCandidate): boolean => member === null || end !== null;
    const isChanged = (candidate: MemberCandidate): boolean =>
      isNew(candidate) || (requested.get(candidate.id)!.display ?? candidate.display) !== candidate.display;
    const lent = candidates.filter((candidate) => candidate.kept === 0 && !isChanged(candidate));
    if (lent.length > 0)
      await keepMembers(
        transaction.tx,
        group.id,
        lent.map(({ id }) => id),
      );
    const rows = candidates.filter(isChanged).map(({ id }) => requested.get(id)!);
    if (rows.length === 0) continue;
    await checkNewMembers(candidates.filter(isNew).map(({ id }) => id));
    await failOnBrokenReference(
      () => fail('server.unavailable', undefined, { headers: { 'Retry-After': '1' }, reason: 'a member is being deleted' }),
      () => addUsers(transaction, group.id, rows),
    );
    count += rows.length;
  }
  return count;
}

async function remove(transaction: Change, group: GroupRow, userIds: readonly string[]): Promise<number> {
  let count = 0;
  for (const chunk of chunks([...new Set(userIds)])) count += await removeUsers(transaction, group.id, chunk);
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

/** This and `takeFromGroup` are for providers: somebody is a member until this time, in seconds, or for good. */
export async function lendToMember(
  { tx, audit, invalidate }: Change,
  clock: Clock,
  { groupId, userId, expiresAt, isMember }: MembershipLoan,
): Promise<void> {
  await lendMembership(tx, groupId, userId, expiresAt);
  invalidate(tagOf.user(userId));
  if (isMember) return;
  await updateGroup(tx, groupId, { updated_at: clock.now() });
  audit('group.member_added', { kind: 'group', id: groupId }, { user_id: userId });
}

interface MembershipLoan {
  readonly groupId: string;
  readonly userId: string;
  readonly expiresAt: number | null;
  /** Whether they are a member already. */
  readonly isMember: boolean;
}

/**
 * Skips users who are not members, and those whom somebody else than a provider added. `endedBefore`: and those whose membership had not ended by
 * then. Returns how many it was.
 */
export async function takeFromGroup(
  { tx, audit, invalidate }: Change,
  clock: Clock,
  groupId: string,
  userIds: readonly string[],
  endedBefore?: number,
): Promise<number> {
  const removed = await takeMemberships(tx, groupId, userIds, endedBefore);
  if (removed.length === 0) return 0;
  await updateGroup(tx, groupId, { updated_at: clock.now() });
  for (const userId of removed) {
    invalidate(tagOf.user(userId));
    audit('group.member_removed', { kind: 'group', id: groupId }, { user_id: userId });
  }
  return removed.length;
}
