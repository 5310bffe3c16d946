// Roles and permissions of applications, and the links between them. Each has its own file.
import type { Query } from '../../../platform/http/index.ts';
import type { Caller } from '../../access/rules/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { AppPermissionRow, AppRoleRow, ConsumerRow } from '../../ground/database/index.ts';
import { type AppRolesDeps, applicationTarget, listTarget } from './application-parts.ts';
import { type LinkEnds, type LinkIds, linkPermission, linkTarget, unlinkPermission } from './links.rules.ts';
import {
  createPermission,
  type NewPermission,
  type PermissionChanges,
  pageOfPermissions,
  permissionTarget,
  removePermission,
  revisePermission,
} from './permissions.rules.ts';
import {
  type AppRoleChanges,
  createRole,
  ensureRole,
  type NewAppRole,
  pageOfRoles,
  removeRole,
  reviseRole,
  roleTarget,
} from './roles.rules.ts';

export function createAppRoles(deps: AppRolesDeps) {
  return {
    listTarget: (caller: Caller, query: Query) => listTarget(deps, caller, query),
    applicationTarget: (caller: Caller, id: string) => applicationTarget(deps, caller, id),

    roleTarget: (caller: Caller, id: string) => roleTarget(deps, caller, id),
    listRoles: (query: Query, within: readonly string[] | undefined) => pageOfRoles(deps, query, within),
    createRole: (caller: Caller, application: ConsumerRow, body: NewAppRole) => createRole(deps, caller, application, body),
    ensureRole: (actor: Actor, applicationId: string, name: string) => ensureRole(deps, actor, applicationId, name),
    updateRole: (caller: Caller, role: AppRoleRow, body: AppRoleChanges) => reviseRole(deps, caller, role, body),
    removeRole: (caller: Caller, role: AppRoleRow) => removeRole(deps, caller, role),

    permissionTarget: (caller: Caller, id: string) => permissionTarget(deps, caller, id),
    listPermissions: (query: Query, within: readonly string[] | undefined) => pageOfPermissions(deps, query, { within }),
    createPermission: (caller: Caller, application: ConsumerRow, body: NewPermission) =>
      createPermission(deps, caller, application, body),
    updatePermission: (caller: Caller, permission: AppPermissionRow, body: PermissionChanges) =>
      revisePermission(deps, caller, permission, body),
    removePermission: (caller: Caller, permission: AppPermissionRow) => removePermission(deps, caller, permission),

    linkTarget: (caller: Caller, ids: LinkIds) => linkTarget(deps, caller, ids),
    permissionsOfRole: ({ id: roleId }: AppRoleRow, query: Query) => pageOfPermissions(deps, query, { roleId }),
    link: (caller: Caller, ends: LinkEnds) => linkPermission(deps, caller, ends),
    unlink: (caller: Caller, ends: LinkEnds) => unlinkPermission(deps, caller, ends),
  };
}

export type AppRoles = ReturnType<typeof createAppRoles>;
