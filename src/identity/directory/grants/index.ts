// Grants: roles of users and groups on projects, domains and the system, and their effective assignments.
export { mountAssignments } from './assignments.routes.ts';
export { createAssignments } from './assignments.rules.ts';
export { giveRole, lendRole, roleInProject, takeLentRoles, takeRole } from './give.rules.ts';
export { mountGrants } from './grants.routes.ts';
export { createGrants, type Grants } from './grants.rules.ts';
export {
  directGrantsOf,
  namesOf,
  reachableProjects,
} from './grants.store.ts';
export { insertOwnedProject, OWNER } from './owned-project.ts';
export { createUserScopes } from './user-scopes.rules.ts';
