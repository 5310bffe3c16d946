// Lifetimes of sessions, codes and tokens.
import type { Configuration } from 'oidc-provider';
import type { Lifetimes, Records } from '../../records/index.ts';
import { signInRequestLifetime } from './ciba.ts';

const MINUTE = 60;
const HOUR = 60 * MINUTE;

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

/** Of a token for a resource, too, whose kind may have a shorter life of its own. */
const accessTokenLife = (lifetimes: Lifetimes, ofResource: number | undefined, ofClient: unknown): number =>
  shorter(shorter(lifetimes.accessTokenSeconds, ofResource), ofClient);

export const ttlOf = ({ lifetimesOf }: Pick<Records, 'lifetimesOf'>) =>
  ({
    AccessToken: (_ctx, token, client) =>
      accessTokenLife(lifetimesOf(token.accountId), token.resourceServer?.accessTokenTTL, client?.['access_token_lifetime']),
    AuthorizationCode: MINUTE,
    BackchannelAuthenticationRequest: (ctx) => signInRequestLifetime(ctx),
    ClientCredentials: (_ctx, token, client) =>
      accessTokenLife(lifetimesOf(undefined), token.resourceServer?.accessTokenTTL, client?.['access_token_lifetime']),
    DeviceCode: 10 * MINUTE,
    Grant: (_ctx, grant) => lifetimesOf(grant.accountId).refreshTokenSeconds,
    IdToken: HOUR,
    // Shorter until the person is signed in.
    Interaction: (_ctx, { session }) => (session?.accountId ? HOUR : 20 * MINUTE),
    RefreshToken: (_ctx, token, client) =>
      shorter(lifetimesOf(token.accountId).refreshTokenSeconds, client?.['refresh_token_lifetime']),
    Session: (_ctx, session) => (session.accountId ? sessionLifetime(lifetimesOf(session.accountId), session) : 20 * MINUTE),
  }) satisfies Configuration['ttl'];
