// Cached access data: what a user may do in a scope (AuthContext).
import type { Clock } from '../../../platform/clock.ts';
import type { Database, Reader, Tx } from '../../ground/database/index.ts';
import {
  type Grantee,
  type GrantFilter,
  grantedOrganizations,
  type HeldGrant,
  type OrganizationSet,
  type RoleGraph,
  readGrants,
  readRoleGraph,
} from './access.store.ts';
import { type AuthContext, authContextKey, type Ref, tagOf } from './auth-context.ts';
import type { Delegation, DelegationReaders, DelegationRef } from './delegation.ts';
import { type AccountRules, expandRoles, type Inspection, inspect, someCountedGrants } from './inspection.ts';
import { isSameScope, type Scope } from './scope.ts';

/** Each takes about two kilobytes. */
const MAX_CONTEXTS = 20_000;

export interface Access {
  /** From the cache; undefined when it has to be read. The key is `authContextKey`; frequent callers store it. */
  cached(key: string): AuthContext | undefined;
  /**
   * Read from the database. Undefined when the user is missing or disabled, or has no role in the scope. With a delegation also when that has
   * ended, is not for this user or scope, or when its giver has lost what it passed on.
   */
  read(userId: string, scope: Scope, delegation?: DelegationRef): Promise<AuthContext | undefined>;
  /** The same within a transaction, and not cached: to act on what it says in this transaction. */
  readIn(tx: Tx, userId: string, scope: Scope, delegation?: DelegationRef): Promise<AuthContext | undefined>;
  /** What a delegation gives, from the database. Undefined when it does not exist, or is of a kind that is not served. */
  delegation(ref: DelegationRef): Promise<Delegation | undefined>;
  /** The global roles that a set of roles gives, including implied ones. A domain role only adds the roles it implies. */
  expand(db: Reader, roleIds: readonly string[]): Promise<Ref[]>;
  /** Everything that decides about a user in a scope, for explanations. Not cached. */
  inspect(userId: string, scope: Scope): Promise<Inspection>;
  /** The grants of a grantee, each role once per domain. */
  grantsOf: typeof readGrants;
  /**
   * The first few grants of a user: of these roles (of all, when undefined), on every target or only on those of one domain. Only those that count:
   * not what a provider gave that may not give it.
   */
  someGrantsOf(userId: string, filter: GrantFilter): Promise<readonly HeldGrant[]>;
  /** The organizations where a grantee has roles (of `roleIds`, when given). */
  organizationsOf(reader: Reader, grantee: Grantee, roleIds?: readonly string[]): Promise<OrganizationSet>;
  /** All base roles, and which implies which. */
  roleGraph(): Promise<RoleGraph>;
}

/** The earlier of two times, of which null is never. */
const earlier = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other);

/** The latest of some times, of which some may not be. */
const latest = (...times: readonly (number | null | undefined)[]): number => Math.max(0, ...times.map((time) => time ?? 0));

/** Undefined when the giver has lost a role and everything ends with it, or when no role is left. */
function delegatedRoles(graph: RoleGraph, { roles }: AuthContext, delegation: Delegation): readonly Ref[] | undefined {
  if (delegation.roleIds === undefined) return roles;
  const held = new Set(roles.map(({ id }) => id));
  const delegated = expandRoles(graph, delegation.roleIds);
  const left = delegated.filter(({ id }) => held.has(id));
  return left.length === 0 || (delegation.lostRole === 'ends all' && left.length < delegated.length) ? undefined : left;
}

