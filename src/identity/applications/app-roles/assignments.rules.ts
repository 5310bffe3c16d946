// Assignments of application roles to users and organizations; each operation has its own file. What a user may do in an application
// is answered here, from the cache.
import type { Query } from '../../../platform/http/index.ts';
import { andThen, type MaybePromise } from '../../../platform/maybe-promise.ts';
import { type Caller, type Facts, type IdentityTarget, isAllowed } from '../../access/rules/index.ts';
import { findUser } from '../../directory/users/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Criterion } from '../../ground/resource/index.ts';
import { type Assignee, allowedApplications, allowedRoles, assigneeTarget } from './assignees.rules.ts';
import { type AssignmentDeps, seesAssignments } from './assignment-authority.ts';
import {
  type AssignmentTable,
  assignmentListTarget,
  pageOfOrganizationAssignments,
  pageOfUserAssignments,
} from './assignment-lists.ts';
import { type AssignmentRequest, assignmentTarget, futureAssignmentTarget } from './assignment-target.ts';
import type { OrganizationAssignment, UserAssignment } from './assignments.store.ts';
import type { InternalPermission } from './built-in.ts';
import { assignToOrganization, unassignFromOrganization } from './organization-assignments.rules.ts';
import { assignToUser, assignToUserIn, unassignFromUser } from './user-assignments.rules.ts';
import type { UserPermissions } from './user-permissions.ts';

/** What a user may do in an application. Whether the caller manages it is read only when it matters. */
export function permissionsTarget(
  deps: AssignmentDeps,
  caller: Caller,
  userId: string,
  applicationId: string,
): MaybePromise<IdentityTarget<UserPermissions>> {
  const facts: Facts = { userId, applicationId };
  if (isAllowed(caller, 'get_user_permissions', facts)) return withPermissions(deps, facts, userId, applicationId);
  return seesAssignments(deps, caller, applicationId).then((sees) =>
    // Nothing is read or cached for callers the rule refuses.
    sees
      ? withPermissions(deps, { ...facts, seesAssignments: true }, userId, applicationId)
      : { facts, get: () => fail('user.not_found', { id: userId }) },
  );
}

const withPermissions = (
  { db, userPermissions }: AssignmentDeps,
  facts: Facts,
  userId: string,
  applicationId: string,
): MaybePromise<IdentityTarget<UserPermissions>> =>
  andThen(userPermissions.of(userId, applicationId), (permissions) =>
    permissions ? { facts, get: () => permissions } : withoutPermissions(db, facts, userId, applicationId),
  );

async function withoutPermissions(
  db: Database,
  facts: Facts,
  userId: string,
  applicationId: string,
): Promise<IdentityTarget<never>> {
  const user = await findUser(db.read, userId);
  return {
    facts,
    get: () => (user ? fail('application.not_found', { id: applicationId }) : fail('user.not_found', { id: userId })),
  };
}

export function createAppAssignments(deps: AssignmentDeps) {
  return {
    target: <T extends AssignmentRequest>(caller: Caller, request: T) => assignmentTarget(deps, caller, request),
    futureTarget: (tx: Tx, caller: Caller, request: OrganizationAssignment) => futureAssignmentTarget(deps, tx, caller, request),
    assign: (caller: Caller, assignment: UserAssignment) => assignToUser(deps, caller, assignment),
    assignIn: (transaction: Change, caller: Caller, assignment: UserAssignment) =>
      assignToUserIn(deps, transaction, caller, assignment),
    unassign: (caller: Caller, assignment: UserAssignment) => unassignFromUser(deps, caller, assignment),
    assignToOrganization: (caller: Caller, assignment: OrganizationAssignment) => assignToOrganization(deps, caller, assignment),
    unassignFromOrganization: (caller: Caller, assignment: OrganizationAssignment) =>
      unassignFromOrganization(deps, caller, assignment),

    listTarget: (caller: Caller, query: Query, table: AssignmentTable) => assignmentListTarget(deps, caller, query, table),
    listOfUsers: (query: Query, visible: readonly Criterion[]) => pageOfUserAssignments(deps, query, visible),
    listOfOrganizations: (query: Query, visible: readonly Criterion[]) => pageOfOrganizationAssignments(deps, query, visible),

    /** Whether the caller manages or assigns in the application. */
    sees: (caller: Caller, applicationId: string) => seesAssignments(deps, caller, applicationId),
    assigneeTarget: (assignee: Assignee) => assigneeTarget(deps, assignee),
    permissionsTarget: (caller: Caller, userId: string, applicationId: string) =>
      permissionsTarget(deps, caller, userId, applicationId),
    allowedRoles: (caller: Caller, assignee: Assignee) => allowedRoles(deps, caller, assignee),
    allowedApplications: (caller: Caller, assignee: Assignee, permission: InternalPermission) =>
      allowedApplications(deps, caller, assignee, permission),
  };
}

export type AppAssignments = ReturnType<typeof createAppAssignments>;
