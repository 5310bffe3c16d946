// A wallet in a sign-in: instead of the password, or after the first step.
import type { LoginAttempt } from '../../logins/index.ts';
import type { AuthRules, PartialLogin } from '../../tokens/index.ts';
import type { Users, UserWithExpiry } from '../../users/index.ts';
import type { WalletPlace, WalletProof, WalletSignIn } from '../../wallet-sign-in/index.ts';

export interface WalletSignInStepDeps {
  readonly auth: AuthRules;
  readonly users: Users;
  readonly walletSignIn: WalletSignIn;
}

export function createWalletSignInStep({ auth, users, walletSignIn }: WalletSignInStepDeps) {
  const { policy, entry, hasCredential } = walletSignIn;

  return {
    /** Fails like a wrong password, whatever is wrong: nobody learns whether there is such a user, or what their domain allows. */
    async wallet(
      proof: WalletProof,
      attempt: LoginAttempt,
      earlier?: PartialLogin,
    ): Promise<PartialLogin & { complete: boolean }> {
      const place: WalletPlace = earlier ? 'second' : 'first';
      const find = async ({ subject }: LoginAttempt): Promise<UserWithExpiry | undefined> => {
        const entered = await entry.enter(proof, (userId) => {
          if (subject) subject.userId = userId;
        });
        const user = typeof entered === 'string' ? undefined : await users.find(entered.userId);
        return user && (await policy.isAllowed(user, place)) ? user : undefined;
      };
      const { user, methods, generation, complete } = await auth.signInWith('wallet', find, attempt, earlier);
      return { userId: user.id, methods, epoch: user.epoch, generation, complete };
    },

    isWalletOffered: () => policy.isOffered('first'),

    /** Whether a wallet can be the second step of this person. */
    hasWallet: async (user: UserWithExpiry): Promise<boolean> =>
      (await policy.isAllowed(user, 'second')) && hasCredential(user.id),
  };
}
