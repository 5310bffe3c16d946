// The profile of a user: the attributes of the SCIM schema, and those of the base API that mean the same.
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

type Attributes = Readonly<Record<string, unknown>>;

/** Attributes of a user in the base API that are in the profile, too: by the names of OpenID's claims where it has one, with their place in the profile. */
const SHARED = {
  given_name: ['name', 'givenName'],
  family_name: ['name', 'familyName'],
  middle_name: ['name', 'middleName'],
  nickname: ['nickName'],
  language: ['preferredLanguage'],
  locale: ['locale'],
  zoneinfo: ['timezone'],
} as const satisfies Readonly<Record<string, readonly [string] | readonly [string, string]>>;
type SharedAttribute = keyof typeof SHARED;
const SHARED_NAMES = Object.keys(SHARED) as SharedAttribute[];

const partsOf = (profile: Profile): Attributes =>
  typeof profile.name === 'object' && profile.name !== null ? (profile.name as Attributes) : {};

const sharedIn = (profile: Profile, name: SharedAttribute): unknown => {
  const [outer, inner] = SHARED[name];
  return inner === undefined ? profile[outer] : partsOf(profile)[inner];
};

/** Unassigned attributes are not stored. */
const assigned = (values: Attributes): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== '' && value !== undefined && value !== null));

const FORMATTED = ['givenName', 'familyName'];

/** With these parts of the name; an empty one is removed. The formatted name follows: it would still be the old one. */
export function withNameParts(profile: Profile, changes: Attributes): Profile {
  const before = partsOf(profile);
  const parts: Attributes = { ...before, ...changes };
  const isRenamed = FORMATTED.some((part) => (parts[part] || undefined) !== before[part]);
  const formatted = isRenamed ? FORMATTED.flatMap((part) => parts[part] || []).join(' ') : before.formatted;
  const name = assigned({ ...parts, formatted });
  return assigned({ ...profile, name: Object.keys(name).length > 0 ? name : undefined });
}

/** With what a request of the base API says of them; null removes one. What is no text is kept by the base API only. */
export function withShared(profile: Profile, body: Attributes): Profile {
  const names = SHARED_NAMES.filter((name) => typeof body[name] === 'string' || body[name] === null);
  if (names.length === 0) return profile;
  const [outer, parts]: [Record<string, unknown>, Record<string, unknown>] = [{}, {}];
  for (const name of names) {
    const [first, part] = SHARED[name];
    if (part === undefined) outer[first] = body[name];
    else parts[part] = body[name];
  }
  return withNameParts(assigned({ ...profile, ...outer }), parts);
}

/** Those that the profile has, for the base API. What earlier versions stored is in the profile only. */
export function sharedOf(profile: Profile): Attributes {
  return assigned(Object.fromEntries(SHARED_NAMES.map((name) => [name, sharedIn(profile, name)])));
}

/** The attributes of the base API after a change of the profile. */
export function sharedAfter(extra: Attributes, before: Profile, after: Profile): Attributes {
  const changed = SHARED_NAMES.filter((name) => sharedIn(before, name) !== sharedIn(after, name));
  return changed.length === 0 ? extra : { ...extra, ...Object.fromEntries(changed.map((name) => [name, sharedIn(after, name)])) };
}

/** One of them, as text. Users of earlier versions have some in the base API only. */
export function sharedText(name: SharedAttribute, { extra, profile }: { readonly extra: Attributes; readonly profile: Profile }) {
  return [sharedIn(profile, name), extra[name]].find((value) => typeof value === 'string' && value !== '') as string | undefined;
}
