// Certificates of development CAs and of the keys they vouch for. They make the first steps possible without a real authority, and their
// names say that they are for nothing else. The libraries are large: it is loaded by `loadCertificateMaking`.
import { createHash, createPublicKey, type KeyObject, randomBytes, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';
import { signWith } from '../jose/index.ts';

const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
/** RFC 5280: a common name has at most 64 characters. */
const MAX_NAME = 64;
const FOR_DEVELOPMENT = ' (development)';

export interface Period {
  /** Seconds. */
  readonly from: number;
  readonly until: number;
}

/** Whose signatures are under certificates. Its key may be in a device. */
export interface CertificateSigner {
  /** Public, or private. */
  readonly key: KeyObject;
  /** By ES256, as two numbers (JOSE). */
  sign(data: Buffer): Promise<Buffer>;
}

export interface Authority extends CertificateSigner {
  readonly certificate: X509Certificate;
}

export const signerOf = (key: KeyObject): CertificateSigner => ({ key, sign: (data) => signWith(key, 'ES256', data) });

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;

const spkiOf = (key: KeyObject): SubjectPublicKeyInfo =>
  AsnConvert.parse(
    (key.type === 'private' ? createPublicKey(key) : key).export({ type: 'spki', format: 'der' }),
    SubjectPublicKeyInfo,
  );

/** RFC 5280, 4.2.1.2: the SHA-1 of the key only names it. */
const keyIdOf = (key: KeyObject): ArrayBuffer =>
  bufferOf(
    createHash('sha1')
      .update(new Uint8Array(spkiOf(key).subjectPublicKey))
      .digest(),
  );

const commonName = (text: string): Name =>
  new Name([
    new RelativeDistinguishedName([
      new AttributeTypeAndValue({ type: COMMON_NAME, value: new AttributeValue({ utf8String: text }) }),
    ]),
  ]);

const extension = (extnID: string, critical: boolean, value: object): Extension =>
  new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });

/** A signature of P-256 in ASN.1 (RFC 3279, 2.2.3): so short that each length is one byte. */
function derOf(signature: Buffer): ArrayBuffer {
  const number = (bytes: Buffer): Buffer => {
    const at = bytes.findIndex((byte) => byte !== 0);
    const short = bytes.subarray(at === -1 ? bytes.length - 1 : at);
    const positive = short[0]! < 0x80 ? short : Buffer.concat([Buffer.of(0), short]);
    return Buffer.concat([Buffer.of(0x02, positive.length), positive]);
  };
  const half = signature.length / 2;
  const both = Buffer.concat([number(signature.subarray(0, half)), number(signature.subarray(half))]);
  return bufferOf(Buffer.concat([Buffer.of(0x30, both.length), both]));
}

interface Draft extends Period {
  readonly subject: Name;
  readonly issuer: Name;
  readonly key: KeyObject;
  readonly signer: CertificateSigner;
  readonly extensions: readonly Extension[];
}

async function certify({ subject, issuer, key, signer, extensions, from, until }: Draft): Promise<X509Certificate> {
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: ECDSA_WITH_SHA256 });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    // Positive, and not beginning with a zero byte.
    serialNumber: bufferOf(Buffer.concat([Buffer.of(1), randomBytes(15)])),
    signature: signatureAlgorithm,
    issuer,
    validity: new Validity({ notBefore: new Date(from * 1000), notAfter: new Date(until * 1000) }),
    subject,
    subjectPublicKeyInfo: spkiOf(key),
    extensions: new Extensions([
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdOf(key))),
      extension(
        id_ce_authorityKeyIdentifier,
        false,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdOf(signer.key)) }),
      ),
      ...extensions,
    ]),
  });
  const signatureValue = derOf(await signer.sign(Buffer.from(AsnConvert.serialize(tbsCertificate))));
  return new X509Certificate(
    Buffer.from(AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue }))),
  );
}

/** The root of a development CA, signed by itself. It certifies leaves only. `called`: before the words that say what it is. */
export function makeAuthority(signer: CertificateSigner, called: string, period: Period): Promise<X509Certificate> {
  const name = commonName(`${called} development CA - not for production`);
  return certify({
    ...period,
    subject: name,
    issuer: name,
    key: signer.key,
    signer,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign)),
    ],
  });
}

export interface LeafDraft {
  /** A key of the service, private or public. */
  readonly key: KeyObject;
  /** The address of the service. The certificate names it, and its host if that is a name. */
  readonly address: string;
  /** Extended key usages: what the key may sign. */
  readonly usages: readonly string[];
}

export function makeLeaf(authority: Authority, { key, address, usages }: LeafDraft, period: Period): Promise<X509Certificate> {
  const { hostname } = new URL(address);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  const names = [
    ...(isAddress ? [] : [new GeneralName({ dNSName: hostname })]),
    new GeneralName({ uniformResourceIdentifier: address }),
  ];
  return certify({
    ...period,
    subject: commonName(hostname.slice(0, MAX_NAME - FOR_DEVELOPMENT.length) + FOR_DEVELOPMENT),
    issuer: AsnConvert.parse(authority.certificate.raw, Certificate).tbsCertificate.subject,
    key,
    signer: authority,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
      extension(id_ce_extKeyUsage, true, new ExtendedKeyUsage([...usages])),
      extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names)),
    ],
  });
}
