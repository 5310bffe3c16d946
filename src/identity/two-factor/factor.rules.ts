// The second factor of a user: enabling, the security question, codes and recovery codes. Each has a file of its own.
import type { Actor, Change } from '../audit/index.ts';
import type { Guesser } from '../passwords/index.ts';
import type { UserWithExpiry } from '../users/index.ts';
import { guessCode, type Look, proveCode } from './codes.rules.ts';
import { disableFactor, enableFactor, enableProposed, proposalOf, proposeKey } from './enable.rules.ts';
import { type FactorDeps, factorOf, placeOf } from './factor.ts';
import { makeRecoveryCodes, proveRecoveryCode } from './recovery-codes.rules.ts';
import { checkAnswer, type Question } from './security-question.rules.ts';
import { countRecoveryCodes, findFactor, readFactorKeys, setFactorKey } from './two-factor.store.ts';

async function dataOf(deps: FactorDeps, userId: string): Promise<{ question: string; recoveryCodesLeft: number }> {
  const { security_question: question } = await factorOf(deps, userId);
  return { question, recoveryCodesLeft: await countRecoveryCodes(deps.db.read, userId) };
}

async function resealKeys({ seal }: FactorDeps, { tx }: Change): Promise<number> {
  const rows = await readFactorKeys(tx);
  for (const { user_id: id, key } of rows) await setFactorKey(tx, id, seal.seal(seal.open(key, placeOf(id)), placeOf(id)));
  return rows.length;
}

export function createFactor(deps: FactorDeps) {
  return {
    enable: (actor: Actor, user: UserWithExpiry, given: Question | undefined) => enableFactor(deps, actor, user, given),
    disable: (actor: Actor, userId: string) => disableFactor(deps, actor, userId),
    propose: (user: UserWithExpiry) => proposeKey(deps, user),
    proposalOf: (user: UserWithExpiry, proposed: string) => proposalOf(deps, user, proposed),
    enableProposed: (
      actor: Actor,
      user: UserWithExpiry,
      tried: { readonly proposed: string; readonly code: string },
      given: Question | undefined,
    ) => enableProposed(deps, actor, user, tried, given),

    isEnabled: async (userId: string): Promise<boolean> => (await findFactor(deps.db.read, userId)) !== undefined,
    require: async (userId: string): Promise<void> => void (await factorOf(deps, userId)),
    data: (userId: string) => dataOf(deps, userId),

    checkAnswer: (by: Guesser, userId: string, answer: string) => checkAnswer(deps, by, userId, answer),
    makeRecoveryCodes: (actor: Actor, userId: string) => makeRecoveryCodes(deps, actor, userId),
    proveCode: (by: Guesser, userId: string, code: string) => proveCode(deps, by, userId, code),
    proveRecoveryCode: (by: Guesser, userId: string, code: string) => proveRecoveryCode(deps, by, userId, code),
    /** For other keys of the same kind (TOTP credentials): the same limit on guesses. */
    guess: (by: Guesser, userId: string, what: string, look: Look) => guessCode(deps, by, userId, what, look),

    reseal: (transaction: Change) => resealKeys(deps, transaction),
  };
}

export type Factor = ReturnType<typeof createFactor>;
