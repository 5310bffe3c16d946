// Limits guesses at codes and answers: a few, then a wait. Counted in the database, across all requests, replicas and addresses.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Reader, Tx } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import { failOnBrokenReference } from '../../ground/resource/index.ts';
import type { GuessLimit } from '../passwords/index.ts';
import { countAttempt, forgetAttempts, usersWithAttempts } from './two-factor.store.ts';

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

/** Whom the wait concerns, for lists. */
export const codeLockFilter = (clock: Clock) => ({ least: LIMIT, from: seconds(clock) - WAIT_SECONDS });

/** Those of these users whose codes and answers are not checked now. Of guesses, none counts after the last that was checked. */
export async function findCodeLocks(
  clock: Clock,
  reader: Reader,
  userIds: readonly string[],
): Promise<ReadonlyMap<string, GuessLimit>> {
  if (userIds.length === 0) return new Map();
  const now = seconds(clock);
  const rows = await usersWithAttempts(reader, userIds, codeLockFilter(clock));
  return new Map(
    rows.map(({ user_id: id, last_at }) => {
      const since = Math.min(last_at, now);
      return [id, { failures: LIMIT, since, until: since + WAIT_SECONDS }];
    }),
  );
}

/** Answers are hashed, so their guesses have pauses, too, under this key. */
export const answersKey = (userId: string): string => `security answer of ${userId}`;
