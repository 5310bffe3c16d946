// Who calls, and the rules that decide what they may do.
// policy.ts decides, by base-rules.ts (the names of Keystone's policy) and extension-rules.ts; personas.ts says who is an administrator, also
// when the scope is enforced. caller.ts is who calls, fresh-login.ts asks for a new login before a way in is changed.

export {
  actorAsVerified,
  type Caller,
  createAuthenticate,
  DELEGATED,
  isInPerson,
  maySend,
  type OtherCallers,
  PROVISIONING,
} from './caller.ts';
export { createFreshLogin, type FreshLogin, loginTimeOf, type PersonLogin } from './fresh-login.ts';
export {
  type Facts,
  hasRole,
  isDelegated,
  isDomainAdministrator,
  maySeeRolesIn,
  systemReaderOfCredentials,
} from './personas.ts';
export {
  type Action,
  authorize,
  domainOfNew,
  domainTarget,
  factsOnly,
  type IdentityApp,
  type IdentityTarget,
  isAdministrator,
  isAllowed,
  listFacts,
  permit,
  targetOf,
  visibleDomain,
} from './policy.ts';
export type { RankGuard } from './rank-guard.ts';
