// Checks the password of a user: with the directory the user is in, or with the password stored here.
import { addressKey } from '../../../platform/limits/index.ts';
import type { DirectoryAccount, DirectoryGuard } from '../../access/context/index.ts';
import type { Database, UserRow } from '../../ground/database/index.ts';
import { parseJson } from '../../ground/resource/index.ts';
import type { LoginAttempt, LoginEvents } from '../logins/index.ts';
import type { Guesser, PasswordCheck, Passwords, SecretPlace } from '../passwords/index.ts';
import { optionsOf } from './revision.ts';
import { findUser, type UserWithExpiry } from './users.store.ts';

/** Whose password it shall be. */
export interface PasswordOwner {
  readonly user: UserWithExpiry | undefined;
  /** Key for counting guesses: the id of the user, or what was typed when there is none. */
  readonly key: string;
  /** When the user was named: users of a directory are looked up there by name. */
  readonly domainId?: string | undefined;
  readonly name?: string | undefined;
  /** Counts as active, although the account is disabled. */
  readonly isLeaving?: boolean;
}

/** Who guesses, and how it is counted. */
export type PasswordGuesser = Guesser & Pick<LoginAttempt, 'countedAs' | 'ofAnyDomain'>;

export interface PasswordCheckResult {
  readonly check: PasswordCheck;
  /** For a directory, the user whose entry was found; it may have been created by the check. */
  readonly user: UserWithExpiry | undefined;
}

export interface PasswordCheckDeps {
  readonly db: Database;
  readonly passwords: Passwords;
  readonly directory: DirectoryGuard;
  readonly logins: Pick<LoginEvents, 'confirmPassword'>;
  isActive(user: UserRow): Promise<boolean>;
}

export function createPasswordCheck({ db, passwords, directory, logins, isActive }: PasswordCheckDeps) {
  const optionsIn = (user: UserRow) => optionsOf(parseJson(user.options));

  async function checkPassword(owner: PasswordOwner, password: string, by: PasswordGuesser): Promise<PasswordCheckResult> {
    const { key, domainId, name } = owner;
    const { ofAnyDomain, countedAs = owner.user?.id ?? key } = by;
    const client = { key: addressKey(by.address), signal: by.signal };
    let { user } = owner;

    const inDirectory = (account: DirectoryAccount): SecretPlace => ({
      countedAs,
      domainId: user?.domain_id ?? domainId,
      isElsewhere: true,
      countsWhenAway: ofAnyDomain === true,
      async compare(typed, isLocked) {
        const login = await account.find();
        const before = login.userId === undefined ? undefined : await findUser(db.read, login.userId);
        const holder = before && { id: before.id, domainId: before.domain_id, options: optionsIn(before) };
        const isRight = await login.isPassword(typed, holder !== undefined && (await isLocked(holder)), client);
        return {
          account: holder,
          isRight,
          async accept() {
            // The user's tokens were revoked while the directory was asked.
            if (before && (await findUser(db.read, before.id))?.epoch !== before.epoch) return 'closed';
            const id = await login.accept();
            user = id === undefined ? undefined : await findUser(db.read, id);
            return user && (await isActive(user)) ? 'good' : 'closed';
          },
        };
      },
    });

    const account = await directory.accountOf({ userId: user?.id, domainId, name });
    if (account) {
      const check = await passwords.check(password, inDirectory(account), by);
      return { check, user: check === 'good' ? user : undefined };
    }
    const active = owner.isLeaving === true || (user !== undefined && (await isActive(user)));
    const holder = user && { id: user.id, domainId: user.domain_id, options: optionsIn(user), active };
    const check = await passwords.check(
      password,
      passwords.storedHere(holder, user ? countedAs : key, user?.domain_id ?? domainId),
      by,
    );
    // Whoever has the password does not depend on a directory that is not theirs.
    if (check !== 'good' && check !== 'expired')
      await directory.askAboutNobody(ofAnyDomain ? { key: by.countedAs ?? key } : { domainId }, password, client);
    return { check, user };
  }

  return {
    checkPassword,
    /** Where it is asked for again, and nobody logs in: an event, right or wrong. Fails unless the result is one of `accepted`. */
    confirmPassword: (
      owner: PasswordOwner,
      password: string,
      by: PasswordGuesser & LoginAttempt & { readonly purpose: string },
      accepted?: readonly PasswordCheck[],
    ): Promise<PasswordCheck> =>
      logins.confirmPassword(by, owner.user?.id, async () => (await checkPassword(owner, password, by)).check, accepted),
  };
}

export type ConfirmPassword = ReturnType<typeof createPasswordCheck>['confirmPassword'];
