// Reads the data of an AuthContext: user, project, groups, grants and roles.
import { sql } from 'kysely';
import { preparedRows } from '../../../platform/database/index.ts';
import type { Bit, GrantRow, ProjectRow, Reader, Tables } from '../../ground/database/index.ts';

const userWithDomain = preparedRows<Tables, [id: string], UserWithDomain>((db, id) =>
  db
    .selectFrom('users')
    .innerJoin('projects as domain', 'domain.id', 'users.domain_id')
    .leftJoin('passwords', (join) =>
      join.onRef('passwords.user_id', '=', 'users.id').on('passwords.serial', '=', (eb) =>
        eb
          .selectFrom('passwords as newest')
          .whereRef('newest.user_id', '=', 'users.id')
          .select((e) => e.fn.max('newest.serial').as('serial')),
      ),
    )
    .leftJoin('kept_tokens', (join) =>
      join.onRef('kept_tokens.user_id', '=', 'users.id').onRef('kept_tokens.epoch', '=', 'users.epoch'),
    )
    .where('users.id', '=', id)
    .select([
      'users.id',
      'users.name',
      'users.enabled',
      'users.epoch',
      'users.tokens_ended_at',
      'users.options',
      'users.default_project_id',
      'users.last_active_at',
      'users.created_at',
      'users.domain_id',
      'domain.name as domain_name',
      'domain.enabled as domain_enabled',
      'domain.epoch as domain_epoch',
      'domain.tokens_ended_at as domain_tokens_ended_at',
      'passwords.expires_at as password_expires_at',
      'kept_tokens.audit_id as kept_token',
      'kept_tokens.lag as kept_token_lag',
    ]),
);

export interface UserWithDomain {
  id: string;
  name: string;
  enabled: number;
  epoch: number;
  tokens_ended_at?: number | null | undefined;
  options: string;
  default_project_id: string | null;
  last_active_at: number | null;
  created_at: number;
  domain_id: string;
  domain_name: string;
  domain_enabled: number;
  domain_epoch: number;
  domain_tokens_ended_at?: number | null | undefined;
  password_expires_at: number | null;
  kept_token: string | null;
  kept_token_lag: number | null;
}

export async function findUserWithDomain(db: Reader, id: string): Promise<UserWithDomain | undefined> {
  return (await userWithDomain(db, id))[0];
}

const projectById = preparedRows<Tables, [id: string], ProjectRow>((db, id) =>
  db.selectFrom('projects').where('id', '=', id).selectAll(),
);

export async function findProject(db: Reader, id: string): Promise<ProjectRow | undefined> {
  return (await projectById(db, id))[0];
}

const memberships = preparedRows<Tables, [user: string], HeldMembership>((db, user) =>
  db.selectFrom('group_members').where('user_id', '=', user).select(['group_id', 'expires_at', 'kept']),
);

export interface HeldMembership {
  group_id: string;
  /** When it ends, in seconds; null for never. It stays in the database for a while. */
  expires_at: number | null;
  /** Somebody else than a provider gave it. */
  kept: Bit;
}

/** Also those that have ended, and are to be removed: `heldGroups` leaves them out. */
export const membershipsOf = async (db: Reader, userId: string): Promise<HeldMembership[]> => memberships(db, userId);

