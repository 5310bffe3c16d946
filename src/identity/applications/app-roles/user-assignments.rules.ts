// Assigns application roles to users, and removes them.
import { type Action, type Caller, permit } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { failOnBrokenReference } from '../../ground/resource/index.ts';
import { type AssignmentDeps, assignmentFacts } from './assignment-authority.ts';
import { deleteUserAssignment, insertUserAssignment, type UserAssignment } from './assignments.store.ts';
import { appTagOf } from './user-permissions.ts';

interface AssignmentChange {
  readonly action: Action;
  readonly verb: 'assigned' | 'unassigned';
  write(tx: Tx, assignment: UserAssignment): Promise<void>;
}

const ASSIGN: AssignmentChange = { action: 'add_role_to_user', verb: 'assigned', write: insertUserAssignment };
const UNASSIGN: AssignmentChange = { action: 'remove_role_from_user', verb: 'unassigned', write: deleteUserAssignment };

async function changeAssignmentIn(
  deps: AssignmentDeps,
  { tx, audit, invalidate }: Change,
  caller: Caller,
  assignment: UserAssignment,
  { action, verb, write }: AssignmentChange,
): Promise<void> {
  const { userId, organizationId, applicationId, roleId } = assignment;
  permit(caller, action, await assignmentFacts(deps, caller, assignment, tx));
  await failOnBrokenReference(
    () => fail('role.not_found', { id: roleId }),
    () => write(tx, assignment),
  );
  invalidate(appTagOf.user(userId));
  audit(
    `app_role.${verb}`,
    { kind: 'app_role', id: roleId },
    { user_id: userId, organization_id: organizationId, application_id: applicationId },
  );
}

/** In an existing transaction. */
export const assignToUserIn = (
  deps: AssignmentDeps,
  transaction: Change,
  caller: Caller,
  assignment: UserAssignment,
): Promise<void> => changeAssignmentIn(deps, transaction, caller, assignment, ASSIGN);

export const assignToUser = (deps: AssignmentDeps, caller: Caller, assignment: UserAssignment): Promise<void> =>
  deps.change(caller, (transaction) => assignToUserIn(deps, transaction, caller, assignment));

export const unassignFromUser = (deps: AssignmentDeps, caller: Caller, assignment: UserAssignment): Promise<void> =>
  deps.change(caller, (transaction) => changeAssignmentIn(deps, transaction, caller, assignment, UNASSIGN));
