// The values of a row for an entry of a directory, and whether a row has to be updated.
import { isDeepStrictEqual } from 'node:util';
import type { GroupRow, UserRow } from '../../ground/database/index.ts';
import { bit, parseJson } from '../../ground/resource/index.ts';
import { nameKey, type Profile, withMainEmail } from '../users/index.ts';
import type { GroupInDirectory, UserInDirectory } from './directories.store.ts';
import type { DirectoryGroup, DirectoryUser } from './entries.ts';
import { uniqueIdOf } from './identity.ts';

type Extra = Readonly<Record<string, unknown>>;
export type UserValues = Pick<UserRow, 'name' | 'name_key' | 'enabled' | 'default_project_id' | 'extra' | 'profile'>;
export type GroupValues = Pick<GroupRow, 'name' | 'description' | 'extra'>;

/** Replaces the attributes from the directory, and keeps the others. */
function extraWith(kept: Extra, said: Extra, mapped: readonly string[]): string {
  const own = Object.entries(kept).filter(([key]) => !mapped.includes(key));
  return JSON.stringify({ ...Object.fromEntries(own), ...said });
}

export function userValues(
  user: DirectoryUser,
  row: Pick<UserRow, 'extra' | 'profile' | 'default_project_id'> | undefined,
  mapped: readonly string[],
): UserValues {
  const kept = parseJson<Extra>(row?.extra ?? '{}');
  const said = {
    ...user.extra,
    ...(user.email === null ? {} : { email: user.email }),
    ...(user.description === null ? {} : { description: user.description }),
  };
  return {
    name: user.name,
    name_key: nameKey(user.name),
    enabled: bit(user.enabled),
    default_project_id: user.defaultProjectId === undefined ? (row?.default_project_id ?? null) : user.defaultProjectId,
    extra: extraWith(kept, said, [...mapped, 'email', 'description']),
    profile: JSON.stringify(withMainEmail(parseJson<Profile>(row?.profile ?? '{}'), user.email)),
  };
}

export const groupValues = (
  group: DirectoryGroup,
  row: Pick<GroupRow, 'extra'> | undefined,
  mapped: readonly string[],
): GroupValues => ({
  name: group.name,
  description: group.description,
  extra: extraWith(parseJson<Extra>(row?.extra ?? '{}'), group.extra, mapped),
});

const sameJson = (a: string, b: string): boolean => a === b || isDeepStrictEqual(parseJson(a), parseJson(b));

/** What of these values the row does not have yet. */
export function changedValues<V extends object>(row: V, values: V): Partial<V> {
  const changed = Object.entries(values).filter(([key, shall]) => {
    const is = row[key as keyof V];
    return key === 'extra' || key === 'profile' ? !sameJson(is as string, shall) : is !== shall;
  });
  return Object.fromEntries(changed) as Partial<V>;
}

const isUnchanged = <V extends object>(row: V, values: V): boolean => Object.keys(changedValues(row, values)).length === 0;

export const isUserCurrent = (row: UserInDirectory, user: DirectoryUser, mapped: readonly string[]): boolean =>
  row.gone_at === null &&
  row.dn === user.dn &&
  row.unique_id === uniqueIdOf(user, row.unique_id) &&
  row.password_changed === user.passwordChanged &&
  isUnchanged<UserValues>(row, userValues(user, row, mapped));

export const isGroupCurrent = (row: GroupInDirectory, group: DirectoryGroup, mapped: readonly string[]): boolean =>
  row.gone_at === null && row.dn === group.dn && isUnchanged<GroupValues>(row, groupValues(group, row, mapped));
