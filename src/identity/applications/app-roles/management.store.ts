// Reads who manages applications: through their own roles, or as owner of an organization that does.
import type { OrganizationSet } from '../../access/context/index.ts';
import type { Reader } from '../../ground/database/index.ts';

/** Whether a user manages an application through an organization of another domain; through any organization when no domain is given. */
export async function managesElsewhere(db: Reader, userId: string, domainId: string | undefined): Promise<boolean> {
  const row = await db
    .selectFrom('app_user_roles')
    .innerJoin('projects', 'projects.id', 'app_user_roles.organization_id')
    .innerJoin('app_role_permissions', 'app_role_permissions.role_id', 'app_user_roles.role_id')
    .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
    .where('app_user_roles.user_id', '=', userId)
    .where('projects.domain_id', '!=', domainId ?? '')
    .where('app_permissions.is_internal', '=', 1)
    .select('app_user_roles.id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

const isEmpty = ({ organizationIds, domainIds }: OrganizationSet): boolean => organizationIds.length + domainIds.length === 0;

/** Whether one of the organizations has a role with an internal permission other than `except`. */
export async function anyManagesApplications(db: Reader, organizations: OrganizationSet, except: string): Promise<boolean> {
  if (isEmpty(organizations)) return false;
  const row = await db
    .selectFrom('app_organization_roles')
    .innerJoin('projects', 'projects.id', 'app_organization_roles.organization_id')
    .innerJoin('app_role_permissions', 'app_role_permissions.role_id', 'app_organization_roles.role_id')
    .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
    .where('app_permissions.is_internal', '=', 1)
    .where('app_permissions.id', '!=', except)
    .where((eb) =>
      eb.or([
        eb('projects.id', 'in', [...organizations.organizationIds, '']),
        eb('projects.domain_id', 'in', [...organizations.domainIds, '']),
      ]),
    )
    .select('app_organization_roles.id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Which of these users have a role with an internal permission in which of the organizations, whether or not they are members now. */
export async function managersIn(
  db: Reader,
  userIds: readonly string[],
  organizations: OrganizationSet,
): Promise<{ userId: string; organizationId: string }[]> {
  if (userIds.length === 0 || isEmpty(organizations)) return [];
  return (
    db
      .selectFrom('app_user_roles')
      .innerJoin('projects', 'projects.id', 'app_user_roles.organization_id')
      .innerJoin('users', 'users.id', 'app_user_roles.user_id')
      .innerJoin('app_role_permissions', 'app_role_permissions.role_id', 'app_user_roles.role_id')
      .innerJoin('app_permissions', 'app_permissions.id', 'app_role_permissions.permission_id')
      .where('app_user_roles.user_id', 'in', [...userIds])
      .where('app_permissions.is_internal', '=', 1)
      // Roles in one's own default organization are always in effect, if it is in the same domain.
      .where((eb) =>
        eb.or([
          eb('users.default_project_id', 'is', null),
          eb('users.default_project_id', '!=', eb.ref('projects.id')),
          eb('projects.domain_id', '!=', eb.ref('users.domain_id')),
        ]),
      )
      .where((eb) =>
        eb.or([
          eb('projects.id', 'in', [...organizations.organizationIds, '']),
          eb('projects.domain_id', 'in', [...organizations.domainIds, '']),
        ]),
      )
      .select(['app_user_roles.user_id as userId', 'projects.id as organizationId'])
      .distinct()
      .execute()
  );
}

/** What a trust lets its trustee use: a role, in a project of this domain. Without those that are over. */
export const rolesByTrust = (
  db: Reader,
  trusteeId: string,
  now: number,
): Promise<{ roleId: string; domainId: string | null }[]> =>
  db
    .selectFrom('trusts')
    .innerJoin('trust_roles', 'trust_roles.trust_id', 'trusts.id')
    .innerJoin('projects', 'projects.id', 'trusts.project_id')
    .where('trusts.trustee_user_id', '=', trusteeId)
    .where((eb) => eb.or([eb('trusts.expires_at', 'is', null), eb('trusts.expires_at', '>', now)]))
    .where((eb) => eb.or([eb('trusts.remaining_uses', 'is', null), eb('trusts.remaining_uses', '>', 0)]))
    .select(['trust_roles.role_id as roleId', 'projects.domain_id as domainId'])
    .distinct()
    .execute();
