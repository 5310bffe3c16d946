// Tokens for our own pages, made from the session of a browser.
import type { AuthMethod, DelegationRef, TokenRecord } from '../access/index.ts';
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
  /** The session at another provider that it began with. */
  readonly delegation?: DelegationRef | undefined;
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

const UNSCOPED = { kind: 'unscoped' } as const;

export const createSessionTokens = (deps: {
  readonly tokens: Tokens;
  readonly scopes: Scopes;
  readonly completeness: LoginCompleteness;
}): SessionTokens => ({
  async issue(user, { methods, epoch, notAfter, delegation, ...session }) {
    const { scopes } = deps;
    const authContext = await (delegation
      ? scopes.delegatedContext(delegation, UNSCOPED)
      : scopes.authContextFor(user, UNSCOPED));
    if (authContext.user.id !== user.id || authContext.userEpoch !== epoch) return undefined;
    const second = hasSecond(methods);
    if (!(await deps.completeness.isComplete({ user, methods: new Set(methods), second, parent: undefined }))) return undefined;
    return deps.tokens.issue(authContext, { methods, notAfter, session });
  },
});
