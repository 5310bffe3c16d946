// Tokens for our own pages, made from the session of a browser.
import type { AuthMethod, TokenRecord } from '../access/index.ts';
import type { UserWithExpiry } from '../users/index.ts';
import { hasSecond, type LoginCompleteness } from './completeness.ts';
import type { Scopes } from './scopes.ts';
import type { Tokens } from './tokens.ts';

export interface BrowserSession {
  readonly methods: readonly AuthMethod[];
  /** The epoch of the user when the session was checked. */
  readonly epoch: number;
  /** Names the session in the tokens. */
  readonly auditId: string;
  /** In milliseconds. */
  readonly loginAt: number;
  readonly notAfter: number;
}

export interface SessionTokens {
  /**
   * Undefined when the session has ended since it was checked, or its methods are not enough any more: the person may have become an
   * administrator, or set up a second factor, since.
   */
  issue(
    user: UserWithExpiry,
    session: BrowserSession,
  ): Promise<{ readonly text: string; readonly record: TokenRecord } | undefined>;
}

export const createSessionTokens = (deps: {
  readonly tokens: Tokens;
  readonly scopes: Scopes;
  readonly completeness: LoginCompleteness;
}): SessionTokens => ({
  async issue(user, { methods, epoch, notAfter, ...session }) {
    const authContext = await deps.scopes.authContextFor(user, { kind: 'unscoped' });
    if (authContext.userEpoch !== epoch) return undefined;
    const second = hasSecond(methods);
    if (!(await deps.completeness.isComplete({ user, methods: new Set(methods), second, parent: undefined }))) return undefined;
    return deps.tokens.issue(authContext, { methods, notAfter, session });
  },
});
