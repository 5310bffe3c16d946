// did:key, and the Multikey it consists of: a multicodec and the key, in base58btc. https://w3c-ccg.github.io/did-key-spec/
import { createPublicKey, ECDH, type JsonWebKey } from 'node:crypto';
import { type DIDDocument, parse } from 'did-resolver';
import type { PublicJwk } from '../jose/index.ts';
import { fromBase58, toBase58 } from './base58.ts';
import { InvalidKeyError, ResolutionError, withKeyFault } from './errors.ts';
import { readPublicJwk } from './public-jwk.ts';

interface Codec {
  readonly prefix: Buffer;
  readonly is: (jwk: PublicJwk) => boolean;
  readonly encode: (jwk: PublicJwk) => Buffer;
  readonly decode: (bytes: Buffer) => unknown;
}

/** All our multicodecs are varints of two bytes. */
const prefixOf = (code: number): Buffer => Buffer.from([(code & 0x7f) | 0x80, code >> 7]);

const bytesOf = (text: string | undefined): Buffer => Buffer.from(text ?? '', 'base64url');

/** Compressed points: x, and the sign of y. */
const curve = (code: number, crv: string, node: string, size: number): Codec => ({
  prefix: prefixOf(code),
  is: (jwk) => jwk.crv === crv,
  encode: ({ x, y }) => Buffer.concat([Buffer.from([2 + (bytesOf(y).at(-1)! & 1)]), bytesOf(x)]),
  decode: (bytes) => {
    if (bytes.length !== size + 1 || (bytes[0] !== 2 && bytes[0] !== 3)) throw new InvalidKeyError('its point is not compressed');
    const point = ECDH.convertKey(bytes, node, undefined, undefined, 'uncompressed') as unknown as Buffer;
    return {
      kty: 'EC',
      crv,
      x: point.subarray(1, size + 1).toString('base64url'),
      y: point.subarray(size + 1).toString('base64url'),
    };
  },
});

const edwards = (code: number, crv: string): Codec => ({
  prefix: prefixOf(code),
  is: (jwk) => jwk.crv === crv,
  encode: ({ x }) => bytesOf(x),
  decode: (bytes) => ({ kty: 'OKP', crv, x: bytes.toString('base64url') }),
});

const derOf = (jwk: PublicJwk): Buffer =>
  createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' }).export({ format: 'der', type: 'pkcs1' });

const rsa: Codec = {
  prefix: prefixOf(0x1205),
  is: (jwk) => jwk.kty === 'RSA',
  encode: derOf,
  decode: (bytes) => {
    const jwk = createPublicKey({ key: bytes, format: 'der', type: 'pkcs1' }).export({ format: 'jwk' });
    // OpenSSL accepts trailing bytes and non-canonical DER. The comparison goes through the JWK, because Node 24 cannot export a key
    // it read as PKCS#1.
    if (!derOf(jwk as PublicJwk).equals(bytes)) throw new InvalidKeyError('its key is not DER');
    return jwk;
  },
};

const CODECS: readonly Codec[] = [
  curve(0x1200, 'P-256', 'prime256v1', 32),
  curve(0x1201, 'P-384', 'secp384r1', 48),
  curve(0x1202, 'P-521', 'secp521r1', 66),
  curve(0xe7, 'secp256k1', 'secp256k1', 32),
  edwards(0xed, 'Ed25519'),
  edwards(0xec, 'X25519'),
  rsa,
];

export function multibaseOf(jwk: PublicJwk): string {
  const key = readPublicJwk(jwk);
  const codec = CODECS.find(({ is }) => is(key))!;
  return `z${toBase58(Buffer.concat([codec.prefix, codec.encode(key)]))}`;
}

export function jwkOfMultibase(text: string): PublicJwk {
  const bytes = text.startsWith('z') ? fromBase58(text.slice(1)) : undefined;
  if (!bytes) throw new InvalidKeyError('its key is not base58btc');
  const codec = CODECS.find(({ prefix }) => bytes.subarray(0, prefix.length).equals(prefix));
  if (!codec) throw new InvalidKeyError('its kind of key is not supported');
  try {
    return readPublicJwk(codec.decode(bytes.subarray(codec.prefix.length)));
  } catch (error) {
    throw error instanceof InvalidKeyError ? error : new InvalidKeyError('its key is malformed', { cause: error });
  }
}

/** X25519 keys cannot sign. They are read in documents of others, but get no DID here. */
export function didKeyOf(jwk: PublicJwk): string {
  if (jwk.crv === 'X25519') throw new InvalidKeyError('X25519 keys get no did:key');
  return `did:key:${multibaseOf(jwk)}`;
}

export function documentOfDidKey(did: string): DIDDocument {
  const parsed = parse(did);
  if (parsed?.method !== 'key' || parsed.did !== did) throw new ResolutionError('invalidDid', 'it is not a did:key');
  const publicKeyJwk = withKeyFault('invalidDid', 'the did:key', () => jwkOfMultibase(parsed.id));
  const id = `${did}#${parsed.id}`;
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/jwk/v1'],
    id: did,
    verificationMethod: [{ id, type: 'JsonWebKey', controller: did, publicKeyJwk }],
    ...(publicKeyJwk.crv === 'X25519'
      ? { keyAgreement: [id] }
      : { authentication: [id], assertionMethod: [id], capabilityInvocation: [id], capabilityDelegation: [id] }),
  };
}
