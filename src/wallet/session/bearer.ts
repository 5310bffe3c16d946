// Bearer tokens of machines: JWT access tokens (RFC 9068) of the same provider, for the audience that is configured.
import type { JWTPayload, JWTVerifyGetKey } from 'jose';
import type { Provider } from './provider.ts';

/** No symmetric ones, and not `none`. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS256'];
const JWKS_MS = 5_000;

export type Bearer = (token: string) => Promise<JWTPayload | undefined>;

/** Undefined for a token that does not hold; throws when the provider's keys cannot be had. */
export function createBearer(provider: Provider, audience: string): Bearer {
  let keys: { uri: string; get: JWTVerifyGetKey } | undefined;

  async function keySet(): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    const uri = await provider.jwksUri();
    if (keys?.uri !== uri)
      keys = { uri, get: createRemoteJWKSet(new URL(uri), { [customFetch]: provider.fetch, timeoutDuration: JWKS_MS }) };
    return keys.get;
  }

  return async (token) => {
    const { errors, jwtVerify } = await import('jose');
    const get = await keySet();
    try {
      const { payload } = await jwtVerify(token, get, {
        issuer: provider.issuer,
        audience,
        typ: 'at+jwt',
        algorithms: ALGORITHMS,
        requiredClaims: ['sub', 'exp', 'iat', 'client_id', 'jti'],
      });
      return payload;
    } catch (error) {
      if (error instanceof errors.JOSEError && !(error instanceof errors.JWKSTimeout)) return undefined;
      throw error;
    }
  };
}
