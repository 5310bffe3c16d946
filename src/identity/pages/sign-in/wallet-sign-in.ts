// A wallet in a sign-in: instead of the password, or after the first step.
import { type LoginAttempt, loginRefused } from '../../directory/logins/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import type { AuthRules, PartialLogin } from '../../login/tokens/index.ts';
import type { EnteredBy, ProviderCredential, WalletProof, WalletSignIn } from '../../login/wallet-sign-in/index.ts';
import type { StepsAfter } from '../../operations/sign-in-preview/index.ts';

export interface WalletSignInStepDeps {
  readonly auth: AuthRules;
  readonly users: Users;
  readonly walletSignIn: WalletSignIn;
  readonly hasWallet: StepsAfter['hasWallet'];
}

export function createWalletSignInStep({ auth, users, walletSignIn, hasWallet }: WalletSignInStepDeps) {
  const { policy, entry } = walletSignIn;

  return {
    /** Fails like a wrong password, whatever is wrong: nobody learns whether there is such a user, or what their domain allows. */
    async wallet(
      proof: WalletProof,
      attempt: LoginAttempt,
      earlier?: PartialLogin,
    ): Promise<PartialLogin & { complete: boolean; credential: EnteredBy | undefined }> {
      // Asked again: the steps before may be others than those after which the wallet was asked for.
      const mayEnter = (user: UserWithExpiry): Promise<boolean> =>
        earlier ? hasWallet(user, earlier.methods) : policy.isAllowed(user, 'first');
      let credential: EnteredBy | undefined;
      const find = async ({ subject }: LoginAttempt): Promise<UserWithExpiry | undefined> => {
        const entered = await entry.enter(proof, (userId) => {
          if (subject) subject.userId = userId;
        });
        if (typeof entered === 'string') return undefined;
        credential = entered.credential;
        const user = await users.find(entered.userId);
        return user && (await mayEnter(user)) ? user : undefined;
      };
      const { user, methods, generation, complete } = await auth.signInWith('wallet', find, attempt, earlier);
      return { userId: user.id, methods, epoch: user.epoch, generation, complete, credential };
    },

    /** What a credential of another issuer says, once. Fails like a wrong password. */
    walletOfProvider: (proof: WalletProof, attempt: LoginAttempt): Promise<ProviderCredential> =>
      auth.recordLogin(attempt, ['mapped'], async () => {
        const entered = await entry.enterByProvider(proof);
        if (typeof entered === 'string') throw loginRefused(`wallet ${entered}`);
        return entered;
      }),

    /** A person whom a provider vouched for by what their wallet showed; where their domain has wallets. */
    async byWalletOfProvider(userId: string, attempt: LoginAttempt): Promise<PartialLogin & { complete: boolean }> {
      const find = async (): Promise<UserWithExpiry | undefined> => {
        const user = await users.find(userId);
        return user && (await policy.isAllowed(user, 'first')) ? user : undefined;
      };
      const { user, methods, generation, complete } = await auth.signInWith('mapped', find, attempt);
      return { userId: user.id, methods, epoch: user.epoch, generation, complete };
    },

    isWalletOffered: () => policy.isOffered('first'),
    /** What somebody entered by, before the next step or the session. */
    isCredentialGood: entry.isStillGood,
  };
}
