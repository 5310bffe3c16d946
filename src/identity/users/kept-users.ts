// Users as they were last read: whoever asks about a user asks again. Every change of one drops them here, on every replica.
import type { Soon } from '../../platform/soon.ts';
import { TaggedCache } from '../../platform/tagged-cache.ts';
import { tagOf } from '../access/index.ts';
import type { Database } from '../database.ts';
import { findUser, type UserWithExpiry } from './users.store.ts';

const MAX_KEPT = 20_000;

/** A project that is deleted leaves the users whose default it was, a domain takes its users along. */
const tagsOf = (user: UserWithExpiry): string[] => [
  tagOf.user(user.id),
  tagOf.project(user.domain_id),
  ...(user.default_project_id === null ? [] : [tagOf.project(user.default_project_id)]),
  tagOf.everything,
];

export function createKeptUsers(db: Database) {
  const kept = new TaggedCache<{ readonly user: UserWithExpiry; readonly tags: readonly string[] }>(MAX_KEPT);
  db.feed.onChange((tags) => {
    for (const tag of tags ?? [undefined]) kept.drop(tag);
  });

  async function read(id: string): Promise<UserWithExpiry | undefined> {
    const entry = await kept.load(id, async () => {
      const user = await findUser(db.read, id);
      return user && { user, tags: tagsOf(user) };
    });
    return entry?.user;
  }

  return (id: string): Soon<UserWithExpiry | undefined> => (db.feed.live() ? kept.get(id)?.user : undefined) ?? read(id);
}
