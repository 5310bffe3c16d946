// Trust: finds and checks the key of a signer by certificates, DIDs or issuer metadata.
export { type Anchors, createAnchors, parseAnchors, readAnchors } from './anchors.ts';
export { alternativeNamesOf, authorityKeyIdOf, hasName, parseX5c, verifyChain } from './chain.ts';
export { isDistinguishedName } from './distinguished-names.ts';
export { ChainError, TrustError } from './errors.ts';
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
