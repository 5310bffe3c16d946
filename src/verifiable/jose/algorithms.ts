// The signature algorithms of the wallet, by their JOSE names, on node:crypto.
import { constants, createHash, createPublicKey, generateKeyPair, type KeyObject, sign, verify } from 'node:crypto';
import { promisify } from 'node:util';
import { generateRsa } from './rsa.ts';

export const ALGORITHMS = ['ES256', 'EdDSA', 'ES384', 'ES512', 'ES256K', 'RS256', 'PS256'] as const;
export type Algorithm = (typeof ALGORITHMS)[number];

/** The algorithms with a Data Integrity cryptosuite. */
export const PROOF_ALGORITHMS: readonly string[] = ['ES256', 'ES384', 'EdDSA'] satisfies Algorithm[];

export interface PublicJwk {
  readonly kty: 'EC' | 'OKP' | 'RSA';
  readonly crv?: string;
  readonly x?: string;
  readonly y?: string;
  readonly n?: string;
  readonly e?: string;
}

const RSA_BITS = 3072;
const MIN_RSA_BITS = 2048;
/** Larger keys and exponents make verification expensive without protecting more. */
export const MAX_RSA_BITS = 4096;
const MAX_RSA_EXPONENT = 2n ** 32n;

/** Curve by its JOSE name: the curve in node:crypto, and the algorithm it is for. */
const CURVES = {
  'P-256': { node: 'prime256v1', algorithm: 'ES256' },
  'P-384': { node: 'secp384r1', algorithm: 'ES384' },
  'P-521': { node: 'secp521r1', algorithm: 'ES512' },
  secp256k1: { node: 'secp256k1', algorithm: 'ES256K' },
} as const;

export const curveOf = (algorithm: Algorithm): keyof typeof CURVES | undefined =>
  (Object.keys(CURVES) as (keyof typeof CURVES)[]).find((curve) => CURVES[curve].algorithm === algorithm);

const HASHES: Readonly<Record<Algorithm, string | null>> = {
  ES256: 'sha256',
  ES384: 'sha384',
  ES512: 'sha512',
  ES256K: 'sha256',
  RS256: 'sha256',
  PS256: 'sha256',
  // EdDSA includes its own hash.
  EdDSA: null,
};

export const hashOf = (algorithm: Algorithm): string | null => HASHES[algorithm];

const generate = promisify(generateKeyPair) as unknown as (
  type: string,
  options: object,
) => Promise<{ publicKey: KeyObject; privateKey: KeyObject }>;

export async function generatePair(algorithm: Algorithm): Promise<KeyObject> {
  const curve = curveOf(algorithm);
  if (curve) return (await generate('ec', { namedCurve: CURVES[curve].node })).privateKey;
  if (algorithm === 'EdDSA') return (await generate('ed25519', {})).privateKey;
  return generateRsa(RSA_BITS);
}

/** The public members, in the order of RFC 7638. */
export function publicJwkOf(key: KeyObject): PublicJwk {
  const jwk = createPublicOf(key).export({ format: 'jwk' });
  const { kty, crv, x, y, n, e } = jwk as Record<string, string>;
  if (kty === 'EC') return { kty, crv: crv!, x: x!, y: y! };
  if (kty === 'OKP') return { kty, crv: crv!, x: x! };
  return { kty: 'RSA', n: n!, e: e! };
}

const createPublicOf = (key: KeyObject): KeyObject => (key.type === 'private' ? createPublicKey(key) : key);

/** RFC 7638: SHA-256 over the required members, sorted by name. */
export function thumbprintOf(jwk: PublicJwk): string {
  const { kty, crv, x, y, n, e } = jwk;
  const members = kty === 'EC' ? { crv, kty, x, y } : kty === 'OKP' ? { crv, kty, x } : { e, kty, n };
  return createHash('sha256').update(JSON.stringify(members)).digest('base64url');
}

/** For our own keys and for keys of others. */
export function isAcceptableRsa({ asymmetricKeyDetails: details }: KeyObject): boolean {
  const { modulusLength: bits = 0, publicExponent: e = 0n } = details ?? {};
  // With exponent 1 every message is its own signature. An even exponent has no private key.
  return bits >= MIN_RSA_BITS && bits <= MAX_RSA_BITS && e >= 3n && e % 2n === 1n && e <= MAX_RSA_EXPONENT;
}

/**
 * The algorithm of a key; undefined if it is not supported. An RSA key can have two algorithms: `wanted` decides.
 */
export function algorithmOf(key: KeyObject, wanted?: string): Algorithm | undefined {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (type === 'ed25519') return 'EdDSA';
  if (type === 'ec') return Object.values(CURVES).find(({ node }) => node === details?.namedCurve)?.algorithm;
  if (type !== 'rsa' || !isAcceptableRsa(key)) return undefined;
  return wanted === 'PS256' ? 'PS256' : 'RS256';
}

const parametersOf = (algorithm: Algorithm): object =>
  algorithm === 'PS256'
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : algorithm === 'RS256'
      ? { padding: constants.RSA_PKCS1_PADDING }
      : { dsaEncoding: 'ieee-p1363' };

const signAsync = promisify(sign) as unknown as (hash: string | null, data: Buffer, key: object) => Promise<Buffer>;

/** Signatures in JOSE form: r and s concatenated for elliptic curves. RSA is slow and runs outside the event loop. */
export async function signWith(key: KeyObject, algorithm: Algorithm, data: Buffer): Promise<Buffer> {
  const options = { key, ...parametersOf(algorithm) };
  const hash = HASHES[algorithm];
  return key.asymmetricKeyType === 'rsa' ? signAsync(hash, data, options) : sign(hash, data, options as never);
}

/** Also false if the key is not for this algorithm. */
export function verifyWith(jwk: PublicJwk, algorithm: Algorithm, data: Buffer, signature: Buffer): boolean {
  const key = createPublicKey({ key: jwk as never, format: 'jwk' });
  if (algorithmOf(key, algorithm) !== algorithm) return false;
  return verify(HASHES[algorithm], data, { key, ...parametersOf(algorithm) } as never, signature);
}
