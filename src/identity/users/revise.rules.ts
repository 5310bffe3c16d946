// Changing a user.

import { seconds } from '../../platform/clock.ts';
import { type Caller, type FreshLogin, type Shield, tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { Reader, UserRow } from '../database.ts';
import { fail } from '../faults.ts';
import type { Passwords } from '../passwords/index.ts';
import { bit, type Deps, mergeOptions, parsed, unlessTaken } from '../resource/index.ts';
import type { Names } from './names.rules.ts';
import { emailKeys } from './profile.ts';
import type { ReferenceChecks } from './references.ts';
import { attributesOf, changesNothing, changesSignIn, optionsOf, placeOf, type UserRevision } from './revision.ts';
import { endTokensOfUser, findUser, lockUser, nameKey, replaceEmails, type UserWithExpiry, updateUser } from './users.store.ts';

export function createRevising({
  db,
  clock,
  change,
  passwords,
  names,
  checks,
  shield,
  freshLogin,
  cutAccess,
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly passwords: Passwords;
  readonly names: Names;
  readonly checks: ReferenceChecks;
  readonly shield: Shield;
  readonly freshLogin: FreshLogin;
  cutAccess(change: Change, userId: string): Promise<void>;
}) {
  /** One's own only after a login that is not long ago. Programs that provision, which have none, the shield keeps from it. */
  async function permitSignIn(reader: Reader, caller: Caller, id: string): Promise<void> {
    await shield(reader, caller, 'identity:update_user', { userId: id }, { signIn: true });
    freshLogin.require(caller, id);
  }

  /** The row, and what ends when an account is closed or gets another password. */
  async function write(transaction: Change, held: UserRow, { body, person }: UserRevision): Promise<void> {
    const { tx } = transaction;
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
    if (body.enabled === true) await passwords.unlock(transaction, id);
    const closed = body.enabled === false && held.enabled === 1;
    if (body.password !== undefined || closed) {
      await endTokensOfUser(tx, id);
      await cutAccess(transaction, id);
    }
  }

  /**
   * Changes a user by what it is at that moment: `revisionOf` is asked once before, for the checks and the password, and again
   * with the row held, so that changes that come together do not undo one another.
   */
  async function revise(
    caller: Caller,
    user: UserWithExpiry,
    revisionOf: (user: UserRow) => UserRevision,
  ): Promise<UserWithExpiry> {
    const { id } = user;
    await shield(db.read, caller, 'identity:update_user', { userId: id });
    const first = revisionOf(user);
    if (changesNothing(user, first)) return user;
    if (changesSignIn(user, first)) await permitSignIn(db.read, caller, id);
    const { body } = first;
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'user' });
    if (body.domain_id !== undefined && body.domain_id !== user.domain_id) fail('resource.domain_fixed');
    await checks.defaultProject(body.default_project_id);

    const options = parsed<Record<string, unknown>>(mergeOptions(user.options, body.options));
    const password = body.password
      ? await passwords.prepare(body.password, 'administrator', { id, options: optionsOf(options) }, placeOf(caller))
      : undefined;
    return change(caller, async (transaction) => {
      const held = (await lockUser(db, transaction.tx, id)) ?? fail('user.not_found', { id });
      const revision = revisionOf(held);
      if (password !== undefined || changesSignIn(held, revision)) await permitSignIn(transaction.tx, caller, id);
      else await shield(transaction.tx, caller, 'identity:update_user', { userId: id });
      await write(transaction, held, revision);
      await revision.also?.(transaction);
      if (password) await passwords.store(transaction, id, password);
      if (revision.body.password === null) await passwords.remove(transaction, id);
      transaction.invalidate(tagOf.user(id));
      transaction.audit('user.updated', { kind: 'user', id }, { fields: Object.keys(revision.body) });
      // As this change left it: who gets the version of a later one could overwrite what they have not seen.
      return (await findUser(transaction.tx, id))!;
    });
  }

  return revise;
}
