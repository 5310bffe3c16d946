// Access: what a user may do in a scope, answered from memory.

export { ancestorsOf, findProject } from './access.store.ts';
export { type Access, createAccess, inactivityEnd } from './access.ts';
export { type Ref, type Scope, scopeKey, tagOf, type View } from './view.ts';
