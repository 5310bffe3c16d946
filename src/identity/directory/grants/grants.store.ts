// Grants in the database: a user or group has a role on a project, a domain or the system.
import { type RawBuilder, sql } from 'kysely';
import { type PageRequest, type RowPage, readPage, type SqlCondition } from '../../../platform/database/index.ts';
import type { Database, GrantRow, ProjectRow, Reader, RoleRow, Tx } from '../../ground/database/index.ts';

export interface Grant {
  readonly actor: { readonly kind: 'user' | 'group'; readonly id: string };
  /** The system has no id. */
  readonly target: { readonly kind: TargetKind; readonly id: string | null };
  readonly roleId: string;
  readonly inherited: boolean;
}

export type TargetKind = 'project' | 'domain' | 'system';

/** The natural key as one string, so that repeating a grant changes nothing. */
const idOf = ({ actor, target, roleId, inherited }: Grant): string =>
  `${actor.kind}:${actor.id}:${target.id ?? 'system'}:${roleId}:${inherited ? 'inherited' : 'direct'}`;

const insertion = (tx: Tx, grant: Grant, kept: 0 | 1) => {
  const { actor, target, roleId, inherited } = grant;
  return tx.insertInto('grants').values({
    id: idOf(grant),
    user_id: actor.kind === 'user' ? actor.id : null,
    group_id: actor.kind === 'group' ? actor.id : null,
    target_id: target.id,
    role_id: roleId,
    inherited: inherited ? 1 : 0,
    kept,
  });
};

/** One that a provider gave is not taken back by it any more. */
export async function insertGrant(tx: Tx, grant: Grant): Promise<void> {
  await insertion(tx, grant, 1)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ kept: 1 }).where('grants.kept', '=', 0))
    .execute();
}

