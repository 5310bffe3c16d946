// Encrypted requests and responses (OID4VCI, 8.2 and 10), if the issuer requires them.
import { createPrivateKey, generateKeyPairSync, type KeyObject } from 'node:crypto';
import type { IssuerMetadataResult } from '@openid4vc/openid4vci';
import type { JWK } from 'jose';
import { publicJwkOf } from '../../verifiable/jose/index.ts';
import { fail } from '../ground/faults.ts';

const ENCODINGS = ['A256GCM', 'A128GCM', 'A192GCM', 'A128CBC-HS256', 'A256CBC-HS512'];
const ALGORITHMS = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'];

export interface Encryption {
  /** Request parameters for an encrypted response. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Decrypts the response; undefined if it is not encrypted. */
  readonly privateKey?: KeyObject;
  readonly encrypt?: (payload: object) => Promise<string>;
}

interface ResponseEncryption {
  readonly alg_values_supported?: readonly string[];
  readonly enc_values_supported?: readonly string[];
  readonly encryption_required?: boolean;
}

interface RequestEncryption {
  readonly jwks?: { readonly keys?: readonly JWK[] };
  readonly enc_values_supported?: readonly string[];
  readonly encryption_required?: boolean;
}

const firstOf = (ours: readonly string[], theirs: readonly string[] | undefined, what: string): string =>
  ours.find((one) => theirs?.includes(one)) ?? fail('unsupported-encryption-required', { why: what });

async function encryptTo({ jwks, enc_values_supported: encodings }: RequestEncryption, payload: object): Promise<string> {
  const { CompactEncrypt, importJWK } = await import('jose');
  const key = jwks?.keys?.find(
    ({ kty, alg, use }) => kty === 'EC' && (use ?? 'enc') === 'enc' && ALGORITHMS.includes(alg ?? 'ECDH-ES'),
  );
  if (!key) fail('unsupported-encryption-required', { why: 'it has no key for requests' });
  const alg = key.alg ?? 'ECDH-ES';
  const enc = firstOf(ENCODINGS, encodings ?? ['A128GCM'], 'encoding of requests');
  return new CompactEncrypt(Buffer.from(JSON.stringify(payload)))
    .setProtectedHeader({ alg, enc, ...(key.kid ? { kid: key.kid } : {}) })
    .encrypt(await importJWK(key, alg));
}

/** Undefined if nothing is required. With response encryption the request is encrypted too, if possible, to protect the key in it. */
export async function encryptionFor({ credentialIssuer }: IssuerMetadataResult): Promise<Encryption | undefined> {
  const metadata = credentialIssuer as Record<string, unknown>;
  const answer = metadata.credential_response_encryption as ResponseEncryption | undefined;
  const request = metadata.credential_request_encryption as RequestEncryption | undefined;
  if (!answer?.encryption_required && !request?.encryption_required) return undefined;
  const encrypt = request ? { encrypt: (payload: object) => encryptTo(request, payload) } : {};
  if (!answer?.encryption_required) return { parameters: {}, ...encrypt };
  const alg = firstOf(ALGORITHMS, answer.alg_values_supported, 'algorithm of answers');
  const enc = firstOf(ENCODINGS, answer.enc_values_supported, 'encoding of answers');
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const jwk = { ...publicJwkOf(privateKey), use: 'enc', alg, kid: 'answer' };
  // Drafts expect `alg` beside the key as well.
  return { parameters: { credential_response_encryption: { jwk, alg, enc } }, privateKey, ...encrypt };
}

export async function decrypt(jwe: string, privateKey: KeyObject): Promise<string> {
  const { compactDecrypt } = await import('jose');
  const { plaintext } = await compactDecrypt(jwe, createPrivateKey(privateKey.export({ format: 'pem', type: 'pkcs8' })), {
    keyManagementAlgorithms: ALGORITHMS,
    contentEncryptionAlgorithms: ENCODINGS,
  });
  return Buffer.from(plaintext).toString('utf8');
}
