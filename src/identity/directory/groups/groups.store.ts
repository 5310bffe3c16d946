// Groups and their members in the database.
import { lockRow, type PageRequest, type RowPage } from '../../../platform/database/index.ts';
import type { Bit, Database, GroupRow, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type ListQuery, readNamedPage } from '../../ground/resource/index.ts';

export function findGroup(db: Reader, id: string): Promise<GroupRow | undefined> {
  return db.selectFrom('groups').where('id', '=', id).selectAll().executeTakeFirst();
}

/** All groups, or only those of one user. */
export function listGroups(
  db: Database,
  page: PageRequest,
  query: ListQuery,
  member?: { readonly userId: string; readonly now: number },
): Promise<RowPage<GroupRow> | undefined> {
  let visible = applyCriteria(db.lists.selectFrom('groups').selectAll('groups'), db.dialect, query.visible);
  if (member !== undefined) {
    visible = visible.where('groups.id', 'in', (eb) =>
      eb
        .selectFrom('group_members')
        .where('user_id', '=', member.userId)
        .where((e) => e.or([e('expires_at', 'is', null), e('expires_at', '>', member.now)]))
        .select('group_id'),
    );
  }
  return readNamedPage(applyCriteria(visible, db.dialect, query.criteria), 'groups', page, visible, query);
}

export async function insertGroup(tx: Tx, row: GroupRow): Promise<void> {
  await tx.insertInto('groups').values(row).execute();
}

