// What users and organizations may assign and manage, according to their roles.

import { findProject } from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, maySeeRolesIn } from '../../access/rules/index.ts';
import { findUser } from '../../directory/users/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { applicationsWith, assignableByApplication } from './allowed.ts';
import type { AssignmentDeps } from './assignment-authority.ts';
import type { InternalPermission } from './built-in.ts';
import { rolesByApplication } from './user-permissions.store.ts';

/** A user in an organization, or the organization itself. */
export interface Assignee {
  readonly userId?: string;
  readonly organizationId: string;
}

export async function assigneeTarget({ db }: AssignmentDeps, assignee: Assignee): Promise<IdentityTarget<Assignee>> {
  const { userId, organizationId } = assignee;
  const [user, organization] = await Promise.all([
    userId === undefined ? true : findUser(db.read, userId),
    findProject(db.read, organizationId),
  ]);
  const get = () => {
    if (!user) fail('user.not_found', { id: userId! });
    if (!organization) fail('organization.not_found', { id: organizationId });
    return assignee;
  };
  return { facts: { userId, projectId: organizationId }, get };
}

/** Their roles by application, as far as the caller may see them. */
async function visibleRoles(db: Database, caller: Caller, assignee: Assignee): Promise<Map<string, string[]>> {
  const roles = await rolesByApplication(db.read, assignee);
  return new Map([...roles].filter(([applicationId]) => maySeeRolesIn(caller, applicationId)));
}

export const allowedRoles = async (
  { db }: AssignmentDeps,
  caller: Caller,
  assignee: Assignee,
): Promise<Record<string, string[]>> => assignableByApplication(db.read, await visibleRoles(db, caller, assignee));

export const allowedApplications = async (
  { db }: AssignmentDeps,
  caller: Caller,
  assignee: Assignee,
  permission: InternalPermission,
): Promise<string[]> => applicationsWith(db.read, await visibleRoles(db, caller, assignee), permission);
