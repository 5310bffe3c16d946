// Imports private keys: a JWK, or PKCS#8 in PEM. The algorithm follows from the key.
import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { type Algorithm, algorithmOf, publicJwkOf, signWith, verifyWith } from '../../verifiable/jose/index.ts';
import { fail } from '../ground/faults.ts';

export interface ImportedKey {
  readonly privateKey: KeyObject;
  readonly algorithm: Algorithm;
}

function parseJwk(jwk: Readonly<Record<string, unknown>>): KeyObject {
  if (jwk.kty === 'oct') fail('unsupported-algorithm', { algorithm: 'A symmetric key', why: '' });
  if (typeof jwk.d !== 'string') fail('invalid-key', { why: 'the JWK holds no private key' });
  try {
    return createPrivateKey({ key: jwk as never, format: 'jwk' });
  } catch {
    return fail('invalid-key', { why: 'the JWK cannot be read' });
  }
}

function parsePem(pem: string): KeyObject {
  if (!/-----BEGIN (?:EC |RSA )?PRIVATE KEY-----/.test(pem))
    fail('invalid-key', { why: 'it is not an unencrypted PKCS#8 key in PEM' });
  try {
    return createPrivateKey({ key: pem, format: 'pem' });
  } catch {
    return fail('invalid-key', { why: 'the PEM cannot be read' });
  }
}

const sameBytes = (a: string, b: unknown): boolean =>
  typeof b === 'string' && Buffer.from(a, 'base64url').equals(Buffer.from(b, 'base64url'));

const numberOf = (text: string | undefined): bigint => BigInt(`0x${Buffer.from(text ?? '', 'base64url').toString('hex') || '0'}`);

/**
 * OpenSSL accepts any numbers and uses only some of them for signing. An inconsistent key may work only here, or reveal its
 * factors with a signature (RFC 8017, 3.2).
 */
function isConsistent(key: KeyObject): boolean {
  const jwk = key.export({ format: 'jwk' });
  const [n, e, d, p, q] = [jwk.n, jwk.e, jwk.d, jwk.p, jwk.q].map(numberOf) as [bigint, bigint, bigint, bigint, bigint];
  if (p <= 2n || q <= 2n || p === q || p * q !== n || d <= 1n || d >= n) return false;
  return (
    (e * d) % (p - 1n) === 1n &&
    (e * d) % (q - 1n) === 1n &&
    numberOf(jwk.dp) === d % (p - 1n) &&
    numberOf(jwk.dq) === d % (q - 1n) &&
    (numberOf(jwk.qi) * q) % p === 1n
  );
}

/** The public and the private part must belong together, or no signature could ever be verified. */
async function checkHalves(
  { privateKey, algorithm }: ImportedKey,
  jwk: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  // For Ed25519 the public part is computed, whatever the JWK says.
  const { x } = publicJwkOf(privateKey);
  if (algorithm === 'EdDSA' && jwk && !sameBytes(x!, jwk.x))
    fail('invalid-key', { why: 'its public half belongs to another key' });
  if (privateKey.asymmetricKeyType === 'rsa' && !isConsistent(privateKey))
    fail('invalid-key', { why: 'its numbers do not belong together' });
  const data = randomBytes(32);
  const signature = await signWith(privateKey, algorithm, data).catch(() =>
    fail('invalid-key', { why: 'signing with it fails' }),
  );
  if (!verifyWith(publicJwkOf(privateKey), algorithm, data, signature))
    fail('invalid-key', { why: 'its public half belongs to another key' });
}

export async function importKey(
  { jwk, pem }: { jwk?: Readonly<Record<string, unknown>> | undefined; pem?: string | undefined },
  wanted: string | undefined,
): Promise<ImportedKey> {
  const privateKey = jwk ? parseJwk(jwk) : parsePem(pem!);
  const named = wanted ?? (typeof jwk?.alg === 'string' ? jwk.alg : undefined);
  const algorithm = algorithmOf(privateKey, named);
  if (!algorithm) fail('unsupported-algorithm', { algorithm: 'A key of this type or size', why: '' });
  if (named !== undefined && named !== algorithm)
    fail('unsupported-algorithm', { algorithm: named, why: ` by this key, which is for ${algorithm}` });
  const imported = { privateKey, algorithm };
  await checkHalves(imported, jwk);
  return imported;
}
