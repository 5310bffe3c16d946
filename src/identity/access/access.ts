// Cached access data: what a user may do in a scope (AuthContext).
import type { Clock } from '../../platform/clock.ts';
import type { Database, ProjectRow, Reader, Tx } from '../database.ts';
import {
  ancestorsOf,
  findProject,
  findUserWithDomain,
  grantedRoles,
  groupIdsOf,
  type RoleGraph,
  readRoleGraph,
} from './access.store.ts';
import { type AuthContext, authContextKey, type Ref, type Scope, tagOf } from './auth-context.ts';

/** Each takes about two kilobytes. */
const MAX_CONTEXTS = 20_000;
const DAY = 86_400;

export interface AccountRules {
  readonly disableUserAccountDaysInactive: number | undefined;
}

export interface Access {
  /** From the cache; undefined when it has to be read. The key is `authContextKey`; frequent callers store it. */
  cached(key: string): AuthContext | undefined;
  /** Read from the database. Undefined when the user is missing or disabled, or has no role in the scope. */
  read(userId: string, scope: Scope): Promise<AuthContext | undefined>;
  /** The same within a transaction, and not cached: to act on what it says in this transaction. */
  readIn(tx: Tx, userId: string, scope: Scope): Promise<AuthContext | undefined>;
  /** The global roles that a set of roles gives, including implied ones. A domain role only adds the roles it implies. */
  expand(db: Reader, roleIds: readonly string[]): Promise<Ref[]>;
}

export function createAccess(db: Database, clock: Clock, rules: AccountRules): Access {
  const authContexts = db.cached<AuthContext>({
    name: 'auth_contexts',
    limit: MAX_CONTEXTS,
    tags: ({ tags }) => tags,
    expiry: { clock, at: ({ validUntil }) => (validUntil ?? Number.POSITIVE_INFINITY) * 1000 },
  });
  const graphs = db.cached<RoleGraph>({ name: 'role_graph', limit: 1, tags: () => [tagOf.everything] });

  async function graph(reader: Reader): Promise<RoleGraph> {
    // A transaction may roll back, so what it reads must not be cached.
    if (reader !== db.read) return graphs.get('roles') ?? readRoleGraph(reader);
    return (await graphs.getOrLoad('roles', () => readRoleGraph(reader)))!;
  }

  async function expand(reader: Reader, roleIds: readonly string[]): Promise<Ref[]> {
    const { roles, implied } = await graph(reader);
    const found = new Set<string>();
    const queue = [...roleIds];
    for (let id = queue.pop(); id !== undefined; id = queue.pop()) {
      if (found.has(id)) continue;
      found.add(id);
      queue.push(...(implied.get(id) ?? []));
    }
    const refs = [...found].flatMap((id) => roles.get(id) ?? []).filter((role) => role.domainId === null);
    return refs.map(({ id, name }) => ({ id, name })).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async function build(reader: Reader, userId: string, scope: Scope): Promise<AuthContext | undefined> {
    const user = await findUserWithDomain(reader, userId);
    if (!user?.enabled || !user.domain_enabled) return undefined;
    const inactiveFrom = inactivityEnd(user, rules.disableUserAccountDaysInactive);
    if (inactiveFrom !== null && clock.now() / 1000 >= inactiveFrom) return undefined;

    const tags = [tagOf.user(userId), tagOf.project(user.domain_id), tagOf.everything];
    const base = {
      user: {
        id: user.id,
        name: user.name,
        domain: { id: user.domain_id, name: user.domain_name },
        passwordExpiresAt: user.password_expires_at,
      },
      scope,
      validUntil: inactiveFrom,
      userEpoch: user.epoch,
      userGeneration: user.epoch + user.domain_epoch,
    };
    const { userGeneration } = base;
    if (scope.kind === 'unscoped') {
      return {
        ...base,
        project: undefined,
        domain: undefined,
        roles: [],
        roleNames: new Set(),
        generation: userGeneration,
        tags,
      };
    }

    const target = scope.kind === 'system' ? undefined : await findProject(reader, scope.id);
    if (scope.kind !== 'system' && !usable(target, scope)) return undefined;
    const domain = target?.domain_id ? await findProject(reader, target.domain_id) : target;
    if (target && !domain?.enabled) return undefined;

    const above = target && scope.kind === 'project' ? await ancestorsOf(reader, target.id) : [];
    const groups = await groupIdsOf(reader, userId);
    const granted = await grantedRoles(reader, { userId, groupIds: groups }, { id: target?.id ?? null, above });
    const roles = await expand(reader, granted);
    if (roles.length === 0) return undefined;

    const domainRef = domain && { id: domain.id, name: domain.name };
    return {
      ...base,
      project:
        target && scope.kind === 'project'
          ? { id: target.id, name: target.name, domain: domainRef!, isDomain: target.is_domain === 1 }
          : undefined,
      domain: scope.kind === 'domain' ? domainRef : undefined,
      roles,
      roleNames: new Set(roles.map((role) => role.name)),
      generation: userGeneration + (target?.epoch ?? 0) + (domain && domain !== target ? domain.epoch : 0),
      tags: [
        ...tags,
        ...[target?.id, domain?.id, ...above].flatMap((id) => (id ? [tagOf.project(id)] : [])),
        ...groups.map(tagOf.group),
      ],
    };
  }

  return {
    cached: (key) => authContexts.get(key),
    read: (userId, scope) => authContexts.load(authContextKey(userId, scope), () => build(db.read, userId, scope)),
    readIn: build,
    expand,
  };
}

function usable(target: ProjectRow | undefined, scope: Scope): target is ProjectRow {
  return target?.enabled === 1 && (scope.kind !== 'domain' || target.is_domain === 1);
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
