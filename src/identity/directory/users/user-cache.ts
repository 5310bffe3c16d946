// Cache of users by id.
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import { tagOf } from '../../access/context/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { accountsAtProviders, findUser, type UserWithExpiry } from './users.store.ts';

/** Deleting a project changes the users whose default it was; deleting a domain deletes its users. */
const tagsOf = (user: UserWithExpiry): string[] => [
  tagOf.user(user.id),
  tagOf.project(user.domain_id),
  ...(user.default_project_id === null ? [] : [tagOf.project(user.default_project_id)]),
  tagOf.everything,
];

export function createUserCache(db: Database) {
  const users = db.cached<UserWithExpiry>({ name: 'users', limit: 20_000, tags: tagsOf });
  return (id: string): MaybePromise<UserWithExpiry | undefined> =>
    users.getOrLoad(id, async () => {
      const user = await findUser(db.read, id);
      return user && { ...user, federated: await accountsAtProviders(db.read, id) };
    });
}
