// Credentials in the wallet.
// stored-credentials.ts is what issuance and presentation use: storing, choosing candidates, copies, status.

export type { CredentialCandidate } from './candidates.ts';
export type { ReservedCopy } from './copies.ts';
export { type CredentialContent, credentialSealContext, instanceSealContext } from './credential-content.ts';
export { mountCredentials } from './credentials.routes.ts';
export { createCredentials, type WalletCredentials } from './credentials.rules.ts';
export { Credential } from './credentials.schema.ts';
export { ClaimLabel, type Description, Display, descriptionOf, LocalName, localNames } from './display.ts';
export { displayText } from './display-text.ts';
export { type Logo, logoOf } from './logo.ts';
export { createStoredCredentials, type StoredCredentials } from './stored-credentials.ts';
