// Roles and permissions of applications, and which permissions a role carries.
import { seconds } from '../../platform/clock.ts';
import { isForeignKeyViolation } from '../../platform/database/index.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { type Action, type Caller, type Facts, type IdentityTarget, tagOf } from '../access/index.ts';
import type { Actor, Change } from '../audit/index.ts';
import { findConsumer } from '../consumers/index.ts';
import type { AppPermissionRow, AppRoleRow, ConsumerRow, Reader, Tx } from '../database.ts';
import { Fault, fail } from '../faults.ts';
import { bit, criteriaOf, type Deps, type Filters, pageOf, single, unlessTaken } from '../resource/index.ts';
import type { CreateAppRole, CreatePermission, UpdateAppRole, UpdatePermission } from './app-roles.schema.ts';
import { isBuiltIn } from './built-in.ts';
import { appTagOf } from './holdings.ts';
import { type Managers, permitInternal } from './managers.ts';
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

interface LinkIds {
  readonly roleId: string;
  readonly permissionId: string;
}

interface LinkEnds {
  readonly role: AppRoleRow;
  readonly permission: AppPermissionRow;
}

function refuseBuiltIn(kind: 'role' | 'permission', { id }: { readonly id: string }): void {
  if (isBuiltIn(id)) fail('resource.built_in', { kind, id });
}

