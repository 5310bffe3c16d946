// How a person is shown to others: on pages, in mails and to applications.
import type { UserRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import type { Profile } from './profile.ts';

const text = (value: unknown): string | undefined => (typeof value === 'string' && value.trim() !== '' ? value : undefined);

/** The display name, which people choose for this; else the whole name, and the user name of those who have none. */
export function displayNameOf({ name, profile }: Pick<UserRow, 'name' | 'profile'>): string {
  const { displayName, name: parts = {} } = parseJson<Profile>(profile);
  const { formatted, givenName, familyName } = parts as Readonly<Record<string, unknown>>;
  const both = [givenName, familyName].flatMap((part) => text(part) ?? []).join(' ');
  return text(displayName) ?? text(formatted) ?? text(both) ?? name;
}
