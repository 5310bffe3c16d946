// JWS in compact form: decoded without trust, verified by jose (by node:crypto for algorithms jose does not have), and signed
// with keys of a key store.
import type { JWK } from 'jose';
import { ALGORITHMS, type Algorithm, type PublicJwk, verifyWith } from './algorithms.ts';

const MAX_LENGTH = 256 * 1024;
/** Real JSON has less than ten levels. Thousands of levels would exhaust the stack of recursive code. */
export const MAX_DEPTH = 32;

export class JwsError extends Error {
  readonly code: 'malformed' | 'invalid-signature';
  constructor(why: string, code: JwsError['code'] = 'invalid-signature') {
    super(why);
    this.code = code;
  }
}

export interface DecodedJws {
  readonly header: Readonly<Record<string, unknown>>;
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Nested too deeply, with a `__proto__` member, or with a NUL character, which PostgreSQL does not store. */
export function isUnsafeJson(value: unknown, depth = MAX_DEPTH): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null) return false;
  if (depth === 0 || Object.hasOwn(value, '__proto__')) return true;
  return Object.entries(value).some(([name, inner]) => name.includes('\0') || isUnsafeJson(inner, depth - 1));
}

function jsonOf(part: string, what: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
  } catch {
    throw new JwsError(`the ${what} cannot be read`, 'malformed');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new JwsError(`the ${what} is not an object`, 'malformed');
  if (isUnsafeJson(value))
    throw new JwsError(`the ${what} is nested too deeply, or has forbidden names or characters`, 'malformed');
  return value as Record<string, unknown>;
}

/** Decodes without verifying. */
export function decodeJws(compact: unknown, maxLength = MAX_LENGTH): DecodedJws {
  if (typeof compact !== 'string' || compact.length > maxLength) throw new JwsError('it is no JWS', 'malformed');
  const parts = compact.split('.');
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]+$/.test(part))) throw new JwsError('it is no JWS', 'malformed');
  const header = jsonOf(parts[0]!, 'header');
  // Critical extensions (RFC 7515, 4.1.11): none is supported.
  if (header.crit !== undefined) throw new JwsError('its header names extensions that are not understood', 'malformed');
  return { header, payload: jsonOf(parts[1]!, 'payload') };
}

function algorithmOf(header: DecodedJws['header']): Algorithm {
  const found = ALGORITHMS.find((one) => one === header.alg);
  if (!found) throw new JwsError('its algorithm is not one that is accepted');
  return found;
}

/** Throws JwsError unless the key signed it. */
export async function verifyJws(compact: string, jwk: PublicJwk, maxLength = MAX_LENGTH): Promise<void> {
  const algorithm = algorithmOf(decodeJws(compact, maxLength).header);
  if (algorithm === 'ES256K') {
    const end = compact.lastIndexOf('.');
    const signature = Buffer.from(compact.slice(end + 1), 'base64url');
    if (!verifyWith(jwk, algorithm, Buffer.from(compact.slice(0, end)), signature))
      throw new JwsError('its signature is not valid');
    return;
  }
  const { compactVerify, importJWK } = await import('jose');
  try {
    await compactVerify(compact, await importJWK(jwk as JWK, algorithm), { algorithms: [algorithm] });
  } catch {
    throw new JwsError('its signature is not valid');
  }
}

/** Builds the signing input here, because the key may be in a device that only signs bytes. */
export async function signJws(
  header: Readonly<Record<string, unknown>>,
  payload: Readonly<Record<string, unknown>>,
  sign: (data: Buffer) => Promise<Buffer>,
): Promise<string> {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const input = `${part(header)}.${part(payload)}`;
  return `${input}.${(await sign(Buffer.from(input))).toString('base64url')}`;
}
