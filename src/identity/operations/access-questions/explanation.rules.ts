// Why a user has a role in a scope, or why not: shown from the same inspection that decides about tokens (access/context/inspection.ts).
import type { Query } from '../../../platform/http/index.ts';
import {
  type Access,
  closureOf,
  findProject,
  type HeldGrant,
  type Inspection,
  type RoleGraph,
  type Scope,
} from '../../access/context/index.ts';
import { type Caller, type IdentityTarget, isAllowed, visibleDomain } from '../../access/rules/index.ts';
import { namesOf } from '../../directory/grants/index.ts';
import type { LoginRequirements } from '../../directory/two-factor/index.ts';
import { findUser, type Users } from '../../directory/users/index.ts';
import type { ProjectRow, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, single } from '../../ground/resource/index.ts';
import type { Missing, NamedReference, Path, ScopeName, Step } from './explanation.schema.ts';

/** A user in many groups can have a role in hundreds of ways. */
const MAX_PATHS = 500;
/** Where else a role is held: enough to see a mistake. */
const MAX_ELSEWHERE = 20;

export interface ExplanationDeps extends Pick<Deps, 'db' | 'clock'> {
  readonly access: Access;
  readonly users: Pick<Users, 'find'>;
  readonly requirements: Pick<LoginRequirements, 'signInNeeds'>;
}

export interface AccessQuestion {
  readonly userId: string;
  readonly scope: Exclude<Scope, { kind: 'unscoped' }>;
  readonly target: ProjectRow | undefined;
  readonly roleId: string | undefined;
}

/** Undefined unless the query names one place. */
function scopeOf(query: Query): AccessQuestion['scope'] | undefined {
  const [projectId, domainId, system] = [single(query, 'project_id'), single(query, 'domain_id'), single(query, 'system')];
  if ([projectId, domainId, system].filter((one) => one !== undefined).length !== 1) return undefined;
  if (projectId !== undefined) return { kind: 'project', id: projectId };
  return domainId === undefined ? { kind: 'system' } : { kind: 'domain', id: domainId };
}

async function placeOf(db: Reader, scope: AccessQuestion['scope'] | undefined): Promise<ProjectRow | undefined> {
  const row = scope && 'id' in scope ? await findProject(db, scope.id) : undefined;
  return scope?.kind === 'project' || row?.is_domain === 1 ? row : undefined;
}

/** The user and the place. Readers of a domain may ask when both are in it. */
export async function questionTarget(
  { db }: Pick<ExplanationDeps, 'db'>,
  userId: string,
  query: Query,
): Promise<IdentityTarget<AccessQuestion>> {
  const scope = scopeOf(query);
  const roleId = single(query, 'role_id');
  const [user, target] = await Promise.all([findUser(db.read, userId), placeOf(db.read, scope)]);
  /** A question without a place is refused, but only for callers who may ask about the user. */
  const placeDomain = scope ? target && (target.domain_id ?? target.id) : user?.domain_id;
  const get = (): AccessQuestion => {
    if (!scope)
      fail('request.bad_value', { field: 'project_id', why: 'one of project_id, domain_id and system=all is required' });
    if (!user) fail('user.not_found', { id: userId });
    if (scope.kind !== 'system' && !target) fail(`${scope.kind}.not_found`, { id: scope.id });
    return { userId, scope, target, roleId };
  };
  return { facts: user && placeDomain ? { domains: [user.domain_id, placeDomain] } : {}, get };
}

/** From the granted role to the one it gives. */
function chainTo(priors: ReadonlyMap<string, string | undefined>, roleId: string): string[] {
  const chain: string[] = [];
  for (let id: string | undefined = roleId; id !== undefined; id = priors.get(id)) chain.unshift(id);
  return chain;
}

/** One way to a role: a grant, and the roles that lead from the granted one to it. */
interface Way {
  readonly grant: HeldGrant;
  readonly chain: readonly string[];
}

function waysOf({ grants, roles }: Inspection, { implied }: RoleGraph, roleId: string | undefined): Way[] {
  const effective = new Set(roles.map(({ id }) => id));
  return grants.flatMap((grant) => {
    const priors = closureOf(implied, [grant.roleId]);
    const roleIds = [...priors.keys()].filter((id) => effective.has(id) && (roleId === undefined || id === roleId));
    return roleIds.map((id) => ({ grant, chain: chainTo(priors, id) }));
  });
}

const seesDomain = (caller: Caller, domainId: string): boolean =>
  isAllowed(caller, 'identity:list_system_grants') || domainId === visibleDomain(caller);

/** A role of another domain is not even known to those who see one domain. */
function isVisibleRole({ roles }: RoleGraph, caller: Caller, id: string): boolean {
  const role = roles.get(id);
  return role !== undefined && (role.domainId === null || seesDomain(caller, role.domainId));
}

