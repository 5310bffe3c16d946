// A change of a user, and what it affects.
import { isDeepStrictEqual } from 'node:util';
import type { Static } from '../../../platform/http/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { extraOf, mergeOptions, parseJson } from '../../ground/resource/index.ts';
import type { PasswordOptions } from '../passwords/index.ts';
import { wrongAttributeIn } from './person-attributes.ts';
import { emailKeys, mainEmail, type Person, type Profile, sharedAfter, sharedOf, withMainEmail, withShared } from './profile.ts';
import { type UpdateUser, userFields } from './users.schema.ts';

export type UserChanges = Static<typeof UpdateUser>['user'];

/** A change of a user: fields of the base API, and the profile from provisioning clients. */
export interface UserRevision {
  readonly body: UserChanges;
  readonly person?: Person;
  /** Runs in the transaction, with the row locked and not yet written. What it ends is not ended by the change itself. */
  readonly beforeWrite?: ((transaction: Change) => Promise<void>) | undefined;
  /** More work in the same transaction. */
  readonly inTransaction?: ((transaction: Change) => Promise<void>) | undefined;
}

interface UserAttributes {
  readonly extra: Readonly<Record<string, unknown>>;
  readonly profile: Profile;
}

/** Provisioning clients repeat requests. An unchanged user keeps its version (RFC 7644, 3.5.2.1). */
export const changesNothing = (user: UserRow, { body, person, inTransaction }: UserRevision): boolean =>
  person !== undefined &&
  inTransaction === undefined &&
  Object.keys(body).length === 0 &&
  person.externalId === user.external_id &&
  isDeepStrictEqual(person.profile, parseJson(user.profile));

/** A provisioning client says of somebody who is disabled that they shall be, and changes nothing else. */
export const isDisabledAgain = (user: UserRow, { body: { enabled, ...body }, ...revision }: UserRevision): boolean =>
  enabled === false && user.enabled === 0 && changesNothing(user, { ...revision, body });

/** The base API has one e-mail address, the profile has many; parts of the name are in both. A change of one updates the other. */
export function attributesOf(stored: UserAttributes, body: UserChanges, person: Person | undefined): UserAttributes {
  // A link made here would let whoever has that account at the provider sign in as this user. Only an administrator who creates a user links it in advance.
  if (body.federated !== undefined && !(Array.isArray(body.federated) && body.federated.length === 0))
    fail('request.bad_value', {
      field: 'federated',
      why: 'users are linked when they are created, or when they sign in through a provider',
    });
  const wrong = person ? undefined : wrongAttributeIn(body, (name) => sharedOf(stored.profile)[name] ?? stored.extra[name]);
  if (wrong) fail('request.bad_value', wrong);
  const extra = { ...stored.extra, ...extraOf(body, userFields) };
  if (person)
    return {
      extra: { ...sharedAfter(extra, stored.profile, person.profile), email: mainEmail(person.profile) },
      profile: person.profile,
    };
  const profile = withShared(stored.profile, body);
  return { extra, profile: 'email' in body ? withMainEmail(profile, body.email) : profile };
}

/** Whether a change affects how the user signs in or recovers the account. All options of a user do. */
export function changesSignIn(user: UserRow, { body, person }: UserRevision): boolean {
  const stored = { extra: parseJson(user.extra), profile: parseJson<Profile>(user.profile) };
  const { profile } = attributesOf(stored, body, person);
  return (
    body.password !== undefined ||
    !isDeepStrictEqual(parseJson(mergeOptions(user.options, body.options)), parseJson(user.options)) ||
    (body.name?.trim() ?? user.name) !== user.name ||
    mainEmail(profile) !== mainEmail(stored.profile) ||
    !isDeepStrictEqual(new Set(emailKeys(profile)), new Set(emailKeys(stored.profile)))
  );
}

/** Whether the revision changes any of these attributes. Sending an attribute with its current value is no change. */
export function changesAny(user: UserRow, { body, person }: UserRevision, attributes: readonly string[]): boolean {
  if (attributes.length === 0) return false;
  if (body.password !== undefined && attributes.includes('password')) return true;
  const stored = { extra: parseJson<Record<string, unknown>>(user.extra), profile: parseJson<Profile>(user.profile) };
  const next = attributesOf(stored, body, person);
  if (person && !isDeepStrictEqual(next.profile, stored.profile)) return true;
  const before: Record<string, unknown> = { ...stored.extra, name: user.name, enabled: user.enabled === 1 };
  const after: Record<string, unknown> = {
    ...next.extra,
    name: body.name?.trim() ?? user.name,
    enabled: body.enabled ?? user.enabled === 1,
  };
  return attributes.some((name) => (after[name] ?? null) !== (before[name] ?? null));
}

/** In the queue for hashing, authenticated callers are identified by user instead of address. */
export const queueClientOf = (actor: Actor) => ({ key: `user ${actor.userId}` });

export const optionsOf = (options: unknown): PasswordOptions => (options ?? {}) as PasswordOptions;
