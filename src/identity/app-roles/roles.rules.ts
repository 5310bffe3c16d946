// Roles and permissions of applications, and which permissions a role carries.
import { seconds } from '../../platform/clock.ts';
import { isForeignKeyViolation } from '../../platform/database/index.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { tagOf } from '../access/index.ts';
import { bit } from '../attributes.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { Caller } from '../caller.ts';
import { unlessTaken } from '../conflicts.ts';
import { findConsumer } from '../consumers/index.ts';
import type { AppPermissionRow, AppRoleRow, Reader, Tx } from '../database.ts';
import type { Deps } from '../deps.ts';
import { Fault, fail } from '../faults.ts';
import { criteriaOf, type Filters, pageOf, single } from '../lists.ts';
import type { CreateAppRole, CreatePermission, UpdateAppRole, UpdatePermission } from './app-roles.schema.ts';
import { isBuiltIn } from './built-in.ts';
import { appTagOf } from './holdings.ts';
import type { Managers } from './managers.ts';
import {
  deleteAppRole,
  deleteLink,
  deletePermission,
  findAppRole,
  findAppRoleByName,
  findPermission,
  insertAppRole,
  insertLink,
  insertPermission,
  isCarriedByInternal,
  keepPermissionAtHome,
  keepRoleAtHome,
  listAppRoles,
  listPermissions,
  lockAppRole,
  lockPermission,
  updateAppRole,
  updatePermission,
} from './roles.store.ts';

type NewRole = Static<typeof CreateAppRole>['role'];
type RoleChanges = Static<typeof UpdateAppRole>['role'];
type NewPermission = Static<typeof CreatePermission>['permission'];
type PermissionChanges = Static<typeof UpdatePermission>['permission'];

const filtersOf = (table: 'app_roles' | 'app_permissions', ...more: readonly string[]): Filters => ({
  ...Object.fromEntries(
    ['name', 'application_id', ...more].map((name) => [name, { column: `${table}.${name}`, kind: 'text' as const }]),
  ),
  is_internal: { column: `${table}.is_internal`, kind: 'flag' },
});
const roleFilters = filtersOf('app_roles');
const permissionFilters = filtersOf('app_permissions', 'action', 'resource');

