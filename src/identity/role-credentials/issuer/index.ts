// The issuer of credentials: its keys, its certificate chain, and its DID.
// keys.ts are made when they are first needed (completion.ts), or brought (brought.ts).
export { type BroughtKey, readBroughtKey, readBroughtVerifier } from './brought.ts';
export { mountIssuer, PUBLISHED } from './issuer.routes.ts';
export { createIssuerIdentity, didOf, type Issuer, type IssuerIdentity, type KnownSigner, type NamedBy } from './issuer.ts';
export { type IssuerPublicKey, MAX_VALIDITY_SECONDS } from './key-material.ts';
export type { IssuerKeys } from './keys.ts';
export { createVerifierKeys, type RequestSigner, type VerifierKeys } from './verifier.ts';
