// What decides about a user in a scope: the account, the scope, and the grants that give roles there. Access acts on it (access.ts), and
// explanations show it.
import type { Clock } from '../../../platform/clock.ts';
import type { ProjectRow, Reader } from '../../ground/database/index.ts';
import {
  ancestorsOf,
  findProject,
  findUserWithDomain,
  type GrantFilter,
  grantedRoles,
  type HeldGrant,
  type HeldMembership,
  membershipsOf,
  type RoleGraph,
  someGrantsOf,
  type UserWithDomain,
} from './access.store.ts';
import type { Ref } from './auth-context.ts';
import { countGrants } from './lent-rights.ts';
import type { Scope } from './scope.ts';

const DAY = 86_400;

export interface AccountRules {
  readonly disableUserAccountDaysInactive: number | undefined;
  readonly enforceScope: boolean;
}

/** Why a user may do nothing in a scope. */
export type Obstacle =
  | 'user_missing'
  | 'user_disabled'
  | 'domain_of_user_disabled'
  | 'user_inactive'
  | 'scope_missing'
  | 'scope_disabled'
  | 'domain_of_scope_disabled'
  | 'no_role';

export interface Inspection {
  /** Empty when the user may do something there. */
  readonly obstacles: readonly Obstacle[];
  readonly user: UserWithDomain | undefined;
  /** Time in seconds when the account becomes inactive; null for never. */
  readonly inactiveFrom: number | null;
  readonly target: ProjectRow | undefined;
  /** The domain of the target, or the target if it is one. */
  readonly domain: ProjectRow | undefined;
  readonly above: readonly string[];
  readonly groups: readonly string[];
  /** Time in seconds when the first of these memberships ends; null for never. */
  readonly groupsUntil: number | null;
  readonly grants: readonly HeldGrant[];
  /** Those that give nothing, because only providers gave them that may not (lent-rights.ts), and the providers that were asked about. */
  readonly withheld: readonly HeldGrant[];
  readonly providerIds: readonly string[];
  readonly roles: readonly Ref[];
}

/** The roles that the given ones give: themselves and those they imply, each with the role that implies it, by the shortest way. */
export function closureOf(
  implied: ReadonlyMap<string, readonly string[]>,
  roleIds: readonly string[],
): ReadonlyMap<string, string | undefined> {
  const priors = new Map<string, string | undefined>(roleIds.map((id) => [id, undefined]));
  // The loop also visits what it adds.
  for (const id of priors.keys()) for (const next of implied.get(id) ?? []) if (!priors.has(next)) priors.set(next, id);
  return priors;
}

/** The global roles that a set of roles gives, including implied ones. A domain role only adds the roles it implies. */
export function expandRoles({ roles, implied }: RoleGraph, roleIds: readonly string[]): Ref[] {
  const refs = [...closureOf(implied, roleIds).keys()].flatMap((id) => roles.get(id) ?? []);
  return refs
    .filter((role) => role.domainId === null)
    .map(({ id, name }) => ({ id, name }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** The names of the roles that one gives. */
const rolesGivenBy =
  (graph: RoleGraph) =>
  (roleId: string): string[] =>
    expandRoles(graph, [roleId]).map(({ name }) => name);

function accountObstacles(user: UserWithDomain | undefined, inactiveFrom: number | null, clock: Clock): Obstacle[] {
  if (!user) return ['user_missing'];
  const obstacles: Obstacle[] = [];
  if (!user.enabled) obstacles.push('user_disabled');
  if (!user.domain_enabled) obstacles.push('domain_of_user_disabled');
  if (inactiveFrom !== null && clock.now() / 1000 >= inactiveFrom) obstacles.push('user_inactive');
  return obstacles;
}

function scopeObstacles(scope: Scope, target: ProjectRow | undefined, domain: ProjectRow | undefined): Obstacle[] {
  if (scope.kind === 'system' || scope.kind === 'unscoped') return [];
  if (!target || (scope.kind === 'domain' && target.is_domain !== 1)) return ['scope_missing'];
  const obstacles: Obstacle[] = target.enabled === 1 ? [] : ['scope_disabled'];
  if (domain !== target && !domain?.enabled) obstacles.push('domain_of_scope_disabled');
  return obstacles;
}

/** Memberships that ended do not count. */
export function heldGroups(memberships: readonly HeldMembership[], clock: Clock): Pick<Inspection, 'groups' | 'groupsUntil'> {
  const held = memberships.filter(({ expires_at: end }) => end === null || end * 1000 > clock.now());
  const ends = held.flatMap(({ expires_at: end }) => end ?? []);
  return { groups: held.map(({ group_id: id }) => id), groupsUntil: ends.length > 0 ? Math.min(...ends) : null };
}

/** Reads only what it needs to find the first obstacle, or with `all` everything. */
export async function inspect(
  { clock, rules, graph }: { clock: Clock; rules: AccountRules; graph: (reader: Reader) => Promise<RoleGraph> },
  reader: Reader,
  userId: string,
  scope: Scope,
  { all }: { readonly all: boolean },
): Promise<Inspection> {
  const user = await findUserWithDomain(reader, userId);
  const inactiveFrom = user ? inactivityEnd(user, rules.disableUserAccountDaysInactive) : null;
  const obstacles = accountObstacles(user, inactiveFrom, clock);
  const found = {
    user,
    inactiveFrom,
    target: undefined,
    domain: undefined,
    above: [],
    groups: [],
    groupsUntil: null,
    grants: [],
    withheld: [],
    providerIds: [],
    roles: [],
  };
  if (!user || scope.kind === 'unscoped' || (obstacles.length > 0 && !all)) return { ...found, obstacles };

  const target = scope.kind === 'system' ? undefined : await findProject(reader, scope.id);
  const domain = target?.domain_id ? await findProject(reader, target.domain_id) : target;
  obstacles.push(...scopeObstacles(scope, target, domain));
  if (obstacles.includes('scope_missing') || (obstacles.length > 0 && !all)) return { ...found, target, domain, obstacles };

  const above = target && scope.kind === 'project' ? await ancestorsOf(reader, target.id) : [];
  const { groups, groupsUntil } = heldGroups(await membershipsOf(reader, userId), clock);
  const held = await grantedRoles(reader, { userId, groupIds: groups }, { id: target?.id ?? null, above });
  const roleGraph = await graph(reader);
  const { counted: grants, withheld, providerIds } = await countGrants(reader, userId, held, rolesGivenBy(roleGraph));
  const roles = expandRoles(roleGraph, [...new Set(grants.map(({ roleId }) => roleId))]);
  if (roles.length === 0) obstacles.push('no_role');
  return { obstacles, user, inactiveFrom, target, domain, above, groups, groupsUntil, grants, withheld, providerIds, roles };
}

/** Time in seconds when an unused account becomes disabled; null when the rule is off or the user is exempt. */
export function inactivityEnd(
  user: { readonly last_active_at: number | null; readonly created_at: number; readonly options: string },
  days: number | undefined,
): number | null {
  if (days === undefined) return null;
  const { ignore_user_inactivity: exempt } = JSON.parse(user.options) as { ignore_user_inactivity?: boolean | null };
  return exempt ? null : (user.last_active_at ?? user.created_at) + days * DAY;
}

export const someCountedGrants = async (graph: RoleGraph, db: Reader, userId: string, filter: GrantFilter) =>
  (await countGrants(db, userId, await someGrantsOf(db, userId, filter), rolesGivenBy(graph))).counted;
