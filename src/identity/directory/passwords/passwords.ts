// The interface of the passwords module.
import type { AttemptOrigin, FairQueue, QueueClient } from '../../../platform/limits/index.ts';
import type { Actor, Change } from '../../ground/audit/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import type { PasswordsOfUser } from './imported.rules.ts';

/** The `options` of a user that concern passwords. */
export interface PasswordOptions {
  readonly ignore_change_password_upon_first_use?: boolean;
  readonly ignore_password_expiry?: boolean;
  readonly ignore_lockout_failure_attempts?: boolean;
  readonly lock_password?: boolean;
}

/** Who sets a password: users with their old one (`self`) or with a link from a mail (`link`), or someone else for them. */
export type PasswordSetter = 'self' | 'link' | 'administrator';

/** Whose password it will be. */
export interface PasswordOwner {
  /** Undefined: of an account that does not exist yet. */
  readonly id: string | undefined;
  readonly domainId: string;
  readonly options: PasswordOptions;
}

/** A hash to be stored. It is computed before the transaction, since that takes long. */
export interface NewPassword {
  readonly hash: string;
  readonly expiresAt: number | null;
  readonly by: PasswordSetter;
  /** How many former ones, with this one, are kept; as the service says when unset. */
  readonly kept?: number;
}

/** Who tries a secret, and from where. */
export interface Guesser extends Actor, AttemptOrigin {}

/** An account that wrong passwords may lock. */
export interface LockableAccount {
  readonly id: string;
  /** Undefined: of an account that there is not, named without a domain that there is. */
  readonly domainId: string | undefined;
  readonly options: PasswordOptions;
}

/** The right password of an inactive account counts as wrong; otherwise the counts would reveal it. */
export interface PasswordHolder extends LockableAccount {
  readonly active: boolean;
}

/** Where a secret is: the hash of a password here, that of another secret, or a directory. */
export interface SecretPlace {
  /** Key for counting guesses: the account, or what was typed when there is none, or when counting by account would reveal that there is one. */
  readonly countedAs: string;
  /** In a directory, which is not asked while others wait for their hashes. */
  readonly isElsewhere?: boolean;
  /** The domain of the account, or in which the name was looked up. */
  readonly domainId?: string | undefined;
  /** Whether the guess is counted if the directory does not answer. */
  readonly countsWhenAway?: boolean;
  /** Takes the same time whether there is one or not. With `isLocked`, guesses at a locked account do not reach a directory. */
  compare(secret: string, isLocked: (account: LockableAccount) => Promise<boolean>): Promise<ComparedSecret>;
}

export interface ComparedSecret {
  /** Undefined when there is none that could be locked. */
  readonly account: LockableAccount | undefined;
  readonly isRight: boolean;
  /** After a right one, of an account that is not locked. */
  accept(): Promise<'good' | 'expired' | 'closed'>;
}

export type PasswordCheck = 'good' | 'wrong' | 'locked' | 'closed' | 'expired';

/** What wrong guesses led to. Times in seconds. */
export interface GuessLimit {
  /** The guesses that count. */
  readonly failures: number;
  /** Null where the service does not keep it. */
  readonly since: number | null;
  readonly until: number;
}

/** So many failures, the last of them after this time, lock somebody out; undefined: none do. */
type LockingFailures = { readonly least: number; readonly after: number } | undefined;

export interface LockOutFilter {
  readonly own: readonly { readonly domainIds: readonly string[]; readonly failures: LockingFailures }[];
  /** Of people of other domains than these. */
  readonly others: LockingFailures;
}

export interface Passwords {
  /** Fails if the rules refuse it, whatever former ones there are. Before something is used up for the change. */
  checkNew(password: string, by: PasswordSetter, owner: PasswordOwner): Promise<void>;
  /** Checks the rules, then hashes. */
  prepare(password: string, by: PasswordSetter, owner: PasswordOwner, client: QueueClient): Promise<NewPassword>;
  /** Why a password is refused as too short or too common; undefined when it is acceptable. */
  problem(password: string): Promise<string | undefined>;
  /** The caller must have locked the row of the user, so that concurrent changes are stored one after the other. */
  store(change: Change, userId: string, password: NewPassword): Promise<void>;
  /** Of people who were made in the same transaction. */
  storeImported(change: Change, people: readonly PasswordsOfUser[]): Promise<void>;
  /** Instead of those that they have. */
  replaceImported(change: Change, person: PasswordsOfUser): Promise<void>;
  /** People whose hash is still that of another system, in one domain or in all. */
  countImported(reader: Reader, domainId?: string): Promise<number>;
  /** Removes the password of the user. */
  remove(change: Change, userId: string): Promise<void>;
  /** Lets the present password expire now, if it has not. False when the user has none. */
  expire(change: Change, userId: string): Promise<boolean>;
  /** Ends a lock-out. */
  unlock(change: Change, userId: string): Promise<void>;
  /** Wrong guesses that were counted under these keys delay no further ones, at any process. */
  forgive(change: Change, countedAs: readonly string[]): Promise<void>;
  /** The accounts among these that are locked out, by id. */
  lockOuts(reader: Reader, accounts: readonly LockableAccount[]): Promise<ReadonlyMap<string, GuessLimit>>;
  /** The keys among these under which so many wrong guesses were counted that further ones have to wait. They end when there is none for a while. */
  pauses(reader: Reader, countedAs: readonly string[]): Promise<ReadonlyMap<string, GuessLimit>>;
  /** Whom a lock-out concerns, for lists; undefined when there is none. */
  lockOutFilter(): Promise<LockOutFilter | undefined>;
  /** Takes the same time whatever is wrong. Guesses are counted by account and address before anything is hashed. */
  check(password: string, place: SecretPlace, by: Guesser): Promise<PasswordCheck>;
  /** The password that is stored here. For an unknown user, it compares with nothing, and takes as long. */
  storedHere(holder: PasswordHolder | undefined, countedAs: string, domainId?: string): SecretPlace;
  /** Whether the user has one that is stored here, and whether it must be changed. */
  stateOf(
    reader: Reader,
    account: { readonly id: string; readonly options: PasswordOptions },
  ): Promise<'none' | 'good' | 'expired'>;
  /** Whether the user has one, be it expired. */
  has(reader: Reader, userId: string): Promise<boolean>;
  /** For the service itself: without counts, limits and lock-out. */
  isPasswordOf(userId: string, password: string): Promise<boolean>;
  /** Hashes other secrets that people choose, such as the answer to a security question. */
  hash(secret: string, client: QueueClient): Promise<string>;
  /** Checks such a secret. Counts and pauses are those of passwords. `expected` is called when it is the request's turn; the result is false when it returns no hash. */
  matches(secret: string, account: string, by: Guesser, expected: () => Promise<string | undefined>): Promise<boolean>;
  /** Deletes old counts of wrong passwords. */
  sweep(): Promise<number>;
  /** Resolves when no password is being checked. */
  settled(): Promise<void>;
  /** Where requests wait for a hash. */
  readonly queue: Pick<FairQueue, 'waits' | 'refused'>;
  /** Accounts that were locked since the start. */
  readonly lockouts: number;
  /** Requests waiting for a hash. */
  readonly waiting: number;
  /** Hashes started. */
  readonly hashed: number;
}