/** `delegations`: filled when the modules that store them are made. */
export function createAccess(db: Database, clock: Clock, rules: AccountRules, delegations: DelegationReaders = {}): Access {
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

  const inspectionDeps = { clock, rules, graph };

  /** The context by the user's own roles, with what a delegation needs to know of it. */
  async function buildOwn(reader: Reader, userId: string, scope: Scope): Promise<AuthContext | undefined> {
    const found = await inspect(inspectionDeps, reader, userId, scope, { all: false });
    if (found.obstacles.length > 0) return undefined;
    const { target, domain, above, groups, roles, providerIds } = found;
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
      enforcesScope: rules.enforceScope,
      validUntil: earlier(found.inactiveFrom, found.groupsUntil),
      userEpoch: user.epoch,
      userGeneration: user.epoch + user.domain_epoch,
      ...(user.kept_token === null ? {} : { keptToken: { auditId: user.kept_token, lag: user.kept_token_lag! } }),
    };
    const { userGeneration } = base;
    const userEndedAt = latest(user.tokens_ended_at, user.domain_tokens_ended_at);
    if (scope.kind === 'unscoped') {
      return {
        ...base,
        endedAt: userEndedAt,
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
      endedAt: latest(userEndedAt, target?.tokens_ended_at, domain?.tokens_ended_at),
      tags: [
        ...tags,
        ...[target?.id, domain?.id, ...above].flatMap((id) => (id ? [tagOf.project(id)] : [])),
        ...groups.map(tagOf.group),
        ...providerIds.map(tagOf.identityProvider),
      ],
    };
  }

  async function buildDelegated(
    reader: Reader,
    userId: string,
    scope: Scope,
    ref: DelegationRef,
  ): Promise<AuthContext | undefined> {
    const delegation = await delegations[ref.kind]?.(reader, ref.id);
    if (!delegation || (delegation.userId !== userId && delegation.usedBy !== userId)) return undefined;
    if (delegation.expiresAt !== null && delegation.expiresAt * 1000 <= clock.now()) return undefined;
    if (delegation.scope && !isSameScope(delegation.scope, scope)) return undefined;
    const giver = await buildOwn(reader, delegation.giverId, scope);
    const roles = giver && delegatedRoles(await graph(reader), giver, delegation);
    if (!roles) return undefined;
    const others: AuthContext[] = [];
    for (const id of new Set([delegation.userId, ...delegation.alsoActive])) {
      if (id === delegation.giverId) continue;
      const other = await buildOwn(reader, id, { kind: 'unscoped' });
      if (!other) return undefined;
      others.push(other);
    }
    const user = others.find((other) => other.user.id === delegation.userId) ?? giver;
    const ends = [giver, ...others]
      .map(({ validUntil }) => validUntil)
      .concat(delegation.expiresAt, delegation.readUntil ?? null);
    return {
      ...giver,
      user: user.user,
      userEpoch: user.userEpoch,
      userGeneration: user.userGeneration,
      roles,
      roleNames: new Set(roles.map(({ name }) => name)),
      // A change of any account that it depends on, or of its secret, ends the token.
      generation: others.reduce((sum, { userGeneration }) => sum + userGeneration, giver.generation + (delegation.epoch ?? 0)),
      endedAt: latest(giver.endedAt, delegation.endedAt, ...others.map((other) => other.endedAt)),
      validUntil: ends.reduce((first, end) => (end === null ? first : Math.min(first ?? end, end)), null),
      tags: [...new Set([...giver.tags, ...others.flatMap(({ tags }) => tags), ...delegation.tags])],
      delegation: { ...delegation, ...ref },
    };
  }

  const build = (reader: Reader, userId: string, scope: Scope, delegation?: DelegationRef): Promise<AuthContext | undefined> =>
    delegation ? buildDelegated(reader, userId, scope, delegation) : buildOwn(reader, userId, scope);

  return {
    cached: (key) => authContexts.get(key),
    read: (userId, scope, delegation) =>
      authContexts.load(authContextKey(userId, scope, delegation), () => build(db.read, userId, scope, delegation)),
    readIn: build,
    delegation: async ({ kind, id }) => delegations[kind]?.(db.read, id),
    expand: async (reader, roleIds) => expandRoles(await graph(reader), roleIds),
    inspect: (userId, scope) => inspect(inspectionDeps, db.read, userId, scope, { all: true }),
    grantsOf: readGrants,
    someGrantsOf: async (userId, filter) => someCountedGrants(await graph(db.read), db.read, userId, filter),
    organizationsOf: grantedOrganizations,
    roleGraph: () => graph(db.read),
  };
}
