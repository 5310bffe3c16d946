// What is known of a person beside the account: the attributes of the SCIM schema, and the one e-mail address of the base API.
import { nameKey } from './users.store.ts';

/** Attributes by their SCIM names; those with a column of their own (userName, active, externalId) are not in it. */
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

/** The base API changed its one address: the main one of the profile follows, the others stay. */
export function withMainEmail(profile: Profile, value: string | null | undefined): Profile {
  const emails = emailsOf(profile);
  const main = emails.find(isMain) ?? emails[0];
  const others = emails.filter((email) => email !== main);
  const { emails: _, ...rest } = profile;
  const now = value ? [{ ...main, value, primary: true }, ...others] : others;
  return now.length > 0 ? { ...rest, emails: now } : rest;
}

/** What a person is found by, as it is compared. */
export const emailKeys = (profile: Profile): string[] => [
  ...new Set(emailsOf(profile).flatMap(({ value }) => (typeof value === 'string' && value !== '' ? [nameKey(value)] : []))),
];
