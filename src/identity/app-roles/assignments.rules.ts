// Roles of applications, given to users and organizations and taken from them: each has a file of its own. What a user may do in an
// application is answered here, from memory.
import type { Query } from '../../platform/http/index.ts';
import { andThen, type MaybePromise } from '../../platform/maybe-promise.ts';
import { allowed, type Caller, type Facts, type IdentityTarget } from '../access/index.ts';
import type { Database } from '../database.ts';
import { fail } from '../faults.ts';
import type { Criterion } from '../resource/index.ts';
import { findUser } from '../users/index.ts';
import { type AssignmentDeps, seesAssignments } from './assignment-authority.ts';
import {
  assignmentListTarget,
  type ListedAssignments,
  pageOfOrganizationAssignments,
  pageOfUserAssignments,
} from './assignment-lists.ts';
import { type AskedAssignment, assignmentTarget } from './assignment-target.ts';
import type { OrganizationAssignment, UserAssignment } from './assignments.store.ts';
import type { InternalPermission } from './built-in.ts';
import { allowedApplications, allowedRoles, type Holder, holderTarget } from './holders.rules.ts';
import type { UserHoldings } from './holdings.ts';
import { assignToOrganization, unassignFromOrganization } from './organization-assignments.rules.ts';
import { assignToUser, unassignFromUser } from './user-assignments.rules.ts';

/** What a user may do in an application. Whether the caller manages it is read only where that decides. */
export function holdingsTarget(
  deps: AssignmentDeps,
  caller: Caller,
  userId: string,
  applicationId: string,
): MaybePromise<IdentityTarget<UserHoldings>> {
  const known: Facts = { userId, applicationId };
  if (allowed(caller, 'get_user_permissions', known)) return withHoldings(deps, known, userId, applicationId);
  return seesAssignments(deps, caller, applicationId).then((sees) =>
    // Nothing is read, and kept in memory, for those the rule refuses.
    sees
      ? withHoldings(deps, { ...known, seesAssignments: true }, userId, applicationId)
      : { facts: known, get: () => fail('user.not_found', { id: userId }) },
  );
}

const withHoldings = (
  { db, holdings }: AssignmentDeps,
  facts: Facts,
  userId: string,
  applicationId: string,
): MaybePromise<IdentityTarget<UserHoldings>> =>
  andThen(holdings.of(userId, applicationId), (held) =>
    held ? { facts, get: () => held } : withoutHoldings(db, facts, userId, applicationId),
  );

async function withoutHoldings(
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
    target: <T extends AskedAssignment>(caller: Caller, asked: T) => assignmentTarget(deps, caller, asked),
    assign: (caller: Caller, assignment: UserAssignment) => assignToUser(deps, caller, assignment),
    unassign: (caller: Caller, assignment: UserAssignment) => unassignFromUser(deps, caller, assignment),
    assignToOrganization: (caller: Caller, assignment: OrganizationAssignment) => assignToOrganization(deps, caller, assignment),
    unassignFromOrganization: (caller: Caller, assignment: OrganizationAssignment) =>
      unassignFromOrganization(deps, caller, assignment),

    listTarget: (caller: Caller, query: Query, table: ListedAssignments) => assignmentListTarget(deps, caller, query, table),
    listOfUsers: (query: Query, visible: readonly Criterion[]) => pageOfUserAssignments(deps, query, visible),
    listOfOrganizations: (query: Query, visible: readonly Criterion[]) => pageOfOrganizationAssignments(deps, query, visible),

    holderTarget: (holder: Holder) => holderTarget(deps, holder),
    holdingsTarget: (caller: Caller, userId: string, applicationId: string) =>
      holdingsTarget(deps, caller, userId, applicationId),
    allowedRoles: (caller: Caller, holder: Holder) => allowedRoles(deps, caller, holder),
    allowedApplications: (caller: Caller, holder: Holder, permission: InternalPermission) =>
      allowedApplications(deps, caller, holder, permission),
  };
}

export type AppAssignments = ReturnType<typeof createAppAssignments>;
