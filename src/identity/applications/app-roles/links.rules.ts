// Links between roles and permissions.
import type { Action, Caller, IdentityTarget } from '../../access/rules/index.ts';
import type { AppPermissionRow, AppRoleRow, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type AppRolesDeps, checkInternal, invalidateAssignees, refuseBuiltIn } from './application-parts.ts';
import { permissionTarget } from './permissions.rules.ts';
import { roleTarget } from './roles.rules.ts';
import { deleteLink, insertLink, lockAppRole, lockPermission } from './roles.store.ts';

export interface LinkIds {
  readonly roleId: string;
  readonly permissionId: string;
}

export interface LinkEnds {
  readonly role: AppRoleRow;
  readonly permission: AppPermissionRow;
}

/** The role and the permission of a link. To change it, the caller must manage the roles of both applications. */
export async function linkTarget(
  deps: AppRolesDeps,
  caller: Caller,
  { roleId, permissionId }: LinkIds,
): Promise<IdentityTarget<LinkEnds>> {
  const [role, permission] = await Promise.all([roleTarget(deps, caller, roleId), permissionTarget(deps, caller, permissionId)]);
  const managesRoles = role.facts.managesRoles === true && permission.facts.managesRoles === true;
  return {
    facts: { managesRoles },
    get() {
      const found = role.get();
      refuseBuiltIn('role', found);
      return { role: found, permission: permission.get() };
    },
  };
}

/** Writes or removes a link. Both rows are locked while it is checked. */
async function changeLink(
  { db, change }: AppRolesDeps,
  caller: Caller,
  { action, event }: { action: Action; event: 'added' | 'removed' },
  { role: { id: roleId }, permission: { id: permissionId } }: LinkEnds,
  write: (tx: Tx, roleId: string, permissionId: string) => Promise<void>,
): Promise<void> {
  await change(caller, async (transaction) => {
    const role = (await lockAppRole(db, transaction.tx, roleId)) ?? fail('role.not_found', { id: roleId });
    const permission =
      (await lockPermission(db, transaction.tx, permissionId)) ?? fail('permission.not_found', { id: permissionId });
    checkInternal(caller, action, role.is_internal, permission.is_internal);
    const shared = role.application_id === permission.application_id || role.is_internal || permission.is_internal;
    if (!shared) fail('permission.other_application', { permission: permissionId, role: roleId });
    await write(transaction.tx, roleId, permissionId);
    invalidateAssignees(transaction, role, role.is_internal);
    const detail = { permission_id: permissionId, application_id: role.application_id };
    transaction.audit(`app_role.permission_${event}`, { kind: 'app_role', id: roleId }, detail);
  });
}

export const linkPermission = (deps: AppRolesDeps, caller: Caller, ends: LinkEnds): Promise<void> =>
  changeLink(deps, caller, { action: 'add_permission_to_role', event: 'added' }, ends, insertLink);

export const unlinkPermission = (deps: AppRolesDeps, caller: Caller, ends: LinkEnds): Promise<void> =>
  changeLink(deps, caller, { action: 'remove_permission_from_role', event: 'removed' }, ends, deleteLink);
