// Access: who calls, the rules that decide what they may do, and what a user may do in a scope, answered from memory.

export {
  ancestorsOf,
  findProject,
  findUserWithDomain,
  type Grantee,
  type HeldGrant,
  keepToken,
  managesElsewhere,
  membershipsOf,
  type RoleGraph,
  readGrants,
  someGrantsOf,
} from './access.store.ts';
export { type Access, createAccess } from './access.ts';
export { type AccessRule, allowsRequest } from './access-rules.ts';
export {
  administeredAlone,
  hasAdministrator,
  isAdministratorAnywhere,
  unprotectedAdministrators,
} from './administrators.ts';
export { type AuthContext, authContextKey, type Ref, type Scope, tagOf } from './auth-context.ts';
export {
  actorAsVerified,
  type Caller,
  createAuthenticate,
  DELEGATED,
  maySend,
  type OtherCallers,
  PROVISIONING,
} from './caller.ts';
export { DEFAULT_DOMAIN } from './default-domain.ts';
export {
  DELEGATION_KINDS,
  type Delegation,
  type DelegationKind,
  type DelegationReader,
  type DelegationReaders,
  type DelegationRef,
  isPassedOn,
} from './delegation.ts';
export type { DirectoryAccount, DirectoryGuard, DirectoryLogin } from './directory-guard.ts';
export { createFreshLogin, type FreshLogin, loginTimeOf, type PersonLogin } from './fresh-login.ts';
export { closureOf, heldGroups, type Inspection, inactivityEnd, type Obstacle } from './inspection.ts';
export { isCurrent, type KeptToken } from './kept-token.ts';
export { MANAGING_ROLES } from './lent-rights.ts';
export { anyManagesApplications, grantedOrganizations, managersIn, rolesByTrust } from './management.store.ts';
export {
  ACCESS_TOKEN,
  APPLICATION,
  APPLICATION_CREDENTIAL,
  OTHER_AUTHENTICATION,
  PROVIDER_TOKEN,
  SIGNATURE,
} from './other-authentication.ts';
export {
  type Facts,
  hasRole,
  isDelegated,
  isDomainAdministrator,
  isInPerson,
  maySeeRolesIn,
  systemReaderOfCredentials,
} from './personas.ts';
export {
  type Action,
  authorize,
  domainOfNew,
  domainTarget,
  factsOnly,
  givesSecretBy,
  type IdentityApp,
  type IdentityTarget,
  isAdministrator,
  isAllowed,
  isForEverybody,
  listFacts,
  permit,
  targetOf,
  visibleDomain,
  whoPasses,
} from './policy.ts';
export type { Shield, ShieldDetails } from './shield.ts';
export { type AuthMethod, METHODS, methodNames, type TokenRecord, type VerifiedToken } from './token-record.ts';
