// A sign-in with a password that has expired: it is changed first.

import type { LoginAttempt } from '../../directory/logins/index.ts';
import { type BesideExpired, type Users, unknownUserKey } from '../../directory/users/index.ts';
import { fail } from '../../ground/faults.ts';
import { createSecondProof, type PartialLogin } from '../../login/tokens/index.ts';
import type { PasskeySignInDeps } from './passkey-sign-in.ts';

type SecondProofDeps = Parameters<typeof createSecondProof>[0];

export interface ExpiredPasswordDeps extends Pick<PasskeySignInDeps, 'auth' | 'users' | 'passkeys'>, SecondProofDeps {
  /** A user by what was typed, and how guesses are counted. */
  findUser(name: string, domain: string): Promise<{ user: { readonly id: string } | undefined; countedAs?: string }>;
  domainOf(typed: string): Promise<string>;
}

type SignInStep = PartialLogin & { readonly complete: boolean };

/** Who changed an expired password, and what they showed beside it. */
export type PasswordChangeResult = Awaited<ReturnType<Users['changePassword']>>;

/** Somebody who entered an expired password, and then used a passkey: whose state it was, so that it counts for one change. */
export interface UsedPasskey {
  readonly userId: string;
  readonly epoch: number;
  readonly passkeyId: string;
}

/** A second factor that is sent with a new password. */
interface SentSecond {
  readonly code: string | undefined;
  readonly recovery: string | undefined;
  readonly passkey: UsedPasskey | undefined;
  /** Called when the old password was right, before the factor is checked. */
  onPassword(): void;
}

export function createExpiredPasswords(deps: ExpiredPasswordDeps) {
  const { auth, users, passkeys, findUser, domainOf } = deps;
  const provesSecond = createSecondProof(deps);

  return {
    /** What is asked for beside an expired password, of somebody who has just entered it. */
    async besideExpired(login: {
      readonly name: string;
      readonly domain: string;
    }): Promise<{ readonly beside: BesideExpired; readonly userId: string }> {
      const { user } = await findUser(login.name, login.domain);
      return { beside: user ? await users.besideExpired(user.id) : 'nothing', userId: user?.id ?? '' };
    },

    /** A passkey of somebody who has just entered an expired password. Possession is enough, as after any password. */
    passkeyBesideExpired: (
      userId: string,
      answer: { readonly text: string; readonly challenges: readonly string[] },
      attempt: LoginAttempt,
    ): Promise<UsedPasskey> =>
      auth.recordLogin(attempt, ['passkey'], async (recorded) => {
        const user = await users.find(userId);
        const question = { challenges: answer.challenges, userId, mustVerify: false };
        const use = user && (await passkeys.verify(answer.text, question, recorded));
        if (!use) return fail('auth.required', undefined, { reason: 'passkey wrong' });
        return { userId, epoch: user.epoch, passkeyId: use.passkeyId };
      }),

    /** Changes an expired password. The limits for guesses of the old one are those of a sign-in. Returns what was shown beside it, and by whom. */
    async changePassword(
      login: { readonly name: string; readonly domain: string; readonly password: string },
      fresh: string,
      sent: SentSecond,
      attempt: LoginAttempt,
    ): Promise<PasswordChangeResult> {
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
      const { passkey } = sent;
      const hasUsedPasskey = async ({ id, epoch }: { readonly id: string; readonly epoch: number }): Promise<boolean> =>
        passkey?.userId === id && passkey.epoch === epoch && (await passkeys.isThere(id, passkey.passkeyId));
      const by = { ...attempt, userId: null, countedAs, ofAnyDomain, second, hasUsedPasskey };
      return users.changePassword(by, typed, login.password, fresh);
    },

    /** After a second factor that was shown with the new password. By another person it is none: a name may have changed hands meanwhile. */
    async withShown(step: SignInStep, { userId, shown }: PasswordChangeResult, attempt: LoginAttempt): Promise<SignInStep> {
      const user = step.complete || !shown || step.userId !== userId ? undefined : await users.find(userId);
      // The sign-in asks for a passkey again: it is bound to the one that it was made with.
      if (!user || !shown || shown === 'passkey') return step;
      const complete = await auth.completeSignIn(user, step, attempt, shown);
      return { ...step, methods: [...step.methods, 'totp'], complete };
    },
  };
}
