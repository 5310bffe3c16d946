// What provisions a domain acts for its organizations: it hands out, inside each, the roles of applications that the organization may
// assign there. Never one that carries management: that is for people to hand on.
import { tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { Reader } from '../database.ts';
import { assignableRoles, authorityOf } from './allowed.ts';
import { deleteUserAssignment, insertUserAssignment, type UserAssignment } from './assignments.store.ts';
import { memberships, organizationRolesIn, rolesHeldInside, rolesNamed } from './holdings.store.ts';
import { appTagOf } from './holdings.ts';
import { joinOrganizations, leaveOrganizations, type OfferedOrganization } from './members.ts';

/** A role of an application, as it is held inside one organization. */
export interface OfferedRole {
  readonly id: string;
  readonly organizationId: string;
  readonly organizationName: string;
  readonly applicationId: string;
  readonly applicationName: string;
  readonly roleId: string;
  readonly roleName: string;
}

const idOf = (place: { organizationId: string; applicationId: string; roleId: string }): string =>
  [place.organizationId, place.applicationId, place.roleId].join(':');

/** Every role that can be provisioned in a domain. */
export async function offeredRoles(db: Reader, domainId: string): Promise<OfferedRole[]> {
  const held = Map.groupBy(await organizationRolesIn(db, domainId), (row) => `${row.organizationId} ${row.applicationId}`);
  const offered: OfferedRole[] = [];
  for (const rows of held.values()) {
    const { organizationId, organizationName, applicationId, applicationName } = rows[0]!;
    const assignable = await assignableRoles(
      db,
      applicationId,
      rows.map((row) => row.roleId),
    );
    for (const { id: roleId, name: roleName } of await rolesNamed(db, assignable)) {
      if ((await authorityOf(db, [roleId])).internal.size > 0) continue;
      const place = { organizationId, applicationId, roleId };
      offered.push({ id: idOf(place), ...place, organizationName, applicationName, roleName });
    }
  }
  return offered.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** Which of them users hold: user id to the ids of the roles. */
export async function offeredRolesOf(
  db: Reader,
  domainId: string,
  userIds: readonly string[],
): Promise<Map<string, OfferedRole[]>> {
  const held = await rolesHeldInside(db, domainId, userIds);
  if (held.length === 0) return new Map();
  const offered = new Map((await offeredRoles(db, domainId)).map((role) => [role.id, role]));
  const found = held.flatMap((row) => {
    const role = offered.get(idOf(row));
    return role ? [{ userId: row.userId, role }] : [];
  });
  return new Map([...Map.groupBy(found, ({ userId }) => userId)].map(([id, rows]) => [id, rows.map(({ role }) => role)]));
}

interface Difference<T> {
  readonly given: readonly T[];
  readonly taken: readonly T[];
}

/** Gives and takes, within a change: who gets a role inside an organization is a member of it from then on. */
export async function provision(
  inside: Change,
  user: { readonly id: string; readonly domain_id: string },
  { roles, organizations }: { readonly roles: Difference<OfferedRole>; readonly organizations: Difference<OfferedOrganization> },
): Promise<void> {
  const { tx, audit, touch } = inside;
  const userId = user.id;
  const idsOf = (things: readonly { id: string }[]): string[] => things.map(({ id }) => id);
  await leaveOrganizations(inside, userId, idsOf(organizations.taken));
  const entered = [...new Set(roles.given.map(({ organizationId }) => organizationId))];
  const already = await memberships(tx, userId, entered);
  const joined = new Set([...idsOf(organizations.given), ...entered.filter((id) => !already.has(id))]);
  const offered = joined.size > 0 ? new Set(idsOf(await offeredRoles(tx, user.domain_id))) : new Set();
  await joinOrganizations(inside, userId, [...joined], (assignment) => offered.has(idOf(assignment)));

  const assignmentOf = ({ organizationId, applicationId, roleId }: OfferedRole): UserAssignment => ({
    userId,
    organizationId,
    applicationId,
    roleId,
  });
  const noted = (verb: 'assigned' | 'unassigned', { organizationId, applicationId, roleId }: OfferedRole): void =>
    audit(
      `app_role.${verb}`,
      { kind: 'app_role', id: roleId },
      { user_id: userId, organization_id: organizationId, application_id: applicationId },
    );
  for (const role of roles.taken) {
    await deleteUserAssignment(tx, assignmentOf(role));
    noted('unassigned', role);
  }
  for (const role of roles.given) {
    await insertUserAssignment(tx, assignmentOf(role));
    noted('assigned', role);
  }
  touch(tagOf.user(userId));
  touch(appTagOf.user(userId));
}
