// Verifies certificate chains (RFC 5280, 6) from the leaf to a trust anchor: names, signatures, validity, basic constraints, name
// constraints and usages. Revocation (CRL, OCSP) is not checked. Policies are not supported: a chain with critical ones is refused.
// Why this is not a library: docs/adr/012-certificate-chains.md.
import { X509Certificate } from 'node:crypto';
import type { BasicConstraints, GeneralName, NameConstraints } from '@peculiar/asn1-x509';
import { loadLater } from '../../platform/load-later.ts';
import { isSubject } from './distinguished-names.ts';
import { ChainError } from './errors.ts';
import { type CertificateNames, checkNames, readConstraints } from './name-constraints.ts';
import { type CertificatePurpose, checkUsages, type Usages } from './usages.ts';

const schema = loadLater<typeof import('@peculiar/asn1-schema')>('@peculiar/asn1-schema');
const x509 = loadLater<typeof import('@peculiar/asn1-x509')>('@peculiar/asn1-x509');

const MAX_CHAIN = 6;
const MAX_BYTES = 16_384;

/** SHA-2 with RSA (also PSS) and ECDSA, and EdDSA. OpenSSL would also verify MD5 and SHA-1, which are broken. */
const SIGNATURES: readonly string[] = [
  '1.2.840.113549.1.1.10',
  '1.2.840.113549.1.1.11',
  '1.2.840.113549.1.1.12',
  '1.2.840.113549.1.1.13',
  '1.2.840.10045.4.3.2',
  '1.2.840.10045.4.3.3',
  '1.2.840.10045.4.3.4',
  '1.3.101.112',
  '1.3.101.113',
];
const MIN_RSA_BITS = 2048;

export interface VerifiedChain {
  readonly leaf: X509Certificate;
  /** URIs of the leaf, from its alternative names. */
  readonly uris: readonly string[];
  /** base64url key identifiers of the authorities, for queries by authority. */
  readonly authorityKeyIds: readonly string[];
  readonly anchor: X509Certificate;
}

interface ParsedCertificate {
  readonly certificate: X509Certificate;
  readonly isAuthority: boolean;
  readonly pathLength: number | undefined;
  readonly authorityKeyId: string | undefined;
  readonly names: CertificateNames;
  /** Names it may issue certificates for; undefined allows all. */
  readonly constraints: NameConstraints | undefined;
  readonly isStrong: boolean;
  /** Whether its key may sign other things than certificates. True without a key usage extension. */
  readonly signs: boolean;
  readonly usages: Usages;
}

function parse(certificate: X509Certificate): ParsedCertificate {
  try {
    return read(certificate);
  } catch (error) {
    throw error instanceof ChainError ? error : new ChainError('a certificate cannot be read');
  }
}

function isStrong({ publicKey }: X509Certificate, signature: string): boolean {
  const bits = publicKey.asymmetricKeyDetails?.modulusLength ?? MIN_RSA_BITS;
  return SIGNATURES.includes(signature) && bits >= MIN_RSA_BITS;
}

function read(certificate: X509Certificate): ParsedCertificate {
  const { AsnConvert } = schema();
  const asn1 = x509();
  const { tbsCertificate, signatureAlgorithm } = AsnConvert.parse(certificate.raw, asn1.Certificate);
  let basic: BasicConstraints | undefined;
  let authorityKeyId: string | undefined;
  let alternatives: GeneralName[] = [];
  let constraints: NameConstraints | undefined;
  let signs = true;
  let usages: Usages;
  for (const { extnID, critical, extnValue } of tbsCertificate.extensions ?? []) {
    if (extnID === asn1.id_ce_basicConstraints) basic = AsnConvert.parse(extnValue.buffer, asn1.BasicConstraints);
    else if (extnID === asn1.id_ce_authorityKeyIdentifier) {
      const { keyIdentifier } = AsnConvert.parse(extnValue.buffer, asn1.AuthorityKeyIdentifier);
      if (keyIdentifier) authorityKeyId = Buffer.from(keyIdentifier.buffer).toString('base64url');
    } else if (extnID === asn1.id_ce_subjectAltName)
      alternatives = [...AsnConvert.parse(extnValue.buffer, asn1.SubjectAlternativeName)];
    else if (extnID === asn1.id_ce_nameConstraints)
      constraints = readConstraints(AsnConvert.parse(extnValue.buffer, asn1.NameConstraints));
    else if (extnID === asn1.id_ce_keyUsage)
      signs = AsnConvert.parse(extnValue.buffer, asn1.KeyUsage).toJSON().includes('digitalSignature');
    else if (extnID === asn1.id_ce_extKeyUsage) usages = [...AsnConvert.parse(extnValue.buffer, asn1.ExtendedKeyUsage)];
    else if (critical) throw new ChainError(`a critical extension is not understood: ${extnID}`);
  }
  const strong = isStrong(certificate, signatureAlgorithm.algorithm);
  const names = { subject: tbsCertificate.subject, alternatives };
  const { cA: isAuthority = false, pathLenConstraint: pathLength } = basic ?? {};
  return { certificate, isAuthority, pathLength, authorityKeyId, names, constraints, isStrong: strong, signs, usages };
}

