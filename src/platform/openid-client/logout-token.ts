// Logout tokens (OpenID Connect Back-Channel Logout 1.0): the provider ends one session, or all sessions of a user.
import { createHash } from 'node:crypto';
import type { ProviderAlgorithm } from './algorithms.ts';
import { isNonEmptyString, isObject, isSubject, LEEWAY_SECONDS, typeOfToken, type VerifyToken } from './tokens.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';
/** Older tokens may be replayed. */
const MAX_AGE_SECONDS = 300;
/** How long a used token is stored, to refuse it a second time. */
export const USED_MS = 2 * (MAX_AGE_SECONDS + LEEWAY_SECONDS) * 1000;

/** The type of logout tokens, or none: older libraries do not set it. */
const TYPES: readonly unknown[] = [undefined, 'jwt', 'logout+jwt', 'application/logout+jwt'];

export interface VerifiedLogout {
  readonly issuer: string;
  readonly subject: string | undefined;
  readonly sid: string | undefined;
  /** In seconds, by the clock of the provider. */
  readonly issuedAt: number;
  /** Identifies the token, which can be used only once. */
  readonly tokenHash: string;
}

/** Whom the provider tells. `algorithm`: registered there for ID tokens, and so for these (2.6). */
export interface LogoutAudience {
  readonly clientId: string;
  readonly algorithm?: ProviderAlgorithm | undefined;
}

/** `refuse` throws. */
export async function readLogoutToken(
  verify: VerifyToken,
  { clientId, algorithm }: LogoutAudience,
  token: string,
  refuse: (why: string) => never,
): Promise<VerifiedLogout> {
  if (!TYPES.includes(typeOfToken(token))) refuse('it is a token of another kind');
  const payload = await verify(token, {
    audience: clientId,
    requiredClaims: ['iat', 'jti', 'events'],
    maxTokenAge: MAX_AGE_SECONDS,
    clockTolerance: LEEWAY_SECONDS,
    ...(algorithm === undefined ? {} : { algorithms: [algorithm] }),
  });
  if (!payload) return refuse('it is not signed by the identity provider, not for this service, or too old');
  const { iss, sub, sid, iat, jti, events, nonce } = payload;
  if (!isObject(events) || !isObject(events[EVENT])) refuse('it has no logout event');
  // An ID token has a nonce, and must not be accepted as a logout token.
  if (nonce !== undefined) refuse('it has a nonce');
  if (!isNonEmptyString(jti)) refuse('it has no id');
  if ((sub !== undefined && !isSubject(sub)) || (sid !== undefined && !isNonEmptyString(sid)))
    refuse('its sub or sid is not valid');
  if (sub === undefined && sid === undefined) refuse('it names neither a person nor a session');
  const once = createHash('sha256')
    .update(JSON.stringify(['logout token', iss, jti]))
    .digest('base64url');
  return { issuer: iss!, subject: sub, sid: sid as string | undefined, issuedAt: Math.ceil(iat!), tokenHash: once };
}
