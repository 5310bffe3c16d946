// Logging in to a trust. The module of trusts has it.
import type { DelegationRef } from '../../access/context/index.ts';
import type { LoginAttempt } from '../../directory/logins/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';

export interface TrustLogins {
  /**
   * The trust, if this user is its trustee and it has not ended; and everybody else it depends on: the user whose roles it passes on, and those
   * who passed it on. Fails otherwise.
   */
  forLogin(
    id: string,
    user: { readonly id: string },
  ): Promise<{ readonly delegation: DelegationRef; readonly others: readonly UserWithExpiry[] }>;
  /** Takes one of its uses. Fails if none is left, or if the trustee changed since the user was read. */
  use(id: string, user: { readonly id: string; readonly epoch: number }, attempt: LoginAttempt): Promise<void>;
}
