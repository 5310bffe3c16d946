// Guesses at codes and answers: a few, then a wait. Counted in the database, so that no number of requests, replicas or addresses helps.
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Tx } from '../database.ts';
import { fail } from '../faults.ts';
import { unlessMoved } from '../resource/index.ts';
import { countAttempt, forgetAttempts } from './two-factor.store.ts';

const LIMIT = 5;
const WAIT_SECONDS = 300;

/** Not allowed when there were too many: then the guess must not even be looked at. `last`: after it comes the wait. */
export async function countGuess(tx: Tx, userId: string, clock: Clock): Promise<{ allowed: boolean; last: boolean }> {
  const count = await unlessMoved(
    () => fail('auth.required', undefined, { reason: 'the user is gone' }),
    () => countAttempt(tx, userId, seconds(clock), LIMIT, WAIT_SECONDS),
  );
  return { allowed: count <= LIMIT, last: count === LIMIT };
}

export const guessedRight = (tx: Tx, userId: string): Promise<void> => forgetAttempts(tx, userId);
