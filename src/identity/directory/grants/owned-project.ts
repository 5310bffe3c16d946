// A project with an owner: a user who has the role `owner` in it.
import type { Clock } from '../../../platform/clock.ts';
import type { Change } from '../../ground/audit/index.ts';
import { insertProjectRow } from '../projects/index.ts';
import { findRoleByName } from '../roles/index.ts';
import { giveRole, roleInProject } from './give.rules.ts';

export const OWNER = 'owner';

type ProjectArguments = Parameters<typeof insertProjectRow>;

/** Without the role, which administrators can delete, there is no owner. */
export async function insertOwnedProject(
  transaction: Change,
  clock: Clock,
  ownerId: string,
  body: ProjectArguments[2],
  parent: NonNullable<ProjectArguments[3]>,
  provisioned?: ProjectArguments[4],
): Promise<string> {
  const { id: projectId } = await insertProjectRow(transaction, clock, body, parent, provisioned);
  const role = await findRoleByName(transaction.tx, OWNER);
  if (role) await giveRole(transaction, roleInProject(ownerId, projectId, role.id));
  return projectId;
}
