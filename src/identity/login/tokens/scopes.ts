// Resolves the scope of a login request to the AuthContext of the user.
import { type Access, type AuthContext, authContextKey, type DelegationRef, type Scope } from '../../access/context/index.ts';
import { loginRefused } from '../../directory/logins/index.ts';
import { findByName } from '../../directory/projects/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { fault } from '../../ground/faults.ts';
import type { RequestedScope, ResourceRef } from './auth.schema.ts';

/** A user, read no later than the credentials that were verified. */
export interface CheckedUser {
  readonly id: string;
  readonly default_project_id: string | null;
  readonly epoch: number;
}

export interface Scopes {
  domainId(ref: ResourceRef | undefined): Promise<string | undefined>;
  /** Fails when the password changed or the account was disabled since the user was read. */
  authContextFor(user: CheckedUser, requested: RequestedScope): Promise<AuthContext>;
  /** The same by a delegation. One for a single scope decides it; a request that names a scope is refused. */
  delegatedContext(ref: DelegationRef, requested: RequestedScope): Promise<AuthContext>;
}

export function createScopes({ db, access }: { db: Database; access: Access }): Scopes {
  async function domainId(ref: ResourceRef | undefined): Promise<string | undefined> {
    if (ref?.id !== undefined) return ref.id;
    return ref?.name === undefined ? undefined : (await findByName(db.read, ref.name, null))?.id;
  }

  async function projectId({
    id,
    name,
    domain,
  }: ResourceRef & { domain?: ResourceRef | undefined }): Promise<string | undefined> {
    if (id !== undefined) return id;
    const parentId = await domainId(domain);
    return parentId === undefined || name === undefined ? undefined : (await findByName(db.read, name, parentId))?.id;
  }

  async function scopeOf(requested: RequestedScope): Promise<Scope> {
    // A trust is no scope of the user's own (auth.rules.ts).
    if (requested.kind === 'trust') throw loginRefused('a trust where none can be used');
    if (requested.kind === 'system') return { kind: 'system' };
    if (requested.kind === 'project' || requested.kind === 'domain') {
      const id = requested.kind === 'domain' ? await domainId(requested.ref) : await projectId(requested.ref);
      if (id === undefined) throw loginRefused(`no such ${requested.kind}`);
      return { kind: requested.kind, id };
    }
    return { kind: 'unscoped' };
  }

  return {
    domainId,
    async delegatedContext(ref, requested) {
      const delegation = await access.delegation(ref);
      if (!delegation) throw loginRefused('the delegation has ended');
      if (delegation.scope && requested.kind !== 'default') throw loginRefused('a scope was named beside that of the delegation');
      // Not from the cache: another replica may just have ended it.
      const authContext = await access.read(delegation.userId, delegation.scope ?? (await scopeOf(requested)), ref);
      // As Keystone, and the trustee learns that it is not the password.
      if (!authContext && ref.kind === 'trust') throw fault('trust.gives_nothing');
      if (!authContext) throw loginRefused('the delegation has ended, or what it passed on');
      return authContext;
    },
    async authContextFor(user, requested) {
      const isCurrent = (authContext: AuthContext | undefined): authContext is AuthContext =>
        authContext?.userEpoch === user.epoch;
      const read = async (scope: Scope): Promise<AuthContext | undefined> => {
        const cached = access.cached(authContextKey(user.id, scope));
        // Another replica may just have changed the user, so a cached context of another epoch is not used.
        const authContext = isCurrent(cached) ? cached : await access.read(user.id, scope);
        if (authContext && !isCurrent(authContext)) throw loginRefused('the user changed while they logged in');
        return authContext;
      };
      if (requested.kind === 'default' && user.default_project_id) {
        // A default project the user cannot use is ignored, not an error.
        const authContext = await read({ kind: 'project', id: user.default_project_id });
        if (authContext) return authContext;
      }
      const authContext = await read(await scopeOf(requested));
      if (!authContext) throw loginRefused('user or scope disabled, or no role there');
      return authContext;
    },
  };
}
