// Changing how one signs in, or reading a secret of it, needs a recent login: a stolen token or an unattended session is not enough.
import type { Clock } from '../../platform/clock.ts';
import { fail } from '../faults.ts';
import type { Caller } from './caller.ts';
import { isDelegated } from './personas.ts';
import type { TokenRecord } from './token-record.ts';

/** When the person logged in (milliseconds), if need be at another provider: a token made from a token is as old as the first one. */
export const loginTimeOf = ({ parentAuditId, issuedAt, loginAt }: TokenRecord): number =>
  loginAt ?? (parentAuditId === undefined ? issuedAt : 0);

export function createFreshLogin({ clock, config }: { clock: Clock; config: { readonly freshLoginSeconds: number } }) {
  const isFresh = (at: number): boolean => clock.now() - at <= config.freshLoginSeconds * 1000;

  const refuse = (reason: string): never =>
    fail('auth.required', undefined, { reason, detail: { max_age: config.freshLoginSeconds } });

  return {
    /** `at`: a time in milliseconds. */
    isFresh,
    /**
     * Fails with 401, so that clients log in again by themselves; `max_age` says how old a login may be, as in RFC 9470. Administrators who
     * act for others need no recent login.
     */
    require(caller: Caller, userId: string): void {
      // Nobody is present when a delegation is used.
      if (caller.userId === userId && (isDelegated(caller) || !isFresh(loginTimeOf(caller.token))))
        refuse('the login is too old to change or read how one signs in');
    },
    /** For what lasts longer than the token, whoever it is for. */
    requireRecent(caller: Caller): void {
      if (!isFresh(loginTimeOf(caller.token))) refuse('the login is too old for this');
    },
    /** For what concerns the whole service: administrators need a recent login, too, and what they passed on to a program is not enough. */
    requireInPerson(caller: Caller, action: string): void {
      if (isDelegated(caller)) fail('auth.forbidden', { action });
      if (!isFresh(loginTimeOf(caller.token))) refuse('the login is too old for this');
    },
  };
}

export type FreshLogin = ReturnType<typeof createFreshLogin>;
