// Encrypted requests and answers (OID4VCI, 10). The key for requests is one for all replicas, and another one every month.
import { createPrivateKey, generateKeyPairSync, type JsonWebKey } from 'node:crypto';
import { type Clock, seconds } from '../../../platform/clock.ts';
import { type PublicJwk, publicJwkOf } from '../../../verifiable/jose/index.ts';
import { readPublicJwk } from '../../../verifiable/resolver/index.ts';
import { fail } from '../../ground/faults.ts';
import type { Records } from '../../openid/records/index.ts';

export const KEY_ALGORITHMS = ['ECDH-ES', 'ECDH-ES+A128KW', 'ECDH-ES+A256KW'] as const;
export const ENCODINGS = ['A256GCM', 'A128GCM'] as const;
const KEY_MODEL = 'CredentialRequestKey';
const MONTH = 30 * 24 * 3600;
const MAX_PLAIN = 512 * 1024;

const refuse = (why: string): never => fail('role_credential.invalid_encryption', { why });

/** How a wallet wants its answer. */
export interface AnswerEncryption {
  readonly jwk: PublicJwk;
  readonly kid: string | undefined;
  readonly alg: string;
  readonly enc: string;
}

function answerKeyOf(jwk: unknown): PublicJwk {
  try {
    return readPublicJwk(jwk);
  } catch {
    return refuse('the key cannot be used');
  }
}

/**
 * Reads `credential_response_encryption`. Earlier drafts have `alg` beside the key. Only in an encrypted request (OID4VCI, 8.2): whoever stands between
 * the wallet and us could otherwise put their own key in its place. Without `zip_values_supported` in the metadata no compression is supported, so a
 * wallet that asks for one (`zip`) gets an answer without: its header says so (OID4VCI, 8.2 and 12.2.4).
 */
export function readAnswerEncryption(value: unknown, isEncrypted: boolean): AnswerEncryption | undefined {
  if (value === undefined) return undefined;
  if (!isEncrypted) refuse('a request for an encrypted answer must be encrypted itself');
  const { jwk, enc, alg: beside, zip } = (value ?? {}) as Readonly<Record<string, unknown>>;
  const { alg = beside, kid, use } = (jwk ?? {}) as Readonly<Record<string, unknown>>;
  if (zip !== undefined && typeof zip !== 'string') refuse('zip is not a text');
  if (!KEY_ALGORITHMS.includes(alg as 'ECDH-ES') || !ENCODINGS.includes(enc as 'A256GCM')) refuse('alg or enc is not offered');
  if (use !== undefined && use !== 'enc') refuse('the key is not for encryption');
  const key = answerKeyOf(jwk);
  if (key.kty !== 'EC' || key.crv === 'secp256k1') refuse('the key is of another kind');
  return { jwk: key, kid: typeof kid === 'string' ? kid.slice(0, 200) : undefined, alg: String(alg), enc: String(enc) };
}

export async function encryptAnswer({ jwk, kid, alg, enc }: AnswerEncryption, answer: object): Promise<string> {
  const { CompactEncrypt, importJWK } = await import('jose');
  return new CompactEncrypt(Buffer.from(JSON.stringify(answer)))
    .setProtectedHeader({ alg, enc, ...(kid === undefined ? {} : { kid }) })
    .encrypt(await importJWK({ ...jwk, alg }, alg));
}

export function createRequestEncryption({ records, clock }: { records: Pick<Records, 'find' | 'save'>; clock: Clock }) {
  const period = (): number => Math.floor(seconds(clock) / MONTH);
  let known: { readonly kid: string; readonly jwk: JsonWebKey } | undefined;
  const read = async (kid: string): Promise<JsonWebKey | undefined> =>
    (await records.find(KEY_MODEL, kid))?.jwk as JsonWebKey | undefined;

  /** Whoever stores it first decides. */
  async function current(): Promise<{ readonly kid: string; readonly jwk: JsonWebKey }> {
    const kid = `requests-${period()}`;
    if (known?.kid !== kid) known = { kid, jwk: (await read(kid)) ?? (await make(kid)) };
    return known;
  }

  async function make(kid: string): Promise<JsonWebKey> {
    const jwk = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    const isOurs = await records.save(KEY_MODEL, kid, { jwk }, 2 * MONTH, true);
    return isOurs ? jwk : (await read(kid))!;
  }

  return {
    async publicKey(): Promise<Readonly<Record<string, unknown>>> {
      const { kid, jwk } = await current();
      return { ...publicJwkOf(createPrivateKey({ key: jwk, format: 'jwk' })), kid, use: 'enc', alg: 'ECDH-ES' };
    },
    /** The request that a wallet encrypted to our key, this month's or the last one's. */
    async open(jwe: string): Promise<Readonly<Record<string, unknown>>> {
      const { compactDecrypt, decodeProtectedHeader } = await import('jose');
      try {
        const { kid, zip } = decodeProtectedHeader(jwe);
        // The metadata name no algorithm for it, so none is supported (OID4VCI, 12.2.4). The library would inflate it.
        if (zip !== undefined) refuse('compression is not offered');
        const ours = kid === undefined ? (await current()).jwk : /^requests-\d{1,9}$/.test(kid) ? await read(kid) : undefined;
        if (!ours) return refuse('it is not for a key of the metadata');
        const { plaintext } = await compactDecrypt(jwe, createPrivateKey({ key: ours, format: 'jwk' }), {
          keyManagementAlgorithms: [...KEY_ALGORITHMS],
          contentEncryptionAlgorithms: [...ENCODINGS],
        });
        if (plaintext.length > MAX_PLAIN) return refuse('it is too large');
        const value: unknown = JSON.parse(Buffer.from(plaintext).toString('utf8'));
        return typeof value === 'object' && value !== null && !Array.isArray(value)
          ? (value as Record<string, unknown>)
          : refuse('it is not an object');
      } catch (error) {
        if ((error as { code?: unknown }).code === 'role_credential.invalid_encryption') throw error;
        return refuse('it cannot be opened');
      }
    },
  };
}

export type RequestEncryption = ReturnType<typeof createRequestEncryption>;
