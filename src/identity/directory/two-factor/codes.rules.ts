// Codes of a second factor, and guesses at them.
import type { Change } from '../../ground/audit/index.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { Guesser } from '../passwords/index.ts';
import { type FactorDeps, sealContext } from './factor.ts';
import { clearGuesses, countGuess } from './guesses.ts';
import { matchingStep } from './totp.ts';
import { acceptStep, findFactor } from './two-factor.store.ts';

export type CheckGuess = (change: Change) => Promise<boolean>;
/** What somebody guesses. */
export type GuessedCode = 'code' | 'recovery_code' | 'credential_code';

/** Returns the outcome instead of throwing: a rollback would undo the count of the guess. */
export const guessCode = (
  deps: FactorDeps,
  by: Guesser,
  userId: string,
  what: GuessedCode,
  check: CheckGuess,
): Promise<boolean> => deps.gate.guess(by, `second factor of ${userId}`, () => countedGuess(deps, by, userId, what, check));

function countedGuess(
  { clock, change, notify }: FactorDeps,
  by: Guesser,
  userId: string,
  what: GuessedCode,
  check: CheckGuess,
): Promise<boolean> {
  return change(by, async (transaction) => {
    const { allowed, last } = await countGuess(transaction.tx, userId, clock);
    const right = allowed && (await check(transaction));
    if (right) await clearGuesses(transaction.tx, userId);
    const outcome = right ? 'accepted' : allowed ? 'refused' : 'locked_out';
    transaction.audit(`two_factor.${what}_${outcome}`, { kind: 'user', id: userId });
    if (last && !right) await notify(transaction, 'two_factor.locked_out', userId);
    return right;
  });
}

/** A code is accepted once: the first request that stores its step wins. */
export const verifyCode = (deps: FactorDeps, by: Guesser, userId: string, code: string): Promise<boolean> =>
  guessCode(deps, by, userId, 'code', async ({ tx }) => {
    const factor = await findFactor(tx, userId);
    if (!factor) return false;
    const step = matchingStep(deps.seal.open(factor.key, sealContext(userId)), code, deps.clock.now(), factor.last_step);
    if (step === undefined) return false;
    await testPoint('code.in-transaction');
    return acceptStep(tx, userId, step);
  });
