// /v3/OS-ROLES/roles, /v3/OS-ROLES/permissions, and the permissions of a role

import { filtered, listOf } from '../lists.ts';
import type { IdentityApp } from '../policy.ts';
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
import type { AppRoles } from './roles.rules.ts';

const tag = 'Roles of applications';

const PERMISSIONS = filtered(['name', 'application_id', 'action', 'resource'], ['is_internal']);

export function mountAppRoles(app: IdentityApp, { appRoles }: { appRoles: AppRoles }): void {
  const many = '/v3/OS-ROLES/roles';
  const one = '/v3/OS-ROLES/roles/:role_id';

  app.get(
    many,
    {
      summary: 'List roles of applications',
      tag,
      described: filtered(['name', 'application_id'], ['is_internal']),
      reply: { 200: AppRoleList },
    },
    async (call) => {
      const page = await appRoles.listRoles(call.caller, call.query);
      return listOf(call, 'roles', { ...page, items: page.items.map((row) => renderAppRole(call.base, row)) });
    },
  );
  app.post(
    many,
    { summary: 'Create a role of an application', tag, body: CreateAppRole, reply: { 200: AppRoleEnvelope } },
    async ({ caller, body, base }) => ({
      role: renderAppRole(base, await appRoles.createRole(caller, body.role)),
    }),
  );
  app.get(
    one,
    { summary: 'Show a role of an application', tag, reply: { 200: AppRoleEnvelope } },
    async ({ caller, params, base }) => ({
      role: renderAppRole(base, await appRoles.getRole(caller, params.role_id)),
    }),
  );
  app.patch(
    one,
    { summary: 'Change a role of an application', tag, body: UpdateAppRole, reply: { 200: AppRoleEnvelope } },
    async ({ caller, params, body, base }) => ({
      role: renderAppRole(base, await appRoles.updateRole(caller, params.role_id, body.role)),
    }),
  );
  app.delete(
    one,
    { summary: 'Delete a role, its links and assignments', tag, reply: { 204: null } },
    async ({ caller, params }) => appRoles.removeRole(caller, params.role_id),
  );
}

export function mountPermissions(app: IdentityApp, { appRoles }: { appRoles: AppRoles }): void {
  const many = '/v3/OS-ROLES/permissions';
  const one = '/v3/OS-ROLES/permissions/:permission_id';
  const ofRole = '/v3/OS-ROLES/roles/:role_id/permissions';
  const link = '/v3/OS-ROLES/roles/:role_id/permissions/:permission_id';

  app.get(many, { summary: 'List permissions', tag, described: PERMISSIONS, reply: { 200: PermissionList } }, async (call) => {
    const page = await appRoles.listPermissions(call.caller, call.query);
    return listOf(call, 'permissions', { ...page, items: page.items.map((row) => renderPermission(call.base, row)) });
  });
  app.post(
    many,
    { summary: 'Create a permission', tag, body: CreatePermission, reply: { 200: PermissionEnvelope } },
    async ({ caller, body, base }) => ({
      permission: renderPermission(base, await appRoles.createPermission(caller, body.permission)),
    }),
  );
  app.get(one, { summary: 'Show a permission', tag, reply: { 200: PermissionEnvelope } }, async ({ caller, params, base }) => ({
    permission: renderPermission(base, await appRoles.getPermission(caller, params.permission_id)),
  }));
  app.patch(
    one,
    { summary: 'Change a permission', tag, body: UpdatePermission, reply: { 200: PermissionEnvelope } },
    async ({ caller, params, body, base }) => ({
      permission: renderPermission(base, await appRoles.updatePermission(caller, params.permission_id, body.permission)),
    }),
  );
  app.delete(one, { summary: 'Delete a permission and its links', tag, reply: { 204: null } }, async ({ caller, params }) =>
    appRoles.removePermission(caller, params.permission_id),
  );

  app.get(
    ofRole,
    { summary: 'List the permissions of a role', tag, described: PERMISSIONS, reply: { 200: PermissionList } },
    async (call) => {
      const page = await appRoles.permissionsOfRole(call.caller, call.params.role_id, call.query);
      return listOf(call, 'permissions', { ...page, items: page.items.map((row) => renderPermission(call.base, row)) });
    },
  );
  app.put(link, { summary: 'Give a role a permission', tag, reply: { 200: null } }, async ({ caller, params }) =>
    appRoles.link(caller, params.role_id, params.permission_id),
  );
  app.delete(link, { summary: 'Take a permission from a role', tag, reply: { 204: null } }, async ({ caller, params }) =>
    appRoles.unlink(caller, params.role_id, params.permission_id),
  );
}
