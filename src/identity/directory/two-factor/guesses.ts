// Limits guesses at codes and answers: a few, then a wait. Counted in the database, across all requests, replicas and addresses.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { failOnBrokenReference } from '../../ground/resource/index.ts';
import { countAttempt, forgetAttempts } from './two-factor.store.ts';

const LIMIT = 5;
const WAIT_SECONDS = 300;

/** When a guess is not allowed, it must not be checked at all. `last`: the wait starts after this guess. */
export async function countGuess(tx: Tx, userId: string, clock: Clock): Promise<{ allowed: boolean; last: boolean }> {
  const count = await failOnBrokenReference(
    () => fail('auth.required', undefined, { reason: 'the user is gone' }),
    () => countAttempt(tx, userId, seconds(clock), LIMIT, WAIT_SECONDS),
  );
  return { allowed: count <= LIMIT, last: count === LIMIT };
}

export const clearGuesses = (tx: Tx, userId: string): Promise<void> => forgetAttempts(tx, userId);
