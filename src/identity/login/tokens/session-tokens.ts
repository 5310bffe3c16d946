// Tokens that are made from the session of a browser: for our own pages, and for dashboards.
import type { AuthContext, AuthMethod, DelegationRef, TokenRecord } from '../../access/context/index.ts';
import type { UserWithExpiry } from '../../directory/users/index.ts';
import { Fault } from '../../ground/faults.ts';
import { testPoint } from '../../ground/test-points.ts';
import type { LoginCompleteness } from './completeness.ts';
import { hasSecond } from './requirements.ts';
import type { Scopes } from './scopes.ts';
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

const UNSCOPED = { kind: 'unscoped' } as const;

export function createSessionTokens({
  tokens,
  scopes,
  completeness,
}: {
  readonly tokens: Tokens;
  readonly scopes: Scopes;
  readonly completeness: LoginCompleteness;
}): SessionTokens {
  /** Undefined when the account, or what the session depends on, has ended. */
  const contextOf = (user: UserWithExpiry, delegation: DelegationRef | undefined): Promise<AuthContext | undefined> =>
    (delegation ? scopes.delegatedContext(delegation, UNSCOPED) : scopes.authContextFor(user, UNSCOPED)).catch(
      (error: unknown) => {
        if (error instanceof Fault && error.code === 'auth.required') return undefined;
        throw error;
      },
    );

  return {
    async issue(user, { methods, notAfter, delegation, ...session }) {
      await testPoint('login.before-token');
      const authContext = await contextOf(user, delegation);
      if (authContext?.user.id !== user.id) return undefined;
      const second = hasSecond(methods);
      if (!(await completeness.isComplete({ user, methods: new Set(methods), second, parent: undefined }))) return undefined;
      return tokens.issue(authContext, { methods, notAfter, session });
    },
  };
}
