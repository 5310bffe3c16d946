// What is known of a person: their name, address, language and time zone.

import { displayNameOf, type Profile, type UserWithExpiry } from '../../directory/users/index.ts';
import type { Reader } from '../../ground/look/index.ts';
import { parseJson } from '../../ground/resource/index.ts';

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** The language and time zone of a person, from their profile. */
export function readerOf(user: Pick<UserWithExpiry, 'profile'>): Reader {
  const { preferredLanguage, locale, timezone } = parseJson<Profile>(user.profile);
  const languages = [textOf(preferredLanguage), textOf(locale)].filter((tag) => tag !== undefined);
  return { languages, zone: textOf(timezone) };
}

export function namesOf(user: UserWithExpiry): { readonly name: string; readonly email: string | undefined } {
  const { email } = parseJson<{ email?: unknown }>(user.extra);
  return { name: displayNameOf(user), email: textOf(email) };
}
