// What a user may do in a scope, answered from memory: roles, delegations, the state of tokens.
// access.ts and auth-context.ts are the cached roles of a user in a scope; lent-rights.ts leaves out what a provider may not give,
// administrators.ts says who administers the service or a domain.

export {
  ancestorsOf,
  findProject,
  findUserWithDomain,
  type Grantee,
  type HeldGrant,
  type HeldMembership,
  membershipsOf,
  type OrganizationSet,
  type RoleGraph,
} from './access.store.ts';
export { type Access, createAccess } from './access.ts';
export { allowsRequest } from './access-rules.ts';
export { administeredAlone, hasAdministrator, isAdministratorAnywhere, unprotectedAdministrators } from './administrators.ts';
export { type AuthContext, authContextKey, type Ref, tagOf } from './auth-context.ts';
export { DEFAULT_DOMAIN } from './default-domain.ts';
export {
  DELEGATION_KINDS,
  type DelegationKind,
  type DelegationReader,
  type DelegationReaders,
  type DelegationRef,
  delegatesRights,
  type KeystoneLogin,
  keystoneLoginId,
  keystoneLoginOf,
} from './delegation.ts';
export type { DirectoryAccount, DirectoryGuard, DirectoryLogin } from './directory-guard.ts';
export { closureOf, heldGroups, type Inspection, inactivityEnd } from './inspection.ts';
export { isCurrent, type KeptToken, keptBy } from './kept-token.ts';
export { MANAGING_ROLES } from './lent-rights.ts';
export { ACCESS_TOKEN, APPLICATION, APPLICATION_CREDENTIAL, PROVIDER_TOKEN, SIGNATURE } from './other-authentication.ts';
export type { Scope } from './scope.ts';
export { type AuthMethod, kindOf, METHODS, methodNames, type TokenRecord, type VerifiedToken } from './token-record.ts';
