// Bearer tokens: JWT access tokens (RFC 9068) of the same provider, for the configured audience.
import type { JWTPayload } from 'jose';
import { isNonEmptyString, LEEWAY_SECONDS, type VerifyToken } from '../../platform/openid-client/index.ts';

/** A valid token with issuer, subject and expiry. */
export type BearerPayload = JWTPayload & { readonly iss: string; readonly sub: string; readonly exp: number };

export type Bearer = (token: string) => Promise<BearerPayload | undefined>;

/** Undefined if the token is not valid; throws a Fault if the provider's keys cannot be fetched. */
export function createBearer(verify: VerifyToken, audience: string): Bearer {
  return async (token) => {
    const payload = await verify(token, {
      audience,
      typ: 'at+jwt',
      requiredClaims: ['sub', 'exp', 'iat', 'client_id', 'jti'],
    });
    if (!payload || !isNonEmptyString(payload.sub)) return undefined;
    // A token with `cnf` needs the key of its holder (RFC 9449, 7.1), which is not proved here: whoever has stolen it could use it.
    if (payload.cnf !== undefined) return undefined;
    // A token issued in the future comes from a wrong clock, or is meant to survive a revocation.
    const isAhead = typeof payload.iat !== 'number' || payload.iat > Date.now() / 1000 + LEEWAY_SECONDS;
    return isAhead ? undefined : (payload as BearerPayload);
  };
}
