// Passwords: which are accepted, how one is checked at login, and what a failure costs. Names and defaults are Keystone's.
import { availableParallelism } from 'node:os';
import { type Clock, seconds } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import { type Attempt, addressKey, FairQueue, type Gate, type Place } from '../../platform/limits/index.ts';
import type { Actor, Change, RunChange } from '../audit/index.ts';
import type { Database } from '../database.ts';
import { fail } from '../faults.ts';
import type { Notify } from '../notifications/index.ts';
import { bit } from '../resource/index.ts';
import type { IdentityConfig } from '../settings.ts';
import { hashOfNobody, hashPassword, isOutdated, verifyPassword } from './argon2.ts';
import { isCommon } from './common.ts';
import {
  bringFailureBack,
  countFailure,
  deletePasswords,
  findFailures,
  findPassword,
  forgetFailures,
  insertPassword,
  readHistory,
  replaceHash,
} from './passwords.store.ts';
import { createPauses } from './pauses.ts';

const DAY = 86_400;
/** Whoever would have to wait longer for a hash is better told so. */
const PATIENCE_MS = 5000;

/** The `options` of a user that bear on passwords. */
export interface PasswordOptions {
  readonly ignore_change_password_upon_first_use?: boolean;
  readonly ignore_password_expiry?: boolean;
  readonly ignore_lockout_failure_attempts?: boolean;
  readonly lock_password?: boolean;
}

/** A hash that is ready to be stored: made before the transaction, since it takes long. */
export interface NewPassword {
  readonly hash: string;
  readonly expiresAt: number | null;
  readonly by: 'self' | 'administrator';
}

/** Who tries a secret, and from where. */
export interface Guesser extends Actor, Attempt {}

/**
 * Whose password it is, and whether the account is open: the right password of one that is closed counts as a wrong one, or the
 * counts would tell it. Where there is no such user, what was typed for one, which is counted like an account.
 */
export type Meant =
  | {
      readonly id: string;
      readonly options: PasswordOptions;
      readonly open: boolean;
      /** What guesses are counted under where counts of the account itself would tell that there is one. */
      readonly countedAs?: string | undefined;
    }
  | { readonly unknown: string };

export type PasswordCheck = 'good' | 'wrong' | 'locked' | 'closed' | 'expired';

export interface Passwords {
  /** Checks the rules, then hashes. `by` self: the user changes their own; administrator: someone sets it for them. */
  prepare(
    password: string,
    by: 'self' | 'administrator',
    user: { id: string | undefined; options: PasswordOptions },
    place: Place,
  ): Promise<NewPassword>;
  /** Why a password cannot be taken, where it is too short or too common. */
  misfit(password: string): Promise<string | undefined>;
  /** Whoever calls holds the row of the user, so that two that come at once are stored one after the other. */
  store(change: Change, userId: string, password: NewPassword): Promise<void>;
  /** The user has no password any more. */
  remove(change: Change, userId: string): Promise<void>;
  /** Ends a lock-out. */
  unlock(change: Change, userId: string): Promise<void>;
  /** Takes the same time whatever is wrong. Counted by account and by address before anything is hashed. */
  check(password: string, meant: Meant, by: Guesser): Promise<PasswordCheck>;
  /** For the service itself, which guesses at nothing: no count, no limit, no lock. */
  isOf(userId: string, password: string): Promise<boolean>;
  /** For other secrets people choose (the answer to a security question): hashed like a password. */
  hash(secret: string, place: Place): Promise<string>;
  /** And compared like one. `expected` is asked when it is their turn; without a hash the answer is no. */
  matches(secret: string, account: string, by: Guesser, expected: () => Promise<string | undefined>): Promise<boolean>;
  /** Wrong passwords that are long past are forgotten. */
  sweep(): Promise<number>;
  /** When no password is being checked any more. */
  settled(): Promise<void>;
  /** Those who wait for a hash. */
  readonly waiting: number;
  /** Hashes that were begun. */
  readonly hashed: number;
}

