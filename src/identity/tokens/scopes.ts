// From the scope a login asks for to the context of the user in it.
import { type Access, type AuthContext, authContextKey, type Scope } from '../access/index.ts';
import type { Database } from '../database.ts';
import { refused } from '../logins/index.ts';
import { findByName } from '../projects/index.ts';
import type { AskedScope, ThingRef } from './auth.schema.ts';

/** A user as read before, or together with, what proved who they are. */
export interface CheckedUser {
  readonly id: string;
  readonly default_project_id: string | null;
  readonly epoch: number;
}

export interface Scopes {
  domainId(ref: ThingRef | undefined): Promise<string | undefined>;
  /** Of the user as they were when they were checked: refused when their password changed or the account was closed since. */
  authContextFor(user: CheckedUser, asked: AskedScope): Promise<AuthContext>;
}

export function createScopes({ db, access }: { db: Database; access: Access }): Scopes {
  async function domainId(ref: ThingRef | undefined): Promise<string | undefined> {
    if (ref?.id !== undefined) return ref.id;
    return ref?.name === undefined ? undefined : (await findByName(db.read, ref.name, null))?.id;
  }

  async function projectId({ id, name, domain }: ThingRef & { domain?: ThingRef | undefined }): Promise<string | undefined> {
    if (id !== undefined) return id;
    const within = await domainId(domain);
    return within === undefined || name === undefined ? undefined : (await findByName(db.read, name, within))?.id;
  }

  async function scopeOf(asked: AskedScope): Promise<Scope> {
    if (asked.kind === 'system') return { kind: 'system' };
    if (asked.kind === 'project' || asked.kind === 'domain') {
      const id = asked.kind === 'domain' ? await domainId(asked.ref) : await projectId(asked.ref);
      if (id === undefined) throw refused(`no such ${asked.kind}`);
      return { kind: asked.kind, id };
    }
    return { kind: 'unscoped' };
  }

  return {
    domainId,
    async authContextFor(user, asked) {
      const stands = (authContext: AuthContext | undefined): authContext is AuthContext => authContext?.userEpoch === user.epoch;
      const read = async (scope: Scope): Promise<AuthContext | undefined> => {
        const kept = access.cached(authContextKey(user.id, scope));
        // Another replica may have changed the user a moment ago: memory that disagrees is not asked.
        const authContext = stands(kept) ? kept : await access.read(user.id, scope);
        if (authContext && !stands(authContext)) throw refused('the user changed while they logged in');
        return authContext;
      };
      if (asked.kind === 'default' && user.default_project_id) {
        // A default project the user cannot use is ignored, not an error.
        const authContext = await read({ kind: 'project', id: user.default_project_id });
        if (authContext) return authContext;
      }
      const authContext = await read(await scopeOf(asked));
      if (!authContext) throw refused('user or scope disabled, or no role there');
      return authContext;
    },
  };
}
