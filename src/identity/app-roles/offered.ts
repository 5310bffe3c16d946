// What provisions a domain acts for its organizations: it hands out, inside each, the roles of applications that the organization may
// assign there. Never one that carries management: that is for people to hand on.
import { tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { Reader } from '../database.ts';
import { assignableIn } from './allowed.ts';
import { deleteUserAssignment, insertUserAssignment, type UserAssignment } from './assignments.store.ts';
import { memberships, organizationRolesIn, rolesHeldInside } from './holdings.store.ts';
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

const organizationIn = (entry: string): string => entry.split(':', 1)[0]!;

/** Every role that can be provisioned in a domain; with `ids`, those among them. Only what is asked for is looked at. */
export async function offeredRoles(db: Reader, domainId: string, ids?: readonly string[]): Promise<OfferedRole[]> {
  const offered = await offeredInside(db, domainId, ids && [...new Set(ids.map(organizationIn))]);
  const wanted = ids && new Set(ids);
  return wanted ? offered.filter(({ id }) => wanted.has(id)) : offered;
}

async function offeredInside(db: Reader, domainId: string, organizationIds?: readonly string[]): Promise<OfferedRole[]> {
  if (organizationIds?.length === 0) return [];
  const rows = await organizationRolesIn(db, domainId, organizationIds);
  const places = [...Map.groupBy(rows, (row) => `${row.organizationId} ${row.applicationId}`).values()].map((held) => ({
    ...held[0]!,
    roleIds: held.map((row) => row.roleId),
  }));
  const assignable = await assignableIn(db, places);
  const offered = places.flatMap(({ organizationId, organizationName, applicationId, applicationName }, at) =>
    assignable[at]!.filter(({ manages }) => !manages).map(({ role }): OfferedRole => {
      const place = { organizationId, applicationId, roleId: role.id };
      return { id: idOf(place), ...place, organizationName, applicationName, roleName: role.name };
    }),
  );
  return offered.sort((one, other) => (one.id < other.id ? -1 : 1));
}

/** What a user was given, as entries, also of what is not offered now. */
export const roleEntriesHeld = async (db: Reader, domainId: string, userId: string): Promise<string[]> =>
  (await rolesHeldInside(db, domainId, [userId])).map(idOf);

/** Which of them users hold: user id to the ids of the roles. */
export async function offeredRolesOf(
  db: Reader,
  domainId: string,
  userIds: readonly string[],
): Promise<Map<string, OfferedRole[]>> {
  const held = await rolesHeldInside(db, domainId, userIds);
  if (held.length === 0) return new Map();
  const offered = new Map((await offeredRoles(db, domainId, held.map(idOf))).map((role) => [role.id, role]));
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
  transaction: Change,
  user: { readonly id: string; readonly domain_id: string },
  { roles, organizations }: { readonly roles: Difference<OfferedRole>; readonly organizations: Difference<OfferedOrganization> },
): Promise<void> {
  const { tx, audit, invalidate } = transaction;
  const userId = user.id;
  const idsOf = (things: readonly { id: string }[]): string[] => things.map(({ id }) => id);
  await leaveOrganizations(transaction, userId, idsOf(organizations.taken));
  const entered = [...new Set(roles.given.map(({ organizationId }) => organizationId))];
  const already = await memberships(tx, userId, entered);
  const joined = new Set([...idsOf(organizations.given), ...entered.filter((id) => !already.has(id))]);
  const offered = new Set(idsOf(await offeredInside(tx, user.domain_id, [...joined])));
  await joinOrganizations(transaction, userId, [...joined], (assignment) => offered.has(idOf(assignment)));

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
  invalidate(tagOf.user(userId));
  invalidate(appTagOf.user(userId));
}
