// An attempt to log in, or to prove a password again.
import type { AttemptOrigin as Origin } from '../../platform/limits/index.ts';

/** Filled in as soon as it is known whom a login is about. */
export interface Whom {
  userId?: string;
}

export interface Attempt extends Origin {
  readonly requestId: string;
  /** Which door it came by: `api` unless it says so. */
  readonly via?: string;
  /** What a password was asked for, where that is no login. */
  readonly purpose?: string;
  /** What guesses at the password are counted under, where that is not the account. */
  readonly countedAs?: string | undefined;
  /** Told whom it is about, once that is known. */
  readonly whom?: Whom;
}
