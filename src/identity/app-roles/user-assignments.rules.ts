// Assigns application roles to users, and removes them.
import { type Action, type Caller, permit } from '../access/index.ts';
import type { Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { failOnBrokenReference } from '../resource/index.ts';
import { type AssignmentDeps, assignmentFacts } from './assignment-authority.ts';
import { deleteUserAssignment, insertUserAssignment, type UserAssignment } from './assignments.store.ts';
import { appTagOf } from './user-permissions.ts';

async function changeAssignment(
  deps: AssignmentDeps,
  caller: Caller,
  assignment: UserAssignment,
  { action, verb }: { action: Action; verb: 'assigned' | 'unassigned' },
  write: (tx: Tx, assignment: UserAssignment) => Promise<void>,
): Promise<void> {
  const { userId, organizationId, applicationId, roleId } = assignment;
  await deps.change(caller, async ({ tx, audit, invalidate }) => {
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
  });
}

export const assignToUser = (deps: AssignmentDeps, caller: Caller, assignment: UserAssignment): Promise<void> =>
  changeAssignment(deps, caller, assignment, { action: 'add_role_to_user', verb: 'assigned' }, insertUserAssignment);

export const unassignFromUser = (deps: AssignmentDeps, caller: Caller, assignment: UserAssignment): Promise<void> =>
  changeAssignment(deps, caller, assignment, { action: 'remove_role_from_user', verb: 'unassigned' }, deleteUserAssignment);
