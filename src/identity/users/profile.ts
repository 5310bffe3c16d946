// The profile of a user: the attributes of the SCIM schema, and the e-mail address of the base API.
import { nameKey } from './name-key.ts';

/** Attributes by their SCIM names, without those that have their own column (userName, active, externalId). */
export type Profile = Readonly<Record<string, unknown>>;

export interface Person {
  readonly externalId: string | null;
  readonly profile: Profile;
}

interface Email {
  readonly value?: unknown;
  readonly primary?: unknown;
}

const emailsOf = (profile: Profile): readonly Email[] => (Array.isArray(profile.emails) ? profile.emails : []);

const isMain = (email: Email): boolean => email.primary === true;

/** The address the base API shows: the primary one, else the first. */
export function mainEmail(profile: Profile): string | undefined {
  const emails = emailsOf(profile);
  const { value } = emails.find(isMain) ?? emails[0] ?? {};
  return typeof value === 'string' ? value : undefined;
}

/** Sets the main address of the profile to the address of the base API. The others stay. */
export function withMainEmail(profile: Profile, value: string | null | undefined): Profile {
  const emails = emailsOf(profile);
  const main = emails.find(isMain) ?? emails[0];
  const others = emails.filter((email) => email !== main);
  const { emails: _, ...rest } = profile;
  const now = value ? [{ ...main, value, primary: true }, ...others] : others;
  return now.length > 0 ? { ...rest, emails: now } : rest;
}

/** Normalized addresses, by which users are found. */
export const emailKeys = (profile: Profile): string[] => [
  ...new Set(emailsOf(profile).flatMap(({ value }) => (typeof value === 'string' && value !== '' ? [nameKey(value)] : []))),
];