/** Names of groups, projects and domains of other domains stay hidden from those who see one domain. */
async function readNames(db: Reader, caller: Caller, grants: readonly HeldGrant[], target: ProjectRow | undefined) {
  const [groups, targets] = await Promise.all([
    namesOf(
      db,
      'groups',
      grants.flatMap(({ groupId }) => groupId ?? []),
    ),
    namesOf(
      db,
      'projects',
      [target?.id, ...grants.map(({ targetId }) => targetId)].flatMap((id) => id ?? []),
    ),
  ]);
  const isVisible = (domainId: string): boolean => seesDomain(caller, domainId);
  return {
    group(id: string): NamedReference {
      const row = groups.get(id);
      return row && isVisible(row.domain_id ?? '') ? { id, name: row.name } : { id };
    },
    scope(id: string | null): ScopeName {
      if (id === null) return { system: { all: true } };
      const row = targets.get(id);
      const named = row && isVisible(row.domain_id ?? row.id) ? { id, name: row.name } : { id };
      return row?.domain_id === null ? { domain: named } : { project: named };
    },
  };
}
type Names = Awaited<ReturnType<typeof readNames>>;

const roleName = (graph: RoleGraph, caller: Caller, id: string): NamedReference =>
  isVisibleRole(graph, caller, id) ? { id, name: graph.roles.get(id)!.name } : { id };

function pathOf({ grant, chain }: Way, names: Names, role: (id: string) => NamedReference): Path {
  const steps: Step[] = [];
  if (grant.groupId !== null) steps.push({ kind: 'group', group: names.group(grant.groupId) });
  steps.push({ kind: 'grant', role: role(grant.roleId), scope: names.scope(grant.targetId), inherited: grant.inherited });
  for (const [index, id] of chain.slice(1).entries()) steps.push({ kind: 'implied', role: role(id), by: role(chain[index]!) });
  return { role: role(chain.at(-1)!), steps };
}

/** The roles that give this one: itself, and those that imply it. */
const rolesGiving = ({ roles, implied }: RoleGraph, roleId: string): string[] =>
  [...roles.keys()].filter((id) => closureOf(implied, [id]).has(roleId));

const isHere = (grant: HeldGrant, grants: readonly HeldGrant[]): boolean =>
  grants.some(({ targetId, inherited }) => targetId === grant.targetId && inherited === grant.inherited);

export async function explainAccess(deps: ExplanationDeps, caller: Caller, question: AccessQuestion) {
  const { db, access } = deps;
  const { userId, scope, target, roleId } = question;
  const [inspection, graph] = await Promise.all([access.inspect(userId, scope), access.roleGraph()]);
  if (roleId !== undefined && !isVisibleRole(graph, caller, roleId)) fail('role.not_found', { id: roleId });
  const isHeld = roleId === undefined || inspection.roles.some(({ id }) => id === roleId);
  const allowed = inspection.obstacles.length === 0 && isHeld;
  const hasRole = inspection.roles.length > 0 && isHeld;
  const giving = roleId === undefined ? undefined : rolesGiving(graph, roleId);
  const elsewhere = hasRole
    ? []
    : await access.someGrantsOf(userId, { roleIds: giving, domainId: visibleDomain(caller), limit: MAX_ELSEWHERE });
  const withheld = inspection.withheld.filter((grant) => giving?.includes(grant.roleId) ?? true);
  const names = await readNames(db.read, caller, [...inspection.grants, ...withheld, ...elsewhere], target);
  const role = (id: string): NamedReference => roleName(graph, caller, id);
  const ways = waysOf(inspection, graph, roleId);
  const missing: Missing[] = inspection.obstacles.map((kind) => ({ kind }));
  if (!isHeld) {
    const isDomainRole = graph.roles.get(roleId!)?.domainId !== null;
    missing.push({ kind: isDomainRole ? 'domain_role' : 'role_not_held', role: role(roleId!) });
  }
  for (const { roleId: id, targetId, inherited } of withheld)
    missing.push({ kind: 'provider_may_not_give', role: role(id), scope: names.scope(targetId), inherited });
  for (const grant of elsewhere.filter((one) => !isHere(one, inspection.grants)))
    missing.push({
      kind: 'held_elsewhere',
      role: role(grant.roleId),
      scope: names.scope(grant.targetId),
      inherited: grant.inherited,
    });
  return {
    allowed,
    user: namedUser(inspection),
    scope: names.scope(target?.id ?? null),
    roles: inspection.roles,
    paths: ways.slice(0, MAX_PATHS).map((way) => pathOf(way, names, role)),
    more_paths: ways.length > MAX_PATHS,
    missing,
    ...(await visibleNeeds(deps, caller, userId)),
  };
}

const namedUser = ({ user }: Inspection) => ({
  id: user!.id,
  name: user!.name,
  domain: { id: user!.domain_id, name: user!.domain_name },
});

/** Whether somebody uses a second factor is told to those who may ask for it. */
export async function visibleNeeds(
  { users, requirements }: ExplanationDeps,
  caller: Caller,
  userId: string,
): Promise<{ sign_in_needs?: readonly string[] }> {
  const user = isAllowed(caller, 'is_two_factor_auth_enabled', { userId }) ? await users.find(userId) : undefined;
  return user ? { sign_in_needs: await requirements.signInNeeds(user) } : {};
}
