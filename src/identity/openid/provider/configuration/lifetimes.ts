// Lifetimes of sessions, codes and tokens.
import type { Configuration } from 'oidc-provider';

const MINUTE = 60;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface Lifetimes {
  /** A session ends when it was unused for this time, and at the latest after `sessionSeconds`. */
  readonly sessionIdleSeconds: number;
  readonly sessionSeconds: number;
  readonly accessTokenSeconds: number;
  readonly refreshTokenSeconds: number;
}

export const ttlOf = (lifetimes: Lifetimes) =>
  ({
    AccessToken: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? lifetimes.accessTokenSeconds,
    AuthorizationCode: MINUTE,
    ClientCredentials: (_ctx, token) => token.resourceServer?.accessTokenTTL ?? lifetimes.accessTokenSeconds,
    DeviceCode: 10 * MINUTE,
    Grant: lifetimes.refreshTokenSeconds,
    IdToken: HOUR,
    // Shorter until the person is signed in.
    Interaction: (_ctx, { session }) => (session?.accountId ? HOUR : 20 * MINUTE),
    RefreshToken: lifetimes.refreshTokenSeconds,
    Session: (_ctx, { accountId }) => (accountId ? Math.min(lifetimes.sessionIdleSeconds, 30 * DAY) : 20 * MINUTE),
  }) satisfies Configuration['ttl'];
