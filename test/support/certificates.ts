// Certificates as tests need them, wrong ones included.
import {
  createHash,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  randomBytes,
  sign,
  X509Certificate,
} from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
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

export interface Certified {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  /** As x5c has it. */
  readonly der: string;
}

export interface CertificateOptions {
  readonly name: string;
  /** Absent: itself. */
  readonly by?: Certified;
  readonly ca?: boolean;
  /** Whether its key may sign certificates; as an authority may, unless told. */
  readonly signs?: boolean;
  readonly pathLength?: number;
  readonly from?: Date;
  readonly until?: Date;
  readonly dns?: readonly string[];
  readonly uris?: readonly string[];
  readonly extensions?: readonly { readonly id: string; readonly critical: boolean; readonly value: Uint8Array }[];
  readonly key?: KeyObject;
  readonly hash?: 'sha256' | 'sha1';
}

const OIDS: Readonly<Record<string, string>> = {
  'ec sha256': '1.2.840.10045.4.3.2',
  'ec sha1': '1.2.840.10045.4.1',
  'rsa sha256': '1.2.840.113549.1.1.11',
};

const nameOf = (text: string): Name =>
  new Name(
    text.split(', ').map((part) => {
      const [type = '', value = ''] = part.split('=');
      const oid = { CN: '2.5.4.3', C: '2.5.4.6', O: '2.5.4.10' }[type]!;
      const content = type === 'C' ? { printableString: value } : { utf8String: value };
      return new RelativeDistinguishedName([new AttributeTypeAndValue({ type: oid, value: new AttributeValue(content) })]);
    }),
  );

const bufferOf = (bytes: Uint8Array): ArrayBuffer => new Uint8Array(bytes).buffer;
const spkiOf = (key: KeyObject): SubjectPublicKeyInfo =>
  AsnConvert.parse(createPublicKey(key).export({ type: 'spki', format: 'der' }), SubjectPublicKeyInfo);
const keyIdOf = (key: KeyObject): ArrayBuffer =>
  bufferOf(
    createHash('sha1')
      .update(new Uint8Array(spkiOf(key).subjectPublicKey))
      .digest(),
  );

export const newEcKey = (namedCurve = 'P-256'): KeyObject => generateKeyPairSync('ec', { namedCurve }).privateKey;

const DAY_MS = 24 * 3600 * 1000;

export function certify(options: CertificateOptions): Certified {
  const { name, by, ca = false, signs = ca, pathLength, dns = [], uris = [], hash = 'sha256' } = options;
  const key = options.key ?? newEcKey();
  const issuerKey = by?.key ?? key;
  const extension = (extnID: string, critical: boolean, value: object): Extension =>
    new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
  const names = [
    ...dns.map((dNSName) => new GeneralName({ dNSName })),
    ...uris.map((uniformResourceIdentifier) => new GeneralName({ uniformResourceIdentifier })),
  ];
  const basic = new BasicConstraints({ cA: ca, ...(pathLength === undefined ? {} : { pathLenConstraint: pathLength }) });
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: OIDS[`${issuerKey.asymmetricKeyType} ${hash}`]! });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: bufferOf(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    signature: signatureAlgorithm,
    issuer: by ? AsnConvert.parse(by.certificate.raw, Certificate).tbsCertificate.subject : nameOf(name),
    validity: new Validity({
      notBefore: options.from ?? new Date(Date.now() - DAY_MS),
      notAfter: options.until ?? new Date(Date.now() + DAY_MS),
    }),
    subject: nameOf(name),
    subjectPublicKeyInfo: spkiOf(key),
    extensions: new Extensions([
      extension(id_ce_basicConstraints, true, basic),
      extension(id_ce_keyUsage, true, new KeyUsage(signs ? KeyUsageFlags.keyCertSign : KeyUsageFlags.digitalSignature)),
      extension(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(keyIdOf(key))),
      extension(
        id_ce_authorityKeyIdentifier,
        false,
        new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(keyIdOf(issuerKey)) }),
      ),
      ...(names.length > 0 ? [extension(id_ce_subjectAltName, false, new SubjectAlternativeName(names))] : []),
      ...(options.extensions ?? []).map(
        ({ id, critical, value }) => new Extension({ extnID: id, critical, extnValue: new OctetString(bufferOf(value)) }),
      ),
    ]),
  });
  const signatureValue = bufferOf(sign(hash, Buffer.from(AsnConvert.serialize(tbsCertificate)), issuerKey));
  const der = Buffer.from(AsnConvert.serialize(new Certificate({ tbsCertificate, signatureAlgorithm, signatureValue })));
  return { certificate: new X509Certificate(der), key, der: der.toString('base64') };
}

export const keyIdentifierOf = ({ key }: Certified): string => Buffer.from(keyIdOf(key)).toString('base64url');
