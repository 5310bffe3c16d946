// Access: what a user may do in a scope, answered from memory.

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
export { grantedPlaces, managedFrom, managersInside } from './management.store.ts';
export { type Ref, type Scope, tagOf, type View, viewKey } from './view.ts';
