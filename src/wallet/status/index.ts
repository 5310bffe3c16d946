// Status lists of issuers: Token Status List and Bitstring Status List.
export {
  type CredentialStatus,
  createStatus,
  referenceOf,
  type Status,
  type StatusReference,
  type VerifyList,
} from './status.ts';
