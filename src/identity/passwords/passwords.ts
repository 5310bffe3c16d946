// What others know of passwords.
import type { AttemptOrigin, QueueClient } from '../../platform/limits/index.ts';
import type { Actor, Change } from '../audit/index.ts';

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
export interface Guesser extends Actor, AttemptOrigin {}

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
    place: QueueClient,
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
  hash(secret: string, place: QueueClient): Promise<string>;
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
