// Members of organizations, as what provisions a domain makes them: people who hold `member` there, and nothing more by it.
import { tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { Reader } from '../database.ts';
import { deleteGrant, type Grant, insertGrant } from '../grants/index.ts';
import { parsed } from '../resource/index.ts';
import { findRoleByName } from '../roles/index.ts';
import { findUser } from '../users/index.ts';
import { deleteUserAssignment } from './assignments.store.ts';
import { memberships, rolesHeldInside } from './holdings.store.ts';
import { appTagOf } from './holdings.ts';
import { everyOrganizationGiven, organizationsGiven, organizationsIn } from './organizations.store.ts';

const MEMBER = 'member';

/** An organization that people can be made members of. */
export interface OfferedOrganization {
  readonly id: string;
  readonly name: string;
}

/** Somebody's own organization is nobody else's to enter. */
const isShared = ({ extra }: { extra: string }): boolean => parsed(extra).is_default !== true;

/** All of them, or those among `ids`. */
export async function offeredOrganizations(
  db: Reader,
  domainId: string,
  ids?: readonly string[],
): Promise<OfferedOrganization[]> {
  if (!(await findRoleByName(db, MEMBER))) return [];
  return (await organizationsIn(db, domainId, ids)).filter(isShared).map(({ id, name }) => ({ id, name }));
}

/** Those in which users hold `member` themselves, by user id. */
export async function offeredOrganizationsOf(
  db: Reader,
  domainId: string,
  userIds: readonly string[],
): Promise<Map<string, OfferedOrganization[]>> {
  const member = await findRoleByName(db, MEMBER);
  const given = member ? (await organizationsGiven(db, domainId, member.id, userIds)).filter(isShared) : [];
  const byUser = Map.groupBy(given, ({ userId }) => userId!);
  return new Map([...byUser].map(([userId, rows]) => [userId, rows.map(({ id, name }) => ({ id, name }))]));
}

/** Where a user is a member, also of what is not offered now. */
export async function organizationsHeld(db: Reader, domainId: string, userId: string): Promise<string[]> {
  const member = await findRoleByName(db, MEMBER);
  return member ? everyOrganizationGiven(db, domainId, member.id, userId) : [];
}

async function writeMembership(
  { tx, audit }: Change,
  userId: string,
  organizationId: string,
  write: { readonly verb: 'created' | 'revoked'; readonly grant: (grant: Grant) => Promise<unknown> },
): Promise<void> {
  const member = await findRoleByName(tx, MEMBER);
  if (!member) return;
  await write.grant({ actor: { kind: 'user', id: userId }, targetId: organizationId, roleId: member.id, inherited: false });
  audit(
    `grant.${write.verb}`,
    { kind: 'role', id: member.id },
    { user_id: userId, target: 'project', target_id: organizationId, inherited: false },
  );
}

/**
 * Makes a user a member, within a change. What someone held in an organization sleeps when they leave it: those who come back this
 * way get none of it but what could be given to them this way (`isOffered`), or a membership would wake a manager.
 */
export async function joinOrganizations(
  transaction: Change,
  userId: string,
  organizationIds: readonly string[],
  isOffered: (assignment: { organizationId: string; applicationId: string; roleId: string }) => boolean,
): Promise<void> {
  if (organizationIds.length === 0) return;
  const { tx, audit, invalidate } = transaction;
  const user = await findUser(tx, userId);
  const already = await memberships(tx, userId, organizationIds);
  const joined = organizationIds.filter((id) => !already.has(id) && id !== user?.default_project_id);
  for (const held of user ? await rolesHeldInside(tx, user.domain_id, [userId]) : []) {
    if (!joined.includes(held.organizationId) || isOffered(held)) continue;
    await deleteUserAssignment(tx, held);
    audit(
      'app_role.unassigned',
      { kind: 'app_role', id: held.roleId },
      { user_id: userId, organization_id: held.organizationId, application_id: held.applicationId },
    );
  }
  for (const id of organizationIds)
    await writeMembership(transaction, userId, id, { verb: 'created', grant: (grant) => insertGrant(tx, grant) });
  invalidate(tagOf.user(userId));
  invalidate(appTagOf.user(userId));
}

/** Takes `member` and no other role: what else people gave stays with whom they gave it to. */
export async function leaveOrganizations(transaction: Change, userId: string, organizationIds: readonly string[]): Promise<void> {
  if (organizationIds.length === 0) return;
  for (const id of organizationIds)
    await writeMembership(transaction, userId, id, { verb: 'revoked', grant: (grant) => deleteGrant(transaction.tx, grant) });
  transaction.invalidate(tagOf.user(userId));
  transaction.invalidate(appTagOf.user(userId));
}
