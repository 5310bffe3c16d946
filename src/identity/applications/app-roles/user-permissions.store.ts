// Reads the roles and permissions of users and organizations in applications.
import type { ExpressionBuilder } from 'kysely';
import { preparedRows } from '../../../platform/database/index.ts';
import { reachableProjects } from '../../directory/grants/index.ts';
import type { AppPermissionRow, AppRoleRow, Reader, Tables } from '../../ground/database/index.ts';

export interface AssignedRoleRow {
  readonly organization_id: string;
  readonly organization_name: string;
  readonly organization_enabled: number;
  readonly organization_domain_id: string | null;
  readonly role_id: string;
  readonly role_name: string;
  readonly role_is_internal: number;
}

const assignedRoles = preparedRows<Tables, [user: string, application: string], AssignedRoleRow>((db, user, application) =>
  db
    .selectFrom('app_user_roles')
    .innerJoin('app_roles', 'app_roles.id', 'app_user_roles.role_id')
    .innerJoin('projects', 'projects.id', 'app_user_roles.organization_id')
    .where('app_user_roles.user_id', '=', user)
    .where('app_user_roles.application_id', '=', application)
    .orderBy('app_roles.name')
    .orderBy('app_roles.id')
    .select([
      'app_user_roles.organization_id',
      'projects.name as organization_name',
      'projects.enabled as organization_enabled',
      'projects.domain_id as organization_domain_id',
      'app_roles.id as role_id',
      'app_roles.name as role_name',
      'app_roles.is_internal as role_is_internal',
    ]),
);

export const readAssignedRoles = async (db: Reader, userId: string, applicationId: string): Promise<AssignedRoleRow[]> =>
  assignedRoles(db, userId, applicationId);

/** Of these organizations, those in which the user has a base role at this time (in seconds), and so is still a member. */
export async function memberships(
  db: Reader,
  userId: string,
  organizationIds: readonly string[],
  now: number,
): Promise<Set<string>> {
  if (organizationIds.length === 0) return new Set();
  const rows = await db
    .selectFrom('projects')
    .where('projects.id', 'in', [...organizationIds])
    .where(reachableProjects(userId, now))
    .select('projects.id')
    .execute();
  return new Set(rows.map((row) => row.id));
}

export type LinkedPermission = AppPermissionRow & { readonly role_id: string };

const assignedPermissions = preparedRows<Tables, [user: string, application: string], LinkedPermission>((db, user, application) =>
  db
    .selectFrom('app_role_permissions')
    .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
    .where('app_role_permissions.role_id', 'in', (eb) =>
      eb
        .selectFrom('app_user_roles')
        .where('user_id', '=', user)
        .where('application_id', '=', application)
        .select('app_user_roles.role_id'),
    )
    .orderBy('app_permissions.name')
    .orderBy('app_permissions.id')
    .selectAll('app_permissions')
    .select('app_role_permissions.role_id'),
);

/** The permissions of all roles of a user in an application, in any organization. */
export const readAssignedPermissions = async (db: Reader, userId: string, applicationId: string): Promise<LinkedPermission[]> =>
  assignedPermissions(db, userId, applicationId);

export function permissionsOfRoles(db: Reader, roleIds: readonly string[]): Promise<LinkedPermission[]> {
  if (roleIds.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('app_role_permissions')
    .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
    .where('app_role_permissions.role_id', 'in', [...roleIds])
    .orderBy('app_permissions.name')
    .orderBy('app_permissions.id')
    .selectAll('app_permissions')
    .select('app_role_permissions.role_id')
    .execute();
}

/** Roles by application: of a user in one organization or in all, or of an organization. */
export async function rolesByApplication(
  db: Reader,
  assignee: { userId: string; organizationId?: string } | { organizationId: string; userId?: never },
): Promise<Map<string, string[]>> {
  const rows =
    assignee.userId === undefined
      ? await db
          .selectFrom('app_organization_roles')
          .where('organization_id', '=', assignee.organizationId)
          .select(['application_id', 'role_id'])
          .execute()
      : await (assignee.organizationId === undefined
          ? db.selectFrom('app_user_roles').where('user_id', '=', assignee.userId)
          : db
              .selectFrom('app_user_roles')
              .where('user_id', '=', assignee.userId)
              .where('organization_id', '=', assignee.organizationId)
        )
          .select(['application_id', 'role_id'])
          .execute();
  const grouped = Map.groupBy(rows, (row) => row.application_id);
  return new Map([...grouped].map(([application, assigned]) => [application, [...new Set(assigned.map((row) => row.role_id))]]));
}

const assignableInApplications = (applicationIds: readonly string[]) => (eb: ExpressionBuilder<Tables, 'app_roles'>) =>
  eb.or([eb('app_roles.application_id', 'in', applicationIds), eb('app_roles.is_internal', '=', 1)]);

/** Every role that can be assigned in the applications: their own, and the internal ones. */
export const candidateRoles = (db: Reader, applicationIds: readonly string[]): Promise<AppRoleRow[]> =>
  db
    .selectFrom('app_roles')
    .where(assignableInApplications(applicationIds))
    .orderBy('is_internal')
    .orderBy('name')
    .orderBy('id')
    .selectAll()
    .execute();

/** The internal permissions of those roles. */
export const candidatePermissions = (db: Reader, applicationIds: readonly string[]): Promise<LinkedPermission[]> =>
  db
    .selectFrom('app_role_permissions')
    .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
    .where('app_permissions.is_internal', '=', 1)
    .where('app_role_permissions.role_id', 'in', (eb) =>
      eb.selectFrom('app_roles').where(assignableInApplications(applicationIds)).select('app_roles.id'),
    )
    .selectAll('app_permissions')
    .select('app_role_permissions.role_id')
    .execute();

/** Application roles of the organizations of a domain: of all, or of those in `organizationIds`. */
export const organizationRolesIn = (db: Reader, domainId: string, organizationIds?: readonly string[]) =>
  db
    .selectFrom('app_organization_roles')
    .innerJoin('projects', 'projects.id', 'app_organization_roles.organization_id')
    .innerJoin('consumers', 'consumers.id', 'app_organization_roles.application_id')
    .where('projects.domain_id', '=', domainId)
    .where('projects.enabled', '=', 1)
    .$if(organizationIds !== undefined, (query) => query.where('projects.id', 'in', organizationIds ?? []))
    .select([
      'app_organization_roles.organization_id as organizationId',
      'projects.name as organizationName',
      'app_organization_roles.application_id as applicationId',
      'consumers.name as applicationName',
      'app_organization_roles.role_id as roleId',
    ])
    .execute();

/** Application roles of users in the organizations of a domain. */
export async function userRolesIn(db: Reader, domainId: string, userIds: readonly string[]) {
  if (userIds.length === 0) return [];
  return db
    .selectFrom('app_user_roles')
    .innerJoin('projects', 'projects.id', 'app_user_roles.organization_id')
    .where('app_user_roles.user_id', 'in', [...userIds])
    .where('projects.domain_id', '=', domainId)
    .select([
      'app_user_roles.user_id as userId',
      'app_user_roles.organization_id as organizationId',
      'app_user_roles.application_id as applicationId',
      'app_user_roles.role_id as roleId',
    ])
    .orderBy('app_user_roles.id')
    .execute();
}

/** In which the user has a role that may count. */
export async function applicationsOfUser(db: Reader, userId: string): Promise<string[]> {
  const rows = await db.selectFrom('app_user_roles').where('user_id', '=', userId).select('application_id').distinct().execute();
  return rows.map((row) => row.application_id);
}
