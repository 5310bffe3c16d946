// Membership of organizations as provisioning clients manage it: users get the role `member` there, and no other.
import { giveRole, roleInProject, takeRole } from '../../directory/grants/index.ts';
import { findRoleByName } from '../../directory/roles/index.ts';
import { findUser } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import { deleteUserAssignment } from './assignments.store.ts';
import { organizationIdsWithRole, organizationsIn, organizationsWithRole } from './organizations.store.ts';
import { memberships, userRolesIn } from './user-permissions.store.ts';
import { appTagOf } from './user-permissions.ts';

const MEMBER = 'member';

/** An organization that people can be made members of. */
export interface OfferedOrganization {
  readonly id: string;
  readonly name: string;
}

/** A user's default organization is not offered to others. */
const isShared = ({ extra }: { extra: string }): boolean => parseJson(extra).is_default !== true;

/** All of them, or those in `ids`. */
export async function offeredOrganizations(
  db: Reader,
  domainId: string,
  ids?: readonly string[],
): Promise<OfferedOrganization[]> {
  if (!(await findRoleByName(db, MEMBER))) return [];
  return (await organizationsIn(db, domainId, ids)).filter(isShared).map(({ id, name }) => ({ id, name }));
}

/** Those in which users have `member` directly, by user id. */
export async function offeredOrganizationsOf(
  db: Reader,
  domainId: string,
  userIds: readonly string[],
): Promise<Map<string, OfferedOrganization[]>> {
  const member = await findRoleByName(db, MEMBER);
  const rows = member ? (await organizationsWithRole(db, domainId, member.id, userIds)).filter(isShared) : [];
  const byUser = Map.groupBy(rows, ({ userId }) => userId!);
  return new Map([...byUser].map(([userId, rows]) => [userId, rows.map(({ id, name }) => ({ id, name }))]));
}

/** Organizations a user is a member of, including those that are not offered now. */
export async function memberOrganizationIds(db: Reader, domainId: string, userId: string): Promise<string[]> {
  const member = await findRoleByName(db, MEMBER);
  return member ? organizationIdsWithRole(db, domainId, member.id, userId) : [];
}

/**
 * Makes a user a member, in a transaction. Application roles in an organization stay stored when a user leaves it, without effect.
 * When the user joins again this way, those that provisioning does not offer are deleted. Otherwise a membership could bring back a
 * manager.
 */
export async function joinOrganizations(
  transaction: Change,
  userId: string,
  organizationIds: readonly string[],
  isOffered: (assignment: { organizationId: string; applicationId: string; roleId: string }) => boolean,
): Promise<void> {
  if (organizationIds.length === 0) return;
  const { tx, now, audit, invalidate } = transaction;
  const user = await findUser(tx, userId);
  const already = await memberships(tx, userId, organizationIds, now);
  const joined = organizationIds.filter((id) => !already.has(id) && id !== user?.default_project_id);
  for (const assignment of user ? await userRolesIn(tx, user.domain_id, [userId]) : []) {
    if (!joined.includes(assignment.organizationId) || isOffered(assignment)) continue;
    await deleteUserAssignment(tx, assignment);
    audit(
      'app_role.unassigned',
      { kind: 'app_role', id: assignment.roleId },
      { user_id: userId, organization_id: assignment.organizationId, application_id: assignment.applicationId },
    );
  }
  const member = await findRoleByName(tx, MEMBER);
  if (member) for (const id of organizationIds) await giveRole(transaction, roleInProject(userId, id, member.id));
  invalidate(appTagOf.user(userId));
}

/** Revokes `member` only. Roles that people granted stay. */
export async function leaveOrganizations(transaction: Change, userId: string, organizationIds: readonly string[]): Promise<void> {
  if (organizationIds.length === 0) return;
  const member = await findRoleByName(transaction.tx, MEMBER);
  if (member) for (const id of organizationIds) await takeRole(transaction, roleInProject(userId, id, member.id));
  transaction.invalidate(appTagOf.user(userId));
}
