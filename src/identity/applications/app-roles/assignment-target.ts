// The assignment a request names.

import { findProject } from '../../access/context/index.ts';
import type { Caller, IdentityTarget } from '../../access/rules/index.ts';
import { findUser } from '../../directory/users/index.ts';
import type { AppRoleRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { findConsumer } from '../consumers/index.ts';
import { type AssignmentDeps, assignmentFacts } from './assignment-authority.ts';
import type { OrganizationAssignment } from './assignments.store.ts';
import { findAppRole } from './roles.store.ts';

/** Without an organization, the user's default one is meant. */
export interface AssignmentRequest extends Omit<OrganizationAssignment, 'organizationId'> {
  readonly userId?: string;
  readonly organizationId?: string;
}

/** Checks that all parts exist and that the role can be assigned in the application. The assignment itself need not exist. */
export async function assignmentTarget<T extends AssignmentRequest>(
  deps: AssignmentDeps,
  caller: Caller,
  request: T,
): Promise<IdentityTarget<T & OrganizationAssignment>> {
  const { db } = deps;
  const { userId, applicationId, roleId } = request;
  const user = userId === undefined ? undefined : await findUser(db.read, userId);
  const organizationId = request.organizationId ?? user?.default_project_id ?? undefined;
  const [facts, organization, application, role] = await Promise.all([
    assignmentFacts(deps, caller, { ...request, organizationId }),
    organizationId === undefined ? undefined : findProject(db.read, organizationId),
    findConsumer(db.read, applicationId),
    findAppRole(db.read, roleId),
  ]);
  const get = () => {
    if (userId !== undefined && !user) fail('user.not_found', { id: userId });
    if (organizationId === undefined) fail('organization.no_default');
    if (!organization || organization.is_domain) fail('organization.not_found', { id: organizationId });
    checkRoleOf(request, application, role);
    return { ...request, organizationId };
  };
  return { facts, get };
}

function checkRoleOf({ applicationId, roleId }: AssignmentRequest, application: unknown, role: AppRoleRow | undefined): void {
  if (!application) fail('application.not_found', { id: applicationId });
  if (!role) fail('role.not_found', { id: roleId });
  if (role.application_id !== applicationId && !role.is_internal)
    fail('role.other_application', { role: roleId, application: applicationId });
}

/** The same for someone who has no account yet, within a transaction. */
export async function futureAssignmentTarget(
  deps: AssignmentDeps,
  tx: Tx,
  caller: Caller,
  request: OrganizationAssignment,
): Promise<IdentityTarget<OrganizationAssignment>> {
  const { organizationId, applicationId, roleId } = request;
  const facts = await assignmentFacts(deps, caller, request, tx);
  const organization = await findProject(tx, organizationId);
  const application = await findConsumer(tx, applicationId);
  const role = await findAppRole(tx, roleId);
  const get = () => {
    if (!organization || organization.is_domain) fail('organization.not_found', { id: organizationId });
    checkRoleOf(request, application, role);
    return request;
  };
  return { facts, get };
}
