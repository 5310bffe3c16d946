// The issuer of credentials: its keys, its certificate chain, and its DID.
export { createIssuerIdentity, didOf, type Issuer, type IssuerIdentity, type NamedBy } from './issuer.ts';
export { type IssuerPublicKey, MAX_VALIDITY_SECONDS } from './keys.ts';
