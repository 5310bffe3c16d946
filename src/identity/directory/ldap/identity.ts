// Whose entry it is. An id can be given to another person (`cn`, `uid`); the identifiers that servers make themselves are not.
import type { UserInDirectory } from './directories.store.ts';
import type { DirectoryUser } from './entries.ts';
import { publicId } from './public-id.ts';

type StoredIdentity = Pick<UserInDirectory, 'local_id' | 'unique_id' | 'gone_at'>;
type Entry = Pick<DirectoryUser, 'localId' | 'uniqueIds'>;

/** Undefined when nothing tells: the directory shows no such identifier, or not the one it showed before. */
function isSameEntry({ local_id, unique_id }: StoredIdentity, { uniqueIds }: Entry): boolean | undefined {
  // The id is such an identifier itself.
  if (Object.values(uniqueIds).includes(local_id)) return true;
  if (unique_id === null) return undefined;
  const [attribute = '', ...rest] = unique_id.split('=');
  const now = uniqueIds[attribute];
  return now === undefined ? undefined : now === rest.join('=');
}

/** Whether the entry is that of this person: until the contrary is known, and for somebody who had left only if it is known. */
export const isEntryOf = (stored: StoredIdentity, entry: Entry): boolean =>
  stored.local_id === entry.localId && (isSameEntry(stored, entry) ?? stored.gone_at === null);

/** What to store: the attribute stays the same as long as the entry has it. */
export function uniqueIdOf({ uniqueIds }: Entry, before: string | null): string | null {
  const attribute = before?.split('=')[0];
  const [first] = Object.keys(uniqueIds);
  const chosen = attribute !== undefined && attribute in uniqueIds ? attribute : first;
  return chosen === undefined ? before : `${chosen}=${uniqueIds[chosen]}`;
}

export interface Identity {
  /** Also of those who have no row yet. */
  readonly id: string;
  readonly row: UserInDirectory | undefined;
  /** Who had the id until now, and is somebody else. */
  readonly former: UserInDirectory | undefined;
}

/**
 * `rows`: all people who have or had the id of the entry. The first of them has the id that Keystone gives. Somebody else gets another one:
 * services and applications know people by it.
 */
export function identify(domainId: string, rows: readonly UserInDirectory[], user: Entry): Identity {
  const row = rows.find((one) => isEntryOf(one, user));
  const former = rows.find((one) => one.gone_at === null && one !== row);
  if (row) return { id: row.id, row, former };
  if (rows.length === 0) return { id: publicId(domainId, 'user', user.localId), row, former };
  const left = Math.max(...rows.map(({ gone_at, seen_at }) => gone_at ?? seen_at));
  return { id: publicId(domainId, 'user', JSON.stringify([user.localId, uniqueIdOf(user, null) ?? left])), row, former };
}