/** The ancestors of a project, nearest first, its domain last. */
export async function ancestorsOf(db: Reader, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive above (id, depth) as (
      select parent_id, 1 from projects where id = ${projectId}
      union all
      select projects.parent_id, above.depth + 1 from projects join above on projects.id = above.id
    )
    select id from above where id is not null order by depth`.execute(db);
  return rows.map((row) => row.id);
}

/** A grant that gives a user a role. */
export interface HeldGrant {
  readonly roleId: string;
  /** The group of the user that has the grant; null when the user has it. */
  readonly groupId: string | null;
  /** A project or a domain; null is the system. */
  readonly targetId: string | null;
  /** It works in the projects below the target, not in the target. */
  readonly inherited: boolean;
  /** Somebody else than a provider granted it. */
  readonly kept: boolean;
}

/** Roles granted to the user or the groups: on the target itself, or inherited from its ancestors. */
export async function grantedRoles(
  db: Reader,
  actor: { userId: string; groupIds: readonly string[] },
  target: { id: string | null; above: readonly string[] },
): Promise<HeldGrant[]> {
  const rows = await db
    .selectFrom('grants')
    .where((eb) =>
      actor.groupIds.length > 0
        ? eb.or([eb('user_id', '=', actor.userId), eb('group_id', 'in', [...actor.groupIds])])
        : eb('user_id', '=', actor.userId),
    )
    .where((eb) => {
      const own = eb.and([
        target.id === null ? eb('target_id', 'is', null) : eb('target_id', '=', target.id),
        eb('inherited', '=', 0),
      ]);
      return target.above.length > 0
        ? eb.or([own, eb.and([eb('target_id', 'in', [...target.above]), eb('inherited', '=', 1)])])
        : own;
    })
    .select(['role_id', 'group_id', 'target_id', 'inherited', 'kept'])
    .execute();
  return rows.map(heldGrant);
}

export const heldGrant = (row: Pick<GrantRow, 'role_id' | 'group_id' | 'target_id' | 'inherited' | 'kept'>): HeldGrant => ({
  roleId: row.role_id,
  groupId: row.group_id,
  targetId: row.target_id,
  inherited: row.inherited === 1,
  kept: row.kept === 1,
});

export interface GrantFilter {
  readonly roleIds: readonly string[] | undefined;
  readonly domainId: string | undefined;
  readonly limit: number;
}

export async function someGrantsOf(db: Reader, userId: string, { roleIds, domainId, limit }: GrantFilter): Promise<HeldGrant[]> {
  const rows = await grantsOf(db, { userId })
    .leftJoin('projects', 'projects.id', 'grants.target_id')
    .$if(roleIds !== undefined, (query) => query.where('grants.role_id', 'in', [...(roleIds ?? []), '']))
    .$if(domainId !== undefined, (query) =>
      query.where((eb) => eb.or([eb('projects.domain_id', '=', domainId!), eb('projects.id', '=', domainId!)])),
    )
    .select(['grants.role_id', 'grants.group_id', 'grants.target_id', 'grants.inherited', 'grants.kept'])
    .orderBy('grants.id')
    .limit(limit)
    .execute();
  return rows.map(heldGrant);
}

export interface RoleGraph {
  readonly roles: ReadonlyMap<string, { readonly id: string; readonly name: string; readonly domainId: string | null }>;
  readonly implied: ReadonlyMap<string, readonly string[]>;
}

export async function readRoleGraph(db: Reader): Promise<RoleGraph> {
  const [roles, links] = await Promise.all([
    db.selectFrom('roles').select(['id', 'name', 'domain_id']).execute(),
    db.selectFrom('implied_roles').selectAll().execute(),
  ]);
  const implied = new Map<string, string[]>();
  for (const { prior_role_id, implied_role_id } of links) {
    implied.set(prior_role_id, [...(implied.get(prior_role_id) ?? []), implied_role_id]);
  }
  return { roles: new Map(roles.map((role) => [role.id, { id: role.id, name: role.name, domainId: role.domain_id }])), implied };
}

/** Who has grants: a user (directly and through groups), or a group. */
export type Grantee = { readonly userId: string } | { readonly groupId: string };

/** Also by memberships that have ended and are to be removed: whoever had a role a minute ago is still protected and asked like one who has it. */
export const grantsOf = (db: Reader, grantee: Grantee) =>
  db.selectFrom('grants').where((eb) => {
    if ('groupId' in grantee) return eb('grants.group_id', '=', grantee.groupId);
    const groups = eb
      .selectFrom('group_members')
      .where('group_members.user_id', '=', grantee.userId)
      .select('group_members.group_id');
    return eb.or([eb('grants.user_id', '=', grantee.userId), eb('grants.group_id', 'in', groups)]);
  });

/** The grants of a global role to a user, on any target. */
export async function grantsOfRole(db: Reader, userId: string, roleName: string): Promise<HeldGrant[]> {
  const rows = await grantsOf(db, { userId })
    .innerJoin('roles', 'roles.id', 'grants.role_id')
    .where('roles.name', '=', roleName)
    .where('roles.domain_id', 'is', null)
    .select(['grants.role_id', 'grants.group_id', 'grants.target_id', 'grants.inherited', 'grants.kept'])
    .execute();
  return rows.map(heldGrant);
}

/** The grants of a grantee, each role once per domain. A grant on the system has neither target nor domain. */
export async function readGrants(
  db: Reader,
  grantee: Grantee,
): Promise<{ roleId: string; targetId: string | null; domainId: string | null }[]> {
  const rows = await grantsOf(db, grantee)
    .leftJoin('projects', 'projects.id', 'grants.target_id')
    .select(['grants.role_id', 'grants.target_id', 'projects.id as project_id', 'projects.domain_id'])
    .execute();
  const unique = new Map(
    rows.map((row) => {
      const domainId = row.domain_id ?? row.project_id;
      return [`${row.role_id} ${domainId}`, { roleId: row.role_id, targetId: row.target_id, domainId }];
    }),
  );
  return [...unique.values()];
}

/** A set of organizations: single ones by id, and all those of some domains. */
export interface OrganizationSet {
  readonly organizationIds: readonly string[];
  readonly domainIds: readonly string[];
}

/** The organizations where a grantee has roles (of `roleIds`, when given). An inherited grant counts for the whole domain. */
export async function grantedOrganizations(db: Reader, grantee: Grantee, roleIds?: readonly string[]): Promise<OrganizationSet> {
  const rows = await grantsOf(db, grantee)
    .innerJoin('projects', 'projects.id', 'grants.target_id')
    .$if(roleIds !== undefined, (query) => query.where('grants.role_id', 'in', [...(roleIds ?? []), '']))
    .select(['projects.id', 'projects.domain_id', 'grants.inherited'])
    .execute();
  return {
    organizationIds: rows.filter(({ inherited }) => !inherited).map(({ id }) => id),
    domainIds: rows.filter(({ inherited }) => inherited).map(({ id, domain_id }) => domain_id ?? id),
  };
}
