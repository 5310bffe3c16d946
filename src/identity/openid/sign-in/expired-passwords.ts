// A sign-in with a password that has expired: it is changed first.
import type { LoginAttempt } from '../../logins/index.ts';
import { createSecondProof, type PartialLogin } from '../../tokens/index.ts';
import { type BesideExpired, unknownUserKey } from '../../users/index.ts';
import type { PasskeySignInDeps } from './passkey-sign-in.ts';

type SecondProofDeps = Parameters<typeof createSecondProof>[0];

export interface ExpiredPasswordDeps extends Pick<PasskeySignInDeps, 'auth' | 'users'>, SecondProofDeps {
  /** A user by what was typed, and how guesses are counted. */
  findUser(name: string, domain: string): Promise<{ user: { readonly id: string } | undefined; countedAs?: string }>;
  domainOf(typed: string): Promise<string>;
}

/** A second factor that is sent with a new password. */
interface SentSecond {
  readonly code: string | undefined;
  readonly recovery: string | undefined;
  /** Called when the old password was right, before the factor is checked. */
  onPassword(): void;
}

export function createExpiredPasswords(deps: ExpiredPasswordDeps) {
  const { auth, users, findUser, domainOf } = deps;
  const provesSecond = createSecondProof(deps);

  return {
    /** What is asked for beside an expired password, of somebody who has just entered it. */
    async besideExpired({ name, domain }: { readonly name: string; readonly domain: string }): Promise<BesideExpired> {
      const { user } = await findUser(name, domain);
      return user ? users.besideExpired(user.id) : 'nothing';
    },

    /** Changes an expired password. The limits for guesses of the old one are those of a sign-in. True if a second factor was shown. */
    async changePassword(
      login: { readonly name: string; readonly domain: string; readonly password: string },
      fresh: string,
      sent: SentSecond,
      attempt: LoginAttempt,
    ): Promise<boolean> {
      const { user, countedAs } = await findUser(login.name, login.domain);
      // An unknown name is counted like an account, under the same key as at a sign-in.
      const domainId = await domainOf(login.domain);
      const whose = user ? { id: user.id } : { unknown: unknownUserKey(domainId, login.name) };
      const ofAnyDomain = login.domain === '';
      const typed = ofAnyDomain ? whose : { ...whose, domainId, name: login.name };
      let isShown = false;
      const second = async (userId: string): Promise<boolean> => {
        sent.onPassword();
        isShown = await provesSecond({ ...attempt, userId: null }, userId, sent);
        return isShown;
      };
      await users.changePassword({ ...attempt, userId: null, countedAs, ofAnyDomain, second }, typed, login.password, fresh);
      return isShown;
    },

    /** After a second factor that was shown with the new password. */
    async withShown(step: PartialLogin, attempt: LoginAttempt): Promise<PartialLogin & { readonly complete: boolean }> {
      const user = await users.find(step.userId);
      const complete = user !== undefined && (await auth.completeSignIn(user, step, attempt, 'totp'));
      return { ...step, methods: [...step.methods, 'totp'], complete };
    },
  };
}
