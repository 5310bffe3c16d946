// Roles of applications.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Caller, IdentityTarget } from '../../access/rules/index.ts';
import { refuseAlike } from '../../directory/roles/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import type { AppRoleRow, ConsumerRow } from '../../ground/database/index.ts';
import { Fault, fail } from '../../ground/faults.ts';
import { bit, criteriaOf, failOnDuplicateName, foundPage, pageOf } from '../../ground/resource/index.ts';
import type { CreateAppRole, UpdateAppRole } from './app-roles.schema.ts';
import {
  type AppRolesDeps,
  checkFixed,
  checkInternal,
  failIfApplicationMissing,
  filtersOf,
  invalidateAssignees,
  managementFacts,
  refuseBuiltIn,
} from './application-parts.ts';
import {
  deleteAppRole,
  findAppRole,
  findAppRoleByName,
  insertAppRole,
  listAppRoles,
  lockAppRole,
  lockAppRoleNames,
  removeRoleFromOtherApplications,
  updateAppRole,
} from './roles.store.ts';

export type NewAppRole = Static<typeof CreateAppRole>['role'];
export type AppRoleChanges = Static<typeof UpdateAppRole>['role'];

const filters = filtersOf('app_roles');

export async function roleTarget(deps: AppRolesDeps, caller: Caller, id: string): Promise<IdentityTarget<AppRoleRow>> {
  const role = await findAppRole(deps.db.read, id);
  const facts = await managementFacts(deps, caller, role?.application_id);
  return { facts, get: () => role ?? fail('role.not_found', { id }) };
}

/** Roles of the applications in `within`; undefined: of all. */
export async function pageOfRoles({ db }: AppRolesDeps, query: Query, within: readonly string[] | undefined) {
  return foundPage(query, await listAppRoles(db, pageOf(query), criteriaOf(query, filters), within));
}

export async function createRole(deps: AppRolesDeps, caller: Caller, { id }: ConsumerRow, body: NewAppRole): Promise<AppRoleRow> {
  checkInternal(caller, 'create_role', body.is_internal);
  return insertRole(deps, caller, { ...body, application_id: id }, refuseAlike);
}

async function insertRole(
  { db, clock, change }: AppRolesDeps,
  actor: Actor,
  body: NewAppRole,
  check: typeof refuseAlike,
): Promise<AppRoleRow> {
  const row: AppRoleRow = {
    id: newId(),
    application_id: body.application_id,
    name: body.name,
    is_internal: bit(body.is_internal ?? false),
    created_at: seconds(clock),
  };
  await change(actor, async (transaction) => {
    check(row, await lockAppRoleNames(db, transaction.tx, row.application_id));
    await failIfApplicationMissing(row.application_id, () =>
      failOnDuplicateName('role', row.name, () => insertAppRole(transaction.tx, row)),
    );
    invalidateAssignees(transaction, row, row.is_internal);
    transaction.audit('app_role.created', { kind: 'app_role', id: row.id }, { application_id: row.application_id });
  });
  return row;
}

/** Creates a role the installation needs, unless it exists: also beside one that is named alike, for which a start must not fail. */
export async function ensureRole(deps: AppRolesDeps, actor: Actor, applicationId: string, name: string): Promise<void> {
  if (await findAppRoleByName(deps.db.read, applicationId, name)) return;
  try {
    await insertRole(deps, actor, { application_id: applicationId, name }, () => {});
  } catch (error) {
    // Another process of the same service was first.
    if (!(error instanceof Fault && error.code === 'resource.duplicate')) throw error;
  }
}

export async function reviseRole(
  { db, change }: AppRolesDeps,
  caller: Caller,
  role: AppRoleRow,
  body: AppRoleChanges,
): Promise<AppRoleRow> {
  const { id } = role;
  checkFixed('role', role, body);
  return change(caller, async (transaction) => {
    const current = (await lockAppRole(db, transaction.tx, id)) ?? fail('role.not_found', { id });
    checkInternal(caller, 'update_role', current.is_internal, body.is_internal);
    const values = {
      name: body.name ?? current.name,
      is_internal: body.is_internal === undefined ? current.is_internal : bit(body.is_internal),
    };
    if (values.name !== current.name)
      refuseAlike({ id, ...values }, await lockAppRoleNames(db, transaction.tx, current.application_id));
    await failOnDuplicateName('role', values.name, () => updateAppRole(transaction.tx, id, values));
    if (current.is_internal && !values.is_internal) await removeRoleFromOtherApplications(transaction.tx, current);
    invalidateAssignees(transaction, current, current.is_internal || values.is_internal);
    const detail = { fields: Object.keys(body), application_id: current.application_id };
    transaction.audit('app_role.updated', { kind: 'app_role', id }, detail);
    return { ...current, ...values };
  });
}

export async function removeRole({ db, change }: AppRolesDeps, caller: Caller, role: AppRoleRow): Promise<void> {
  const { id } = role;
  refuseBuiltIn('role', role);
  await change(caller, async (transaction) => {
    const current = (await lockAppRole(db, transaction.tx, id)) ?? fail('role.not_found', { id });
    checkInternal(caller, 'delete_role', current.is_internal);
    await deleteAppRole(transaction.tx, id);
    invalidateAssignees(transaction, current, current.is_internal);
    transaction.audit('app_role.deleted', { kind: 'app_role', id }, { application_id: current.application_id });
  });
}
