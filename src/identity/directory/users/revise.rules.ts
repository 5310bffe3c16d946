// Changes users.

import { isDeepStrictEqual } from 'node:util';
import { seconds } from '../../../platform/clock.ts';
import { type DirectoryGuard, tagOf } from '../../access/context/index.ts';
import type { Caller, FreshLogin, RankGuard } from '../../access/rules/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { bit, type Deps, failOnDuplicateName, mergeOptions, parseJson } from '../../ground/resource/index.ts';
import type { NewPassword, Passwords } from '../passwords/index.ts';
import { refuseExemption } from './exemption.ts';
import { nameKey } from './name-key.ts';
import type { UserNames } from './names.rules.ts';
import { mainEmail } from './profile.ts';
import type { ReferenceChecks } from './references.ts';
import {
  attributesOf,
  changesAny,
  changesNothing,
  changesSignIn,
  isDisabledAgain,
  optionsOf,
  queueClientOf,
  type UserRevision,
} from './revision.ts';
import { findUser, lockUser, revokeTokensOfUser, type UserWithExpiry, updateUser } from './users.store.ts';

export function createUserRevision({
  db,
  clock,
  change,
  passwords,
  names,
  checks,
  refuseIfOutranked,
  freshLogin,
  revokeAccess,
  onEmailChanged,
  onPasswordChanged,
  directory,
  onDisabled,
  onEnabled,
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly passwords: Passwords;
  readonly names: UserNames;
  readonly checks: ReferenceChecks;
  readonly refuseIfOutranked: RankGuard;
  readonly freshLogin: FreshLogin;
  readonly directory: DirectoryGuard;
  revokeAccess(change: Change, userId: string): Promise<void>;
  onEmailChanged(change: Change, userId: string): Promise<void>;
  onPasswordChanged(change: Change, user: UserRow): Promise<void>;
  onDisabled(change: Change, userId: string): Promise<void>;
  onEnabled(change: Change, userId: string): Promise<void>;
}) {
  /** Provisioning clients have no login: for them the rank of the user decides. For others, changing how one signs in needs a recent login. */
  async function permit(reader: Reader, caller: Caller, user: UserRow, revision: UserRevision): Promise<void> {
    const { id } = user;
    const { body } = revision;
    const signIn = changesSignIn(user, revision);
    await refuseIfOutranked(reader, caller, 'identity:update_user', { userId: id }, { signIn });
    if (body.password !== undefined) await directory.forbidPassword(id, reader);
    if (changesAny(user, revision, await directory.attributesOf(id, reader))) fail('directory.read_only', { kind: 'user', id });
    refuseExemption(caller, user.options, mergeOptions(user.options, body.options));
    if (signIn) await freshLogin.require(caller, id, reader);
    if (body.id !== undefined && body.id !== id) fail('resource.id_fixed', { kind: 'user' });
    if (body.domain_id !== undefined && body.domain_id !== user.domain_id) fail('resource.domain_fixed');
    await checks.defaultProject(body.default_project_id, reader);
  }

  /** Writes the row. Revokes access when the account is disabled or gets a new password. */
  async function write(transaction: Change, current: UserRow, { body, person }: UserRevision): Promise<void> {
    const { tx } = transaction;
    const { id } = current;
    const name = body.name?.trim() ?? current.name;
    const stored = { extra: parseJson(current.extra), profile: parseJson(current.profile) };
    const { extra, profile } = attributesOf(stored, body, person);
    const isEmailChanged = mainEmail(profile) !== mainEmail(stored.profile);
    const renamed = name !== current.name;
    const values = {
      ...(renamed ? { name, name_key: nameKey(name) } : {}),
      enabled: body.enabled === undefined ? current.enabled : bit(body.enabled),
      default_project_id: body.default_project_id === undefined ? current.default_project_id : body.default_project_id,
      options: mergeOptions(current.options, body.options),
      extra: JSON.stringify(extra),
      ...(isDeepStrictEqual(profile, stored.profile) ? {} : { profile: JSON.stringify(profile) }),
      updated_at: clock.now(),
      ...(isEmailChanged ? { confirmed_email: null } : {}),
      ...(person ? { external_id: person.externalId } : {}),
      // Enabling an account restarts the time of inactivity.
      ...(body.enabled === true ? { last_active_at: seconds(clock) } : {}),
    };
    if (renamed) await names.check(tx, { id, domainId: current.domain_id, name });
    await failOnDuplicateName('user', name, () => updateUser(tx, id, values));
    if (isEmailChanged) await onEmailChanged(transaction, id);
    if (body.enabled === true) {
      await passwords.unlock(transaction, id);
      await onEnabled(transaction, id);
    }
    // Also if they are disabled already: an administrator says that they shall not get in.
    if (body.enabled === false) await onDisabled(transaction, id);
    const isDisabled = body.enabled === false && current.enabled === 1;
    if (body.password !== undefined || isDisabled) {
      await revokeTokensOfUser(tx, id, clock.now());
      await revokeAccess(transaction, id);
    }
  }

  /** Checked before the transaction, too: hashing takes long, and is not for those who may not set the password. */
  async function preparePassword(caller: Caller, user: UserRow, revision: UserRevision): Promise<NewPassword | undefined> {
    const { password, options: changed } = revision.body;
    if (!password) return undefined;
    await permit(db.read, caller, user, revision);
    const options = optionsOf(parseJson(mergeOptions(user.options, changed)));
    return passwords.prepare(
      password,
      'administrator',
      { id: user.id, domainId: user.domain_id, options },
      queueClientOf(caller),
    );
  }

  /** `revisionOf` gets the row as the caller read it, to see whether it changes anything, and the locked one, from which it is written. */
  async function revise(
    caller: Caller,
    user: UserWithExpiry,
    revisionOf: (user: UserRow) => UserRevision,
  ): Promise<UserWithExpiry> {
    const { id } = user;
    const first = revisionOf(user);
    if (changesNothing(user, first)) {
      await permit(db.read, caller, user, first);
      return user;
    }
    const password = await preparePassword(caller, user, first);
    return change(caller, async (transaction) => {
      const current = (await lockUser(db, transaction.tx, id)) ?? fail('user.not_found', { id });
      const revision = revisionOf(current);
      await permit(transaction.tx, caller, current, revision);
      await revision.beforeWrite?.(transaction);
      // Repeated, it leaves the row and its version alone.
      if (isDisabledAgain(current, revision)) await onDisabled(transaction, id);
      else await write(transaction, current, revision);
      await revision.inTransaction?.(transaction);
      if (password) {
        await passwords.store(transaction, id, password);
        // With the row before the change: the notice goes to the address that the user had.
        await onPasswordChanged(transaction, current);
      }
      if (revision.body.password === null) await passwords.remove(transaction, id);
      transaction.invalidate(tagOf.user(id));
      transaction.audit('user.updated', { kind: 'user', id }, { fields: Object.keys(revision.body) });
      // Read in the transaction: with the version of a later change the caller could overwrite what they have not seen.
      return (await findUser(transaction.tx, id))!;
    });
  }

  return revise;
}
