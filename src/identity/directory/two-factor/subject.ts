// The user whose second factor a request concerns. Only administrators learn whether a user exists.
import type { Query } from '../../../platform/http/index.ts';
import { type Caller, type FreshLogin, type IdentityTarget, targetOf } from '../../access/rules/index.ts';
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, single } from '../../ground/resource/index.ts';
import { findByName } from '../projects/index.ts';
import type { Users, UserWithExpiry } from '../users/index.ts';

export function createSubject({ db, users, freshLogin }: Pick<Deps, 'db'> & { readonly users: Users; freshLogin: FreshLogin }) {
  const userTarget = (user: UserWithExpiry | undefined, reference: string): IdentityTarget<UserWithExpiry> =>
    targetOf(
      user,
      ({ id }) => ({ userId: id }),
      () => fail('user.not_found', { id: reference }),
    );

  return {
    target: async (id: string): Promise<IdentityTarget<UserWithExpiry>> => userTarget(await users.find(id), id),

    /** By `user_id`, or by `user_name` with a domain. */
    async queryTarget(query: Query): Promise<IdentityTarget<UserWithExpiry>> {
      const [id, name] = [single(query, 'user_id'), single(query, 'user_name')];
      if (id) return userTarget(await users.find(id), id);
      const [domainId, domainName] = [single(query, 'domain_id'), single(query, 'domain_name')];
      if (!name)
        fail('request.bad_value', { field: 'user_id', why: 'user_id, or user_name with domain_id or domain_name, is required' });
      if (!domainId && !domainName)
        fail('request.bad_value', { field: 'domain_id', why: 'user_name needs domain_id or domain_name' });
      const inDomain = domainId || (await findByName(db.read, domainName!, null))?.id;
      return userTarget(inDomain ? await users.findByName(inDomain, name) : undefined, name);
    },

    /** For changes of how a user signs in. Needs a recent login, and fails when the account changed since the token was verified. */
    toChange: (caller: Caller, { id }: UserWithExpiry): Promise<Actor> => freshLogin.toChange(caller, id),
    /** For what only takes a way in away. */
    toRemove: (caller: Caller, { id }: UserWithExpiry): Promise<Actor> => freshLogin.toRemove(caller, id),
  };
}

export type Subject = ReturnType<typeof createSubject>;

/** Adds a parsed part of the request to the target. It is parsed first, so that errors in it do not depend on whether the user exists. */
export const withParsed = <Thing, Read>(
  read: Read,
  { facts, get }: IdentityTarget<Thing>,
): IdentityTarget<{ readonly user: Thing; readonly read: Read }> => ({ facts, get: () => ({ user: get(), read }) });
