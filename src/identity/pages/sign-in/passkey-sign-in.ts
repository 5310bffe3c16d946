// Passkeys in a sign-in: alone, as the second factor, and added by those who must have one.
import type { AuthMethod } from '../../access/context/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { PasskeyPolicy, PasskeyQuestion, Passkeys, PasskeyUse } from '../../directory/passkeys/index.ts';
import type { LoginRequirements } from '../../directory/two-factor/index.ts';
import type { Users } from '../../directory/users/index.ts';
import type { PasskeyRow } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { AuthRules, PartialLogin } from '../../login/tokens/index.ts';
import type { StepsAfter } from '../../operations/sign-in-preview/index.ts';

export interface PasskeySignInDeps {
  readonly auth: AuthRules;
  readonly users: Users;
  readonly passkeys: Passkeys;
  readonly passkeyPolicy: PasskeyPolicy;
  readonly requirements: Pick<LoginRequirements, 'hasSecond' | 'needsSecond'>;
  /** The generation of a user whose session was found in this request. */
  generationOf(userId: string): number | undefined;
  readonly nextSteps: StepsAfter['nextSteps'];
}

interface PasskeySignInResult extends PartialLogin {
  readonly complete: boolean;
  /** The passkey that was used. */
  readonly passkey?: Pick<PasskeyUse, 'passkeyId' | 'isSynced'> | undefined;
}

export function createPasskeySignIn({
  auth,
  users,
  passkeys,
  passkeyPolicy,
  requirements,
  generationOf,
  nextSteps,
}: PasskeySignInDeps) {
  return {
    /** A passkey: alone, when it also verified the person, or after the first step. */
    async passkey(
      text: string,
      challenges: readonly string[],
      attempt: LoginAttempt,
      earlier?: PartialLogin,
    ): Promise<PasskeySignInResult> {
      const question: PasskeyQuestion = { challenges, userId: earlier?.userId, mustVerify: earlier === undefined };
      let use: PasskeyUse | undefined;
      const check = async (recorded: LoginAttempt) => {
        use = await passkeys.verify(text, question, recorded);
        const user = use && (await users.find(use.userId));
        return user && (await passkeyPolicy.isAllowed(user)) ? user : undefined;
      };
      const { user, methods, generation, complete } = await auth.signInWith('passkey', check, attempt, earlier);
      return { userId: user.id, methods, epoch: user.epoch, generation, complete, passkey: use };
    },

    /** A new passkey of somebody who must have one: its creation proves possession like its use. */
    async newPasskey(
      earlier: PartialLogin,
      answer: { readonly challenges: readonly string[]; readonly text: string; readonly name: string },
      attempt: LoginAttempt,
    ): Promise<PasskeySignInResult> {
      let added: PasskeyRow | undefined;
      const check = async () => {
        const user = await users.find(earlier.userId);
        if (!user || !(await auth.isStillValid(user, earlier)) || !(await nextSteps(earlier)).newPasskey) return undefined;
        added = await passkeys.add({ userId: user.id, requestId: attempt.requestId, epoch: earlier.epoch }, user.id, answer);
        return user;
      };
      const { methods, complete } = await auth.signInWith('passkey', check, attempt, earlier);
      return { ...earlier, methods, complete, passkey: added && { passkeyId: added.id, isSynced: added.synced === 1 } };
    },

    nextSteps,

    /** Whether the person can add what is missing to the strength that an application wants (acr.ts). A wallet can be relayed, so it is never the strongest. */
    async canStrengthen(login: Pick<PartialLogin, 'userId' | 'methods'>, missing: number): Promise<boolean> {
      if (missing === 0) return false;
      const next = await nextSteps(login);
      return next.passkey || (missing === 1 && next.wallet);
    },

    /**
     * Whether somebody who has a passkey must use it beside these methods: the policy or their roles may have changed, or they must have a second factor and
     * it is the one that they have.
     */
    async isPasskeyMissing(userId: string, methods: readonly AuthMethod[]): Promise<boolean> {
      const user = methods.includes('passkey') ? undefined : await users.find(userId);
      if (!user) return false;
      return (await passkeyPolicy.isRequired(user)) || (await requirements.needsSecond(user, methods)) === 'new_factor';
    },

    /** The state of an account whose session was found in this request. */
    async stateOf(userId: string): Promise<Omit<PartialLogin, 'methods'> | undefined> {
      const user = await users.find(userId);
      const generation = generationOf(userId);
      return user && generation !== undefined ? { userId, epoch: user.epoch, generation } : undefined;
    },

    isPasskeyOffered: passkeyPolicy.isOffered,
    passkeyOptions: (challenge: string, userId?: string): Promise<object> =>
      passkeys.requestOptions({ challenges: [challenge], userId, mustVerify: userId === undefined }),
    async newPasskeyOptions(challenge: string, userId: string): Promise<object> {
      const { id, name } = (await users.find(userId)) ?? fail('auth.required');
      return passkeys.creationOptions({ id, name, displayName: name }, challenge);
    },
  };
}
