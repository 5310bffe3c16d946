// Whoever changes how they sign in, or reads a secret of it, proves again that it is them: a token or a session that was left lying
// about is not enough.
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../faults.ts';
import type { Caller } from './caller.ts';
import type { TokenRecord } from './token-record.ts';

/** When the person logged in (milliseconds): a token made from a token is as old as the first one. */
export const loginTimeOf = ({ parentAuditId, issuedAt, loginAt }: TokenRecord): number =>
  parentAuditId === undefined ? issuedAt : (loginAt ?? 0);

export function createFreshLogin({ clock, config }: { clock: Clock; config: { readonly freshLoginSeconds: number } }) {
  const isFresh = (at: number): boolean => clock.now() - at <= config.freshLoginSeconds * 1000;

  return {
    /** Of a time in milliseconds. */
    isFresh,
    /** 401, so that clients log in again and go on by themselves. What an administrator does for others needs no more than their role. */
    require(caller: Caller, userId: string): void {
      if (caller.userId === userId && !isFresh(loginTimeOf(caller.token)))
        fail('auth.required', undefined, { reason: 'the login is too old to change or read how one signs in' });
    },
  };
}

export type FreshLogin = ReturnType<typeof createFreshLogin>;
