// Private keys that callers bring: a JWK or PKCS#8 in PEM. What it is for follows from the key itself.
import { createPrivateKey, type KeyObject, randomBytes } from 'node:crypto';
import { fail } from '../faults.ts';
import { type Algorithm, algorithmOf, publicJwkOf, signWith, verifyWith } from './algorithms.ts';

export interface Imported {
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

/** The two halves must belong together: whoever trusts the public one would otherwise wait for signatures that never fit. */
async function checkHalves(
  { privateKey, algorithm }: Imported,
  jwk: Readonly<Record<string, unknown>> | undefined,
): Promise<void> {
  // Of Ed25519 the public half is computed, whatever the JWK says.
  const { x } = publicJwkOf(privateKey);
  if (algorithm === 'EdDSA' && jwk && !sameBytes(x!, jwk.x))
    fail('invalid-key', { why: 'its public half belongs to another key' });
  const data = randomBytes(32);
  const signature = await signWith(privateKey, algorithm, data).catch(() => fail('invalid-key', { why: 'it does not sign' }));
  if (!verifyWith(publicJwkOf(privateKey), algorithm, data, signature))
    fail('invalid-key', { why: 'its public half belongs to another key' });
}

export async function importKey(
  { jwk, pem }: { jwk?: Readonly<Record<string, unknown>> | undefined; pem?: string | undefined },
  wanted: string | undefined,
): Promise<Imported> {
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
