// Assigns application roles to organizations, and removes them with everything that depended on them.
import { type Caller, permit } from '../../access/rules/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { failOnBrokenReference } from '../../ground/resource/index.ts';
import { assignableRoles } from './allowed.ts';
import { type AssignmentDeps, assignmentFacts } from './assignment-authority.ts';
import {
  deleteAssignmentsIn,
  deleteOrganizationAssignment,
  insertOrganizationAssignment,
  type OrganizationAssignment,
} from './assignments.store.ts';
import { rolesByApplication } from './user-permissions.store.ts';
import { appTagOf } from './user-permissions.ts';

/** The role itself, and the roles the organization may assign only because of it. */
async function dependents(reader: Reader, { organizationId, applicationId, roleId }: OrganizationAssignment): Promise<string[]> {
  const assigned = (await rolesByApplication(reader, { organizationId })).get(applicationId) ?? [];
  const left = assigned.filter((id) => id !== roleId);
  const [before, after] = await Promise.all([
    assignableRoles(reader, applicationId, assigned),
    assignableRoles(reader, applicationId, left),
  ]);
  return [...new Set([...before, roleId])].filter((id) => !after.includes(id) && !left.includes(id));
}

const detailOf = ({ organizationId, applicationId }: OrganizationAssignment) => ({
  organization_id: organizationId,
  application_id: applicationId,
});

export async function assignToOrganization(
  deps: AssignmentDeps,
  caller: Caller,
  assignment: OrganizationAssignment,
): Promise<void> {
  const { roleId } = assignment;
  await deps.change(caller, async ({ tx, audit }) => {
    permit(caller, 'add_role_to_organization', await assignmentFacts(deps, caller, assignment, tx));
    await failOnBrokenReference(
      () => fail('role.not_found', { id: roleId }),
      () => insertOrganizationAssignment(tx, assignment),
    );
    audit('app_role.organization_assigned', { kind: 'app_role', id: roleId }, detailOf(assignment));
  });
}

export async function unassignFromOrganization(
  deps: AssignmentDeps,
  caller: Caller,
  assignment: OrganizationAssignment,
): Promise<void> {
  const { organizationId, applicationId, roleId } = assignment;
  await deps.change(caller, async ({ tx, audit, invalidate }) => {
    permit(caller, 'remove_role_from_organization', await assignmentFacts(deps, caller, assignment, tx));
    const lost = await dependents(tx, assignment);
    const existed = await deleteOrganizationAssignment(tx, assignment);
    // If the assignment did not exist, nothing depended on it.
    const users = existed ? await deleteAssignmentsIn(tx, organizationId, applicationId, lost) : [];
    for (const userId of users) invalidate(appTagOf.user(userId));
    audit('app_role.organization_unassigned', { kind: 'app_role', id: roleId }, { ...detailOf(assignment), users: users.length });
  });
}
