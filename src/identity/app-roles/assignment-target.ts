// The assignment a request is about.
import { type Caller, findProject, type IdentityTarget } from '../access/index.ts';
import { findConsumer } from '../consumers/index.ts';
import { fail } from '../faults.ts';
import { findUser } from '../users/index.ts';
import { type AssignmentDeps, assignmentFacts } from './assignment-authority.ts';
import type { OrganizationAssignment } from './assignments.store.ts';
import { findAppRole } from './roles.store.ts';

/** Without an organization: in the user's own. */
export interface AskedAssignment extends Omit<OrganizationAssignment, 'organizationId'> {
  readonly userId?: string;
  readonly organizationId?: string;
}

/** An assignment whose parts are all there, and whose role can be held in that application; whether or not it was made. */
export async function assignmentTarget<T extends AskedAssignment>(
  deps: AssignmentDeps,
  caller: Caller,
  asked: T,
): Promise<IdentityTarget<T & OrganizationAssignment>> {
  const { db } = deps;
  const { userId, applicationId, roleId } = asked;
  const user = userId === undefined ? undefined : await findUser(db.read, userId);
  const organizationId = asked.organizationId ?? user?.default_project_id ?? undefined;
  const [facts, organization, application, role] = await Promise.all([
    assignmentFacts(deps, caller, asked),
    organizationId === undefined ? undefined : findProject(db.read, organizationId),
    findConsumer(db.read, applicationId),
    findAppRole(db.read, roleId),
  ]);
  const get = () => {
    if (userId !== undefined && !user) fail('user.not_found', { id: userId });
    if (organizationId === undefined) fail('organization.no_default');
    if (!organization || organization.is_domain) fail('organization.not_found', { id: organizationId });
    if (!application) fail('application.not_found', { id: applicationId });
    if (!role) fail('role.not_found', { id: roleId });
    if (role.application_id !== applicationId && !role.is_internal)
      fail('role.other_application', { role: roleId, application: applicationId });
    return { ...asked, organizationId };
  };
  return { facts, get };
}
