// What the key of a certificate may sign, by what the certificate and those above it say it is for. A list of what is allowed:
// a certificate for anything else, of a web server or of a verifier, issues nothing.
import { anyExtendedKeyUsage, id_kp_serverAuth } from '@peculiar/asn1-x509';
import { ChainError } from './errors.ts';

/** What a leaf signs: mdocs, other credentials (and what belongs to them), or what a verifier asks. */
export type CertificatePurpose = 'document' | 'credential' | 'request';

/** Of ISO/IEC 18013-5, B.1, and those the EU has beside them for PIDs. */
const DOCUMENT_SIGNERS: readonly string[] = ['1.0.18013.5.1.2', '1.3.130.2.0.0.1.2'];
const READERS: readonly string[] = ['1.0.18013.5.1.6', '1.3.130.2.0.0.1.6'];
/** Signing documents of any kind (RFC 9336). */
const DOCUMENT_SIGNING = '1.3.6.1.5.5.7.3.36';

/**
 * None is agreed on for credentials that are no mdocs; those for signing documents say what they mean. A verifier known by its host
 * often signs with the certificate of its server, which proves exactly that (OID4VP, 5.9.3; HAIP names no usage).
 */
const ALLOWED: Readonly<Record<CertificatePurpose, readonly string[]>> = {
  document: DOCUMENT_SIGNERS,
  credential: [...DOCUMENT_SIGNERS, DOCUMENT_SIGNING],
  request: [...READERS, id_kp_serverAuth],
};

/** Usages only authorities have, and those of the certificates they issue. */
const OF_AUTHORITIES: ReadonlyMap<string, readonly string[]> = new Map([['1.3.130.2.0.0.1.7', DOCUMENT_SIGNERS]]);

/** Nothing said: anything. */
export type Usages = readonly string[] | undefined;

/** `above`: of the authorities up to the anchor. What one of them is not for, nothing below it is for. */
export function checkUsages(purpose: CertificatePurpose, leaf: Usages, above: readonly Usages[]): void {
  let allowed = ALLOWED[purpose];
  for (const usages of above) {
    if (!usages || usages.includes(anyExtendedKeyUsage)) continue;
    const below = usages.flatMap((usage) => [usage, ...(OF_AUTHORITIES.get(usage) ?? [])]);
    allowed = allowed.filter((usage) => below.includes(usage));
  }
  if (allowed.length === 0) throw new ChainError('an authority in the chain is for another purpose');
  if (leaf && !leaf.some((usage) => usage === anyExtendedKeyUsage || allowed.includes(usage)))
    throw new ChainError('the certificate is for another purpose');
}
