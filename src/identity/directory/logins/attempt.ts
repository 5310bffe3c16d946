// An attempt to log in, or to confirm a password.
import type { AttemptOrigin } from '../../../platform/limits/index.ts';

/** The user of a login. Filled in as soon as it is known. */
export interface LoginSubject {
  userId?: string;
}

export interface LoginAttempt extends AttemptOrigin {
  readonly requestId: string;
  /** The browser, where it is known. */
  readonly userAgent?: string | undefined;
  /** Where it was made; `api` by default. */
  readonly via?: string;
  /** Why a password was asked for, when it is not a login. */
  readonly purpose?: string;
  /** Key for counting guesses at the password, when it is not the account. */
  readonly countedAs?: string | undefined;
  /**
   * No domain was named: the account may be in any, also in one with a directory. So a directory is asked about every account, and an answer
   * that does not come counts as a guess.
   */
  readonly ofAnyDomain?: boolean | undefined;
  /** For what is proved by a signature of the whole request, by its public address with the query. */
  readonly signedRequest?: { readonly method: string; readonly url: string; readonly authorization: string | undefined };
  /** Gets the user once it is known. */
  readonly subject?: LoginSubject;
}
