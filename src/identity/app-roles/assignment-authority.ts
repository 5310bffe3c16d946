// Who may hand out a role of an application, and who may see who holds one.
import { type Caller, type Facts, has, isAdministrator } from '../access/index.ts';
import type { Reader, Tx } from '../database.ts';
import type { Deps } from '../resource/index.ts';
import { authorityOf, mayAssign } from './allowed.ts';
import type { OrganizationAssignment } from './assignments.store.ts';
import type { InternalPermission } from './built-in.ts';
import { rolesByApplication } from './holdings.store.ts';
import { type Holdings, readHoldings } from './holdings.ts';
import { findAppRole } from './roles.store.ts';

export type AssignmentDeps = Pick<Deps, 'db' | 'change'> & { readonly holdings: Holdings };

/** Any of these makes its holder one who may see who holds what in the application. */
const SEES_ASSIGNMENTS: readonly InternalPermission[] = [
  'manage-application',
  'manage-roles',
  'get-assign-public-roles',
  'get-assign-public-owned-roles',
  'get-assign-internal-roles',
];

/** Whether the caller manages or assigns in the application. */
export const seesAssignments = async ({ holdings }: AssignmentDeps, caller: Caller, applicationId: string): Promise<boolean> =>
  holdings.has(caller.userId, applicationId, ...SEES_ASSIGNMENTS);

/** An owner whose token is scoped to an organization acts for it, with the roles the organization holds. */
async function heldByOrganization(reader: Reader, caller: Caller, applicationId: string): Promise<readonly string[]> {
  const { project } = caller.authContext;
  if (!project || !has(caller, 'owner')) return [];
  return (await rolesByApplication(reader, { organizationId: project.id })).get(applicationId) ?? [];
}

/** What decides whether the caller may hand the role out: before anyone learns what exists, and again inside the change. */
export async function assignmentFacts(
  { db, holdings }: AssignmentDeps,
  caller: Caller,
  { applicationId, roleId }: Pick<OrganizationAssignment, 'applicationId' | 'roleId'>,
  tx?: Tx,
): Promise<Facts> {
  if (isAdministrator(caller)) return {};
  const reader = tx ?? db.read;
  const role = await findAppRole(reader, roleId);
  if (!role) return {};
  const own = await (tx ? readHoldings(tx, caller.userId, applicationId) : holdings.of(caller.userId, applicationId));
  if (own && (await mayAssign(reader, own, applicationId, role))) return { mayAssign: true };
  const ofOrganization = await authorityOf(reader, await heldByOrganization(reader, caller, applicationId));
  return { mayAssign: await mayAssign(reader, ofOrganization, applicationId, role) };
}
