// Roles of applications.
import { seconds } from '../../platform/clock.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import type { Caller, IdentityTarget } from '../access/index.ts';
import type { Actor } from '../audit/index.ts';
import type { AppRoleRow, ConsumerRow } from '../database.ts';
import { Fault, fail } from '../faults.ts';
import { bit, criteriaOf, pageOf, single, unlessTaken } from '../resource/index.ts';
import type { CreateAppRole, UpdateAppRole } from './app-roles.schema.ts';
import {
  type AppRolesDeps,
  checkFixed,
  checkInternal,
  filtersOf,
  managementFacts,
  refuseBuiltIn,
  touchHolders,
  whileThere,
} from './application-parts.ts';
import {
  deleteAppRole,
  findAppRole,
  findAppRoleByName,
  insertAppRole,
  keepRoleAtHome,
  listAppRoles,
  lockAppRole,
  updateAppRole,
} from './roles.store.ts';

export type NewRole = Static<typeof CreateAppRole>['role'];
export type RoleChanges = Static<typeof UpdateAppRole>['role'];

const filters = filtersOf('app_roles');

export async function roleTarget(deps: AppRolesDeps, caller: Caller, id: string): Promise<IdentityTarget<AppRoleRow>> {
  const role = await findAppRole(deps.db.read, id);
  const facts = await managementFacts(deps, caller, role?.application_id);
  return { facts, get: () => role ?? fail('role.not_found', { id }) };
}

/** Those of the applications in `within`; undefined: of all. */
export async function pageOfRoles({ db }: AppRolesDeps, query: Query, within: readonly string[] | undefined) {
  const page = await listAppRoles(db, pageOf(query), criteriaOf(query, filters), within);
  return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
}

export async function createRole(deps: AppRolesDeps, caller: Caller, { id }: ConsumerRow, body: NewRole): Promise<AppRoleRow> {
  checkInternal(caller, 'create_role', body.is_internal);
  return insertRole(deps, caller, { ...body, application_id: id });
}

async function insertRole({ clock, change }: AppRolesDeps, actor: Actor, body: NewRole): Promise<AppRoleRow> {
  const row: AppRoleRow = {
    id: newId(),
    application_id: body.application_id,
    name: body.name,
    is_internal: bit(body.is_internal ?? false),
    created_at: seconds(clock),
  };
  await change(actor, async (transaction) => {
    await whileThere(row.application_id, () => unlessTaken('role', row.name, () => insertAppRole(transaction.tx, row)));
    touchHolders(transaction, row, row.is_internal);
    transaction.audit('app_role.created', { kind: 'app_role', id: row.id }, { application_id: row.application_id });
  });
  return row;
}

/** A role the installation needs, when it is missing; one that is there stays as it is. */
export async function ensureRole(deps: AppRolesDeps, actor: Actor, applicationId: string, name: string): Promise<void> {
  if (await findAppRoleByName(deps.db.read, applicationId, name)) return;
  try {
    await insertRole(deps, actor, { application_id: applicationId, name });
  } catch (error) {
    // Another process of the same service was first.
    if (!(error instanceof Fault && error.code === 'resource.duplicate')) throw error;
  }
}

export async function reviseRole(
  { db, change }: AppRolesDeps,
  caller: Caller,
  role: AppRoleRow,
  body: RoleChanges,
): Promise<AppRoleRow> {
  const { id } = role;
  checkFixed('role', role, body);
  return change(caller, async (transaction) => {
    const held = (await lockAppRole(db, transaction.tx, id)) ?? fail('role.not_found', { id });
    checkInternal(caller, 'update_role', held.is_internal, body.is_internal);
    const values = {
      name: body.name ?? held.name,
      is_internal: body.is_internal === undefined ? held.is_internal : bit(body.is_internal),
    };
    await unlessTaken('role', values.name, () => updateAppRole(transaction.tx, id, values));
    if (held.is_internal && !values.is_internal) await keepRoleAtHome(transaction.tx, held);
    touchHolders(transaction, held, held.is_internal || values.is_internal);
    transaction.audit('app_role.updated', { kind: 'app_role', id }, { fields: Object.keys(body) });
    return { ...held, ...values };
  });
}

export async function removeRole({ db, change }: AppRolesDeps, caller: Caller, role: AppRoleRow): Promise<void> {
  const { id } = role;
  refuseBuiltIn('role', role);
  await change(caller, async (transaction) => {
    const held = (await lockAppRole(db, transaction.tx, id)) ?? fail('role.not_found', { id });
    checkInternal(caller, 'delete_role', held.is_internal);
    await deleteAppRole(transaction.tx, id);
    touchHolders(transaction, held, held.is_internal);
    transaction.audit('app_role.deleted', { kind: 'app_role', id }, { application_id: held.application_id });
  });
}
