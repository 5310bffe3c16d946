// Bearer tokens of machines: JWT access tokens (RFC 9068) of the same provider, for the audience that is configured.
import type { JWTPayload } from 'jose';
import { isNonEmptyString, LEEWAY_SECONDS, type VerifyToken } from './provider-tokens.ts';

/** A token that holds, and says whose it is. */
export type BearerPayload = JWTPayload & { readonly iss: string; readonly sub: string; readonly exp: number };

export type Bearer = (token: string) => Promise<BearerPayload | undefined>;

/** Undefined for a token that does not hold; a Fault when the provider's keys cannot be had. */
export function createBearer(verify: VerifyToken, audience: string): Bearer {
  return async (token) => {
    const payload = await verify(token, {
      audience,
      typ: 'at+jwt',
      requiredClaims: ['sub', 'exp', 'iat', 'client_id', 'jti'],
    });
    if (!payload || !isNonEmptyString(payload.sub)) return undefined;
    // One from the future was made by a clock that is wrong, or is meant to outlive what ends tokens now.
    const isAhead = typeof payload.iat !== 'number' || payload.iat > Date.now() / 1000 + LEEWAY_SECONDS;
    return isAhead ? undefined : (payload as BearerPayload);
  };
}
