// What may happen to a user, and what follows from it.
import { isDeepStrictEqual } from 'node:util';
import { seconds } from '../../platform/clock.ts';
import type { Query, Static } from '../../platform/http/index.ts';
import { newId } from '../../platform/ids.ts';
import { addressKey } from '../../platform/limits/index.ts';
import { andThen, type Soon } from '../../platform/soon.ts';
import { findProject, tagOf, viewKey } from '../access/index.ts';
import { bit, extraOf, mergeOptions, parsed } from '../attributes.ts';
import type { Actor, Change } from '../audit/index.ts';
import type { Caller } from '../caller.ts';
import { unlessMoved, unlessTaken } from '../conflicts.ts';
import type { Database, Reader, UserRow } from '../database.ts';
import type { Deps } from '../deps.ts';
import { fail } from '../faults.ts';
import { criteriaOf, type Filters, only, pageOf, single, type Wanted } from '../lists.ts';
import type { Guesser, NewPassword, PasswordOptions } from '../passwords/index.ts';
import { type Facts, listTarget, permit, visibleDomain } from '../policy.ts';
import type { Shield } from '../shield.ts';
import type { Attempt, FreshLogin, Logins } from '../tokens/index.ts';
import { createNames } from './names.rules.ts';
import { emailKeys, mainEmail, type Person, type Profile, withMainEmail } from './profile.ts';
import { createUserCache } from './user-cache.ts';
import { type CreateUser, type UpdateUser, userFields } from './users.schema.ts';
import {
  deleteUser,
  type ExpiryCriterion,
  endTokensOfUser,
  findUser,
  findUserByName,
  findUsersByName,
  insertUser,
  listUsers,
  lockUser,
  nameKey,
  replaceEmails,
  type UserWithExpiry,
  updateUser,
} from './users.store.ts';

type NewUser = Static<typeof CreateUser>['user'];
type UserChanges = Static<typeof UpdateUser>['user'];

/** A change of a user: of what the base API shows, and of the person behind the account where provisioning says so. */
export interface UserRevision {
  readonly body: UserChanges;
  readonly person?: Person;
  /** What else belongs to the change, in the same transaction. */
  readonly also?: ((inside: Change) => Promise<void>) | undefined;
}

interface Attributes {
  readonly extra: Readonly<Record<string, unknown>>;
  readonly profile: Profile;
}

/** Clients that provision repeat themselves: what is as they want it stays as it is, its version too (RFC 7644, 3.5.2.1). */
const changesNothing = (user: UserRow, { body, person, also }: UserRevision): boolean =>
  person !== undefined &&
  also === undefined &&
  Object.keys(body).length === 0 &&
  person.externalId === user.external_id &&
  isDeepStrictEqual(person.profile, parsed(user.profile));

/** The base API has one e-mail address, the profile many: whoever writes one side writes the other. */
function attributesOf(kept: Attributes, body: UserChanges, person: Person | undefined): Attributes {
  const extra = { ...kept.extra, ...extraOf(body, userFields) };
  if (person) return { extra: { ...extra, email: mainEmail(person.profile) }, profile: person.profile };
  return { extra, profile: 'email' in body ? withMainEmail(kept.profile, body.email) : kept.profile };
}

