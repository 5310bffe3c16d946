// Which application roles count, as a part of statements about many users at once. It is the rule of user-permissions.ts in SQL:
// issued-credentials.test.ts compares the two.
import { type RawBuilder, sql } from 'kysely';
import { isIn, type SqlCondition } from '../../../platform/database/index.ts';
import { reachableProjects } from '../../directory/grants/index.ts';

/** Which roles are asked for. Internal roles never are. */
export interface RoleSelection {
  readonly applicationIds: readonly string[];
  /** Ids of roles. */
  readonly roles: 'all' | readonly string[];
  /** `default`: the default organization of the user. */
  readonly organizations: 'all' | 'default' | readonly string[];
}

/** It counts without a membership, but only in the domain of the user. */
const IS_DEFAULT: SqlCondition = sql`(projects.id = users.default_project_id and projects.domain_id = users.domain_id)`;

/**
 * The usual case, which costs a look into an index; the general one after it is many times as expensive. Written so that the grants of the user are
 * looked through, never those of the organization, which may have very many members.
 */
const IS_DIRECT_MEMBER: SqlCondition = sql`(projects.is_domain = 0 and projects.id in (
  select grants.target_id from grants where grants.user_id = users.id and grants.inherited = 0))`;

const organizationsIn = ({ organizations }: RoleSelection): SqlCondition => {
  if (organizations === 'all') return sql`1 = 1`;
  return organizations === 'default' ? IS_DEFAULT : isIn('projects.id', organizations);
};

/**
 * `from ... where ...`: the assignments that count at this time (in seconds), as `app_user_roles`, `app_roles` and `users`. Roles in an organization
 * count while the user is a member of it; those in the default organization always, but only in the domain of the user. SQLite reads tables that are
 * cross-joined in this order: it begins with the assignments of the user, never with those of an organization.
 */
export const heldAssignments = (selection: RoleSelection, now: number): RawBuilder<unknown> => sql`from app_user_roles
  cross join app_roles cross join projects cross join users cross join projects as domain
  where app_roles.id = app_user_roles.role_id and app_roles.is_internal = 0
    and projects.id = app_user_roles.organization_id and projects.enabled = 1
    and users.id = app_user_roles.user_id and users.enabled = 1
    and domain.id = users.domain_id and domain.enabled = 1
    and ${isIn('app_user_roles.application_id', selection.applicationIds)}
    and ${selection.roles === 'all' ? sql`1 = 1` : isIn('app_roles.id', selection.roles)}
    and ${organizationsIn(selection)}
    and (${IS_DEFAULT} or ${IS_DIRECT_MEMBER} or (${reachableProjects(sql.ref('users.id') as RawBuilder<string>, now)}))`;
