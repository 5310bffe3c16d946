// A project with an owner: a user who has the role `owner` in it.
import type { Clock } from '../../../platform/clock.ts';
import type { Change } from '../../ground/audit/index.ts';
import { insertProjectRow } from '../projects/index.ts';
import { findRoleByName } from '../roles/index.ts';
import { insertGrant } from './grants.store.ts';

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
  const { tx, audit } = transaction;
  const projectId = await insertProjectRow(transaction, clock, body, parent, provisioned);
  const role = await findRoleByName(tx, OWNER);
  if (role) {
    await insertGrant(tx, { actor: { kind: 'user', id: ownerId }, targetId: projectId, roleId: role.id, inherited: false });
    const detail = { user_id: ownerId, target: 'project', target_id: projectId, inherited: false };
    audit('grant.created', { kind: 'role', id: role.id }, detail);
  }
  return projectId;
}
