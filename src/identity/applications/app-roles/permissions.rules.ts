// Permissions of applications.
import { seconds } from '../../../platform/clock.ts';
import type { Query, Static } from '../../../platform/http/index.ts';
import { newId } from '../../../platform/ids.ts';
import type { Caller, IdentityTarget } from '../../access/rules/index.ts';
import type { AppPermissionRow, ConsumerRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, criteriaOf, failOnDuplicateName, foundPage, pageOf } from '../../ground/resource/index.ts';
import type { CreatePermission, UpdatePermission } from './app-roles.schema.ts';
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
  deletePermission,
  findPermission,
  insertPermission,
  isCarriedByInternal,
  listPermissions,
  lockPermission,
  removePermissionFromOtherApplications,
  updatePermission,
} from './roles.store.ts';

export type NewPermission = Static<typeof CreatePermission>['permission'];
export type PermissionChanges = Static<typeof UpdatePermission>['permission'];

const filters = filtersOf('app_permissions', 'action', 'resource');

export async function permissionTarget(
  deps: AppRolesDeps,
  caller: Caller,
  id: string,
): Promise<IdentityTarget<AppPermissionRow>> {
  const permission = await findPermission(deps.db.read, id);
  const facts = await managementFacts(deps, caller, permission?.application_id);
  return { facts, get: () => permission ?? fail('permission.not_found', { id }) };
}

/** Permissions of the applications in `within` (undefined: of all), or those linked to a role. */
export async function pageOfPermissions(
  { db }: AppRolesDeps,
  query: Query,
  of: { readonly within: readonly string[] | undefined } | { readonly roleId: string },
) {
  return foundPage(query, await listPermissions(db, pageOf(query), criteriaOf(query, filters), of));
}

/** Whether it has effect in other applications: it is internal, or linked to an internal role. */
const worksElsewhere = async (reader: Reader, permission: AppPermissionRow): Promise<boolean> =>
  permission.is_internal === 1 || isCarriedByInternal(reader, permission.id);

export async function createPermission(
  { clock, change }: AppRolesDeps,
  caller: Caller,
  application: ConsumerRow,
  body: NewPermission,
): Promise<AppPermissionRow> {
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
    await failIfApplicationMissing(row.application_id, () =>
      failOnDuplicateName('permission', row.name, () => insertPermission(tx, row)),
    );
    audit('permission.created', { kind: 'permission', id: row.id }, { application_id: row.application_id });
  });
  return row;
}

export async function revisePermission(
  { db, change }: AppRolesDeps,
  caller: Caller,
  permission: AppPermissionRow,
  body: PermissionChanges,
): Promise<AppPermissionRow> {
  const { id } = permission;
  checkFixed('permission', permission, body);
  return change(caller, async (transaction) => {
    const current = (await lockPermission(db, transaction.tx, id)) ?? fail('permission.not_found', { id });
    const elsewhere = await worksElsewhere(transaction.tx, current);
    checkInternal(caller, 'update_permission', elsewhere, body.is_internal);
    const values = {
      name: body.name ?? current.name,
      is_internal: body.is_internal === undefined ? current.is_internal : bit(body.is_internal),
      action: body.action === undefined ? current.action : body.action,
      resource: body.resource === undefined ? current.resource : body.resource,
      xml: body.xml === undefined ? current.xml : body.xml,
    };
    await failOnDuplicateName('permission', values.name, () => updatePermission(transaction.tx, id, values));
    if (current.is_internal && !values.is_internal) await removePermissionFromOtherApplications(transaction.tx, current);
    invalidateAssignees(transaction, current, elsewhere || values.is_internal);
    const detail = { fields: Object.keys(body), application_id: current.application_id };
    transaction.audit('permission.updated', { kind: 'permission', id }, detail);
    return { ...current, ...values };
  });
}

export async function removePermission(
  { db, change }: AppRolesDeps,
  caller: Caller,
  permission: AppPermissionRow,
): Promise<void> {
  const { id } = permission;
  refuseBuiltIn('permission', permission);
  await change(caller, async (transaction) => {
    const current = (await lockPermission(db, transaction.tx, id)) ?? fail('permission.not_found', { id });
    const elsewhere = await worksElsewhere(transaction.tx, current);
    checkInternal(caller, 'delete_permission', elsewhere);
    await deletePermission(transaction.tx, id);
    invalidateAssignees(transaction, current, elsewhere);
    transaction.audit('permission.deleted', { kind: 'permission', id }, { application_id: current.application_id });
  });
}