export function createAppRoles({ db, clock, change, managers }: Pick<Deps, 'db' | 'clock' | 'change'> & { managers: Managers }) {
  const factsOf = async (caller: Caller, applicationId: string | undefined): Promise<Facts> => ({
    applicationId,
    managesRoles: await managers.holds(caller, applicationId, 'manage-roles'),
  });

  /** A list names its application, or is cut to those the caller manages: which it may show, undefined for all. */
  async function listTarget(caller: Caller, query: Query): Promise<IdentityTarget<readonly string[] | undefined>> {
    const applicationId = single(query, 'application_id');
    const within = applicationId === undefined ? await managers.managed(caller, 'manage-roles') : [applicationId];
    return { facts: await factsOf(caller, applicationId), get: () => within };
  }

  /** The application that a role or permission is made in. */
  async function applicationTarget(caller: Caller, id: string): Promise<IdentityTarget<ConsumerRow>> {
    const [facts, application] = await Promise.all([factsOf(caller, id), findConsumer(db.read, id)]);
    return { facts, get: () => application ?? fail('application.not_found', { id }) };
  }

  async function roleTarget(caller: Caller, id: string): Promise<IdentityTarget<AppRoleRow>> {
    const role = await findAppRole(db.read, id);
    return { facts: await factsOf(caller, role?.application_id), get: () => role ?? fail('role.not_found', { id }) };
  }

  async function permissionTarget(caller: Caller, id: string): Promise<IdentityTarget<AppPermissionRow>> {
    const permission = await findPermission(db.read, id);
    const facts = await factsOf(caller, permission?.application_id);
    return { facts, get: () => permission ?? fail('permission.not_found', { id }) };
  }

  /** Both ends of a link: whoever changes it manages the roles of both their applications. */
  async function linkTarget(caller: Caller, { roleId, permissionId }: LinkIds): Promise<IdentityTarget<LinkEnds>> {
    const [role, permission] = await Promise.all([roleTarget(caller, roleId), permissionTarget(caller, permissionId)]);
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

  /** What is internal works in every application, so only administrators make, change, link and delete it. */
  function checkInternal(caller: Caller, action: Action, ...flags: readonly (boolean | number | undefined)[]): void {
    if (flags.some(Boolean)) permitInternal(caller, action);
  }

  /** Whether it decides about other applications than its own: as an internal one, or because an internal role carries it. */
  const worksElsewhere = async (reader: Reader, permission: AppPermissionRow): Promise<boolean> =>
    permission.is_internal === 1 || isCarriedByInternal(reader, permission.id);

  function checkFixed(
    kind: 'role' | 'permission',
    row: { id: string; application_id: string },
    body: RoleChanges | PermissionChanges,
  ): void {
    refuseBuiltIn(kind, row);
    if (body.id !== undefined && body.id !== row.id) fail('resource.id_fixed', { kind });
    if (body.application_id !== undefined && body.application_id !== row.application_id) {
      fail('request.bad_value', { field: 'application_id', why: 'it cannot be changed' });
    }
  }

  /** A thing that is internal is held in every application; any other only in its own. */
  function touched({ touch }: Change, row: { application_id: string }, internal: boolean | number): void {
    touch(internal ? tagOf.everything : appTagOf.application(row.application_id));
  }

  async function createRole(caller: Caller, { id }: ConsumerRow, body: NewRole): Promise<AppRoleRow> {
    checkInternal(caller, 'create_role', body.is_internal);
    return insertRole(caller, { ...body, application_id: id });
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

  async function updateRole(caller: Caller, role: AppRoleRow, body: RoleChanges): Promise<AppRoleRow> {
    const { id } = role;
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

  async function removeRole(caller: Caller, role: AppRoleRow): Promise<void> {
    const { id } = role;
    refuseBuiltIn('role', role);
    await change(caller, async (inside) => {
      const held = (await lockAppRole(db, inside.tx, id)) ?? fail('role.not_found', { id });
      checkInternal(caller, 'delete_role', held.is_internal);
      await deleteAppRole(inside.tx, id);
      touched(inside, held, held.is_internal);
      inside.audit('app_role.deleted', { kind: 'app_role', id }, { application_id: held.application_id });
    });
  }

  async function createPermission(caller: Caller, application: ConsumerRow, body: NewPermission): Promise<AppPermissionRow> {
    checkInternal(caller, 'create_permission', body.is_internal);
    const row: AppPermissionRow = {
      id: newId(),
      application_id: application.id,
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

  async function updatePermissionOf(
    caller: Caller,
    permission: AppPermissionRow,
    body: PermissionChanges,
  ): Promise<AppPermissionRow> {
    const { id } = permission;
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

  async function removePermission(caller: Caller, permission: AppPermissionRow): Promise<void> {
    const { id } = permission;
    refuseBuiltIn('permission', permission);
    await change(caller, async (inside) => {
      const held = (await lockPermission(db, inside.tx, id)) ?? fail('permission.not_found', { id });
      const elsewhere = await worksElsewhere(inside.tx, held);
      checkInternal(caller, 'delete_permission', elsewhere);
      await deletePermission(inside.tx, id);
      touched(inside, held, elsewhere);
      inside.audit('permission.deleted', { kind: 'permission', id }, { application_id: held.application_id });
    });
  }

  /** Writes or removes a link, decided on both ends as they are while nobody else changes them. */
  async function changeLink(
    caller: Caller,
    { action, event }: { action: Action; event: 'added' | 'removed' },
    { role: { id: roleId }, permission: { id: permissionId } }: LinkEnds,
    write: (tx: Tx, roleId: string, permissionId: string) => Promise<void>,
  ): Promise<void> {
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
    listTarget,
    applicationTarget,
    roleTarget,
    permissionTarget,
    linkTarget,

    async listRoles(query: Query, within: readonly string[] | undefined) {
      const page = await listAppRoles(db, pageOf(query), criteriaOf(query, roleFilters), within);
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    createRole,
    ensureRole,
    updateRole,
    removeRole,

    async listPermissions(query: Query, within: readonly string[] | undefined) {
      const page = await listPermissions(db, pageOf(query), criteriaOf(query, permissionFilters), { within });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    createPermission,
    updatePermission: updatePermissionOf,
    removePermission,

    async permissionsOfRole({ id: roleId }: AppRoleRow, query: Query) {
      const page = await listPermissions(db, pageOf(query), criteriaOf(query, permissionFilters), { roleId });
      return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
    },
    link: (caller: Caller, ends: LinkEnds): Promise<void> =>
      changeLink(caller, { action: 'add_permission_to_role', event: 'added' }, ends, insertLink),
    unlink: (caller: Caller, ends: LinkEnds): Promise<void> =>
      changeLink(caller, { action: 'remove_permission_from_role', event: 'removed' }, ends, deleteLink),
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