/** Whether someone would sign in, or get back in, by something else than before. Every option of a user is about that. */
function changesSignIn(user: UserRow, { body, person }: UserRevision): boolean {
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

const filters: Filters = {
  name: { column: 'users.name', kind: 'text' },
  domain_id: { column: 'users.domain_id', kind: 'text' },
  enabled: { column: 'users.enabled', kind: 'flag' },
  default_project_id: { column: 'users.default_project_id', kind: 'text' },
};

const COMPARISONS = { lt: '<', lte: '<=', gt: '>', gte: '>=', eq: '=', neq: '<>' } as const;

/** `password_expires_at=lt:2026-12-08T22:02:00Z` */
function expiryOf(query: Query): ExpiryCriterion | undefined {
  const text = single(query, 'password_expires_at');
  if (text === undefined) return undefined;
  const [, operator, time] = /^(?:(lte?|gte?|eq|neq):)?(.+)$/.exec(text) ?? [];
  const at = Date.parse(time ?? '');
  if (Number.isNaN(at))
    fail('request.bad_value', {
      field: 'password_expires_at',
      why: 'it must be an operator and a time, as lt:2026-12-08T22:02:00Z',
    });
  return { comparison: COMPARISONS[(operator ?? 'eq') as keyof typeof COMPARISONS], at: Math.floor(at / 1000) };
}

/** What was asked for, within what the caller may see. */
const wantedUsers = (caller: Caller, query: Query): Wanted => ({
  criteria: criteriaOf(query, filters),
  visible: only('users.domain_id', visibleDomain(caller)),
});

/** The members of a group, filtered and paged as users are; who may ask was decided by whoever calls. */
export async function listMembers(db: Database, caller: Caller, groupId: string, query: Query) {
  const page = await listUsers(db, pageOf(query), wantedUsers(caller, query), { groupId, expires: expiryOf(query) });
  return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
}

export const userTarget = (user: UserWithExpiry | undefined): Facts =>
  user ? { domainId: user.domain_id, userId: user.id } : {};

/** The domain that a new user belongs to. */
export const domainOfNew = (caller: Caller, asked: string | undefined): string => asked ?? visibleDomain(caller) ?? 'default';

/** `cutAccess`: what else ends with a user's tokens, within the same change. */
export function createUsers(
  deps: Pick<Deps, 'db' | 'clock' | 'change' | 'passwords' | 'access'> & {
    cutAccess(change: Change, userId: string): Promise<void>;
    shield: Shield;
    freshLogin: FreshLogin;
    logins: Logins;
  },
) {
  const { db, clock, change, passwords, access, cutAccess, shield, freshLogin, logins } = deps;
  const cachedUser = createUserCache(db);
  const names = createNames(db);

  async function checkDomain(id: string): Promise<void> {
    const domain = await findProject(db.read, id);
    if (!domain?.is_domain) fail('domain.not_found', { id });
  }

  async function checkDefaultProject(id: string | null | undefined): Promise<void> {
    const project = id ? await findProject(db.read, id) : undefined;
    if (project?.is_domain)
      fail('request.bad_value', { field: 'default_project_id', why: 'a domain cannot be the default project of a user' });
  }

  async function reread(id: string): Promise<UserWithExpiry> {
    return (await findUser(db.read, id)) ?? fail('user.not_found', { id });
  }

  /** Enabled, not closed for lack of use, and of a domain that is open. */
  async function isOpen({ id, epoch }: UserRow): Promise<boolean> {
    const scope = { kind: 'unscoped' } as const;
    return access.cached(viewKey(id, scope))?.userEpoch === epoch || (await access.read(id, scope)) !== undefined;
  }

  function get(caller: Caller, id: string): Soon<UserWithExpiry> {
    return andThen(cachedUser(id), (user) => {
      // Whoever may not read it asks about themselves at most: an id that is not theirs is simply not allowed.
      permit(caller, 'identity:get_user', user ? userTarget(user) : {});
      return user ?? fail('user.not_found', { id });
    });
  }

  async function list(caller: Caller, query: Query) {
    permit(caller, 'identity:list_users', listTarget(caller));
    const page = await listUsers(db, pageOf(query), wantedUsers(caller, query), { expires: expiryOf(query) });
    return page ?? fail('list.marker_not_found', { marker: single(query, 'marker') ?? '' });
  }

  /** Makes a user within a change of the caller's own; the names and domain were checked. */
  async function insert(
    { tx, audit, touch }: Change,
    body: NewUser,
    domainId: string,
    { id = newId(), person }: { readonly id?: string; readonly person?: Person | undefined } = {},
  ): Promise<string> {
    const name = body.name.trim();
    const { extra, profile } = attributesOf({ extra: {}, profile: {} }, body, person);
    const emails = emailKeys(profile);
    const row: UserRow = {
      id,
      domain_id: domainId,
      name,
      name_key: nameKey(name),
      enabled: bit(body.enabled ?? true),
      default_project_id: body.default_project_id ?? null,
      epoch: clock.now(),
      options: mergeOptions('{}', body.options),
      extra: JSON.stringify(extra),
      last_active_at: null,
      created_at: seconds(clock),
      version: 1,
      updated_at: clock.now(),
      external_id: person?.externalId ?? null,
      profile: JSON.stringify(profile),
    };
    await names.check(tx, { id, domainId, name });
    await unlessMoved(
      () => fail('domain.not_found', { id: domainId }),
      () => unlessTaken('user', name, () => insertUser(tx, row)),
    );
    await names.note(tx, id, domainId, name);
    if (emails.length > 0) await replaceEmails(tx, id, emails);
    touch(tagOf.census('users'));
    audit('user.created', { kind: 'user', id }, { domain_id: domainId });
    return id;
  }

  /** `also`: what else belongs to making this user, in the same transaction. `id`: one of the client's own. */
  async function create(
    caller: Caller,
    body: NewUser,
    person?: Person,
    also?: (inside: Change, id: string, domainId: string) => Promise<void>,
    id?: string,
  ): Promise<UserWithExpiry> {
    const domainId = domainOfNew(caller, body.domain_id);
    permit(caller, 'identity:create_user', { domainId });
    await checkDomain(domainId);
    await checkDefaultProject(body.default_project_id);
    if (id !== undefined && (await findUser(db.read, id))) fail('resource.duplicate', { kind: 'user', field: 'id', value: id });
    const password = body.password
      ? await passwords.prepare(
          body.password,
          'administrator',
          { id: undefined, options: optionsOf(body.options) },
          placeOf(caller),
        )
      : undefined;
    const madeId = await change(caller, async (inside) => {
      const made = await insert(inside, body, domainId, { ...(id === undefined ? {} : { id }), person });
      if (password) await passwords.store(inside, made, password);
      await also?.(inside, made, domainId);
      return made;
    });
    return reread(madeId);
  }

  /** One's own only after a login that is not long ago. Programs that provision, which have none, the shield keeps from it. */
  async function permitSignIn(reader: Reader, caller: Caller, id: string): Promise<void> {
    await shield(reader, caller, 'identity:update_user', { userId: id }, { signIn: true });
    freshLogin.require(caller, id);
  }

  const update = (caller: Caller, id: string, body: UserChanges): Promise<UserWithExpiry> => revise(caller, id, () => ({ body }));

  /**
   * Changes a user by what it is at that moment: `revisionOf` is asked once before, for the checks and the password, and again
   * with the row held, so that changes that come together do not undo one another.
   */
  async function revise(caller: Caller, id: string, revisionOf: (user: UserRow) => UserRevision): Promise<UserWithExpiry> {
    const user = await findUser(db.read, id);
    permit(caller, 'identity:update_user', userTarget(user));
    if (!user) fail('user.not_found', { id });
    await shield(db.read, caller, 'identity:update_user', { userId: id });
    const first = revisionOf(user);
    if (changesNothing(user, first)) return user;
    if (changesSignIn(user, first)) await permitSignIn(db.read, caller, id);
    const { body } = first;
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'user' });
    if (body.domain_id !== undefined && body.domain_id !== user.domain_id) fail('resource.domain_fixed');
    await checkDefaultProject(body.default_project_id);

    const options = parsed<Record<string, unknown>>(mergeOptions(user.options, body.options));
    const password = body.password
      ? await passwords.prepare(body.password, 'administrator', { id, options: optionsOf(options) }, placeOf(caller))
      : undefined;
    return change(caller, async (inside) => {
      const held = (await lockUser(db, inside.tx, id)) ?? fail('user.not_found', { id });
      const revision = revisionOf(held);
      if (password !== undefined || changesSignIn(held, revision)) await permitSignIn(inside.tx, caller, id);
      else await shield(inside.tx, caller, 'identity:update_user', { userId: id });
      await write(inside, held, revision);
      await revision.also?.(inside);
      if (password) await passwords.store(inside, id, password);
      if (revision.body.password === null) await passwords.remove(inside, id);
      inside.touch(tagOf.user(id));
      inside.audit('user.updated', { kind: 'user', id }, { fields: Object.keys(revision.body) });
      // As this change left it: who gets the version of a later one could overwrite what they have not seen.
      return (await findUser(inside.tx, id))!;
    });
  }

  /** The row, and what ends when an account is closed or gets another password. */
  async function write(inside: Change, held: UserRow, { body, person }: UserRevision): Promise<void> {
    const { tx } = inside;
    const { id } = held;
    const name = body.name?.trim() ?? held.name;
    const kept = { extra: parsed(held.extra), profile: parsed(held.profile) };
    const { extra, profile } = attributesOf(kept, body, person);
    const values = {
      name,
      name_key: nameKey(name),
      enabled: body.enabled === undefined ? held.enabled : bit(body.enabled),
      default_project_id: body.default_project_id === undefined ? held.default_project_id : body.default_project_id,
      options: mergeOptions(held.options, body.options),
      extra: JSON.stringify(extra),
      profile: JSON.stringify(profile),
      updated_at: clock.now(),
      ...(person ? { external_id: person.externalId } : {}),
      // An account that was closed for inactivity and is opened again starts counting anew.
      ...(body.enabled === true ? { last_active_at: seconds(clock) } : {}),
    };
    const renamed = name !== held.name;
    if (renamed) await names.check(tx, { id, domainId: held.domain_id, name });
    await unlessTaken('user', name, () => updateUser(tx, id, values));
    if (renamed) await names.note(tx, id, held.domain_id, name);
    if (profile !== kept.profile) await replaceEmails(tx, id, emailKeys(profile));
    if (body.enabled === true) await passwords.unlock(inside, id);
    const closed = body.enabled === false && held.enabled === 1;
    if (body.password !== undefined || closed) {
      await endTokensOfUser(tx, id);
      await cutAccess(inside, id);
    }
  }

  async function remove(caller: Caller, id: string): Promise<void> {
    const user = await findUser(db.read, id);
    permit(caller, 'identity:delete_user', userTarget(user));
    if (!user) fail('user.not_found', { id });
    await shield(db.read, caller, 'identity:delete_user', { userId: id });
    await change(caller, async (inside) => {
      const { tx, audit, touch } = inside;
      await shield(tx, caller, 'identity:delete_user', { userId: id });
      await cutAccess(inside, id);
      await deleteUser(tx, id);
      touch(tagOf.user(id));
      touch(tagOf.census('users'));
      audit('user.deleted', { kind: 'user', id }, { domain_id: user.domain_id });
    });
  }

  /** The user changes their own password; knowing the old one is what gives the right, so that an expired one can be changed. */
  async function changePassword(
    by: Guesser & Attempt,
    whose: { readonly id: string } | { readonly unknown: string },
    original: string,
    password: string,
  ): Promise<void> {
    const user = 'id' in whose ? await findUser(db.read, whose.id) : undefined;
    const options = optionsOf(user ? parsed(user.options) : {});
    const nobody = 'id' in whose ? whose.id : whose.unknown;
    const { countedAs } = by;
    const meant = user ? { id: user.id, options, open: await isOpen(user), countedAs } : { unknown: nobody };
    const check = () => passwords.check(original, meant, by);
    await logins.confirm({ ...by, purpose: 'password change' }, user?.id, check, ['good', 'expired']);
    if (!user) fail('auth.required');
    if (original === password) fail('user.password_same');
    const { id } = user;
    const place = { key: addressKey(by.address), signal: by.signal };
    const prepared = await passwords.prepare(password, 'self', { id, options }, place);
    await replacePassword({ userId: id, requestId: by.requestId, epoch: user.epoch }, id, prepared);
  }

  /** Whatever the old password opened ends with it. */
  async function replacePassword(actor: Actor, id: string, password: NewPassword): Promise<void> {
    await change(actor, async (inside) => {
      if (!(await endTokensOfUser(inside.tx, id))) fail('auth.required', undefined, { reason: 'password change: user deleted' });
      await cutAccess(inside, id);
      await passwords.store(inside, id, password);
      inside.touch(tagOf.user(id));
      inside.audit('user.password_changed', { kind: 'user', id });
    });
  }

  return {
    get,
    list,
    create,
    insert,
    update,
    revise,
    remove,
    changePassword,
    replacePassword,
    isOpen,
    find: (id: string) => findUser(db.read, id),
    fillNameForms: names.fill,
    /** Users of this name in every domain. */
    findEverywhere: (name: string) => findUsersByName(db.read, name),
    findByName: (domainId: string, name: string) => findUserByName(db.read, domainId, name),
  };
}

/** Those who are known take turns by who they are, wherever they are. */
const placeOf = (actor: Actor) => ({ key: `user ${actor.userId}` });

const optionsOf = (options: unknown): PasswordOptions => (options ?? {}) as PasswordOptions;

export type Users = ReturnType<typeof createUsers>;
