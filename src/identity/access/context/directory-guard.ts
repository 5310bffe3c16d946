// What other modules need to know about users and groups in a directory (LDAP). Implemented in directory/ldap/.
import type { QueueClient } from '../../../platform/limits/index.ts';
import type { Reader } from '../../ground/database/index.ts';

/** An account whose password is in a directory. */
export interface DirectoryAccount {
  /** Asks for the entry. For an unknown name the directory is asked as often as for a known one. */
  find(): Promise<DirectoryLogin>;
}

export interface DirectoryLogin {
  /** The id of the user whose entry it is. Undefined when there is no such entry, or the user has no row yet. */
  readonly userId: string | undefined;
  /** Whether this is the password. With `isLocked` it is not tried, and the answer is no; the time is the same. */
  isPassword(password: string, isLocked: boolean, client: QueueClient): Promise<boolean>;
  /** After the password: creates or updates the user and their groups. Undefined when the user is disabled, or cannot be stored. */
  accept(): Promise<string | undefined>;
}

/** A domain; or, when none was named, the key under which guesses are counted: for each key the same directory is asked. */
export type DirectoryPlace = { readonly domainId: string | undefined } | { readonly key: string };

/** Where there is a `reader`, it can be a transaction: what is forbidden is asked again in the transaction that acts. */
export interface DirectoryGuard {
  /** Undefined for an account that is not in a directory. By id, or by name in a domain. */
  accountOf(who: {
    readonly userId?: string | undefined;
    readonly domainId?: string | undefined;
    readonly name?: string | undefined;
  }): Promise<DirectoryAccount | undefined>;
  /**
   * For a guess at an account that is in no directory, where one is asked about others: asks about nobody, as often. So neither the time nor a
   * directory that does not answer tells which accounts there are, and which are in it. Fails as a login there would.
   */
  askAboutNobody(where: DirectoryPlace, password: string, client: QueueClient): Promise<void>;
  /**
   * For a sign-in without a password (a passkey, another provider): asks whether the entry still exists and is enabled, and updates the
   * user and their groups. True for users who are not in a directory.
   */
  hasEntry(userId: string): Promise<boolean>;
  /**
   * At each use of a session: whether the directory says that the user is not in it any more, is disabled there, or that their id is that of
   * somebody else. The account is closed then. False also when the directory does not answer.
   */
  hasLeft(userId: string): Promise<boolean>;
  /** Whether the user, and so their name, password and address, is in a directory. */
  isInDirectory(userId: string, reader?: Reader): Promise<boolean>;
  /** Whether the user can sign in with the password of a directory. */
  hasPassword(reader: Reader, userId: string): Promise<boolean>;
  /** Fails with 403 when the domain's users and groups are in a directory. */
  forbidNew(domainId: string, reader?: Reader): Promise<void>;
  /** Whether the group is in a directory, which alone says who its members are. */
  isGroupInDirectory(groupId: string, reader?: Reader): Promise<boolean>;
  /** The attributes of the user that come from a directory. Empty for users that are not in one. */
  attributesOf(userId: string, reader?: Reader): Promise<readonly string[]>;
  /** Fails with 403 when the user or group is in a directory. */
  forbid(kind: 'user' | 'group', id: string, reader?: Reader): Promise<void>;
  /** Fails with 403 when the entry of the user or group exists. Those whose entries are gone can be deleted. */
  forbidDeletion(kind: 'user' | 'group', id: string, reader?: Reader): Promise<void>;
  /** Fails with 403 when the password of the user is in a directory. */
  forbidPassword(userId: string, reader?: Reader): Promise<void>;
  /** Updates the rows of a domain from its directory before they are listed: one user by name, or all when they are out of date. */
  refresh(domainId: string | undefined, only?: { readonly userName?: string | undefined }): Promise<void>;
}