/** One that is there stays as it is. */
export async function lendGrant(tx: Tx, grant: Grant): Promise<void> {
  await insertion(tx, grant, 0)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** The grants of a user on projects and domains, without inherited ones. */
export const directGrantsOf = (tx: Tx, userId: string): Promise<Pick<GrantRow, 'target_id' | 'role_id' | 'kept'>[]> =>
  tx
    .selectFrom('grants')
    .where('user_id', '=', userId)
    .where('inherited', '=', 0)
    .where('target_id', 'is not', null)
    .select(['target_id', 'role_id', 'kept'])
    .execute();

export async function deleteGrant(tx: Tx, grant: Grant): Promise<boolean> {
  const result = await tx.deleteFrom('grants').where('id', '=', idOf(grant)).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Those that somebody else gave, too, stay. Returns those that were deleted. */
export async function takeGrants(tx: Tx, grants: readonly Grant[]): Promise<Grant[]> {
  if (grants.length === 0) return [];
  const byId = new Map(grants.map((grant) => [idOf(grant), grant]));
  const rows = await tx
    .deleteFrom('grants')
    .where('id', 'in', [...byId.keys()])
    .where('kept', '=', 0)
    .returning('id')
    .execute();
  return rows.map(({ id }) => byId.get(id)!);
}

export async function hasGrant(db: Reader, grant: Grant): Promise<boolean> {
  return (await db.selectFrom('grants').where('id', '=', idOf(grant)).select('id').executeTakeFirst()) !== undefined;
}

export function grantedRoles(db: Reader, { actor, target, inherited }: Omit<Grant, 'roleId'>): Promise<RoleRow[]> {
  const query = db
    .selectFrom('grants')
    .innerJoin('roles', 'roles.id', 'grants.role_id')
    .where(actor.kind === 'user' ? 'user_id' : 'group_id', '=', actor.id)
    .where('inherited', '=', inherited ? 1 : 0);
  return (target.id === null ? query.where('target_id', 'is', null) : query.where('target_id', '=', target.id))
    .orderBy('roles.name')
    .orderBy('roles.id')
    .selectAll('roles')
    .execute();
}

/** Which grants a list of assignments starts from. All criteria must match. */
export interface GrantFilter {
  readonly userId?: string;
  /** With userId: also the grants of the groups that the user is in at this time, in seconds. */
  readonly throughGroupsAt?: number | undefined;
  readonly groupId?: string;
  readonly roleIds?: readonly string[];
  readonly targets?: readonly string[];
  /** In addition to the targets: grants inherited from these. */
  readonly inheritedFrom?: readonly string[];
  readonly system?: boolean;
  readonly inherited?: boolean;
  /** Only targets of this domain, or the domain itself. */
  readonly domainId?: string;
}

export function listGrants(db: Database, page: PageRequest, filter: GrantFilter): Promise<RowPage<GrantRow> | undefined> {
  const { userId, groupId, roleIds, targets, inheritedFrom = [], domainId } = filter;
  let visible = db.lists.selectFrom('grants').selectAll('grants');
  if (domainId !== undefined) {
    visible = visible.where('target_id', 'in', (eb) =>
      eb
        .selectFrom('projects')
        .where((e) => e.or([e('projects.domain_id', '=', domainId), e('projects.id', '=', domainId)]))
        .select('projects.id'),
    );
  }
  let query = visible;
  if (userId !== undefined) {
    query = query.where((eb) => {
      const direct = eb('user_id', '=', userId);
      const { throughGroupsAt: at } = filter;
      return at === undefined ? direct : eb.or([direct, eb('group_id', 'in', groupsAt(userId, at))]);
    });
  }
  if (groupId !== undefined) query = query.where('group_id', '=', groupId);
  if (roleIds) query = query.where('role_id', 'in', [...roleIds]);
  if (targets) {
    query = query.where((eb) => {
      const direct = eb('target_id', 'in', [...targets]);
      if (inheritedFrom.length === 0) return direct;
      return eb.or([
        eb.and([direct, eb('inherited', '=', 0)]),
        eb.and([eb('target_id', 'in', [...inheritedFrom]), eb('inherited', '=', 1)]),
      ]);
    });
  }
  if (filter.system) query = query.where('target_id', 'is', null);
  if (filter.inherited !== undefined) query = query.where('inherited', '=', filter.inherited ? 1 : 0);
  return readPage(query, { table: 'grants' }, page, visible);
}

/** Members of groups, up to `limit` in total: group id to user ids. */
export async function membersOf(
  db: Reader,
  groupIds: readonly string[],
  onlyUser: string | undefined,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Map<string, string[]>> {
  if (groupIds.length === 0) return new Map();
  let query = db
    .selectFrom('group_members')
    .where('group_id', 'in', [...groupIds])
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', now)]));
  if (onlyUser !== undefined) query = query.where('user_id', '=', onlyUser);
  const rows = await query.selectAll().limit(limit).execute();
  const byGroup = Map.groupBy(rows, (row) => row.group_id);
  return new Map([...byGroup].map(([group, members]) => [group, members.map((row) => row.user_id)]));
}

/** A user by id, or by a column of the query around it. */
type UserOf = string | RawBuilder<string>;

/** The groups that a user is in at this time. Memberships that ended stay in the database for a minute. */
const groupsAt = (userId: UserOf, now: number) => sql<string>`(select group_id from group_members
  where group_members.user_id = ${userId} and (group_members.expires_at is null or group_members.expires_at > ${now}))`;

/** Two lookups, each by its index: for either of two conditions, PostgreSQL would read all grants. */
const grantsOfUser = (userId: UserOf, now: number) => sql`(
  select target_id, inherited from grants where user_id = ${userId}
  union all select target_id, inherited from grants where group_id in ${groupsAt(userId, now)}
)`;

/** Projects a user has a role in at this time (in seconds): granted there, or inherited from an ancestor. */
export const reachableProjects = (userId: UserOf, now: number): SqlCondition => sql`projects.is_domain = 0 and projects.id in (
  with recursive below (id) as (
    select projects.id from projects join ${grantsOfUser(userId, now)} as held on projects.parent_id = held.target_id where held.inherited = 1
    union
    select projects.id from projects join below on projects.parent_id = below.id
  )
  select id from below
  union
  select target_id from ${grantsOfUser(userId, now)} as direct where inherited = 0 and target_id is not null
)`;

/** The reachable projects a token can be scoped to: enabled, in an enabled domain. */
export const usableProjects = (
  userId: string,
  now: number,
): SqlCondition => sql`${reachableProjects(userId, now)} and projects.enabled = 1
  and projects.domain_id in (select domain.id from projects as domain where domain.enabled = 1)`;

export const reachableDomains = (userId: string, now: number): SqlCondition => sql`projects.is_domain = 1 and projects.id in (
  select target_id from ${grantsOfUser(userId, now)} as direct where inherited = 0 and target_id is not null
)`;

export const readReachableProjects = (db: Reader, userId: string, now: number): Promise<ProjectRow[]> =>
  db.selectFrom('projects').where(reachableProjects(userId, now)).selectAll().execute();

export async function hasSystemRole(db: Reader, userId: string, now: number): Promise<boolean> {
  const { rows } = await sql`select 1 from ${grantsOfUser(userId, now)} as held where target_id is null limit 1`.execute(db);
  return rows.length > 0;
}

export interface NameRow {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string | null;
}

/** Names for the ids of a page. */
export async function namesOf(
  db: Reader,
  table: 'users' | 'groups' | 'roles' | 'projects',
  ids: readonly string[],
): Promise<Map<string, NameRow>> {
  if (ids.length === 0) return new Map();
  const rows: NameRow[] = await db
    .selectFrom(table)
    .where('id', 'in', [...new Set(ids)])
    .select(['id', 'name', 'domain_id'])
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}
