// Bearer tokens of machines: JWT access tokens (RFC 9068) of the same provider, for the audience that is configured.
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import { fail } from '../faults.ts';
import type { Provider } from './provider.ts';

/** No symmetric ones, and not `none`. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS256'];
const JWKS_MS = 5_000;

export type Bearer = (token: string) => Promise<JWTPayload | undefined>;

/** Undefined for a token that does not hold; a Fault when the provider's keys cannot be had. */
export function createBearer(provider: Provider, audience: string): Bearer {
  let keys: { uri: string; get: JWTVerifyGetKey } | undefined;

  async function keySet(uri: string): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    if (keys?.uri !== uri)
      keys = { uri, get: createRemoteJWKSet(new URL(uri), { [customFetch]: provider.fetch, timeoutDuration: JWKS_MS }) };
    return keys.get;
  }

  return async (token) => {
    const { errors, jwtVerify } = await import('jose');
    const { issuer, jwksUri } = await provider.signer();
    const get = await keySet(jwksUri);
    try {
      const { payload } = await jwtVerify(token, get, {
        issuer,
        audience,
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp', 'iat', 'client_id', 'jti'],
      });
      return payload;
    } catch (error) {
      // The plain error of the library is that no keys came; all others are about the token.
      const { code } = error as { code?: string };
      if (error instanceof errors.JOSEError && code !== errors.JWKSTimeout.code && code !== errors.JOSEError.code)
        return undefined;
      return fail('identity-provider-unavailable', undefined, { reason: `keys: ${(error as Error).message}` });
    }
  };
}
