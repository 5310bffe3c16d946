// Assignments of application roles in the database.
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { AppOrganizationRoleRow, AppUserRoleRow, Database, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type ListQuery } from '../../ground/resource/index.ts';
import { recordGrantedEntries } from './granted-entries.store.ts';

export interface OrganizationAssignment {
  readonly organizationId: string;
  readonly applicationId: string;
  readonly roleId: string;
}

export interface UserAssignment extends OrganizationAssignment {
  readonly userId: string;
}

/** The natural key as one string, so that repeating an assignment changes nothing. */
const userKey = ({ userId, organizationId, applicationId, roleId }: UserAssignment): string =>
  [userId, organizationId, applicationId, roleId].join(':');
const organizationKey = ({ organizationId, applicationId, roleId }: OrganizationAssignment): string =>
  [organizationId, applicationId, roleId].join(':');

export async function insertUserAssignment(tx: Tx, assignment: UserAssignment): Promise<void> {
  const { userId, organizationId, applicationId, roleId } = assignment;
  await tx
    .insertInto('app_user_roles')
    .values({
      id: userKey(assignment),
      user_id: userId,
      organization_id: organizationId,
      application_id: applicationId,
      role_id: roleId,
    })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
  await recordGrantedEntries(tx, userId, [organizationKey(assignment)]);
}

export async function deleteUserAssignment(tx: Tx, assignment: UserAssignment): Promise<void> {
  await tx.deleteFrom('app_user_roles').where('id', '=', userKey(assignment)).execute();
}

export async function insertOrganizationAssignment(tx: Tx, assignment: OrganizationAssignment): Promise<void> {
  const { organizationId, applicationId, roleId } = assignment;
  await tx
    .insertInto('app_organization_roles')
    .values({ id: organizationKey(assignment), organization_id: organizationId, application_id: applicationId, role_id: roleId })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

export async function deleteOrganizationAssignment(tx: Tx, assignment: OrganizationAssignment): Promise<boolean> {
  const result = await tx.deleteFrom('app_organization_roles').where('id', '=', organizationKey(assignment)).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Removes these roles from all users in the organization. Returns the users affected. */
export async function deleteAssignmentsIn(
  tx: Tx,
  organizationId: string,
  applicationId: string,
  roleIds: readonly string[],
): Promise<string[]> {
  if (roleIds.length === 0) return [];
  const rows = await tx
    .deleteFrom('app_user_roles')
    .where('organization_id', '=', organizationId)
    .where('application_id', '=', applicationId)
    .where('role_id', 'in', [...roleIds])
    .returning('user_id')
    .execute();
  return [...new Set(rows.map((row) => row.user_id))];
}

/** Whether a filter needs another table. Without one, the page is read from the assignments alone. */
const filtersBy = ({ criteria }: ListQuery, table: string): boolean =>
  criteria.some(({ column }) => column.startsWith(`${table}.`));

/** Names of application roles. */
export async function appRoleNames(db: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('app_roles')
    .where('id', 'in', [...new Set(ids)])
    .select(['id', 'name'])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export function listUserAssignments(
  db: Database,
  page: PageRequest,
  query: ListQuery,
): Promise<RowPage<AppUserRoleRow> | undefined> {
  const visible = applyCriteria(db.lists.selectFrom('app_user_roles').selectAll('app_user_roles'), db.dialect, query.visible);
  const named = visible
    .$if(filtersBy(query, 'users'), (all) => all.innerJoin('users', 'users.id', 'app_user_roles.user_id'))
    .$if(filtersBy(query, 'projects'), (all) => all.innerJoin('projects', 'projects.id', 'app_user_roles.organization_id'))
    .$if(filtersBy(query, 'app_roles'), (all) => all.innerJoin('app_roles', 'app_roles.id', 'app_user_roles.role_id'));
  return readPage(applyCriteria(named, db.dialect, query.criteria), { table: 'app_user_roles' }, page, visible);
}

export function listOrganizationAssignments(
  db: Database,
  page: PageRequest,
  query: ListQuery,
): Promise<RowPage<AppOrganizationRoleRow> | undefined> {
  const visible = applyCriteria(
    db.lists.selectFrom('app_organization_roles').selectAll('app_organization_roles'),
    db.dialect,
    query.visible,
  );
  const named = visible
    .$if(filtersBy(query, 'projects'), (all) =>
      all.innerJoin('projects', 'projects.id', 'app_organization_roles.organization_id'),
    )
    .$if(filtersBy(query, 'app_roles'), (all) => all.innerJoin('app_roles', 'app_roles.id', 'app_organization_roles.role_id'));
  return readPage(applyCriteria(named, db.dialect, query.criteria), { table: 'app_organization_roles' }, page, visible);
}
