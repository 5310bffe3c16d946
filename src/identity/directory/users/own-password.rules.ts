// Users change their own password.

import { addressKey } from '../../../platform/limits/index.ts';
import { type AuthMethod, type DirectoryGuard, tagOf } from '../../access/context/index.ts';
import type { FreshLogin, PersonLogin } from '../../access/rules/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { Reader, UserRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { type Deps, parseJson } from '../../ground/resource/index.ts';
import type { LoginAttempt } from '../logins/index.ts';
import type { Guesser, NewPassword, PasswordCheck, Passwords } from '../passwords/index.ts';
import type { ConfirmPassword, PasswordOwner } from './check-password.rules.ts';
import { optionsOf } from './revision.ts';
import { findUser, revokeTokensOfUser } from './users.store.ts';

/** Whose password it is: a user, or what was typed for one. With a domain and a name where they were typed. */
export type PasswordSubject = ({ readonly id: string } | { readonly unknown: string }) & Pick<PasswordOwner, 'domainId' | 'name'>;

/** By what a second factor was shown with the change. */
export type PresentedFactor = 'totp' | 'recovery_code' | 'passkey';

/** Who changes their password. */
type ByPassword = Guesser &
  LoginAttempt &
  Pick<Actor, 'precondition'> & {
    /** Checks the second factor that was sent, after the password. Undefined: none was. */
    second?(userId: string): Promise<PresentedFactor | undefined>;
    /** Whether a passkey was used in a step before. */
    hasUsedPasskey?(user: UserRow): Promise<boolean>;
  };

/**
 * How the owner of an expired password shows what the account asks for beside it: by a code that is sent with the change, or by a passkey at
 * the sign-in page. `later`: in neither way, so that only the login after the change can ask for it.
 */
export type BesideExpired = 'nothing' | 'code' | 'passkey' | 'later';

export function createOwnPasswords({
  db,
  clock,
  change,
  passwords,
  confirmPassword,
  revokeAccess,
  onPasswordChanged,
  directory,
  freshLogin,
  hasPasskey,
  hasFactor,
  missingNow,
}: Pick<Deps, 'db' | 'clock' | 'change'> & {
  readonly passwords: Passwords;
  readonly directory: DirectoryGuard;
  readonly freshLogin: FreshLogin;
  readonly confirmPassword: ConfirmPassword;
  /** Whether the user can sign in with a passkey. */
  hasPasskey(reader: Reader, userId: string): Promise<boolean>;
  /** Whether two-factor authentication is on. */
  hasFactor(reader: Reader, userId: string): Promise<boolean>;
  /** What these methods, shown now, lack for a change; undefined when they are enough. */
  missingNow(reader: Reader, userId: string, methods: readonly AuthMethod[]): Promise<readonly string[] | undefined>;
  revokeAccess(change: Change, userId: string): Promise<void>;
  onPasswordChanged(change: Change, user: UserRow): Promise<void>;
}) {
  async function besideExpired(userId: string, reader: Reader = db.read): Promise<BesideExpired> {
    const lacks = (...methods: AuthMethod[]) => missingNow(reader, userId, methods);
    const alone = await lacks('password');
    if (!alone) return 'nothing';
    if (alone.includes('totp') && !(await lacks('password', 'totp'))) return 'code';
    if ((await hasPasskey(reader, userId)) && !(await lacks('password', 'passkey'))) return 'passkey';
    // What can be shown is, although the login asks for more.
    return (await hasFactor(reader, userId)) ? 'code' : 'later';
  }

  /** Where a login with the password alone would not be enough, it does not change the password either. */
  async function requireBeside({ userId, methods }: PersonLogin, check: PasswordCheck, reader: Reader = db.read): Promise<void> {
    const beside = check === 'expired' ? await besideExpired(userId, reader) : undefined;
    if (beside === 'later' || (beside === 'code' && methods.includes('totp'))) return;
    if (beside === 'code') freshLogin.refuseWithout(['totp']);
    const lacking = await missingNow(reader, userId, methods);
    if (lacking) freshLogin.refuseWithout(lacking);
  }

  async function shownBeside(by: ByPassword, user: UserRow, check: PasswordCheck): Promise<PresentedFactor | undefined> {
    if (await by.hasUsedPasskey?.(user)) return 'passkey';
    // A code is not used up where it would not be enough.
    await requireBeside({ userId: user.id, methods: ['password', 'totp'] }, check);
    return by.second?.(user.id);
  }

  async function actorOf(by: ByPassword, user: UserRow, check: PasswordCheck) {
    const { id, epoch } = user;
    const { requestId, origin, precondition } = by;
    const actor = { userId: id, requestId, epoch, origin, precondition };
    // A session was checked by whoever has it.
    if (precondition) return { actor, shown: undefined };
    const shown = await shownBeside(by, user, check);
    const second: AuthMethod[] = shown ? [shown === 'passkey' ? 'passkey' : 'totp'] : [];
    const login: PersonLogin = { userId: id, methods: ['password', ...second] };
    await requireBeside(login, check);
    const checked: Actor = { ...actor, precondition: (_, tx) => requireBeside(login, check, tx) };
    return { actor: checked, shown };
  }

  /** Needs the old password instead of a token, so that an expired password can be changed. Returns whose it was, and what they showed beside it. */
  async function changePassword(
    by: ByPassword,
    subject: PasswordSubject,
    original: string,
    password: string,
  ): Promise<{ readonly userId: string; readonly shown: PresentedFactor | undefined }> {
    const user = 'id' in subject ? await findUser(db.read, subject.id) : undefined;
    const options = optionsOf(user ? parseJson(user.options) : {});
    const unknownKey = 'id' in subject ? subject.id : subject.unknown;
    const { domainId, name } = subject;
    const owner = { user, key: unknownKey, domainId, name };
    const found = await confirmPassword(owner, original, { ...by, purpose: 'password change' }, ['good', 'expired']);
    if (!user) fail('auth.required');
    // Only whoever has the password learns that it is in a directory.
    await directory.forbidPassword(user.id);
    if (original === password) fail('user.password_same');
    const { id } = user;
    const owned = { id, domainId: user.domain_id, options };
    // A code is used up only for a password that can be set.
    await passwords.checkNew(password, 'self', owned);
    const { actor, shown } = await actorOf(by, user, found);
    const client = { key: addressKey(by.address), signal: by.signal };
    const prepared = await passwords.prepare(password, 'self', owned, client);
    await replacePassword(actor, id, prepared);
    return { userId: id, shown };
  }

  /** Also revokes tokens, sessions, remembered devices and links. */
  async function storeNewPassword(transaction: Change, id: string, password: NewPassword): Promise<void> {
    await directory.forbidPassword(id, transaction.tx);
    if (!(await revokeTokensOfUser(transaction.tx, id, clock.now())))
      fail('auth.required', undefined, { reason: 'password change: user deleted' });
    await revokeAccess(transaction, id);
    await passwords.store(transaction, id, password);
    await onPasswordChanged(transaction, (await findUser(transaction.tx, id))!);
    transaction.invalidate(tagOf.user(id));
    transaction.audit('user.password_changed', { kind: 'user', id });
  }

  const replacePassword = (actor: Actor, id: string, password: NewPassword): Promise<void> =>
    change(actor, (transaction) => storeNewPassword(transaction, id, password));

  return { changePassword, replacePassword, storeNewPassword, besideExpired };
}
