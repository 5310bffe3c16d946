// What may happen to a user, and what follows from it.

import type { Query } from '../../platform/http/index.ts';
import { andThen, type MaybePromise } from '../../platform/maybe-promise.ts';
import {
  type Access,
  authContextKey,
  type Caller,
  type Facts,
  type FreshLogin,
  type IdentityTarget,
  type Shield,
  tagOf,
  targetOf,
} from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { UserRow } from '../database.ts';
import { fail } from '../faults.ts';
import type { Logins } from '../logins/index.ts';
import type { Passwords } from '../passwords/index.ts';
import type { Deps } from '../resource/index.ts';
import { createCreating } from './create.rules.ts';
import { createNames } from './names.rules.ts';
import { createOwnPasswords } from './own-password.rules.ts';
import { createReferenceChecks } from './references.ts';
import { createRevising } from './revise.rules.ts';
import type { UserChanges } from './revision.ts';
import { createUserCache } from './user-cache.ts';
import { pageOfUsers } from './users.lists.ts';
import { deleteUser, findUser, findUserByName, findUsersByName, type UserWithExpiry } from './users.store.ts';

export const userFacts = ({ id, domain_id }: UserRow): Facts => ({ domainId: domain_id, userId: id });

const targetOfUser = (id: string, user: UserWithExpiry | undefined): IdentityTarget<UserWithExpiry> =>
  targetOf(user, userFacts, () => fail('user.not_found', { id }));

/** `cutAccess`: what else ends with a user's tokens, within the same change. */
export function createUsers(
  deps: Pick<Deps, 'db' | 'clock' | 'change'> & {
    readonly passwords: Passwords;
    readonly access: Access;
    cutAccess(change: Change, userId: string): Promise<void>;
    shield: Shield;
    freshLogin: FreshLogin;
    logins: Logins;
  },
) {
  const { db, change, access, cutAccess, shield } = deps;
  const cachedUser = createUserCache(db);
  const names = createNames(db);
  const checks = createReferenceChecks(db);

  /** Enabled, not closed for lack of use, and of a domain that is open. */
  async function isOpen({ id, epoch }: UserRow): Promise<boolean> {
    const scope = { kind: 'unscoped' } as const;
    return access.cached(authContextKey(id, scope))?.userEpoch === epoch || (await access.read(id, scope)) !== undefined;
  }

  const { insert, create } = createCreating({ ...deps, names, checks });
  const revise = createRevising({ ...deps, names, checks });
  const { changePassword, replacePassword } = createOwnPasswords({ ...deps, isOpen });

  async function remove(caller: Caller, { id, domain_id }: UserRow): Promise<void> {
    await shield(db.read, caller, 'identity:delete_user', { userId: id });
    await change(caller, async (transaction) => {
      const { tx, audit, invalidate } = transaction;
      await shield(tx, caller, 'identity:delete_user', { userId: id });
      await cutAccess(transaction, id);
      await deleteUser(tx, id);
      invalidate(tagOf.user(id));
      invalidate(tagOf.census('users'));
      audit('user.deleted', { kind: 'user', id }, { domain_id });
    });
  }

  return {
    /** To look at: from memory, where the user is there. */
    shownTarget: (id: string): MaybePromise<IdentityTarget<UserWithExpiry>> =>
      andThen(cachedUser(id), (user) => targetOfUser(id, user)),
    /** To change, by what the user is now. */
    target: async (id: string): Promise<IdentityTarget<UserWithExpiry>> => targetOfUser(id, await findUser(db.read, id)),
    list: (caller: Caller, query: Query) => pageOfUsers(db, caller, query),
    create,
    insert,
    update: (caller: Caller, user: UserWithExpiry, body: UserChanges): Promise<UserWithExpiry> =>
      revise(caller, user, () => ({ body })),
    revise,
    remove,
    changePassword,
    replacePassword,
    isOpen,
    find: (id: string) => findUser(db.read, id),
    fillNameForms: names.fill,
    /** Users of this name in every domain. */
    findEverywhere: (name: string) => findUsersByName(db.read, name),
    findByName: (domainId: string, name: string) => findUserByName(db.read, domainId, name),
  };
}

export type Users = ReturnType<typeof createUsers>;
