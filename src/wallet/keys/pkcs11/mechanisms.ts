// Maps our algorithms to PKCS#11 mechanisms: key generation, signing, and reading the public key.
import { createHash, createPublicKey } from 'node:crypto';
import { ALGORITHMS, type Algorithm, curveOf, hashOf, type PublicJwk, publicJwkOf } from '../../../verifiable/jose/index.ts';
import { CK, CKA, CKK, CKM } from './constants.ts';
import { type Pkcs11Attribute, ulong } from './library.ts';
import type { Mechanisms } from './token.ts';

const RSA_BITS = 3072;
const RSA_EXPONENT = Buffer.from([1, 0, 1]);
const SALT_BYTES = 32;

type Curve = NonNullable<ReturnType<typeof curveOf>>;

/** Object identifiers, in DER. */
const CURVES: Readonly<Record<Curve, { parameters: string; bits: number }>> = {
  'P-256': { parameters: '06082a8648ce3d030107', bits: 256 },
  'P-384': { parameters: '06052b81040022', bits: 384 },
  'P-521': { parameters: '06052b81040023', bits: 521 },
  secp256k1: { parameters: '06052b8104000a', bits: 256 },
};

/** Tokens expect either the name of the curve (a PrintableString) or its identifier (RFC 8410). */
const ED25519 = { name: '130c656477617264733235353139', identifier: '06032b6570', bytes: 32 };

type DomainParameters = readonly Pkcs11Attribute[];

export interface AlgorithmMechanism {
  readonly keyType: number;
  readonly generate: number;
  readonly sign: number;
  readonly parameter?: Buffer;
  /** Domain parameters of the public key. If tokens disagree, there are several to try. */
  readonly domains: readonly [DomainParameters, ...DomainParameters[]];
  /** Operations that are forbidden for the private key. */
  readonly denied: readonly Pkcs11Attribute[];
  /** The input of the mechanism: the data, or their hash. */
  readonly input: (data: Buffer) => Buffer;
  readonly signatureBytes: number;
  readonly bits?: number;
}

const asIs = (data: Buffer): Buffer => data;
const bytesOf = (bits: number): number => Math.ceil(bits / 8);

const PSS = Buffer.concat([ulong(CKM.SHA256), ulong(CK.CKG_MGF1_SHA256), ulong(SALT_BYTES)]);

export function mechanismOf(algorithm: Algorithm): AlgorithmMechanism {
  const curve = curveOf(algorithm);
  if (curve) {
    const { parameters, bits } = CURVES[curve];
    return {
      keyType: CKK.EC,
      generate: CKM.EC_KEY_PAIR_GEN,
      sign: CKM.ECDSA,
      domains: [[[CKA.EC_PARAMS, Buffer.from(parameters, 'hex')]]],
      denied: [],
      input: (data) => createHash(hashOf(algorithm)!).update(data).digest(),
      signatureBytes: 2 * bytesOf(bits),
      bits,
    };
  }
  if (algorithm === 'EdDSA')
    return {
      keyType: CKK.EC_EDWARDS,
      generate: CKM.EC_EDWARDS_KEY_PAIR_GEN,
      sign: CKM.EDDSA,
      domains: [[[CKA.EC_PARAMS, Buffer.from(ED25519.name, 'hex')]], [[CKA.EC_PARAMS, Buffer.from(ED25519.identifier, 'hex')]]],
      denied: [],
      input: asIs,
      signatureBytes: 2 * ED25519.bytes,
    };
  const rsa = {
    keyType: CKK.RSA,
    generate: CKM.RSA_PKCS_KEY_PAIR_GEN,
    domains: [
      [
        [CKA.MODULUS_BITS, RSA_BITS],
        [CKA.PUBLIC_EXPONENT, RSA_EXPONENT],
      ],
    ],
    denied: [
      [CKA.DECRYPT, false],
      [CKA.UNWRAP, false],
    ],
    input: asIs,
    signatureBytes: bytesOf(RSA_BITS),
    bits: RSA_BITS,
  } as const;
  return algorithm === 'PS256'
    ? { ...rsa, sign: CKM.SHA256_RSA_PKCS_PSS, parameter: PSS }
    : { ...rsa, sign: CKM.SHA256_RSA_PKCS };
}

/** The algorithms the token supports. It does not list curves: an unsupported curve fails when a key is generated. */
export function supportedBy(mechanisms: Mechanisms): Algorithm[] {
  return ALGORITHMS.filter((algorithm) => {
    const { generate, sign, bits } = mechanismOf(algorithm);
    const range = mechanisms.get(generate);
    if (!range || !mechanisms.has(sign)) return false;
    return bits === undefined || range.max === 0 || (range.min <= bits && bits <= range.max);
  });
}

/** The attributes that contain the public key. */
export const publicAttributesOf = (algorithm: Algorithm): number[] =>
  mechanismOf(algorithm).keyType === CKK.RSA ? [CKA.MODULUS, CKA.PUBLIC_EXPONENT] : [CKA.EC_POINT];

/** Goes through node:crypto, which refuses a point that is not on its curve. */
export function publicJwkFrom(algorithm: Algorithm, values: readonly Buffer[]): PublicJwk {
  const jwk = jwkFrom(algorithm, values);
  return publicJwkOf(createPublicKey({ key: jwk as never, format: 'jwk' }));
}

function jwkFrom(algorithm: Algorithm, values: readonly Buffer[]): PublicJwk {
  const curve = curveOf(algorithm);
  if (curve) {
    const size = bytesOf(CURVES[curve].bits);
    const point = unwrapped(values[0]!, 1 + 2 * size);
    if (point[0] !== 4) throw new Error('PKCS#11: the token gave a compressed point, which we do not read');
    return { kty: 'EC', crv: curve, x: base64url(point.subarray(1, 1 + size)), y: base64url(point.subarray(1 + size)) };
  }
  if (algorithm === 'EdDSA') return { kty: 'OKP', crv: 'Ed25519', x: base64url(unwrapped(values[0]!, ED25519.bytes)) };
  return { kty: 'RSA', n: base64url(withoutZeros(values[0]!)), e: base64url(withoutZeros(values[1]!)) };
}

const base64url = (bytes: Buffer): string => bytes.toString('base64url');
const withoutZeros = (bytes: Buffer): Buffer => bytes.subarray(bytes.findIndex((byte) => byte !== 0));

/** The point in an OCTET STRING, as in the standard, or bare or in a BIT STRING, as some tokens return it. */
function unwrapped(bytes: Buffer, size: number): Buffer {
  const lengthOf = (length: number): string => (length < 128 ? '' : '81') + length.toString(16).padStart(2, '0');
  const headers = ['', `04${lengthOf(size)}`, `03${lengthOf(size + 1)}00`];
  const cut = bytes.length - size;
  if (cut < 0 || !headers.includes(bytes.toString('hex', 0, cut)))
    throw new Error('PKCS#11: the token gave a point we cannot read');
  return bytes.subarray(cut);
}
