// The security question: its answer is hashed like a password, and guesses at it are counted.
import type { Actor } from '../../ground/audit/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Guesser } from '../passwords/index.ts';
import { type FactorDeps, factorOf } from './factor.ts';
import { answersKey, clearGuesses, countGuess } from './guesses.ts';

export interface SecurityQuestion {
  readonly question: string;
  readonly answer: string;
}

/** For somebody who is never asked one. No answer is right. */
export const NO_QUESTION: SecurityQuestion = { question: '', answer: '' };

/** Ignores case and surrounding blanks. */
const normalizeAnswer = (answer: string): string => answer.trim().normalize('NFKC').toLowerCase();

export const hashAnswer = async ({ passwords }: FactorDeps, actor: Actor, answer: string): Promise<string> =>
  answer === '' ? '' : passwords.hash(normalizeAnswer(answer), { key: `user ${actor.userId}` });

/** The guess is counted before hashing, which takes long: otherwise many could run at once. */
export async function checkAnswer(deps: FactorDeps, by: Guesser, userId: string, answer: string): Promise<void> {
  const { clock, change, passwords, notify } = deps;
  const { security_answer: hash } = await factorOf(deps, userId);
  let [allowed, last] = [false, false];
  const right = await passwords.matches(normalizeAnswer(answer), answersKey(userId), by, async () => {
    ({ allowed, last } = await change(by, async (transaction) => {
      transaction.audit('two_factor.answer_tried', { kind: 'user', id: userId });
      return countGuess(transaction.tx, userId, clock);
    }));
    return allowed && hash !== '' ? hash : undefined;
  });
  if (last && !right)
    await change(by, async (transaction) => {
      transaction.audit('two_factor.answer_refused', { kind: 'user', id: userId });
      await notify(transaction, 'two_factor.locked_out', userId);
    });
  if (!right) fail('auth.required', undefined, { reason: allowed ? 'security answer wrong' : 'too many guesses' });
  await change(by, async (transaction) => {
    await clearGuesses(transaction.tx, userId);
    transaction.audit('two_factor.answer_accepted', { kind: 'user', id: userId });
  });
}
