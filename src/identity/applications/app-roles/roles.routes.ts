// /v3/OS-ROLES/roles, /v3/OS-ROLES/permissions, and the permissions of a role

import type { Caller, IdentityApp } from '../../access/rules/index.ts';
import {
  CHANGE_IF_MATCH,
  callerIfMatch,
  DELETE_IF_MATCH,
  ETAG,
  filterDocumentation,
  listOf,
  withEtag,
} from '../../ground/resource/index.ts';
import type { AppRoles } from './app-roles.rules.ts';
import {
  AppRoleEnvelope,
  AppRoleList,
  CreateAppRole,
  CreatePermission,
  PermissionEnvelope,
  PermissionList,
  renderAppRole,
  renderPermission,
  UpdateAppRole,
  UpdatePermission,
} from './app-roles.schema.ts';

const tag = 'Roles of applications';

const PERMISSIONS = filterDocumentation(['name', 'application_id', 'action', 'resource'], ['is_internal']);

export function mountAppRoles(app: IdentityApp, { appRoles }: { appRoles: AppRoles }): void {
  const many = '/v3/OS-ROLES/roles';
  const one = '/v3/OS-ROLES/roles/:role_id';
  const role = ({ caller, params }: { caller: Caller; params: { role_id: string } }) =>
    appRoles.roleTarget(caller, params.role_id);

  app.get(
    many,
    {
      id: 'listAppRoles',
      summary: 'List roles of applications',
      description: 'Without `application_id`: of all applications whose roles the caller manages.',
      tag,
      rule: 'list_roles',
      target: ({ caller, query }) => appRoles.listTarget(caller, query),
      documentation: filterDocumentation(['name', 'application_id'], ['is_internal']),
      reply: { 200: AppRoleList },
    },
    async (call) => listOf(call, 'roles', await appRoles.listRoles(call.query, call.target), renderAppRole),
  );
  app.post(
    many,
    {
      id: 'createAppRole',
      summary: 'Create a role of an application',
      description: 'Roles of applications are separate from base roles.',
      tag,
      rule: 'create_role',
      target: ({ caller, body }) => appRoles.applicationTarget(caller, body.role.application_id),
      body: CreateAppRole,
      reply: { 200: AppRoleEnvelope },
    },
    async ({ caller, target, body, base }) => ({
      role: renderAppRole(base, await appRoles.createRole(caller, target, body.role)),
    }),
  );
  app.get(
    one,
    {
      id: 'getAppRole',
      summary: 'Show a role of an application',
      tag,
      rule: 'get_role',
      target: role,
      documentation: ETAG,
      reply: { 200: AppRoleEnvelope },
    },
    ({ target, base }) => withEtag(target, { role: renderAppRole(base, target) }),
  );
  app.patch(
    one,
    {
      id: 'updateAppRole',
      summary: 'Change a role of an application',
      tag,
      rule: 'update_role',
      target: role,
      body: UpdateAppRole,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: AppRoleEnvelope },
    },
    async (call) => {
      const row = await appRoles.updateRole(callerIfMatch('app_role', call), call.target, call.body.role);
      return withEtag(row, { role: renderAppRole(call.base, row) });
    },
  );
  app.delete(
    one,
    {
      id: 'deleteAppRole',
      summary: 'Delete a role of an application',
      description: 'Its links to permissions and its assignments are deleted with it.',
      tag,
      rule: 'delete_role',
      target: role,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => appRoles.removeRole(callerIfMatch('app_role', call), call.target),
  );
}

export function mountPermissions(app: IdentityApp, { appRoles }: { appRoles: AppRoles }): void {
  const many = '/v3/OS-ROLES/permissions';
  const one = '/v3/OS-ROLES/permissions/:permission_id';
  const ofRole = '/v3/OS-ROLES/roles/:role_id/permissions';
  const link = '/v3/OS-ROLES/roles/:role_id/permissions/:permission_id';
  const permission = ({ caller, params }: { caller: Caller; params: { permission_id: string } }) =>
    appRoles.permissionTarget(caller, params.permission_id);
  const ends = ({ caller, params }: { caller: Caller; params: { role_id: string; permission_id: string } }) =>
    appRoles.linkTarget(caller, { roleId: params.role_id, permissionId: params.permission_id });

  app.get(
    many,
    {
      id: 'listPermissions',
      summary: 'List permissions',
      tag,
      rule: 'list_permissions',
      target: ({ caller, query }) => appRoles.listTarget(caller, query),
      documentation: PERMISSIONS,
      reply: { 200: PermissionList },
    },
    async (call) => listOf(call, 'permissions', await appRoles.listPermissions(call.query, call.target), renderPermission),
  );
  app.post(
    many,
    {
      id: 'createPermission',
      summary: 'Create a permission',
      description:
        '`action` and `resource` are an HTTP method and a path, or `xml` is a XACML rule, for proxies that decide by them.',
      tag,
      rule: 'create_permission',
      target: ({ caller, body }) => appRoles.applicationTarget(caller, body.permission.application_id),
      body: CreatePermission,
      reply: { 200: PermissionEnvelope },
    },
    async ({ caller, target, body, base }) => ({
      permission: renderPermission(base, await appRoles.createPermission(caller, target, body.permission)),
    }),
  );
  app.get(
    one,
    {
      id: 'getPermission',
      summary: 'Show a permission',
      tag,
      rule: 'get_permission',
      target: permission,
      documentation: ETAG,
      reply: { 200: PermissionEnvelope },
    },
    ({ target, base }) => withEtag(target, { permission: renderPermission(base, target) }),
  );
  app.patch(
    one,
    {
      id: 'updatePermission',
      summary: 'Change a permission',
      tag,
      rule: 'update_permission',
      target: permission,
      body: UpdatePermission,
      documentation: CHANGE_IF_MATCH,
      reply: { 200: PermissionEnvelope },
    },
    async (call) => {
      const row = await appRoles.updatePermission(callerIfMatch('permission', call), call.target, call.body.permission);
      return withEtag(row, { permission: renderPermission(call.base, row) });
    },
  );
  app.delete(
    one,
    {
      id: 'deletePermission',
      summary: 'Delete a permission',
      description: 'It is taken from every role that has it.',
      tag,
      rule: 'delete_permission',
      target: permission,
      documentation: DELETE_IF_MATCH,
      reply: { 204: null },
    },
    (call) => appRoles.removePermission(callerIfMatch('permission', call), call.target),
  );

  app.get(
    ofRole,
    {
      id: 'listAppRolePermissions',
      summary: 'List the permissions of a role',
      tag,
      rule: 'list_role_permissions',
      target: ({ caller, params }) => appRoles.roleTarget(caller, params.role_id),
      documentation: PERMISSIONS,
      reply: { 200: PermissionList },
    },
    async (call) => listOf(call, 'permissions', await appRoles.permissionsOfRole(call.target, call.query), renderPermission),
  );
  app.put(
    link,
    {
      id: 'addPermissionToAppRole',
      summary: 'Give a role a permission',
      description: 'Both belong to the same application, or one is internal.',
      tag,
      rule: 'add_permission_to_role',
      target: ends,
      reply: { 200: null },
    },
    ({ caller, target }) => appRoles.link(caller, target),
  );
  app.delete(
    link,
    {
      id: 'removePermissionFromAppRole',
      summary: 'Take a permission from a role',
      tag,
      rule: 'remove_permission_from_role',
      target: ends,
      reply: { 204: null },
    },
    ({ caller, target }) => appRoles.unlink(caller, target),
  );
}
