// Certificates for tests, including invalid ones.
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
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  GeneralSubtree,
  GeneralSubtrees,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_nameConstraints,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  NameConstraints,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from '@peculiar/asn1-x509';

export interface TestCertificate {
  readonly certificate: X509Certificate;
  readonly key: KeyObject;
  /** In the format of x5c. */
  readonly der: string;
}

export interface ExtensionDraft {
  readonly id: string;
  readonly critical: boolean;
  readonly value: Uint8Array;
}

/** The extended key usage extension. */
export const usages = (...oids: string[]): ExtensionDraft => ({
  id: id_ce_extKeyUsage,
  critical: true,
  value: Buffer.from(AsnConvert.serialize(new ExtendedKeyUsage(oids))),
});

/** For signing mobile documents (ISO/IEC 18013-5, B.1.4). */
export const DOCUMENT_SIGNER = '1.0.18013.5.1.2';

/** The name constraints extension of a CA. */
export function constraints(
  { permitted = [], excluded = [] }: { permitted?: Partial<GeneralName>[]; excluded?: Partial<GeneralName>[] },
  more: Partial<GeneralSubtree> = {},
): ExtensionDraft {
  const subtrees = (names: Partial<GeneralName>[]): GeneralSubtrees =>
    new GeneralSubtrees(names.map((name) => new GeneralSubtree({ base: new GeneralName(name), ...more })));
  const value = new NameConstraints({
    ...(permitted.length > 0 ? { permittedSubtrees: subtrees(permitted) } : {}),
    ...(excluded.length > 0 ? { excludedSubtrees: subtrees(excluded) } : {}),
  });
  return { id: id_ce_nameConstraints, critical: true, value: Buffer.from(AsnConvert.serialize(value)) };
}

export interface CertificateOptions {
  readonly name: string;
  /** If absent, the certificate is self-signed. */
  readonly by?: TestCertificate;
  readonly ca?: boolean;
  /** Whether its key may sign certificates. By default only if it is a CA. */
  readonly signs?: boolean;
  readonly pathLength?: number;
  readonly from?: Date;
  readonly until?: Date;
  readonly dns?: readonly string[];
  readonly uris?: readonly string[];
  /** Subject alternative names of other kinds. */
  readonly names?: readonly Partial<GeneralName>[];
  readonly extensions?: readonly ExtensionDraft[];
  readonly key?: KeyObject;
  readonly hash?: 'sha256' | 'sha1';
}

const OIDS: Readonly<Record<string, string>> = {
  'ec sha256': '1.2.840.10045.4.3.2',
  'ec sha1': '1.2.840.10045.4.1',
  'rsa sha256': '1.2.840.113549.1.1.11',
};

export const parseName = (text: string): Name =>
  new Name(
    text.split(', ').map((part) => {
      const [type = '', value = ''] = part.split('=');
      const oid = { CN: '2.5.4.3', C: '2.5.4.6', O: '2.5.4.10', E: '1.2.840.113549.1.9.1' }[type]!;
      const content = type === 'C' ? { printableString: value } : type === 'E' ? { ia5String: value } : { utf8String: value };
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

export function certify(options: CertificateOptions): TestCertificate {
  const { name, by, ca = false, signs = ca, pathLength, dns = [], uris = [], hash = 'sha256' } = options;
  const key = options.key ?? newEcKey();
  const issuerKey = by?.key ?? key;
  const extension = (extnID: string, critical: boolean, value: object): Extension =>
    new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
  const names = [
    ...dns.map((dNSName) => new GeneralName({ dNSName })),
    ...uris.map((uniformResourceIdentifier) => new GeneralName({ uniformResourceIdentifier })),
    ...(options.names ?? []).map((other) => new GeneralName(other)),
  ];
  const basic = new BasicConstraints({ cA: ca, ...(pathLength === undefined ? {} : { pathLenConstraint: pathLength }) });
  const signatureAlgorithm = new AlgorithmIdentifier({ algorithm: OIDS[`${issuerKey.asymmetricKeyType} ${hash}`]! });
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: bufferOf(Buffer.concat([Buffer.of(1), randomBytes(8)])),
    signature: signatureAlgorithm,
    issuer: by ? AsnConvert.parse(by.certificate.raw, Certificate).tbsCertificate.subject : parseName(name),
    validity: new Validity({
      notBefore: options.from ?? new Date(Date.now() - DAY_MS),
      notAfter: options.until ?? new Date(Date.now() + DAY_MS),
    }),
    subject: parseName(name),
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

export const keyIdentifierOf = ({ key }: TestCertificate): string => Buffer.from(keyIdOf(key)).toString('base64url');
