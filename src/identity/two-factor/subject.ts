// Whose second factor a request is about, and whether the caller may touch it: administrators, and everyone their own.
import type { Query } from '../../platform/http/index.ts';
import type { Actor } from '../audit/index.ts';
import { asChecked, type Caller } from '../caller.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { single } from '../lists.ts';
import { isAdministrator, isInPerson } from '../policy.ts';
import { findByName } from '../projects/index.ts';
import type { FreshLogin } from '../tokens/index.ts';
import type { UserWithExpiry } from '../users/index.ts';

export function createSubject({ db, users, freshLogin }: Pick<Deps, 'db' | 'users'> & { freshLogin: FreshLogin }) {
  /** Nobody but an administrator learns whether a user exists by asking about their second factor. */
  function permitted(caller: Caller, action: string, user: UserWithExpiry | undefined, asked: string): UserWithExpiry {
    const own = user?.id === caller.userId && isInPerson(caller);
    if (!isAdministrator(caller) && !own) fail('auth.forbidden', { action });
    return user ?? fail('user.not_found', { id: asked });
  }

  return {
    /** For changes of how they sign in; who makes them is bound to the state in which they were checked. */
    async toChange(caller: Caller, action: string, id: string): Promise<{ user: UserWithExpiry; by: Actor }> {
      const user = permitted(caller, action, await users.find(id), id);
      freshLogin.require(caller, user.id);
      return { user, by: asChecked(caller, user.id) };
    },

    async byId(caller: Caller, action: string, id: string): Promise<UserWithExpiry> {
      return permitted(caller, action, await users.find(id), id);
    },

    /** By `user_id`, or by `user_name` with a domain. */
    async byQuery(caller: Caller, action: string, query: Query): Promise<UserWithExpiry> {
      const [id, name] = [single(query, 'user_id'), single(query, 'user_name')];
      if (id) return permitted(caller, action, await users.find(id), id);
      const [domainId, domainName] = [single(query, 'domain_id'), single(query, 'domain_name')];
      if (!name)
        fail('request.bad_value', { field: 'user_id', why: 'user_id, or user_name with domain_id or domain_name, is required' });
      if (!domainId && !domainName)
        fail('request.bad_value', { field: 'domain_id', why: 'user_name needs domain_id or domain_name' });
      const within = domainId || (await findByName(db.read, domainName!, null))?.id;
      return permitted(caller, action, within ? await users.findByName(within, name) : undefined, name);
    },
  };
}

export type Subject = ReturnType<typeof createSubject>;
