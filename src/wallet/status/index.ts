// Status lists of issuers: Token Status List and Bitstring Status List.
export type { CredentialStatus, IssuedBy, VerifyList } from './lists.ts';
export { referenceOf, type StatusEntry, type StatusReference } from './references.ts';
export { createStatus, type Look, type Status } from './status.ts';
