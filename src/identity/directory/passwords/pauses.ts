// After wrong passwords for an account, further tries have to wait: a growing pause, counted in the database across all addresses and
// replicas. It stays short, so that nobody can lock out another user with it (docs/adr/013-guesses.md).
import { createHash } from 'node:crypto';
import type { Clock } from '../../../platform/clock.ts';
import { isUnwritable } from '../../../platform/database/index.ts';
import { attemptKey, RecentCounts } from '../../../platform/limits/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { Database, Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import {
  accountsWithWrongPasswords,
  claimTurn,
  countWrongPassword,
  findWrongPasswords,
  forgiveAllWrongPasswords,
  forgiveWrongPasswords,
  type GuessTurn,
  sweepWrongPasswords,
  type WrongPasswords,
} from './passwords.store.ts';
import type { Guesser, GuessLimit } from './passwords.ts';

/** Wrong passwords without a pause: people mistype. */
const FREE = 10;
const LONGEST_MS = 30_000;
/** Longest pause for an address without recent failures at this account, so that its user gets in while others guess. */
const NEWCOMER_MS = 2000;
/** Wrong passwords after which an address no longer gets the shorter pause. */
const MISTYPED = 3;
/** Wrong passwords are forgotten after this time without another one. */
const FORGOTTEN_MS = 900_000;
/** For this time after a login, the same address has no pause, as long as it does not fail. */
const WELCOME_MS = 86_400_000;
/** Largest difference between the clocks of replicas. Times further ahead were written before a clock was set back. */
const CLOCKS_DIFFER_MS = 60_000;

/** One second after the first failure that counts, doubled with each further one. */
export const pauseAfter = (failures: number): number =>
  failures < FREE ? 0 : Math.min(LONGEST_MS, 1000 * 2 ** Math.min(failures - FREE, 10));

/** Hashed, since the name of an unknown user may be anything, even a password. */
const keyOf = (account: string): string => createHash('sha256').update(account).digest('base64url');

/** Tells all processes that the wrong guesses under a key were forgiven. */
const FORGIVEN = 'forgiven-guesses:';

export function createPauses({ db, clock, rateLimits }: { db: Database; clock: Clock; rateLimits: boolean }) {
  const failed = new RecentCounts(FORGOTTEN_MS, clock);
  const welcome = new RecentCounts(WELCOME_MS, clock);
  /** What a login gives back. What was forgiven since is not given back once more: others would get these guesses. */
  const owed = new RecentCounts(FORGOTTEN_MS, clock);
  const forgiven = new RecentCounts(FORGOTTEN_MS, clock);
  const owedKey = (pair: string, account: string): string => `${forgiven.count(keyOf(account))} ${pair}`;
  db.feed.onChange((tags = []) => {
    for (const tag of tags) if (tag.startsWith(FORGIVEN)) forgiven.add(tag.slice(FORGIVEN.length));
  });

  function longestFor(by: Guesser, account: string): number {
    const pair = attemptKey(by, account);
    if (failed.count(pair) >= MISTYPED) return LONGEST_MS;
    return welcome.count(pair) > 0 ? 0 : NEWCOMER_MS;
  }

  function refuse(waitMs: number): never {
    const wait = Math.ceil(waitMs / 1000);
    fail('request.too_many', { seconds: wait }, { headers: { 'Retry-After': String(wait) } });
  }

  async function take(key: string, now: number, seen: WrongPasswords): Promise<GuessTurn | 'taken' | undefined> {
    try {
      const taken = !(await db.write((tx) => claimTurn(tx, key, now, seen)));
      return taken ? 'taken' : { at: now, before: Math.min(seen.last_at, now) };
    } catch (error) {
      // An administrator must be able to log in and repair a database that cannot be written.
      if (isUnwritable(error)) return undefined;
      throw error;
    }
  }

  return {
    /**
     * Refuses while the pause lasts. After it, one guess gets the turn and the next pause begins, so other guesses at the same time are
     * refused. A remembered device never waits. Nothing is written when there is no pause.
     */
    async claim(by: Guesser, account: string): Promise<GuessTurn | undefined> {
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

    /** The pause of a guess with a turn began with the turn, so a slow check does not make it longer. */
    async recordFailure(by: Guesser, account: string, turn: GuessTurn | undefined): Promise<void> {
      if (!rateLimits) return;
      const pair = attemptKey(by, account);
      welcome.forget(pair);
      failed.add(pair);
      owed.add(owedKey(pair, account));
      const now = clock.now();
      const times = { now, forgetBefore: now - FORGOTTEN_MS, hadTurn: turn !== undefined };
      await db.write((tx) => countWrongPassword(tx, keyOf(account), times));
    },

    /**
     * Forgives the failures of this address only. Otherwise an account with frequent logins could be guessed at without pauses. Also
     * gives the turn back.
     */
    async recordSuccess(by: Guesser, account: string, turn: GuessTurn | undefined): Promise<void> {
      if (!rateLimits) return;
      const pair = attemptKey(by, account);
      const own = owed.count(owedKey(pair, account));
      owed.forget(owedKey(pair, account));
      failed.forget(pair);
      if (welcome.count(pair) === 0) welcome.add(pair);
      if (own > 0 || turn) await db.write((tx) => forgiveWrongPasswords(tx, keyOf(account), own, turn));
    },

    /** Takes as long as a count of something else. Nobody reads it, and it is swept like the others. */
    async writeStandIn(account: string): Promise<void> {
      const now = clock.now();
      const times = { now, forgetBefore: now - FORGOTTEN_MS, hadTurn: false };
      await db.write((tx) => countWrongPassword(tx, keyOf(`stand-in ${account}`), times));
    },

    /** Nothing is said of times that lie ahead, since the clock was set back. */
    async ofKeys(reader: Reader, accounts: readonly string[]): Promise<ReadonlyMap<string, GuessLimit>> {
      if (!rateLimits || accounts.length === 0) return new Map();
      const byKey = new Map(accounts.map((account) => [keyOf(account), account]));
      const now = clock.now();
      const rows = await accountsWithWrongPasswords(reader, [...byKey.keys()], { least: FREE, from: now - FORGOTTEN_MS });
      return new Map(
        rows
          .filter(({ last_at }) => last_at <= now + CLOCKS_DIFFER_MS)
          .map(({ account: key, failures, last_at }) => {
            const until = Math.ceil((Math.min(last_at, now) + FORGOTTEN_MS) / 1000);
            return [byKey.get(key)!, { failures, since: null, until }];
          }),
      );
    },

    async forgive({ tx, invalidate }: Change, accounts: readonly string[]): Promise<void> {
      const keys = accounts.map(keyOf);
      await forgiveAllWrongPasswords(tx, keys);
      for (const key of keys) invalidate(`${FORGIVEN}${key}`);
    },

    sweep: (): Promise<number> => sweepWrongPasswords(db, clock.now() - FORGOTTEN_MS),
  };
}

export type Pauses = ReturnType<typeof createPauses>;
