// Extended key usages: what the key of a certificate may sign. Only listed usages are accepted, so the certificate of a web server
// or verifier cannot sign credentials.
import { ChainError } from './errors.ts';

/** What a leaf signs: mdocs, other credentials (and their status lists), requests of verifiers, attestations of wallets and keys, or TLS of clients. */
export type CertificatePurpose = 'document' | 'credential' | 'request' | 'attestation' | 'client';

/** RFC 5280, 4.2.1.12: any purpose, servers and clients of TLS. */
const ANY = '2.5.29.37.0';
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2';
/** From ISO/IEC 18013-5, B.1, and the EU's equivalents for PIDs. */
const DOCUMENT_SIGNERS: readonly string[] = ['1.0.18013.5.1.2', '1.3.130.2.0.0.1.2'];
const READERS: readonly string[] = ['1.0.18013.5.1.6', '1.3.130.2.0.0.1.6'];
/** Signing documents of any kind (RFC 9336). */
const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36';

/**
 * No usage is standardized for credentials other than mdocs, so those for signing documents are accepted. A verifier that is
 * identified by its host often signs with its server certificate (OID4VP, 5.9.3; HAIP names no usage). Nor is there one for
 * attestations, which are documents, and authenticate clients.
 */
const ALLOWED: Readonly<Record<CertificatePurpose, readonly string[]>> = {
  document: DOCUMENT_SIGNERS,
  credential: [...DOCUMENT_SIGNERS, DOCUMENT_SIGNING],
  request: [...READERS, SERVER_AUTH],
  attestation: [DOCUMENT_SIGNING, CLIENT_AUTH],
  client: [CLIENT_AUTH],
};

/** Usages of authorities, and the usages they allow in the certificates they issue. */
const OF_AUTHORITIES: ReadonlyMap<string, readonly string[]> = new Map([['1.3.130.2.0.0.1.7', DOCUMENT_SIGNERS]]);

/** Undefined allows everything. */
export type Usages = readonly string[] | undefined;

/**
 * `above`: the usages of the authorities up to the anchor. They limit everything below them. `mustSay`: a leaf without usages, or for any
 * purpose, is not enough.
 */
export function checkUsages(purpose: CertificatePurpose, leaf: Usages, above: readonly Usages[], mustSay: boolean): void {
  let allowed = ALLOWED[purpose];
  for (const usages of above) {
    if (!usages || usages.includes(ANY)) continue;
    const below = usages.flatMap((usage) => [usage, ...(OF_AUTHORITIES.get(usage) ?? [])]);
    allowed = allowed.filter((usage) => below.includes(usage));
  }
  if (allowed.length === 0) throw new ChainError('an authority in the chain is for another purpose');
  if (!leaf && mustSay) throw new ChainError('the certificate does not say what it is for');
  if (leaf && !leaf.some((usage) => (usage === ANY && !mustSay) || allowed.includes(usage)))
    throw new ChainError('the certificate is for another purpose');
}
