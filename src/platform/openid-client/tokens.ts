// Verifies tokens of the provider with the keys it publishes.
import type { JWTPayload, JWTVerifyGetKey, JWTVerifyOptions } from 'jose';
import { PROVIDER_ALGORITHMS } from './algorithms.ts';
import type { Unavailable } from './discovery.ts';

const JWKS_MS = 5_000;
/** After its keys could not be read, a provider is left alone for this time: anybody may send tokens that would need them. */
const AGAIN_MS = 1_000;

/** Tolerance for clock differences. */
export const LEEWAY_SECONDS = 30;

export const isNonEmptyString = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** At most 255 characters (OpenID Connect Core, 2). Databases have no NUL in texts, and a limit for keys. */
export const isSubject = (value: unknown): value is string =>
  isNonEmptyString(value) && value.length <= 255 && !value.includes('\0');

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A part of a token, not verified; undefined if it cannot be read. */
function unverifiedPart(token: string, at: 0 | 1): Readonly<Record<string, unknown>> | undefined {
  try {
    const part: unknown = JSON.parse(Buffer.from(token.split('.', 3)[at]!, 'base64url').toString());
    return isObject(part) ? part : undefined;
  } catch {
    return undefined;
  }
}

/** The type in the header, in lower case; null if it cannot be read. It is not verified yet. */
export function typeOfToken(token: string): unknown {
  const header = unverifiedPart(token, 0);
  return header === undefined ? null : typeof header.typ === 'string' ? header.typ.toLowerCase() : header.typ;
}

/** Whether it says that it is of this issuer. It is not verified yet: this only saves asking the provider about tokens of others. */
export function claimsIssuer(token: string, issuer: string): boolean {
  const claimed = unverifiedPart(token, 1)?.iss;
  // Settings and tokens may differ by a slash at the end.
  return claimed === issuer || claimed === `${issuer}/` || `${String(claimed)}/` === issuer;
}

/** Undefined if the token is not valid; throws a Fault if the provider's keys cannot be fetched. */
export type VerifyToken = (token: string, rules: Omit<JWTVerifyOptions, 'issuer'>) => Promise<JWTPayload | undefined>;

/** Whose tokens they are (provider.ts). */
interface Signer {
  readonly fetch: typeof fetch;
  readonly unavailable: Unavailable;
  signer(): Promise<{ issuer: string; jwksUri: string }>;
}

export function createVerifyToken(provider: Signer): VerifyToken {
  let keys: { uri: string; get: JWTVerifyGetKey } | undefined;
  let failedAt = Number.NEGATIVE_INFINITY;
  const failed = (): void => {
    failedAt = performance.now();
  };

  /** Keys that were read before are used meanwhile. */
  const fetchKeys: typeof fetch = async (...request) => {
    if (performance.now() - failedAt < AGAIN_MS) throw new Error('they could not be read a moment ago');
    try {
      const answer = await provider.fetch(...request);
      if (!answer.ok) failed();
      return answer;
    } catch (error) {
      failed();
      throw error;
    }
  };

  async function keySet(uri: string): Promise<JWTVerifyGetKey> {
    const { createRemoteJWKSet, customFetch } = await import('jose');
    if (keys?.uri !== uri)
      keys = { uri, get: createRemoteJWKSet(new URL(uri), { [customFetch]: fetchKeys, timeoutDuration: JWKS_MS }) };
    return keys.get;
  }

  return async (token, rules) => {
    const { errors, jwtVerify } = await import('jose');
    const { issuer, jwksUri } = await provider.signer();
    const get = await keySet(jwksUri);
    try {
      const { payload } = await jwtVerify(token, get, { algorithms: [...PROVIDER_ALGORITHMS], ...rules, issuer });
      return payload;
    } catch (error) {
      // The library throws a plain JOSEError if the keys cannot be fetched. All but these errors are about the token.
      const { code = '' } = error as { code?: string };
      if (code === errors.JWKSInvalid.code) failed();
      const ofProvider = [errors.JWKSTimeout, errors.JWKSInvalid, errors.JOSEError].some((one) => one.code === code);
      if (error instanceof errors.JOSEError && !ofProvider) return undefined;
      return provider.unavailable(`keys: ${(error as Error).message}`);
    }
  };
}
