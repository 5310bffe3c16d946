// Trust: finds and checks the key of a signer by certificates, DIDs or issuer metadata.

export { type Anchors, createAnchors, parseAnchors, readAnchors } from './anchors.ts';
export { type BroughtChain, type ChainFiles, type ChainSettings, type ChainStart, readBroughtChain } from './brought.ts';
export { alternativeNamesOf, authorityKeyIdOf, hasName, parseX5c, verifyChain } from './chain.ts';
export { isDistinguishedName } from './distinguished-names.ts';
export { ChainError, TrustError } from './errors.ts';
export type { Authority, LeafDraft, Period } from './making.ts';
export { type CertificatePeriod, startOf } from './period.ts';
export {
  createTrust,
  type IssuerTrust,
  type SignedHeader,
  type SignerKey,
  subjectOf,
  type Trust,
  type TrustPolicy,
} from './trust.ts';
export type { CertificatePurpose } from './usages.ts';

/** Makes certificates for development. */
export const loadCertificateMaking = () => import('./making.ts');