export function createPasswords(deps: {
  db: Database;
  change: RunChange;
  clock: Clock;
  config: IdentityConfig;
  notify: Notify;
  gate: Gate;
  rateLimits: boolean;
}): Passwords {
  const { db, change, clock, config, notify, gate } = deps;
  const cost = { memory: config.argon2Memory, passes: config.argon2Passes };
  const queue = new FairQueue({
    slots: Math.max(1, availableParallelism() - 1),
    longest: config.hashQueue,
    patienceMs: PATIENCE_MS,
  });
  const nobody = hashOfNobody(cost);
  const pauses = createPauses(deps);
  let hashed = 0;
  const hashOf = (password: string): Promise<string> => {
    hashed++;
    return hashPassword(password, cost);
  };
  const isHashOf = (password: string, hash: string): Promise<boolean> => {
    hashed++;
    return verifyPassword(password, hash);
  };

  /** What every password is held to, whoever sets it; undefined when there is nothing to say against it. */
  async function misfit(password: string): Promise<string | undefined> {
    const least = config.passwordMinLength;
    if ([...password].length < least) return `it must have at least ${least} characters`;
    return config.passwordCommon === 'refuse' && (await isCommon(password))
      ? 'it is one of those that are tried first'
      : undefined;
  }

  async function checkRules(password: string): Promise<void> {
    const why = await misfit(password);
    if (why !== undefined) fail('user.password_rule', { why });
    if (config.passwordRegex && !config.passwordRegex.test(password)) {
      fail('user.password_rule', { why: config.passwordRegexDescription || 'it does not match the pattern that is asked for' });
    }
  }

  async function checkHistory(password: string, userId: string): Promise<void> {
    const count = config.uniqueLastPasswordCount;
    // The current password counts: 1 asks for a difference from it, 2 also from the one before.
    for (const { hash } of count > 0 ? await readHistory(db.read, userId, count) : []) {
      if (await isHashOf(password, hash)) fail('user.password_reused', { count });
    }
  }

  async function checkAge(userId: string): Promise<void> {
    const current = config.minimumPasswordAge > 0 ? await findPassword(db.read, userId) : undefined;
    // One that an administrator gave is there to be replaced.
    if (!current?.self_service) return;
    const expired = current.expires_at !== null && current.expires_at <= seconds(clock);
    if (!expired && current.created_at + config.minimumPasswordAge * DAY > seconds(clock)) {
      fail('user.password_too_young', { days: config.minimumPasswordAge });
    }
  }

  function expiry(by: 'self' | 'administrator', options: PasswordOptions): number | null {
    const now = seconds(clock);
    const firstUse =
      by === 'administrator' && config.changePasswordUponFirstUse && !options.ignore_change_password_upon_first_use;
    if (firstUse) return now;
    if (config.passwordExpiresDays === undefined || options.ignore_password_expiry) return null;
    return now + config.passwordExpiresDays * DAY;
  }

  async function isLocked(userId: string, options: PasswordOptions): Promise<boolean> {
    if (config.lockoutFailureAttempts === undefined || options.ignore_lockout_failure_attempts) return false;
    const row = await findFailures(db.read, userId);
    const now = seconds(clock);
    if (!row || row.failures < config.lockoutFailureAttempts) return false;
    if (row.last_at > now) await db.write((tx) => bringFailureBack(tx, userId, now));
    return row.last_at + config.lockoutDuration > now;
  }

  async function afterFailure(userId: string, options: PasswordOptions, actor: Actor): Promise<void> {
    if (config.lockoutFailureAttempts === undefined || options.ignore_lockout_failure_attempts) return;
    const now = seconds(clock);
    await change(actor, async (inside) => {
      const failures = await countFailure(inside.tx, userId, now, now - config.lockoutDuration);
      const locked = failures >= config.lockoutFailureAttempts!;
      inside.audit(locked ? 'user.locked_out' : 'user.login_failed', { kind: 'user', id: userId }, { failures });
      if (locked) await notify(inside, 'user.locked_out', userId);
    });
  }

  async function afterSuccess(userId: string, password: string, row: { id: string; hash: string }): Promise<void> {
    const hash = isOutdated(row.hash, cost) ? await hashOf(password) : undefined;
    const failures = config.lockoutFailureAttempts === undefined ? undefined : await findFailures(db.read, userId);
    if (!hash && !failures) return;
    await change({ userId, requestId: null }, async ({ tx, audit }) => {
      if (hash) await replaceHash(tx, row.id, row.hash, hash);
      if (failures) await forgetFailures(tx, userId);
      audit(hash ? 'user.password_rehashed' : 'user.login_failures_forgotten', { kind: 'user', id: userId });
    });
  }

  /** What would be refused when it is its turn does not wait in the line for it. */
  async function guess<T>(
    by: Guesser,
    account: string,
    look: (looked: () => void) => Promise<T>,
    isRight: (found: T) => boolean,
  ): Promise<T> {
    gate.check(by, account);
    const place = { key: addressKey(by.address), signal: by.signal };
    return queue.run(place, () => gate.guess(by, account, look, isRight));
  }

  return {
    misfit,
    async prepare(password, by, { id, options }, place) {
      if (by === 'self' && options.lock_password) fail('user.password_locked');
      await checkRules(password);
      return queue.run(place, async () => {
        if (id && by === 'self') {
          await checkAge(id);
          await checkHistory(password, id);
        }
        return { hash: await hashOf(password), expiresAt: expiry(by, options), by };
      });
    },

    async store({ tx }, userId, { hash, expiresAt, by }) {
      const serial = ((await findPassword(tx, userId))?.serial ?? 0) + 1;
      await insertPassword(tx, {
        id: newId(),
        user_id: userId,
        hash,
        created_at: seconds(clock),
        expires_at: expiresAt,
        serial,
        self_service: bit(by === 'self'),
      });
      await deletePasswords(tx, userId, serial - Math.max(1, config.uniqueLastPasswordCount));
      await forgetFailures(tx, userId);
    },

    remove: ({ tx }, userId) => deletePasswords(tx, userId, Number.MAX_SAFE_INTEGER),
    unlock: ({ tx }, userId) => forgetFailures(tx, userId),

    check: (password, meant, by) =>
      guess(
        by,
        accountOf(meant),
        // The lock is looked at, and a failure counted, while it is their turn: a thousand parallel guesses gain nothing.
        async (looked): Promise<PasswordCheck> => {
          const user = 'id' in meant ? meant : undefined;
          const turn = await pauses.claim(by, accountOf(meant));
          const row = user && (await findPassword(db.read, user.id));
          const matches = await isHashOf(password, row?.hash ?? nobody);
          looked();
          const locked = user !== undefined && row !== undefined && (await isLocked(user.id, user.options));
          const good = matches && row !== undefined && user?.open === true && !locked;
          if (good) await pauses.right(by, accountOf(meant), turn);
          else await pauses.wrong(by, accountOf(meant), turn);
          if (!user || !row) return 'wrong';
          if (locked) return 'locked';
          if (!good) {
            await afterFailure(user.id, user.options, by);
            return matches ? 'closed' : 'wrong';
          }
          const ends = user.options.ignore_password_expiry ? null : row.expires_at;
          if (ends !== null && ends <= seconds(clock)) return 'expired';
          await afterSuccess(user.id, password, row);
          return 'good';
        },
        (found) => found === 'good' || found === 'expired',
      ),

    async isOf(userId, password) {
      const row = await findPassword(db.read, userId);
      return row !== undefined && isHashOf(password, row.hash);
    },

    hash: (secret, place) => queue.run(place, () => hashOf(secret)),
    matches: (secret, account, by, expected) =>
      guess(
        by,
        account,
        async () => {
          const hash = await expected();
          return hash !== undefined && isHashOf(secret, hash);
        },
        Boolean,
      ),
    sweep: () => pauses.sweep(),
    settled: () => queue.settled(),
    get waiting() {
      return queue.waiting;
    },
    get hashed() {
      return hashed;
    },
  };
}

const accountOf = (meant: Meant): string => ('id' in meant ? (meant.countedAs ?? meant.id) : meant.unknown);
