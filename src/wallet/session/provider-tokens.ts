// Tokens the provider signed: verified with the keys it publishes.
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { fail } from '../faults.ts';
import type { Provider } from './provider.ts';

/** No symmetric ones, and not `none`. */
const ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'PS256'];
const JWKS_MS = 5_000;

/** Clocks of two machines differ by a little. */
export const LEEWAY_SECONDS = 30;

/** Who it is about: nothing but a text with something in it is a name. */
export const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Undefined for a token that does not hold; a Fault when the provider's keys cannot be had. */
export type VerifyToken = (token: string, rules: Omit<JWTVerifyOptions, 'issuer'>) => Promise<JWTPayload | undefined>;

export function createVerifyToken(provider: Provider): VerifyToken {
  let keys: { uri: string; get: JWTVerifyGetKey } | undefined;

  async function keySet(uri: string): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    if (keys?.uri !== uri)
      keys = { uri, get: createRemoteJWKSet(new URL(uri), { [customFetch]: provider.fetch, timeoutDuration: JWKS_MS }) };
    return keys.get;
  }

  return async (token, rules) => {
    const { errors, jwtVerify } = await import('jose');
    const { issuer, jwksUri } = await provider.signer();
    const get = await keySet(jwksUri);
    try {
      const { payload } = await jwtVerify(token, get, { ...rules, issuer, algorithms: ALGORITHMS });
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
