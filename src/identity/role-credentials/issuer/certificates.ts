// Certificates of the development CA and of the keys it vouches for. They make the first steps possible without a real authority, and their
// names say that they are for nothing else.
import { createHash, createPublicKey, type KeyObject, randomBytes, sign, X509Certificate } from 'node:crypto';
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
import { DOCUMENT_SIGNER } from './key-material.ts';

const COMMON_NAME = '2.5.4.3';
const ECDSA_WITH_SHA256 = '1.2.840.10045.4.3.2';
/** RFC 5280: a common name has at most 64 characters. */
const MAX_NAME = 64;
const AUTHORITY_NAME = 'Gatehouse development CA - not for production';
const FOR_DEVELOPMENT = ' (development)';

/** What a leaf may sign: credentials and status lists (RFC 9336), mobile documents, and requests to wallets (ISO/IEC 18013-5, B.1.4 and B.1.7). */
const LEAF_USAGES: readonly string[] = ['1.3.6.1.5.5.7.3.36', DOCUMENT_SIGNER, '1.0.18013.5.1.6'];

export interface Period {
  /** Seconds. */
  readonly from: number;
  readonly until: number;
}

export interface Authority {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
}

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

interface Draft extends Period {
  readonly subject: Name;
  readonly issuer: Name;
  readonly key: KeyObject;
  readonly signer: KeyObject;
  readonly extensions: readonly Extension[];
}

function certify({ subject, issuer, key, signer, extensions, from, until }: Draft): X509Certificate {
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
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdOf(signer)) }),
      ),
      ...extensions,
    ]),
  });
  const signatureValue = bufferOf(sign('sha256', Buffer.from(AsnConvert.serialize(tbsCertificate)), signer));
  return new X509Certificate(
    Buffer.from(AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue }))),
  );
}

/** The root of the development CA, signed by itself. It certifies leaves only. */
export function makeAuthority(key: KeyObject, period: Period): X509Certificate {
  const name = commonName(AUTHORITY_NAME);
  return certify({
    ...period,
    subject: name,
    issuer: name,
    key,
    signer: key,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: true, pathLenConstraint: 0 })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.keyCertSign)),
    ],
  });
}

/** The certificate of a key of the issuer at this address: by its URL, and by its host if that is a name. */
export function makeLeaf(authority: Authority, key: KeyObject, issuer: string, period: Period): X509Certificate {
  const { hostname } = new URL(issuer);
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) !== 0;
  const names = [
    ...(isAddress ? [] : [new GeneralName({ dNSName: hostname })]),
    new GeneralName({ uniformResourceIdentifier: issuer }),
  ];
  return certify({
    ...period,
    subject: commonName(hostname.slice(0, MAX_NAME - FOR_DEVELOPMENT.length) + FOR_DEVELOPMENT),
    issuer: AsnConvert.parse(authority.certificate.raw, Certificate).tbsCertificate.subject,
    key,
    signer: authority.key,
    extensions: [
      extension(id_ce_basicConstraints, true, new BasicConstraints({ cA: false })),
      extension(id_ce_keyUsage, true, new KeyUsage(KeyUsageFlags.digitalSignature)),
      extension(id_ce_extKeyUsage, true, new ExtendedKeyUsage([...LEAF_USAGES])),
      extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names)),
    ],
  });
}
