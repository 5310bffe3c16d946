// Types of credentials: what people can have issued about their roles in applications.
// published.ts is what everybody reads: type metadata, and the entry in a registry of trusted issuers (/v4/issuers). targets.* are DIDs of
// applications.
export {
  applicationsOf,
  type ClaimName,
  CREDENTIAL_TYPES_TAG,
  type CredentialType,
  claimNames,
  credentialTypeTag,
  DATA_MODELS,
  type DataModel,
  issuedTypeOf,
  PROFILE_CLAIMS,
  type ProfileClaim,
  rolesForType,
  vctOf,
} from './credential-type.ts';
export { mountCredentialTypes } from './credential-types.routes.ts';
export { type CredentialTypeManagement, createCredentialTypeManagement } from './credential-types.rules.ts';
export { type CredentialTypes, createCredentialTypes } from './credential-types.ts';
export { createPublishedTypes } from './published.ts';
export { createCredentialTargets } from './targets.rules.ts';
