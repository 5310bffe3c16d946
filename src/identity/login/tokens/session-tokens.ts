// Tokens that are made from the session of a browser: for our own pages, and for dashboards.
import type { AuthMethod, DelegationRef, TokenRecord } from '../../access/context/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { Fault } from '../../ground/faults.ts';
import type { LoginChecks } from './login-checks.ts';
import type { Tokens } from './tokens.ts';

export interface BrowserSession {
  readonly methods: readonly AuthMethod[];
  /** Names the session in the tokens. */
  readonly auditId: string;
  /** In milliseconds. */
  readonly loginAt: number;
  readonly notAfter: number;
  /** The session at another provider that it began with. */
  readonly delegation?: DelegationRef | undefined;
}

export interface SessionTokens {
  /**
   * Undefined when the account has ended, or the methods of the session are not enough any more: the person may have become an administrator, or
   * set up a second factor, since. Whether the session has ended is for the caller to see, after this.
   */
  issue(
    user: UserWithExpiry,
    session: BrowserSession,
  ): Promise<{ readonly text: string; readonly record: TokenRecord } | undefined>;
}

export const createSessionTokens = ({
  tokens,
  checks,
}: {
  readonly tokens: Tokens;
  readonly checks: LoginChecks;
}): SessionTokens => ({
  async issue(user, { methods, notAfter, delegation, ...session }) {
    const authContext = await checks.checkSession({ user, methods, delegation }).catch((error: unknown) => {
      // The account, or what the session depends on, has ended.
      if (error instanceof Fault && error.code === 'auth.required') return undefined;
      throw error;
    });
    return authContext && tokens.issue(authContext, { methods, notAfter, session });
  },
});
