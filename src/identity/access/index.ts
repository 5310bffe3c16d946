// Access: who calls, the rules that decide what they may do, and what a user may do in a scope, answered from memory.

export {
  ancestorsOf,
  findProject,
  findUserWithDomain,
  groupIdsOf,
  type Holder,
  heldGrants,
  holdsRoleAnywhere,
  managesElsewhere,
} from './access.store.ts';
export { type Access, createAccess, inactivityEnd } from './access.ts';
export { type AuthContext, authContextKey, type Ref, type Scope, tagOf } from './auth-context.ts';
export { asChecked, type Caller, createAuthenticate, DELEGATED, type OtherCallers, PROVISIONING } from './caller.ts';
export { createFreshLogin, type FreshLogin, loginTimeOf } from './fresh-login.ts';
export { grantedPlaces, managedFrom, managersInside } from './management.store.ts';
export {
  type Action,
  about,
  allowed,
  authorize,
  domainOfNew,
  domainTarget,
  type Facts,
  has,
  type IdentityApp,
  type IdentityTarget,
  isAdministrator,
  isInPerson,
  knowsOf,
  listTarget,
  permit,
  targetOf,
  visibleDomain,
} from './policy.ts';
export type { Doing, Shield } from './shield.ts';
export { type AuthMethod, METHODS, type TokenRecord, type VerifiedToken } from './token-record.ts';
