// Somebody who must have a second factor, and has none, turns it on while they sign in.
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { Factor } from '../../directory/two-factor/index.ts';
import type { Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { PartialLogin } from '../../login/tokens/index.ts';
import type { PasskeySignInDeps } from './passkey-sign-in.ts';

export interface FactorSignInDeps extends Pick<PasskeySignInDeps, 'auth' | 'users' | 'requirements' | 'nextSteps'> {
  readonly factor: Factor;
}

interface NewFactor {
  /** The key that was shown to them in this sign-in. */
  readonly proposed: string;
  readonly code: string;
  readonly question: { readonly question: string; readonly answer: string } | undefined;
}

const refuse = (): never => fail('auth.required', undefined, { reason: 'no second factor is to be turned on here' });

export function createFactorSignIn({ auth, users, factor, requirements, nextSteps }: FactorSignInDeps) {
  return {
    /** A key to try out, or the one that was proposed before. */
    async proposedFactor(userId: string, before: string | undefined) {
      const user = (await users.find(userId)) ?? refuse();
      return (before === undefined ? undefined : factor.proposalOf(user, before)) ?? factor.propose(user);
    },

    /**
     * Returns recovery codes, and the sign-in after it: turning the factor on has ended everything else. Undefined when the code is wrong. Whoever has
     * another second factor by now does not get one by the password.
     */
    async newFactor(earlier: PartialLogin, { proposed, code, question }: NewFactor, attempt: LoginAttempt) {
      const { userId: id, epoch, generation } = earlier;
      const user = (await users.find(id)) ?? refuse();
      if (!(await auth.isStillValid(user, earlier)) || !(await nextSteps(earlier)).newFactor) refuse();
      const precondition = async (_: unknown, tx: Tx): Promise<void> => {
        if (await requirements.hasSecond(tx, id)) refuse();
      };
      const actor = { userId: id, requestId: attempt.requestId, epoch, precondition };
      const codes = await factor.enableProposed(actor, user, { proposed, code }, question);
      if (!codes) return undefined;
      // If the account has changed once more since, the sign-in ends.
      const after = { ...earlier, epoch: epoch + 1, generation: generation + 1 };
      const complete = await auth.completeSignIn((await users.find(id)) ?? refuse(), after, attempt, 'totp');
      return { codes, person: user.name, step: { ...after, methods: [...earlier.methods, 'totp' as const], complete } };
    },
  };
}
