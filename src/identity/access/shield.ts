// Whoever holds more than the caller is shielded from them. What that is, is decided in app-roles/shield.ts.
import type { Reader } from '../database.ts';
import type { Holder } from './access.store.ts';
import type { Caller } from './caller.ts';

export interface Doing {
  /** The change is of how the person signs in. */
  readonly signIn?: boolean;
  /** Users who come into the group by it. */
  readonly admits?: readonly string[];
}

/**
 * Goes on, or 403. Asked before a change, and again inside it, with what is held then. What provisions a domain could otherwise
 * sign in as those who manage it or an application, or put somebody in their place, and do what only people may.
 */
export type Shield = (reader: Reader, caller: Caller, action: string, holder: Holder, what?: Doing) => Promise<void>;
