// Guesses at codes and answers: a few, then a wait. Counted in the database, so that no number of requests, replicas or addresses helps.
import { type Clock, seconds } from '../../platform/clock.ts';
import type { Tx } from '../database.ts';
import { countAttempt, forgetAttempts } from './two-factor.store.ts';

const LIMIT = 5;
const WAIT_SECONDS = 300;

/** False when there were too many: then the guess must not even be looked at. */
export async function mayGuess(tx: Tx, userId: string, clock: Clock): Promise<boolean> {
  return (await countAttempt(tx, userId, seconds(clock), LIMIT, WAIT_SECONDS)) <= LIMIT;
}

export const guessedRight = (tx: Tx, userId: string): Promise<void> => forgetAttempts(tx, userId);
