// Public keys of applications (RFC 7517), by which they prove themselves: what of a key set can be used.
import { createHash, type X509Certificate } from 'node:crypto';
import { type PublicJwk, publicJwkOf, thumbprintOf } from '../../../verifiable/jose/index.ts';
import { readVerificationJwk } from '../../../verifiable/resolver/index.ts';
import { parseX5c } from '../../../verifiable/trust/index.ts';

/** What applications may sign with. Never a shared secret (HS256), and nothing that is not signed at all. */
export const CLIENT_KEY_ALGORITHMS = ['PS256', 'ES256', 'EdDSA', 'ES384', 'RS256'] as const;
export type ClientKeyAlgorithm = (typeof CLIENT_KEY_ALGORITHMS)[number];

export interface ClientKey {
  readonly kid: string | undefined;
  readonly algorithms: readonly ClientKeyAlgorithm[];
  readonly jwk: PublicJwk;
  /** A certificate of the key that is registered with it (`x5c`), for `self_signed_tls_client_auth`. */
  readonly certificate: X509Certificate | undefined;
}

/** SHA-256 of the DER, as tokens and keys name certificates (`x5t#S256`, RFC 8705 3.1). */
export const certificateThumbprint = ({ raw }: X509Certificate): string => createHash('sha256').update(raw).digest('base64url');

/** Each may have to be tried, if an assertion does not say which one has signed it. */
const MAX_KEYS = 20;
const MAX_LENGTH = 32 * 1024;
const MAX_KID = 255;

const BY_CURVE: Readonly<Record<string, readonly ClientKeyAlgorithm[]>> = {
  'P-256': ['ES256'],
  'P-384': ['ES384'],
  Ed25519: ['EdDSA'],
};

/** The first is that of the key itself (RFC 7517, 4.7). Throws if it is not. */
function certificateIn(x5c: unknown, jwk: PublicJwk): X509Certificate | undefined {
  if (x5c === undefined) return undefined;
  const certificate = parseX5c(x5c)[0]!;
  if (thumbprintOf(publicJwkOf(certificate.publicKey)) !== thumbprintOf(jwk)) throw new Error('it is of another key');
  return certificate;
}

/** Undefined if it cannot be used: of another type, for encryption, too weak, or private. */
function readClientKey(value: unknown): ClientKey | undefined {
  const { kid, alg, x5c } = (value ?? {}) as { kid?: unknown; alg?: unknown; x5c?: unknown };
  if (kid !== undefined && (typeof kid !== 'string' || kid === '' || kid.length > MAX_KID)) return undefined;
  try {
    const jwk = readVerificationJwk(value);
    const possible = jwk.kty === 'RSA' ? (['PS256', 'RS256'] as const) : (BY_CURVE[jwk.crv!] ?? []);
    const algorithms = possible.filter((one) => alg === undefined || alg === one);
    return algorithms.length > 0 ? { kid, algorithms, jwk, certificate: certificateIn(x5c, jwk) } : undefined;
  } catch {
    return undefined;
  }
}

const keysIn = (value: unknown): readonly unknown[] => {
  const { keys } = (value ?? {}) as { keys?: unknown };
  return Array.isArray(keys) ? keys : [];
};

/** Those of a set that can be used: others may be there for other purposes. */
export const readClientKeys = (value: unknown): readonly ClientKey[] =>
  keysIn(value)
    .slice(0, MAX_KEYS)
    .map(readClientKey)
    .filter((key) => key !== undefined);

/** Whether a set can be registered: all of its keys can be used, and each is told from the others. */
export function isClientKeySet(value: unknown): boolean {
  const all = keysIn(value);
  if (all.length === 0 || all.length > MAX_KEYS || JSON.stringify(value).length > MAX_LENGTH) return false;
  const read = readClientKeys(value);
  const ids = read.map(({ kid }) => kid).filter((kid) => kid !== undefined);
  return read.length === all.length && new Set(ids).size === ids.length;
}

export const KEY_SET_DESCRIPTION = `a set of 1 to ${MAX_KEYS} public keys ({"keys": [...]}), each RSA of 2048 to 4096 bits, P-256, P-384 or Ed25519, for signatures, and with a kid of its own if it has one`;
