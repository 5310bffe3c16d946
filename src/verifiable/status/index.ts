// Status lists of issuers: Token Status List and Bitstring Status List.
export type { CredentialStatus, IssuerIdentity, VerifyList } from './lists.ts';
export { referenceOf, type StatusEntry, type StatusReference } from './references.ts';
export { createStatus, type Status, type StatusCheck } from './status.ts';
