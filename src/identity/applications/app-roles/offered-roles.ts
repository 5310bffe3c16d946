// A provisioning client acts for the organizations of its domain: in each, it assigns the application roles that the organization may
// assign there. Roles with internal permissions are left to people.
import { tagOf } from '../../access/context/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { assignableRolesFor } from './allowed.ts';
import { deleteUserAssignment, insertUserAssignment, type UserAssignment } from './assignments.store.ts';
import { deleteGrantedEntries, recordGrantedEntries } from './granted-entries.store.ts';
import { joinOrganizations, leaveOrganizations, type OfferedOrganization } from './members.ts';
import { memberships, organizationRolesIn, userRolesIn } from './user-permissions.store.ts';
import { appTagOf } from './user-permissions.ts';

/** A role of an application that can be assigned in one organization. */
export interface OfferedRole {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly roleId: string;
  readonly roleName: string;
}

const roleEntryId = (entry: { organizationId: string; applicationId: string; roleId: string }): string =>
  [entry.organizationId, entry.applicationId, entry.roleId].join(':');

const organizationIdOfEntry = (entry: string): string => entry.split(':', 1)[0]!;

/** Every role that can be provisioned in a domain, or only those in `ids`. */
export async function offeredRoles(db: Reader, domainId: string, ids?: readonly string[]): Promise<OfferedRole[]> {
  const offered = await offeredRolesIn(db, domainId, ids && [...new Set(ids.map(organizationIdOfEntry))]);
  const selected = ids && new Set(ids);
  return selected ? offered.filter(({ id }) => selected.has(id)) : offered;
}

async function offeredRolesIn(db: Reader, domainId: string, organizationIds?: readonly string[]): Promise<OfferedRole[]> {
  if (organizationIds?.length === 0) return [];
  const rows = await organizationRolesIn(db, domainId, organizationIds);
  const assignees = [...Map.groupBy(rows, (row) => `${row.organizationId} ${row.applicationId}`).values()].map((assigned) => ({
    ...assigned[0]!,
    roleIds: assigned.map((row) => row.roleId),
  }));
  const assignable = await assignableRolesFor(db, assignees);
  const offered = assignees.flatMap(({ organizationId, organizationName, applicationId, applicationName }, at) =>
    assignable[at]!.filter(({ manages }) => !manages).map(({ role }): OfferedRole => {
      const entry = { organizationId, applicationId, roleId: role.id };
      return { id: roleEntryId(entry), ...entry, organizationName, applicationName, roleName: role.name };
    }),
  );
  return offered.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Ids of the role entries of a user, including roles that are not offered now. */
export const assignedRoleEntries = async (db: Reader, domainId: string, userId: string): Promise<string[]> =>
  (await userRolesIn(db, domainId, [userId])).map(roleEntryId);

/** The offered roles that users have, by user id. */
export async function offeredRolesOf(
  db: Reader,
  domainId: string,
  userIds: readonly string[],
): Promise<Map<string, OfferedRole[]>> {
  const assigned = await userRolesIn(db, domainId, userIds);
  if (assigned.length === 0) return new Map();
  const offered = new Map((await offeredRoles(db, domainId, assigned.map(roleEntryId))).map((role) => [role.id, role]));
  const found = assigned.flatMap((row) => {
    const role = offered.get(roleEntryId(row));
    return role ? [{ userId: row.userId, role }] : [];
  });
  return new Map([...Map.groupBy(found, ({ userId }) => userId)].map(([id, rows]) => [id, rows.map(({ role }) => role)]));
}

interface ProvisioningDifference<T> {
  readonly added: readonly T[];
  readonly removed: readonly T[];
}

/**
 * Adds and removes, in a transaction. A user who gets a role in an organization becomes a member of it. `entries`: what the client sent of this, and
 * sends no longer.
 */
export async function provision(
  transaction: Change,
  user: { readonly id: string; readonly domain_id: string },
  {
    roles,
    organizations,
    entries,
  }: {
    readonly roles: ProvisioningDifference<OfferedRole>;
    readonly organizations: ProvisioningDifference<OfferedOrganization>;
    readonly entries: ProvisioningDifference<string>;
  },
): Promise<void> {
  const { tx, now, audit, invalidate } = transaction;
  const userId = user.id;
  await deleteGrantedEntries(tx, userId, entries.removed);
  await recordGrantedEntries(tx, userId, entries.added);
  if ([roles, organizations].every(({ added, removed }) => added.length + removed.length === 0)) return;
  const idsOf = (things: readonly { id: string }[]): string[] => things.map(({ id }) => id);
  await leaveOrganizations(transaction, userId, idsOf(organizations.removed));
  const entered = [...new Set(roles.added.map(({ organizationId }) => organizationId))];
  const already = await memberships(tx, userId, entered, now);
  const joined = new Set([...idsOf(organizations.added), ...entered.filter((id) => !already.has(id))]);
  const offered = new Set(idsOf(await offeredRolesIn(tx, user.domain_id, [...joined])));
  await joinOrganizations(transaction, userId, [...joined], (assignment) => offered.has(roleEntryId(assignment)));

  const assignmentOf = ({ organizationId, applicationId, roleId }: OfferedRole): UserAssignment => ({
    userId,
    organizationId,
    applicationId,
    roleId,
  });
  const auditRole = (verb: 'assigned' | 'unassigned', { organizationId, applicationId, roleId }: OfferedRole): void =>
    audit(
      `app_role.${verb}`,
      { kind: 'app_role', id: roleId },
      { user_id: userId, organization_id: organizationId, application_id: applicationId },
    );
  for (const role of roles.removed) {
    await deleteUserAssignment(tx, assignmentOf(role));
    auditRole('unassigned', role);
  }
  for (const role of roles.added) {
    await insertUserAssignment(tx, assignmentOf(role));
    auditRole('assigned', role);
  }
  invalidate(tagOf.user(userId));
  invalidate(appTagOf.user(userId));
}
