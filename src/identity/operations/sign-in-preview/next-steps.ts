// What a person can or must do after a step of a sign-in. The pages ask it, and so does the preview of a sign-in.
import type { AuthMethod } from '../../access/context/index.ts';
import type { PasskeyPolicy, Passkeys } from '../../directory/passkeys/index.ts';
import type { LoginRequirements } from '../../directory/two-factor/index.ts';
import type { Users, UserWithExpiry } from '../../directory/users/index.ts';
import type { Federation } from '../../login/federation/index.ts';
import type { WalletSignIn } from '../../login/wallet-sign-in/index.ts';

export interface NextSteps {
  readonly code: boolean;
  /** Use one of their passkeys. */
  readonly passkey: boolean;
  /** Show a credential of this service. */
  readonly wallet: boolean;
  /** They must, and have none: they add one. */
  readonly newPasskey: boolean;
  /** They must have a second factor, and have none: they turn it on. */
  readonly newFactor: boolean;
}

/** The steps so far. */
export interface FormerSteps {
  readonly userId: string;
  readonly methods: readonly AuthMethod[];
}

export interface NextStepDeps {
  readonly users: Pick<Users, 'find'>;
  readonly requirements: Pick<LoginRequirements, 'needsSecond'>;
  readonly passkeys: Pick<Passkeys, 'list'>;
  readonly passkeyPolicy: PasskeyPolicy;
  readonly walletSignIn: Pick<WalletSignIn, 'policy' | 'hasCredential'>;
  readonly federation: Pick<Federation, 'links'>;
}

export function createNextSteps({ users, requirements, passkeys, passkeyPolicy, walletSignIn, federation }: NextStepDeps) {
  const { policy, hasCredential } = walletSignIn;

  /** Whether a wallet can be the next step of this person. One wallet is never two factors, also not with credentials of two issuers. */
  async function hasWallet(user: UserWithExpiry, methods: readonly AuthMethod[]): Promise<boolean> {
    if (methods.includes('wallet')) return false;
    if (methods.includes('mapped') && (await federation.links.mayBeByWallet(user.id))) return false;
    return (await policy.isAllowed(user, 'second')) && hasCredential(user.id);
  }

  async function nextSteps({ userId, methods }: FormerSteps): Promise<NextSteps> {
    const user = await users.find(userId);
    if (!user) return { code: true, passkey: false, wallet: false, newPasskey: false, newFactor: false };
    const hasPasskey =
      !methods.includes('passkey') && (await passkeyPolicy.isAllowed(user)) && (await passkeys.list(userId)).length > 0;
    const isPasskeyRequired = !methods.includes('passkey') && (await passkeyPolicy.isRequired(user));
    const second = methods.includes('totp') ? undefined : await requirements.needsSecond(user, methods);
    const needsCode = second === 'code';
    // Like a code, it changes nothing for somebody who must use a passkey.
    const wallet = !isPasskeyRequired && (await hasWallet(user, methods));
    return {
      // For somebody who must use a passkey, a code changes nothing.
      code: needsCode && !(isPasskeyRequired && hasPasskey),
      passkey: hasPasskey,
      wallet,
      // After the code, if there is one: a stolen password must not be enough to add a passkey.
      newPasskey: isPasskeyRequired && !hasPasskey && !needsCode,
      // Whoever has another one uses it: a stolen password must not be enough to add one.
      newFactor: second === 'new_factor' && !isPasskeyRequired && !hasPasskey && !wallet,
    };
  }

  return { nextSteps, hasWallet };
}

export type StepsAfter = ReturnType<typeof createNextSteps>;
