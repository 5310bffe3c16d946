// What a change of a user comes to.
import { isDeepStrictEqual } from 'node:util';
import type { Static } from '../../platform/http/index.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { UserRow } from '../database.ts';
import type { PasswordOptions } from '../passwords/index.ts';
import { extraOf, mergeOptions, parsed } from '../resource/index.ts';
import { emailKeys, mainEmail, type Person, type Profile, withMainEmail } from './profile.ts';
import { type UpdateUser, userFields } from './users.schema.ts';

export type UserChanges = Static<typeof UpdateUser>['user'];

/** A change of a user: of what the base API shows, and of the person behind the account where provisioning says so. */
export interface UserRevision {
  readonly body: UserChanges;
  readonly person?: Person;
  /** What else belongs to the change, in the same transaction. */
  readonly also?: ((transaction: Change) => Promise<void>) | undefined;
}

interface Attributes {
  readonly extra: Readonly<Record<string, unknown>>;
  readonly profile: Profile;
}

/** Clients that provision repeat themselves: what is as they want it stays as it is, its version too (RFC 7644, 3.5.2.1). */
export const changesNothing = (user: UserRow, { body, person, also }: UserRevision): boolean =>
  person !== undefined &&
  also === undefined &&
  Object.keys(body).length === 0 &&
  person.externalId === user.external_id &&
  isDeepStrictEqual(person.profile, parsed(user.profile));

/** The base API has one e-mail address, the profile many: whoever writes one side writes the other. */
export function attributesOf(kept: Attributes, body: UserChanges, person: Person | undefined): Attributes {
  const extra = { ...kept.extra, ...extraOf(body, userFields) };
  if (person) return { extra: { ...extra, email: mainEmail(person.profile) }, profile: person.profile };
  return { extra, profile: 'email' in body ? withMainEmail(kept.profile, body.email) : kept.profile };
}

/** Whether someone would sign in, or get back in, by something else than before. Every option of a user is about that. */
export function changesSignIn(user: UserRow, { body, person }: UserRevision): boolean {
  const kept = { extra: parsed(user.extra), profile: parsed<Profile>(user.profile) };
  const { profile } = attributesOf(kept, body, person);
  return (
    body.password !== undefined ||
    !isDeepStrictEqual(parsed(mergeOptions(user.options, body.options)), parsed(user.options)) ||
    (body.name?.trim() ?? user.name) !== user.name ||
    mainEmail(profile) !== mainEmail(kept.profile) ||
    !isDeepStrictEqual(new Set(emailKeys(profile)), new Set(emailKeys(kept.profile)))
  );
}

/** Those who are known take turns by who they are, wherever they are. */
export const placeOf = (actor: Actor) => ({ key: `user ${actor.userId}` });

export const optionsOf = (options: unknown): PasswordOptions => (options ?? {}) as PasswordOptions;
