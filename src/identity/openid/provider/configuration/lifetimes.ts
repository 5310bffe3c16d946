// Lifetimes of sessions, codes and tokens.
import type { Configuration } from 'oidc-provider';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

export interface Lifetimes {
  /** A session ends when it was unused for this time, and at the latest after `sessionSeconds`. */
  readonly sessionIdleSeconds: number;
  readonly sessionSeconds: number;
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
}

/**
 * For how many seconds a session of somebody is stored from now, whoever stores it. This is the idle time: a session that is not stored
 * again ends then. `loginTs` is by the clock of the library, in seconds.
 */
export const sessionLifetime = (
  { sessionIdleSeconds, sessionSeconds }: Pick<Lifetimes, 'sessionIdleSeconds' | 'sessionSeconds'>,
  { loginTs }: { readonly loginTs?: number | undefined },
): number => {
  const now = Math.floor(Date.now() / 1000);
  return Math.max(Math.min(sessionIdleSeconds, (loginTs ?? now) + sessionSeconds - now), 1);
};

/** Whoever manages an application makes the lives of its tokens shorter than the service has them, never longer. */
const shorter = (ofService: number, ofClient: unknown): number =>
  typeof ofClient === 'number' ? Math.min(ofService, ofClient) : ofService;

export const ttlOf = (lifetimes: Lifetimes) =>
  ({
    AccessToken: (_ctx, token, client) =>
      shorter(token.resourceServer?.accessTokenTTL ?? lifetimes.accessTokenSeconds, client?.['access_token_lifetime']),
    AuthorizationCode: MINUTE,
    ClientCredentials: (_ctx, token, client) =>
      shorter(token.resourceServer?.accessTokenTTL ?? lifetimes.accessTokenSeconds, client?.['access_token_lifetime']),
    DeviceCode: 10 * MINUTE,
    Grant: () => lifetimes.refreshTokenSeconds,
    IdToken: HOUR,
    // Shorter until the person is signed in.
    Interaction: (_ctx, { session }) => (session?.accountId ? HOUR : 20 * MINUTE),
    RefreshToken: (_ctx, _token, client) => shorter(lifetimes.refreshTokenSeconds, client?.['refresh_token_lifetime']),
    Session: (_ctx, session) => (session.accountId ? sessionLifetime(lifetimes, session) : 20 * MINUTE),
  }) satisfies Configuration['ttl'];
