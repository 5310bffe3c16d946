// Certificate chains (RFC 5280, 6): from the leaf, by the certificates that came with it, to one an operator trusts.
import { X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  anyExtendedKeyUsage,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyUsage,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';

const MAX_CHAIN = 6;
const MAX_BYTES = 16_384;

/** What a leaf signs: mdocs, other credentials (and what belongs to them), or what a peer says in a protocol. */
export type Purpose = 'document' | 'credential' | 'request';

/** Of ISO/IEC 18013-5, B.1, and those the EU has beside them for PIDs. */
const DOCUMENT_SIGNERS: readonly string[] = ['1.0.18013.5.1.2', '1.3.130.2.0.0.1.2'];
const READERS: readonly string[] = ['1.0.18013.5.1.6', '1.3.130.2.0.0.1.6'];
/** A verifier known by its host often signs with the certificate of its server. */
const PEERS: readonly string[] = [...READERS, id_kp_clientAuth, id_kp_serverAuth];

/** Whether an extended key usage lets it sign this. For credentials that are no mdocs none is agreed on: only readers have no say. */
const FITS: Readonly<Record<Purpose, (usage: string) => boolean>> = {
  document: (usage) => DOCUMENT_SIGNERS.includes(usage),
  credential: (usage) => !READERS.includes(usage),
  request: (usage) => PEERS.includes(usage),
};

/** SHA-2 with RSA (also PSS) and ECDSA, and EdDSA. OpenSSL would still verify MD5 and SHA-1, for which collisions are made. */
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

export class ChainError extends Error {}

export interface Chain {
  readonly leaf: X509Certificate;
  /** Of the leaf, from its alternative names. */
  readonly uris: readonly string[];
  /** base64url key identifiers of the authorities above, for queries that name one. */
  readonly authorityKeyIds: readonly string[];
}

interface Parsed {
  readonly certificate: X509Certificate;
  readonly pathLength: number | undefined;
  readonly authorityKeyId: string | undefined;
  readonly uris: readonly string[];
  readonly isStrong: boolean;
  /** Whether its key may sign something else than certificates; so it may when nothing is said. */
  readonly signs: boolean;
  readonly purposes: readonly string[] | undefined;
}

function parse(certificate: X509Certificate): Parsed {
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

function read(certificate: X509Certificate): Parsed {
  const { tbsCertificate, signatureAlgorithm } = AsnConvert.parse(certificate.raw, Certificate);
  let pathLength: number | undefined;
  let authorityKeyId: string | undefined;
  let uris: string[] = [];
  let signs = true;
  let purposes: string[] | undefined;
  for (const { extnID, critical, extnValue } of tbsCertificate.extensions ?? []) {
    if (extnID === id_ce_basicConstraints) pathLength = AsnConvert.parse(extnValue.buffer, BasicConstraints).pathLenConstraint;
    else if (extnID === id_ce_authorityKeyIdentifier) {
      const { keyIdentifier } = AsnConvert.parse(extnValue.buffer, AuthorityKeyIdentifier);
      if (keyIdentifier) authorityKeyId = Buffer.from(keyIdentifier.buffer).toString('base64url');
    } else if (extnID === id_ce_subjectAltName) {
      // From the structure: the text Node makes of it would have to be taken apart again.
      const names = AsnConvert.parse(extnValue.buffer, SubjectAlternativeName);
      uris = [...names].flatMap(({ uniformResourceIdentifier: uri }) => uri ?? []);
    } else if (extnID === id_ce_keyUsage)
      signs = AsnConvert.parse(extnValue.buffer, KeyUsage).toJSON().includes('digitalSignature');
    else if (extnID === id_ce_extKeyUsage) purposes = [...AsnConvert.parse(extnValue.buffer, ExtendedKeyUsage)];
    else if (critical) throw new ChainError(`a critical extension is not understood: ${extnID}`);
  }
  const strong = isStrong(certificate, signatureAlgorithm.algorithm);
  return { certificate, pathLength, authorityKeyId, uris, isStrong: strong, signs, purposes };
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

const isWithin = ({ validFromDate, validToDate }: X509Certificate, now: number): boolean =>
  validFromDate.getTime() <= now && now < validToDate.getTime();

/** Names, key identifiers and key usage are OpenSSL's to compare; then the signature. */
const issued = (issuer: X509Certificate, subject: X509Certificate): boolean =>
  issuer.ca && subject.checkIssued(issuer) && subject.verify(issuer.publicKey);

function checkUse({ signs, purposes }: Parsed, purpose: Purpose): void {
  if (!signs) throw new ChainError('the key of the certificate is not for signing');
  if (purposes && !purposes.some((usage) => usage === anyExtendedKeyUsage || FITS[purpose](usage)))
    throw new ChainError('the certificate is for another purpose');
}

/** Throws ChainError unless the leaf leads to an anchor. An anchor itself may be sent along, or be the leaf's very issuer. */
export function verifyChain(
  chain: readonly X509Certificate[],
  anchors: readonly X509Certificate[],
  now: number,
  purpose: Purpose = 'credential',
): Chain {
  const [leaf, ...above] = chain.map(parse);
  if (!leaf) throw new ChainError('there is no certificate');
  checkUse(leaf, purpose);
  const sameAs = (one: X509Certificate) => (other: X509Certificate) => one.raw.equals(other.raw);
  const path: Parsed[] = [leaf];
  for (const next of above) {
    const last = path.at(-1)!;
    if (anchors.some(sameAs(last.certificate))) break;
    if (!issued(next.certificate, last.certificate)) throw new ChainError('the certificates do not lead from one to the next');
    path.push(next);
  }
  const top = path.at(-1)!.certificate;
  const anchor = anchors.find(sameAs(top)) ?? anchors.find((one) => issued(one, top));
  if (!anchor) throw new ChainError('the certificates lead to none that is trusted');
  // How an anchor is signed proves nothing: it is trusted by itself.
  if (!path.every((one) => one.isStrong || sameAs(anchor)(one.certificate)))
    throw new ChainError('a certificate is signed in a way that is not accepted');
  if (!sameAs(anchor)(top)) path.push(parse(anchor));
  if (!path.every(({ certificate }) => isWithin(certificate, now))) throw new ChainError('a certificate is not valid now');
  // How many authorities may stand between one and the leaf.
  path.forEach(({ pathLength }, at) => {
    if (at > 0 && pathLength !== undefined && at - 1 > pathLength)
      throw new ChainError('the chain is longer than an authority allows');
  });
  return { leaf: leaf.certificate, uris: leaf.uris, authorityKeyIds: path.flatMap(({ authorityKeyId }) => authorityKeyId ?? []) };
}