/** Every change of a group or its members increases its version. */
export async function updateGroup(tx: Tx, id: string, values: Partial<GroupRow> & { updated_at: number }): Promise<void> {
  await tx
    .updateTable('groups')
    .set((eb) => ({ ...values, version: eb('version', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('groups').where('id', '=', id).execute();
}

export interface NewMember {
  readonly userId: string;
  /** The client's display name of the member. */
  readonly display: string | null;
}

/** In one statement. Existing members get the new display name, if there is one. A membership that a provider gave has no end from now on. */
export async function addMembers(tx: Tx, groupId: string, members: readonly NewMember[]): Promise<void> {
  await tx
    .insertInto('group_members')
    .values(
      members.map(({ userId, display }) => ({ group_id: groupId, user_id: userId, display, expires_at: null, kept: 1 as const })),
    )
    .onConflict((conflict) =>
      conflict.columns(['group_id', 'user_id']).doUpdateSet((eb) => ({
        display: eb.fn.coalesce('excluded.display', 'group_members.display'),
        expires_at: null,
        kept: 1 as const,
      })),
    )
    .execute();
}

/** For a provider: until this time, in seconds, or null for never. A membership that somebody else gave stays as it is. */
export async function lendMembership(tx: Tx, groupId: string, userId: string, expiresAt: number | null): Promise<void> {
  await tx
    .insertInto('group_members')
    .values({ group_id: groupId, user_id: userId, display: null, expires_at: expiresAt, kept: 0 })
    .onConflict((conflict) =>
      conflict.columns(['group_id', 'user_id']).doUpdateSet({ expires_at: expiresAt }).where('group_members.kept', '=', 0),
    )
    .execute();
}

/** Members whom somebody else than a provider adds, too, and whose membership has no end. */
export async function keepMembers(tx: Tx, groupId: string, userIds: readonly string[]): Promise<void> {
  await tx
    .updateTable('group_members')
    .set({ kept: 1 })
    .where('group_id', '=', groupId)
    .where('user_id', 'in', [...userIds])
    .where('kept', '=', 0)
    .execute();
}

/** Memberships that have ended, up to `limit`. */
export const endedMemberships = (db: Reader, now: number, limit: number): Promise<{ group_id: string; user_id: string }[]> =>
  db
    .selectFrom('group_members')
    .where('expires_at', '<=', now)
    .where('kept', '=', 0)
    .orderBy('expires_at')
    .select(['group_id', 'user_id'])
    .limit(limit)
    .execute();

/** When the memberships of a user end, by group; without those that do not end. */
export async function membershipEndsOf(db: Reader, userId: string): Promise<Map<string, number>> {
  const rows = await db
    .selectFrom('group_members')
    .where('user_id', '=', userId)
    .where('expires_at', 'is not', null)
    .select(['group_id', 'expires_at'])
    .execute();
  return new Map(rows.map(({ group_id, expires_at }) => [group_id, expires_at!]));
}

/** Removes all members when no ids are given. Returns how many were removed. */
export async function removeMembers(tx: Tx, groupId: string, userIds?: readonly string[]): Promise<number> {
  let query = tx.deleteFrom('group_members').where('group_id', '=', groupId);
  if (userIds) query = query.where('user_id', 'in', [...userIds]);
  return Number((await query.executeTakeFirst()).numDeletedRows);
}

/**
 * Only what providers gave: memberships that somebody else gave, too, stay. Returns those who were members. `endedBefore`: only memberships that
 * ended by then; one that is renewed meanwhile stays.
 */
export async function takeMemberships(
  tx: Tx,
  groupId: string,
  userIds: readonly string[],
  endedBefore?: number,
): Promise<string[]> {
  let query = tx
    .deleteFrom('group_members')
    .where('group_id', '=', groupId)
    .where('user_id', 'in', [...userIds])
    .where('kept', '=', 0);
  if (endedBefore !== undefined) query = query.where('expires_at', '<=', endedBefore);
  return (await query.returning('user_id').execute()).map((row) => row.user_id);
}

export interface GroupMember extends NewMember {
  readonly name: string;
  readonly profile: string;
}

/** The members of groups, ordered by id. Members from other domains are left out: only the base API shows them. */
export async function readMembers(
  db: Reader,
  groupIds: readonly string[],
): Promise<(GroupMember & { readonly groupId: string })[]> {
  if (groupIds.length === 0) return [];
  return db
    .selectFrom('group_members')
    .innerJoin('users', 'users.id', 'group_members.user_id')
    .innerJoin('groups', (join) =>
      join.onRef('groups.id', '=', 'group_members.group_id').onRef('groups.domain_id', '=', 'users.domain_id'),
    )
    .where('group_members.group_id', 'in', [...groupIds])
    .orderBy('group_members.group_id')
    .orderBy('group_members.user_id')
    .select([
      'group_members.group_id as groupId',
      'group_members.user_id as userId',
      'group_members.display',
      'users.name',
      'users.profile',
    ])
    .execute();
}

export interface MemberCandidate {
  readonly id: string;
  /** Set when the user is a member already. */
  readonly member: string | null;
  readonly display: string | null;
  readonly end: number | null;
  readonly kept: Bit | null;
}

/** Which of these ids are users of the domain, and which of those are members. */
export function candidatesAmong(tx: Tx, group: GroupRow, ids: readonly string[]): Promise<MemberCandidate[]> {
  return tx
    .selectFrom('users')
    .leftJoin('group_members', (join) =>
      join.onRef('group_members.user_id', '=', 'users.id').on('group_members.group_id', '=', group.id),
    )
    .where('users.domain_id', '=', group.domain_id)
    .where('users.id', 'in', [...ids])
    .select(['users.id', 'group_members.user_id as member', 'group_members.display'])
    .select(['group_members.expires_at as end', 'group_members.kept'])
    .execute();
}

export async function memberIds(db: Reader, groupId: string): Promise<string[]> {
  const rows = await db.selectFrom('group_members').where('group_id', '=', groupId).select('user_id').execute();
  return rows.map((row) => row.user_id);
}

export async function isMember(db: Reader, groupId: string, userId: string, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('group_members')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]))
    .select('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** The row is locked so that concurrent updates do not overwrite each other. */
export const lockGroup = (db: Database, tx: Tx, id: string): Promise<GroupRow | undefined> => lockRow(db, tx, 'groups', id);