export function createAppRoles({ db, clock, change, managers }: Pick<Deps, 'db' | 'clock' | 'change'> & { managers: Managers }) {
  async function permit(caller: Caller, action: string, applicationId: string | undefined): Promise<void> {
    await managers.permit(caller, action, applicationId, 'manage-roles');
  }

  /** A list names its application, or is cut to those the caller manages. */
  async function within(caller: Caller, action: string, query: Query): Promise<readonly string[] | undefined> {
    const applicationId = single(query, 'application_id');
    if (applicationId === undefined) return managers.managed(caller, 'manage-roles');
    await permit(caller, action, applicationId);
    return [applicationId];
  }

  async function roleFor(caller: Caller, action: string, id: string): Promise<AppRoleRow> {
    const role = await findAppRole(db.read, id);
    await permit(caller, action, role?.application_id);
    return role ?? fail('role.not_found', { id });
  }

  async function permissionFor(caller: Caller, action: string, id: string): Promise<AppPermissionRow> {
    const permission = await findPermission(db.read, id);
    await permit(caller, action, permission?.application_id);
    return permission ?? fail('permission.not_found', { id });
  }

  /** What is internal works in every application, so only administrators make, change, link and delete it. */
  function checkInternal(caller: Caller, action: string, ...flags: readonly (boolean | number | undefined)[]): void {
    if (flags.some(Boolean)) managers.administrator(caller, `${action} (is_internal)`);
  }

  /** Whether it decides about other applications than its own: as an internal one, or because an internal role carries it. */
  const worksElsewhere = async (reader: Reader, permission: AppPermissionRow): Promise<boolean> =>
    permission.is_internal === 1 || isCarriedByInternal(reader, permission.id);

  function checkFixed(
    kind: 'role' | 'permission',
    row: { id: string; application_id: string },
    body: RoleChanges | PermissionChanges,
  ): void {
    if (isBuiltIn(row.id)) fail('resource.built_in', { kind, id: row.id });
    if (body.id !== undefined && body.id !== row.id) fail('resource.id_fixed', { kind });
    if (body.application_id !== undefined && body.application_id !== row.application_id) {
      fail('request.bad_value', { field: 'application_id', why: 'it cannot be changed' });
    }
  }

  /** A thing that is internal is held in every application; any other only in its own. */
  function touched({ touch }: Change, row: { application_id: string }, internal: boolean | number): void {
    touch(internal ? tagOf.everything : appTagOf.application(row.application_id));
  }

  async function checkApplication(id: string): Promise<void> {
    if (!(await findConsumer(db.read, id))) fail('application.not_found', { id });
  }

  async function createRole(caller: Caller, body: NewRole): Promise<AppRoleRow> {
    await permit(caller, 'create_role', body.application_id);
    checkInternal(caller, 'create_role', body.is_internal);
    await checkApplication(body.application_id);
    return insertRole(caller, body);
  }

  async function insertRole(actor: Actor, body: NewRole): Promise<AppRoleRow> {
    const row: AppRoleRow = {
      id: newId(),
      application_id: body.application_id,
      name: body.name,
      is_internal: bit(body.is_internal ?? false),
      created_at: seconds(clock),
    };
    await change(actor, async (inside) => {
      await whileThere(row.application_id, () => unlessTaken('role', row.name, () => insertAppRole(inside.tx, row)));
      touched(inside, row, row.is_internal);
      inside.audit('app_role.created', { kind: 'app_role', id: row.id }, { application_id: row.application_id });
    });
    return row;
  }

  /** A role the installation needs, when it is missing; one that is there stays as it is. */
  async function ensureRole(actor: Actor, applicationId: string, name: string): Promise<void> {
    if (await findAppRoleByName(db.read, applicationId, name)) return;
    try {
      await insertRole(actor, { application_id: applicationId, name });
    } catch (error) {
      // Another process of the same service was first.
      if (!(error instanceof Fault && error.code === 'resource.duplicate')) throw error;
    }
  }

  async function updateRole(caller: Caller, id: string, body: RoleChanges): Promise<AppRoleRow> {
    const role = await roleFor(caller, 'update_role', id);
    checkFixed('role', role, body);
    return change(caller, async (inside) => {
      const held = (await lockAppRole(db, inside.tx, id)) ?? fail('role.not_found', { id });
      checkInternal(caller, 'update_role', held.is_internal, body.is_internal);
      const values = {
        name: body.name ?? held.name,
        is_internal: body.is_internal === undefined ? held.is_internal : bit(body.is_internal),
      };
      await unlessTaken('role', values.name, () => updateAppRole(inside.tx, id, values));
      if (held.is_internal && !values.is_internal) await keepRoleAtHome(inside.tx, held);
      touched(inside, held, held.is_internal || values.is_internal);
      inside.audit('app_role.updated', { kind: 'app_role', id }, { fields: Object.keys(body) });
      return { ...held, ...values };
    });
  }

  async function removeRole(caller: Caller, id: string): Promise<void> {
    await roleFor(caller, 'delete_role', id);
    if (isBuiltIn(id)) fail('resource.built_in', { kind: 'role', id });
    await change(caller, async (inside) => {
      const role = (await lockAppRole(db, inside.tx, id)) ?? fail('role.not_found', { id });
      checkInternal(caller, 'delete_role', role.is_internal);
      await deleteAppRole(inside.tx, id);
      touched(inside, role, role.is_internal);
      inside.audit('app_role.deleted', { kind: 'app_role', id }, { application_id: role.application_id });
    });
  }

  async function createPermission(caller: Caller, body: NewPermission): Promise<AppPermissionRow> {
    await permit(caller, 'create_permission', body.application_id);
    checkInternal(caller, 'create_permission', body.is_internal);
    await checkApplication(body.application_id);
    const row: AppPermissionRow = {
      id: newId(),
      application_id: body.application_id,
      name: body.name,
      is_internal: bit(body.is_internal ?? false),
      action: body.action ?? null,
      resource: body.resource ?? null,
      xml: body.xml ?? null,
      created_at: seconds(clock),
    };
    await change(caller, async ({ tx, audit }) => {
      await whileThere(row.application_id, () => unlessTaken('permission', row.name, () => insertPermission(tx, row)));
      audit('permission.created', { kind: 'permission', id: row.id }, { application_id: row.application_id });
    });
    return row;
  }

  async function updatePermissionOf(caller: Caller, id: string, body: PermissionChanges): Promise<AppPermissionRow> {
    const permission = await permissionFor(caller, 'update_permission', id);
    checkFixed('permission', permission, body);
    return change(caller, async (inside) => {
      const held = (await lockPermission(db, inside.tx, id)) ?? fail('permission.not_found', { id });
      const elsewhere = await worksElsewhere(inside.tx, held);
      checkInternal(caller, 'update_permission', elsewhere, body.is_internal);
      const values = {
        name: body.name ?? held.name,
        is_internal: body.is_internal === undefined ? held.is_internal : bit(body.is_internal),
        action: body.action === undefined ? held.action : body.action,
        resource: body.resource === undefined ? held.resource : body.resource,
        xml: body.xml === undefined ? held.xml : body.xml,
      };
      await unlessTaken('permission', values.name, () => updatePermission(inside.tx, id, values));
      if (held.is_internal && !values.is_internal) await keepPermissionAtHome(inside.tx, held);
      touched(inside, held, elsewhere || values.is_internal);
      inside.audit('permission.updated', { kind: 'permission', id }, { fields: Object.keys(body) });
      return { ...held, ...values };
    });
  }

  async function removePermission(caller: Caller, id: string): Promise<void> {
    await permissionFor(caller, 'delete_permission', id);
    if (isBuiltIn(id)) fail('resource.built_in', { kind: 'permission', id });
    await change(caller, async (inside) => {
      const permission = (await lockPermission(db, inside.tx, id)) ?? fail('permission.not_found', { id });
      const elsewhere = await worksElsewhere(inside.tx, permission);
      checkInternal(caller, 'delete_permission', elsewhere);
      await deletePermission(inside.tx, id);
      touched(inside, permission, elsewhere);
      inside.audit('permission.deleted', { kind: 'permission', id }, { application_id: permission.application_id });
    });
  }

  /** Writes or removes a link, decided on both ends as they are while nobody else changes them. */
  async function changeLink(
    caller: Caller,
    { action, event }: { action: string; event: 'added' | 'removed' },
    { roleId, permissionId }: { roleId: string; permissionId: string },
    write: (tx: Tx, roleId: string, permissionId: string) => Promise<void>,
  ): Promise<void> {
    await roleFor(caller, action, roleId);
    if (isBuiltIn(roleId)) fail('resource.built_in', { kind: 'role', id: roleId });
    await permissionFor(caller, action, permissionId);
    await change(caller, async (inside) => {
      const role = (await lockAppRole(db, inside.tx, roleId)) ?? fail('role.not_found', { id: roleId });
      const permission =
        (await lockPermission(db, inside.tx, permissionId)) ?? fail('permission.not_found', { id: permissionId });
      checkInternal(caller, action, role.is_internal, permission.is_internal);
      const shared = role.application_id === permission.application_id || role.is_internal || permission.is_internal;
      if (!shared) fail('permission.other_application', { permission: permissionId, role: roleId });
      await write(inside.tx, roleId, permissionId);
      touched(inside, role, role.is_internal);
      inside.audit(`app_role.permission_${event}`, { kind: 'app_role', id: roleId }, { permission_id: permissionId });
    });
  }

  return {
    async listRoles(caller: Caller, query: Query) {
      const page = await listAppRoles(
        db,
        pageOf(query),
        criteriaOf(query, roleFilters),
        await within(caller, 'list_roles', query),
      );
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    getRole: (caller: Caller, id: string) => roleFor(caller, 'get_role', id),
    createRole,
    ensureRole,
    updateRole,
    removeRole,

    async listPermissions(caller: Caller, query: Query) {
      const limits = await within(caller, 'list_permissions', query);
      const page = await listPermissions(db, pageOf(query), criteriaOf(query, permissionFilters), { within: limits });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    getPermission: (caller: Caller, id: string) => permissionFor(caller, 'get_permission', id),
    createPermission,
    updatePermission: updatePermissionOf,
    removePermission,

    async permissionsOfRole(caller: Caller, roleId: string, query: Query) {
      await roleFor(caller, 'list_role_permissions', roleId);
      const page = await listPermissions(db, pageOf(query), criteriaOf(query, permissionFilters), { roleId });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    link: (caller: Caller, roleId: string, permissionId: string): Promise<void> =>
      changeLink(caller, { action: 'add_permission_to_role', event: 'added' }, { roleId, permissionId }, insertLink),
    unlink: (caller: Caller, roleId: string, permissionId: string): Promise<void> =>
      changeLink(caller, { action: 'remove_permission_from_role', event: 'removed' }, { roleId, permissionId }, deleteLink),
  };
}

/** The application was there when we looked, and may be gone when we write. */
async function whileThere(id: string, write: () => Promise<void>): Promise<void> {
  try {
    await write();
  } catch (error) {
    if (isForeignKeyViolation(error)) fail('application.not_found', { id });
    throw error;
  }
}

export type AppRoles = ReturnType<typeof createAppRoles>;
