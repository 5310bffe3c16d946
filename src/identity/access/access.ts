// Cached access data: what a user may do in a scope (AuthContext).
import type { Clock } from '../../platform/clock.ts';
import type { Database, Reader, Tx } from '../database.ts';
import { type RoleGraph, readRoleGraph } from './access.store.ts';
import { type AuthContext, authContextKey, type Ref, type Scope, tagOf } from './auth-context.ts';
import { type AccountRules, expandRoles, type Inspection, inspect } from './inspection.ts';

/** Each takes about two kilobytes. */
const MAX_CONTEXTS = 20_000;

export interface Access {
  /** From the cache; undefined when it has to be read. The key is `authContextKey`; frequent callers store it. */
  cached(key: string): AuthContext | undefined;
  /** Read from the database. Undefined when the user is missing or disabled, or has no role in the scope. */
  read(userId: string, scope: Scope): Promise<AuthContext | undefined>;
  /** The same within a transaction, and not cached: to act on what it says in this transaction. */
  readIn(tx: Tx, userId: string, scope: Scope): Promise<AuthContext | undefined>;
  /** The global roles that a set of roles gives, including implied ones. A domain role only adds the roles it implies. */
  expand(db: Reader, roleIds: readonly string[]): Promise<Ref[]>;
  /** Everything that decides about a user in a scope, for explanations. Not cached. */
  inspect(userId: string, scope: Scope): Promise<Inspection>;
  /** All base roles, and which implies which. */
  roleGraph(): Promise<RoleGraph>;
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

  const parts = { clock, rules, graph };

  async function build(reader: Reader, userId: string, scope: Scope): Promise<AuthContext | undefined> {
    const found = await inspect(parts, reader, userId, scope, { all: false });
    if (found.obstacles.length > 0) return undefined;
    const { target, domain, above, groups, roles } = found;
    const user = found.user!;

    const tags = [tagOf.user(userId), tagOf.project(user.domain_id), tagOf.everything];
    const base = {
      user: {
        id: user.id,
        name: user.name,
        domain: { id: user.domain_id, name: user.domain_name },
        passwordExpiresAt: user.password_expires_at,
      },
      scope,
      validUntil: found.inactiveFrom,
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
    expand: async (reader, roleIds) => expandRoles(await graph(reader), roleIds),
    inspect: (userId, scope) => inspect(parts, db.read, userId, scope, { all: true }),
    roleGraph: () => graph(db.read),
  };
}