/** `x5c`: standard base64 of DER, the leaf first (RFC 7515, 4.1.6). */
export function parseX5c(x5c: unknown): X509Certificate[] {
  if (!Array.isArray(x5c) || x5c.length === 0 || x5c.length > MAX_CHAIN)
    throw new ChainError('x5c must hold 1 to 6 certificates');
  return x5c.map((text: unknown) => {
    if (typeof text !== 'string' || text.length > MAX_BYTES || !/^[A-Za-z0-9+/]+={0,2}$/.test(text))
      throw new ChainError('a certificate is not base64');
    try {
      return new X509Certificate(Buffer.from(text, 'base64'));
    } catch {
      throw new ChainError('a certificate cannot be read');
    }
  });
}

const isValidAt = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now < validToDate.getTime();

/** OpenSSL compares names, key identifiers and key usage. Then the signature is verified. */
const isIssuerOf = (issuer: X509Certificate, subject: X509Certificate): boolean =>
  issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);

const urisOf = ({ alternatives }: CertificateNames): string[] =>
  alternatives.flatMap(({ uniformResourceIdentifier: uri }) => uri ?? []);

/** The names from the ASN.1 structure, because Node's text form is ambiguous. */
export function alternativeNamesOf(certificate: X509Certificate): { dns: string[]; uris: string[] } {
  const { names } = parse(certificate);
  return { dns: names.alternatives.flatMap(({ dNSName }) => dNSName ?? []), uris: urisOf(names) };
}

/** Whether a certificate has this name (RFC 8705, 2.1.2). Letter by letter: a name without wildcards, an address in its usual form. */
const NAMES: Readonly<
  Record<'subject' | 'dns' | 'uri' | 'ip' | 'email', (names: CertificateNames, expected: string) => boolean>
> = {
  subject: ({ subject }, expected) => isSubject(expected, subject),
  dns: ({ alternatives }, expected) => alternatives.some(({ dNSName }) => dNSName?.toLowerCase() === expected.toLowerCase()),
  uri: ({ alternatives }, expected) => alternatives.some(({ uniformResourceIdentifier: uri }) => uri === expected),
  ip: ({ alternatives }, expected) => alternatives.some(({ iPAddress: address }) => address === expected),
  email: ({ alternatives }, expected) => alternatives.some(({ rfc822Name: address }) => address === expected),
};

export const hasName = (certificate: X509Certificate, kind: keyof typeof NAMES, expected: string): boolean =>
  NAMES[kind](parse(certificate).names, expected);

/** Who signed it, as queries by authority name them: base64url, undefined if the certificate does not say. */
export const authorityKeyIdOf = (certificate: X509Certificate): string | undefined => parse(certificate).authorityKeyId;

/** Checks path length, name constraints and usages. */
function checkPath(path: readonly ParsedCertificate[], purpose: CertificatePurpose, mustSay: boolean): void {
  path.forEach(({ pathLength, constraints }, at) => {
    if (at > 0 && pathLength !== undefined && at - 1 > pathLength)
      throw new ChainError('the chain is longer than an authority allows');
    if (constraints) for (const { names } of path.slice(0, at)) checkNames(names, constraints);
  });
  const [leaf, ...above] = path.map(({ usages }) => usages);
  checkUsages(purpose, leaf, above, mustSay);
}

/** Throws ChainError unless the chain leads to an anchor. The anchor may be part of the chain or not. `mustSay`: see checkUsages. */
export function verifyChain(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: number,
  purpose: CertificatePurpose = 'credential',
  mustSay = false,
): VerifiedChain {
  const [leaf, ...above] = chain.map(parse);
  if (!leaf) throw new ChainError('there is no certificate');
  if (!leaf.signs) throw new ChainError('the key of the certificate is not for signing');
  const sameAs = (one: X509Certificate) => (other: X509Certificate) => one.raw.equals(other.raw);
  const path: ParsedCertificate[] = [leaf];
  for (const next of above) {
    const last = path.at(-1)!;
    if (anchors.some(sameAs(last.certificate))) break;
    if (!isIssuerOf(next.certificate, last.certificate))
      throw new ChainError('the certificates do not lead from one to the next');
    path.push(next);
  }
  const top = path.at(-1)!.certificate;
  const anchor = anchors.find(sameAs(top)) ?? anchors.find((one) => isIssuerOf(one, top));
  if (!anchor) throw new ChainError('the certificates lead to none that is trusted');
  // The signature of the anchor does not matter: the anchor is trusted by itself.
  if (!path.every((one) => one.isStrong || sameAs(anchor)(one.certificate)))
    throw new ChainError('a certificate is signed in a way that is not accepted');
  if (!sameAs(anchor)(top)) path.push(parse(anchor));
  if (!path.every(({ certificate }) => isValidAt(certificate, now))) throw new ChainError('a certificate is not valid now');
  // The leaf must not be a CA, unless it is an anchor itself.
  if (leaf.isAuthority && path.length > 1) throw new ChainError('the certificate is that of an authority');
  checkPath(path, purpose, mustSay);
  return {
    leaf: leaf.certificate,
    uris: urisOf(leaf.names),
    authorityKeyIds: path.flatMap(({ authorityKeyId }) => authorityKeyId ?? []),
    anchor,
  };
}
