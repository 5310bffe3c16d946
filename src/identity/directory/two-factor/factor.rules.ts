// The second factor of a user: enabling, the security question, codes and recovery codes. Each has its own file.
import type { Actor } from '../../ground/audit/index.ts';
import type { Guesser } from '../passwords/index.ts';
import type { UserWithExpiry } from '../users/index.ts';
import { type CheckGuess, type GuessedCode, guessCode, verifyCode } from './codes.rules.ts';
import { disableFactor, enableFactor, enableProposed, proposalOf, proposeKey } from './enable.rules.ts';
import { type FactorDeps, factorOf } from './factor.ts';
import { acceptRecoveryCode, makeRecoveryCodes } from './recovery-codes.rules.ts';
import { checkAnswer, type SecurityQuestion } from './security-question.rules.ts';
import { countRecoveryCodes, isFactorOn } from './two-factor.store.ts';

async function dataOf(deps: FactorDeps, userId: string): Promise<{ question: string; recoveryCodesLeft: number }> {
  const { security_question: question } = await factorOf(deps, userId);
  return { question, recoveryCodesLeft: await countRecoveryCodes(deps.db.read, userId) };
}

/** For those who look after a user: no secret, and no error when there is no factor. */
async function stateOf({ db }: FactorDeps, userId: string): Promise<{ isEnabled: boolean; recoveryCodesLeft: number }> {
  const isEnabled = await isFactorOn(db.read, userId);
  return { isEnabled, recoveryCodesLeft: isEnabled ? await countRecoveryCodes(db.read, userId) : 0 };
}

export function createFactor(deps: FactorDeps) {
  return {
    enable: (actor: Actor, user: UserWithExpiry, question: SecurityQuestion | undefined) =>
      enableFactor(deps, actor, user, question),
    disable: (actor: Actor, userId: string) => disableFactor(deps, actor, userId),
    propose: (user: UserWithExpiry) => proposeKey(deps, user),
    proposalOf: (user: UserWithExpiry, proposed: string) => proposalOf(deps, user, proposed),
    enableProposed: (
      actor: Actor,
      user: UserWithExpiry,
      proposal: { readonly proposed: string; readonly code: string },
      question?: SecurityQuestion,
    ) => enableProposed(deps, actor, user, proposal, question),

    isEnabled: (userId: string): Promise<boolean> => isFactorOn(deps.db.read, userId),
    mustHave: (userId: string): Promise<boolean> => deps.mustHave(deps.db.read, userId),
    require: async (userId: string): Promise<void> => void (await factorOf(deps, userId)),
    data: (userId: string) => dataOf(deps, userId),
    state: (userId: string) => stateOf(deps, userId),

    checkAnswer: (by: Guesser, userId: string, answer: string) => checkAnswer(deps, by, userId, answer),
    makeRecoveryCodes: (actor: Actor, userId: string) => makeRecoveryCodes(deps, actor, userId),
    verifyCode: (by: Guesser, userId: string, code: string) => verifyCode(deps, by, userId, code),
    acceptRecoveryCode: (by: Guesser, userId: string, code: string) => acceptRecoveryCode(deps, by, userId, code),
    /** For TOTP credentials, which share the limit on guesses. */
    guess: (by: Guesser, userId: string, what: GuessedCode, check: CheckGuess) => guessCode(deps, by, userId, what, check),
  };
}

export type Factor = ReturnType<typeof createFactor>;
