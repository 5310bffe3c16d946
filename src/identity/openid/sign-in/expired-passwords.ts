// A sign-in with a password that has expired: it is changed first.
import type { LoginAttempt } from '../../logins/index.ts';
import { createSecondProof, type PartialLogin } from '../../tokens/index.ts';
import { type BesideExpired, type Users, unknownUserKey } from '../../users/index.ts';
import type { PasskeySignInDeps } from './passkey-sign-in.ts';

type SecondProofDeps = Parameters<typeof createSecondProof>[0];

export interface ExpiredPasswordDeps extends Pick<PasskeySignInDeps, 'auth' | 'users'>, SecondProofDeps {
  /** A user by what was typed, and how guesses are counted. */
  findUser(name: string, domain: string): Promise<{ user: { readonly id: string } | undefined; countedAs?: string }>;
  domainOf(typed: string): Promise<string>;
}

type SignInStep = PartialLogin & { readonly complete: boolean };

/** Who changed an expired password, and what they showed beside it. */
export type ShownBeside = Awaited<ReturnType<Users['changePassword']>>;

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

    /** Changes an expired password. The limits for guesses of the old one are those of a sign-in. Returns what was shown beside it, and by whom. */
    async changePassword(
      login: { readonly name: string; readonly domain: string; readonly password: string },
      fresh: string,
      sent: SentSecond,
      attempt: LoginAttempt,
    ): Promise<ShownBeside> {
      const { user, countedAs } = await findUser(login.name, login.domain);
      // An unknown name is counted like an account, under the same key as at a sign-in.
      const domainId = await domainOf(login.domain);
      const whose = user ? { id: user.id } : { unknown: unknownUserKey(domainId, login.name) };
      const ofAnyDomain = login.domain === '';
      const typed = ofAnyDomain ? whose : { ...whose, domainId, name: login.name };
      const second = (userId: string) => {
        sent.onPassword();
        return provesSecond({ ...attempt, userId: null }, userId, sent);
      };
      const by = { ...attempt, userId: null, countedAs, ofAnyDomain, second };
      return users.changePassword(by, typed, login.password, fresh);
    },

    /** After a second factor that was shown with the new password. By another person it is none: a name may have changed hands meanwhile. */
    async withShown(step: SignInStep, { userId, shown }: ShownBeside, attempt: LoginAttempt): Promise<SignInStep> {
      const user = step.complete || !shown || step.userId !== userId ? undefined : await users.find(userId);
      if (!user || !shown) return step;
      const complete = await auth.completeSignIn(user, step, attempt, shown);
      return { ...step, methods: [...step.methods, 'totp'], complete };
    },
  };
}
