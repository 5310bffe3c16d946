// Who may assign a role of an application, and who may see its assignments.
import { type Caller, type Facts, hasRole, isAdministrator } from '../../access/rules/index.ts';
import type { Reader, Tx } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { authorityOf, mayAssign } from './allowed.ts';
import type { OrganizationAssignment } from './assignments.store.ts';
import type { InternalPermission } from './built-in.ts';
import { findAppRole } from './roles.store.ts';
import { rolesByApplication } from './user-permissions.store.ts';
import type { UserPermissionsReader } from './user-permissions.ts';

export type AssignmentDeps = Pick<Deps, 'db' | 'change'> & { readonly userPermissions: UserPermissionsReader };

/** Any of these permissions lets its user see the assignments of the application. */
const SEES_ASSIGNMENTS: readonly InternalPermission[] = [
  'manage-application',
  'manage-roles',
  'get-assign-public-roles',
  'get-assign-public-owned-roles',
  'get-assign-internal-roles',
];

/** Whether the caller manages or assigns in the application. */
export const seesAssignments = async (
  { userPermissions }: AssignmentDeps,
  caller: Caller,
  applicationId: string,
): Promise<boolean> => userPermissions.has(caller.userId, applicationId, ...SEES_ASSIGNMENTS);

/** What is assigned. Without an organization: in the default one of a user who has none. */
export type AssignmentPlace = Pick<OrganizationAssignment, 'applicationId' | 'roleId'> & {
  readonly organizationId?: string | undefined;
};

/**
 * An owner with a token scoped to an organization acts for it, with the roles of the organization, and only in it: to the organization
 * itself and to users in it. Nobody gives roles in an organization of others because of what their own has.
 */
async function organizationRoleIds(
  reader: Reader,
  caller: Caller,
  { applicationId, organizationId }: AssignmentPlace,
): Promise<readonly string[]> {
  const { project } = caller.authContext;
  if (!project || project.id !== organizationId || !hasRole(caller, 'owner')) return [];
  return (await rolesByApplication(reader, { organizationId: project.id })).get(applicationId) ?? [];
}

/** Whether the caller may assign the role. Read before the request is authorized, and again in the transaction. */
export async function assignmentFacts(
  { db, userPermissions }: AssignmentDeps,
  caller: Caller,
  place: AssignmentPlace,
  tx?: Tx,
): Promise<Facts> {
  if (isAdministrator(caller)) return {};
  const { applicationId, roleId } = place;
  const reader = tx ?? db.read;
  const role = await findAppRole(reader, roleId);
  if (!role) return {};
  const own = await (tx
    ? userPermissions.readIn(tx, caller.userId, applicationId)
    : userPermissions.of(caller.userId, applicationId));
  if (own && (await mayAssign(reader, own, applicationId, role))) return { mayAssign: true };
  const ofOrganization = await authorityOf(reader, await organizationRoleIds(reader, caller, place));
  return { mayAssign: await mayAssign(reader, ofOrganization, applicationId, role) };
}
