// Codes of a second factor, and guesses at them.
import type { Change } from '../audit/index.ts';
import type { Guesser } from '../passwords/index.ts';
import { type FactorDeps, placeOf } from './factor.ts';
import { countGuess, guessedRight } from './guesses.ts';
import { matchingStep } from './totp.ts';
import { acceptStep, findFactor } from './two-factor.store.ts';

export type Look = (change: Change) => Promise<boolean>;

/** One change that ends in an outcome, not in a throw: a guess must be counted whatever becomes of it. */
export const guessCode = (deps: FactorDeps, by: Guesser, userId: string, what: string, look: Look): Promise<boolean> =>
  deps.gate.guess(by, `second factor of ${userId}`, () => countedGuess(deps, by, userId, what, look));

function countedGuess(
  { clock, change, notify }: FactorDeps,
  by: Guesser,
  userId: string,
  what: string,
  look: Look,
): Promise<boolean> {
  return change(by, async (transaction) => {
    const { allowed, last } = await countGuess(transaction.tx, userId, clock);
    const right = allowed && (await look(transaction));
    if (right) await guessedRight(transaction.tx, userId);
    const outcome = right ? 'accepted' : allowed ? 'refused' : 'locked_out';
    transaction.audit(`two_factor.${what}_${outcome}`, { kind: 'user', id: userId });
    if (last && !right) await notify(transaction, 'two_factor.locked_out', userId);
    return right;
  });
}

/** A code is accepted once, by whichever request moves the last step first. */
export const proveCode = (deps: FactorDeps, by: Guesser, userId: string, code: string): Promise<boolean> =>
  guessCode(deps, by, userId, 'code', async ({ tx }) => {
    const factor = await findFactor(tx, userId);
    if (!factor) return false;
    const step = matchingStep(deps.seal.open(factor.key, placeOf(userId)), code, deps.clock.now(), factor.last_step);
    return step !== undefined && acceptStep(tx, userId, step);
  });
