// Grants: roles of users and groups on projects, domains and the system, and their effective assignments.
export { mountAssignments } from './assignments.routes.ts';
export { createAssignments } from './assignments.rules.ts';
export { mountGrants } from './grants.routes.ts';
export { createGrants, type Grants } from './grants.rules.ts';
export {
  deleteGrant,
  directGrantsOf,
  type Grant,
  insertGrant,
  lendGrant,
  type NameRow,
  namesOf,
  reachableProjectIds,
  reachableProjects,
  takeGrants,
} from './grants.store.ts';
export { insertOwnedProject, OWNER } from './owned-project.ts';
export { createUserScopes } from './user-scopes.rules.ts';
