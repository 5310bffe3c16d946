// Roles and permissions of applications, and their links, in the database.
import { isIn, lockRow, type PageRequest, type RowPage, readPage, takeAdvisoryLock } from '../../../platform/database/index.ts';
import type { AppPermissionRow, AppRoleRow, Database, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type Criterion } from '../../ground/resource/index.ts';

/** Limits a list to these applications; undefined for all. */
type ApplicationFilter = readonly string[] | undefined;

export const findAppRole = (db: Reader, id: string): Promise<AppRoleRow | undefined> =>
  db.selectFrom('app_roles').where('id', '=', id).selectAll().executeTakeFirst();

export const findAppRoleByName = (db: Reader, applicationId: string, name: string): Promise<AppRoleRow | undefined> =>
  db.selectFrom('app_roles').where('application_id', '=', applicationId).where('name', '=', name).selectAll().executeTakeFirst();

/** Of an application. Nobody else adds one until the end of the transaction. */
export async function lockAppRoleNames(db: Database, tx: Tx, applicationId: string): Promise<Pick<AppRoleRow, 'id' | 'name'>[]> {
  await takeAdvisoryLock(db, tx, `role names ${applicationId}`);
  return tx.selectFrom('app_roles').where('application_id', '=', applicationId).select(['id', 'name']).execute();
}

export const findPermission = (db: Reader, id: string): Promise<AppPermissionRow | undefined> =>
  db.selectFrom('app_permissions').where('id', '=', id).selectAll().executeTakeFirst();

export function listAppRoles(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
  within: ApplicationFilter,
): Promise<RowPage<AppRoleRow> | undefined> {
  const all = db.lists.selectFrom('app_roles').selectAll('app_roles');
  const visible = within ? all.where(isIn('app_roles.application_id', within)) : all;
  return readPage(applyCriteria(visible, db.dialect, criteria), { table: 'app_roles', by: 'name' }, page, visible);
}

/** All permissions, or only those linked to one role. */
export function listPermissions(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
  { within, roleId }: { within?: ApplicationFilter; roleId?: string },
): Promise<RowPage<AppPermissionRow> | undefined> {
  let visible = db.lists.selectFrom('app_permissions').selectAll('app_permissions');
  if (within) visible = visible.where(isIn('app_permissions.application_id', within));
  if (roleId !== undefined) {
    visible = visible.where('app_permissions.id', 'in', (eb) =>
      eb
        .selectFrom('app_role_permissions')
        .where('app_role_permissions.role_id', '=', roleId)
        .select('app_role_permissions.permission_id'),
    );
  }
  const query = applyCriteria(visible, db.dialect, criteria);
  return readPage(query, { table: 'app_permissions', by: 'name' }, page, visible);
}

export async function insertAppRole(tx: Tx, row: AppRoleRow): Promise<void> {
  await tx.insertInto('app_roles').values(row).execute();
}

export async function updateAppRole(tx: Tx, id: string, values: Partial<AppRoleRow>): Promise<void> {
  await tx.updateTable('app_roles').set(values).where('id', '=', id).execute();
}

/** Its links and assignments are deleted too. */
export async function deleteAppRole(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('app_roles').where('id', '=', id).execute();
}

export async function insertPermission(tx: Tx, row: AppPermissionRow): Promise<void> {
  await tx.insertInto('app_permissions').values(row).execute();
}

export async function updatePermission(tx: Tx, id: string, values: Partial<AppPermissionRow>): Promise<void> {
  await tx.updateTable('app_permissions').set(values).where('id', '=', id).execute();
}

export async function deletePermission(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('app_permissions').where('id', '=', id).execute();
}

export async function insertLink(tx: Tx, roleId: string, permissionId: string): Promise<void> {
  await tx
    .insertInto('app_role_permissions')
    .values({ role_id: roleId, permission_id: permissionId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function deleteLink(tx: Tx, roleId: string, permissionId: string): Promise<void> {
  await tx.deleteFrom('app_role_permissions').where('role_id', '=', roleId).where('permission_id', '=', permissionId).execute();
}

/** Whether it is linked to an internal role, and so has effect in every application. */
export async function isCarriedByInternal(db: Reader, permissionId: string): Promise<boolean> {
  const row = await db
    .selectFrom('app_role_permissions')
    .innerJoin('app_roles', 'app_roles.id', 'app_role_permissions.role_id')
    .where('app_role_permissions.permission_id', '=', permissionId)
    .where('app_roles.is_internal', '=', 1)
    .select('app_roles.id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether an application has internal roles or permissions, or permissions linked to internal roles. */
export async function hasInternal(db: Reader, applicationId: string): Promise<boolean> {
  const role = await db
    .selectFrom('app_roles')
    .where('application_id', '=', applicationId)
    .where('is_internal', '=', 1)
    .select('id')
    .limit(1)
    .executeTakeFirst();
  if (role) return true;
  const permission = await db
    .selectFrom('app_permissions')
    .where('application_id', '=', applicationId)
    .where((eb) =>
      eb.or([
        eb('is_internal', '=', 1),
        eb(
          'id',
          'in',
          eb
            .selectFrom('app_role_permissions')
            .innerJoin('app_roles', 'app_roles.id', 'app_role_permissions.role_id')
            .where('app_roles.is_internal', '=', 1)
            .select('app_role_permissions.permission_id'),
        ),
      ]),
    )
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return permission !== undefined;
}

/** For a role that is no longer internal: removes its assignments in other applications, and its links to their public permissions. */
export async function removeRoleFromOtherApplications(tx: Tx, { id, application_id: home }: AppRoleRow): Promise<void> {
  await tx.deleteFrom('app_user_roles').where('role_id', '=', id).where('application_id', '!=', home).execute();
  await tx.deleteFrom('app_organization_roles').where('role_id', '=', id).where('application_id', '!=', home).execute();
  await tx
    .deleteFrom('app_role_permissions')
    .where('role_id', '=', id)
    .where('permission_id', 'in', (eb) =>
      eb.selectFrom('app_permissions').where('application_id', '!=', home).where('is_internal', '=', 0).select('id'),
    )
    .execute();
}

/** For a permission that is no longer internal: removes its links to public roles of other applications. */
export async function removePermissionFromOtherApplications(
  tx: Tx,
  { id, application_id: home }: AppPermissionRow,
): Promise<void> {
  await tx
    .deleteFrom('app_role_permissions')
    .where('permission_id', '=', id)
    .where('role_id', 'in', (eb) =>
      eb.selectFrom('app_roles').where('application_id', '!=', home).where('is_internal', '=', 0).select('id'),
    )
    .execute();
}

/** The row is locked so that concurrent updates do not overwrite each other. */
export const lockAppRole = (db: Database, tx: Tx, id: string): Promise<AppRoleRow | undefined> =>
  lockRow(db, tx, 'app_roles', id);
export const lockPermission = (db: Database, tx: Tx, id: string): Promise<AppPermissionRow | undefined> =>
  lockRow(db, tx, 'app_permissions', id);
