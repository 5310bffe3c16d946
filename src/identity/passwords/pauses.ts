// Wrong passwords for one account slow further tries, wherever they come from: a pause that grows, counted in the database so that
// addresses and replicas do not help. It is short, so that nobody can shut somebody else out with it (docs/adr/013-guesses.md).
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/clock.ts';
import { isUnwritable } from '../../platform/database/index.ts';
import { attemptKey, RecentCounts } from '../../platform/limits/index.ts';
import type { Database } from '../database.ts';
import { fail } from '../faults.ts';
import {
  claimTurn,
  countWrongPassword,
  findWrongPasswords,
  forgiveWrongPasswords,
  sweepWrongPasswords,
  type Turn,
  type WrongPasswords,
} from './passwords.store.ts';
import type { Guesser } from './passwords.ts';

/** Wrong passwords that cost nothing: people mistype. */
const FREE = 10;
const LONGEST_MS = 30_000;
/** For an address that did not fail at this account lately: whoever knows the password gets in between the tries of others. */
const NEWCOMER_MS = 2000;
/** Wrong passwords after which an address is no newcomer to an account. */
const MISTYPED = 3;
/** Wrong passwords are forgotten when there were no more for so long. */
const FORGOTTEN_MS = 900_000;
/** An address the account was logged in from, and did not fail at since, is not slowed for so long. */
const WELCOME_MS = 86_400_000;
/** The clocks of replicas differ by less; what is further ahead was written before a clock was set back. */
const CLOCKS_DIFFER_MS = 60_000;

/** One second after the first that counts, then twice as long each time. */
export const pauseAfter = (failures: number): number =>
  failures < FREE ? 0 : Math.min(LONGEST_MS, 1000 * 2 ** Math.min(failures - FREE, 10));

/** What is typed for an account that does not exist may be anything, a password too: it is not written down. */
const keyOf = (account: string): string => createHash('sha256').update(account).digest('base64url');

export function createPauses({ db, clock, rateLimits }: { db: Database; clock: Clock; rateLimits: boolean }) {
  const failed = new RecentCounts(FORGOTTEN_MS, clock);
  const welcome = new RecentCounts(WELCOME_MS, clock);

  function longestFor(by: Guesser, account: string): number {
    const pair = attemptKey(by, account);
    if (failed.count(pair) >= MISTYPED) return LONGEST_MS;
    return welcome.count(pair) > 0 ? 0 : NEWCOMER_MS;
  }

  function refuse(waitMs: number): never {
    const wait = Math.ceil(waitMs / 1000);
    fail('request.too_many', { seconds: wait }, { headers: { 'Retry-After': String(wait) } });
  }

  async function take(key: string, now: number, seen: WrongPasswords): Promise<Turn | 'taken' | undefined> {
    try {
      const taken = !(await db.write((tx) => claimTurn(tx, key, now, seen)));
      return taken ? 'taken' : { at: now, before: Math.min(seen.last_at, now) };
    } catch (error) {
      // A database that stores nothing must not keep the administrator out who could mend it.
      if (isUnwritable(error)) return undefined;
      throw error;
    }
  }

  return {
    /**
     * Refuses while the pause lasts. When it is over, one guess gets the turn, and the next pause begins with it: of those that come
     * at once all others are refused. A device the account remembers is not asked to wait. Nothing is written where nobody waits.
     */
    async claim(by: Guesser, account: string): Promise<Turn | undefined> {
      if (!rateLimits || by.device !== undefined) return undefined;
      const key = keyOf(account);
      const found = await findWrongPasswords(db.read, key);
      const now = clock.now();
      if (!found || found.last_at < now - FORGOTTEN_MS) return undefined;
      const pause = Math.min(longestFor(by, account), pauseAfter(found.failures));
      if (pause === 0) return undefined;
      const isAhead = found.last_at > now + CLOCKS_DIFFER_MS;
      const left = isAhead ? 0 : Math.min(pause, found.last_at + pause - now);
      if (left > 0) refuse(left);
      const turn = await take(key, now, found);
      return turn === 'taken' ? refuse(pause) : turn;
    },

    /** The pause of a guess that had a turn began with the turn: however long it took, nobody waits longer for it. */
    async wrong(by: Guesser, account: string, turn: Turn | undefined): Promise<void> {
      if (!rateLimits) return;
      const pair = attemptKey(by, account);
      welcome.forget(pair);
      failed.add(pair);
      const now = clock.now();
      const times = { now, forgetBefore: now - FORGOTTEN_MS, hadTurn: turn !== undefined };
      await db.write((tx) => countWrongPassword(tx, keyOf(account), times));
    },

    /**
     * Takes back what this address did wrong, and no more: else an account that is logged in to all day could be guessed at all day.
     * The turn was no guess, and makes nobody wait.
     */
    async right(by: Guesser, account: string, turn: Turn | undefined): Promise<void> {
      if (!rateLimits) return;
      const pair = attemptKey(by, account);
      const own = failed.count(pair);
      failed.forget(pair);
      if (welcome.count(pair) === 0) welcome.add(pair);
      if (own > 0 || turn) await db.write((tx) => forgiveWrongPasswords(tx, keyOf(account), own, turn));
    },

    sweep: (): Promise<number> => sweepWrongPasswords(db, clock.now() - FORGOTTEN_MS),
  };
}

export type Pauses = ReturnType<typeof createPauses>;
