// Authenticates a request: by bearer token if those are accepted, else by session cookie.
import type { IncomingHttpHeaders } from 'node:http';
import { fault } from '../ground/faults.ts';
import type { Bearer } from './bearer.ts';
import type { Cookies } from './cookies.ts';
import { type AuthenticatedCaller, callerOf, type RoleRules } from './identity.ts';
import type { OwnResources } from './protected-resource.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';

const BEARER = /^Bearer +(\S+)$/i;
const IS_BEARER = /^Bearer\b/i;

/**
 * Browsers say where a request comes from. A request that changes something must come from our own pages. Requests without
 * these headers may come from an old browser, and are refused.
 */
export function isOwnPage(headers: IncomingHttpHeaders, origin: string): boolean {
  const site = headers['sec-fetch-site'];
  return site === 'same-origin' || site === 'none' || headers.origin === origin;
}

export function createAuthenticate(deps: {
  cookies: Cookies;
  sessions: Sessions;
  bearer: Bearer | undefined;
  roles: RoleRules;
  readonly ownResource: Pick<OwnResources, 'challenge'>;
  publicUrl(): string;
}) {
  const { cookies, sessions, bearer, roles, ownResource, publicUrl } = deps;
  const challenge = (): string =>
    bearer ? `Bearer realm="wallet"${ownResource.challenge()}` : 'Session realm="wallet", login="/api/v1/auth/login"';

  const refuse = (reason: string, more: Readonly<Record<string, string>> = {}): never => {
    throw fault('not-authenticated', undefined, { headers: { 'WWW-Authenticate': challenge(), ...more }, reason });
  };

  async function byToken(accept: Bearer, authorization: string, requestId: string): Promise<AuthenticatedCaller> {
    const token = BEARER.exec(authorization)?.[1];
    const payload = token === undefined ? undefined : await accept(token);
    if (!payload) return refuse('the bearer token is not valid', { 'WWW-Authenticate': `${challenge()}, error="invalid_token"` });
    const { iss, sub, exp, auth_time: authTime } = payload;
    const since = typeof authTime === 'number' ? authTime * 1000 : undefined;
    const identity = { issuer: iss, subject: sub, claims: payload, authTime: since, expiresAt: exp * 1000 };
    return callerOf(identity, requestId, roles);
  }

  function bySession(session: Session, requestId: string): AuthenticatedCaller {
    const { issuer, subject, claims, authTime, endsAt } = session;
    return callerOf({ issuer, subject, claims, authTime, expiresAt: endsAt }, requestId, roles, session);
  }

  return async (call: {
    readonly headers: IncomingHttpHeaders;
    readonly requestId: string;
    readonly method: string;
  }): Promise<AuthenticatedCaller> => {
    const { headers, requestId, method } = call;
    const { authorization = '' } = headers;
    if (bearer && IS_BEARER.test(authorization)) return byToken(bearer, authorization, requestId);
    const cookie = cookies.read(headers, 'session');
    if (cookie === undefined) return refuse('no session');
    const session = await sessions.find(cookie);
    if (!session) return refuse('session unknown or over', { 'Set-Cookie': cookies.clear('session') });
    if (method !== 'GET' && method !== 'HEAD' && !isOwnPage(headers, new URL(publicUrl()).origin)) throw fault('csrf');
    return bySession(session, requestId);
  };
}
