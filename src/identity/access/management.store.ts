// Reads who manages applications: by roles of their own, or for an organization that they own.
import type { Reader } from '../database.ts';
import { grantsOf, type Holder } from './access.store.ts';

/** Organizations, by name or all of a domain. */
export interface Places {
  readonly organizationIds: readonly string[];
  readonly domainIds: readonly string[];
}

/** Where a holder was granted roles (these of them). What is inherited reaches, as far as is asked here, the whole domain. */
export async function grantedPlaces(db: Reader, holder: Holder, roleIds?: readonly string[]): Promise<Places> {
  const rows = await grantsOf(db, holder)
    .innerJoin('projects', 'projects.id', 'grants.target_id')
    .$if(roleIds !== undefined, (query) => query.where('grants.role_id', 'in', [...(roleIds ?? []), '']))
    .select(['projects.id', 'projects.domain_id', 'grants.inherited'])
    .execute();
  return {
    organizationIds: rows.filter(({ inherited }) => !inherited).map(({ id }) => id),
    domainIds: rows.filter(({ inherited }) => inherited).map(({ id, domain_id }) => domain_id ?? id),
  };
}

const isEmpty = ({ organizationIds, domainIds }: Places): boolean => organizationIds.length + domainIds.length === 0;

/** Whether an organization of these holds a role that carries management, other than the permission `but`. */
export async function managedFrom(db: Reader, places: Places, but: string): Promise<boolean> {
  if (isEmpty(places)) return false;
  const row = await db
    .selectFrom('app_organization_roles')
    .innerJoin('projects', 'projects.id', 'app_organization_roles.organization_id')
    .innerJoin('app_role_permissions', 'app_role_permissions.role_id', 'app_organization_roles.role_id')
    .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
    .where('app_permissions.is_internal', '=', 1)
    .where('app_permissions.id', '!=', but)
    .where((eb) =>
      eb.or([
        eb('projects.id', 'in', [...places.organizationIds, '']),
        eb('projects.domain_id', 'in', [...places.domainIds, '']),
      ]),
    )
    .select('app_organization_roles.id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Who of these users holds, inside which of the organizations, a role that carries management, awake or not. */
export async function managersInside(
  db: Reader,
  userIds: readonly string[],
  places: Places,
): Promise<{ userId: string; organizationId: string }[]> {
  if (userIds.length === 0 || isEmpty(places)) return [];
  return (
    db
      .selectFrom('app_user_roles')
      .innerJoin('projects', 'projects.id', 'app_user_roles.organization_id')
      .innerJoin('users', 'users.id', 'app_user_roles.user_id')
      .innerJoin('app_role_permissions', 'app_role_permissions.role_id', 'app_user_roles.role_id')
      .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
      .where('app_user_roles.user_id', 'in', [...userIds])
      .where('app_permissions.is_internal', '=', 1)
      // What is held in one's own organization never sleeps.
      .where((eb) =>
        eb.or([eb('users.default_project_id', 'is', null), eb('users.default_project_id', '!=', eb.ref('projects.id'))]),
      )
      .where((eb) =>
        eb.or([
          eb('projects.id', 'in', [...places.organizationIds, '']),
          eb('projects.domain_id', 'in', [...places.domainIds, '']),
        ]),
      )
      .select(['app_user_roles.user_id as userId', 'projects.id as organizationId'])
      .distinct()
      .execute()
  );
}
