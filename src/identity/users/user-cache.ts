// Users from memory: whoever asks about a user asks again.
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { tagOf } from '../access/index.ts';
import type { Database } from '../database.ts';
import { findUser, type UserWithExpiry } from './users.store.ts';

/** A project that is deleted leaves the users whose default it was, a domain takes its users along. */
const tagsOf = (user: UserWithExpiry): string[] => [
  tagOf.user(user.id),
  tagOf.project(user.domain_id),
  ...(user.default_project_id === null ? [] : [tagOf.project(user.default_project_id)]),
  tagOf.everything,
];

export function createUserCache(db: Database) {
  const users = db.cached<UserWithExpiry>({ name: 'users', limit: 20_000, tags: tagsOf });
  return (id: string): MaybePromise<UserWithExpiry | undefined> => users.getOrLoad(id, () => findUser(db.read, id));
}
