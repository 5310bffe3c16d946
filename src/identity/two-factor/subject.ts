// Whose second factor a request is about. Nobody but an administrator learns whether a user exists by asking about it.
import type { Query } from '../../platform/http/index.ts';
import { asChecked, type Caller, type FreshLogin, type IdentityTarget, targetOf } from '../access/index.ts';
import type { Actor } from '../audit/index.ts';
import { fail } from '../faults.ts';
import { findByName } from '../projects/index.ts';
import { type Deps, single } from '../resource/index.ts';
import type { Users, UserWithExpiry } from '../users/index.ts';

export function createSubject({ db, users, freshLogin }: Pick<Deps, 'db'> & { readonly users: Users; freshLogin: FreshLogin }) {
  const about = (user: UserWithExpiry | undefined, asked: string): IdentityTarget<UserWithExpiry> =>
    targetOf(
      user,
      ({ id }) => ({ userId: id }),
      () => fail('user.not_found', { id: asked }),
    );

  return {
    target: async (id: string): Promise<IdentityTarget<UserWithExpiry>> => about(await users.find(id), id),

    /** By `user_id`, or by `user_name` with a domain. */
    async queryTarget(query: Query): Promise<IdentityTarget<UserWithExpiry>> {
      const [id, name] = [single(query, 'user_id'), single(query, 'user_name')];
      if (id) return about(await users.find(id), id);
      const [domainId, domainName] = [single(query, 'domain_id'), single(query, 'domain_name')];
      if (!name)
        fail('request.bad_value', { field: 'user_id', why: 'user_id, or user_name with domain_id or domain_name, is required' });
      if (!domainId && !domainName)
        fail('request.bad_value', { field: 'domain_id', why: 'user_name needs domain_id or domain_name' });
      const within = domainId || (await findByName(db.read, domainName!, null))?.id;
      return about(within ? await users.findByName(within, name) : undefined, name);
    },

    /** For changes of how they sign in: after a login of late, and bound to the state in which the caller was checked. */
    toChange(caller: Caller, user: UserWithExpiry): Actor {
      freshLogin.require(caller, user.id);
      return asChecked(caller, user.id);
    },
  };
}

export type Subject = ReturnType<typeof createSubject>;

/** What was read of a request beside whom it is about: what is wrong with it is said before whether they exist. */
export const reading = <Thing, Read>(
  read: Read,
  { facts, get }: IdentityTarget<Thing>,
): IdentityTarget<{ readonly user: Thing; readonly read: Read }> => ({ facts, get: () => ({ user: get(), read }) });
