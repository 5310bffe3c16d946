// Roles and permissions of applications, their assignments, and what these allow.

export { createAppRoles } from './app-roles.rules.ts';
export { findInApplication } from './application-parts.ts';
export { mountAllowed, mountAppAssignments } from './assignments.routes.ts';
export { type AppAssignments, createAppAssignments } from './assignments.rules.ts';
export { insertBuiltInRoles } from './built-in.ts';
export { readGrantedEntries } from './granted-entries.store.ts';
export { heldAssignments, type RoleSelection } from './held-roles.store.ts';
export { createManagers, type Managers } from './managers.ts';
export { memberOrganizationIds, type OfferedOrganization, offeredOrganizations, offeredOrganizationsOf } from './members.ts';
export { assignedRoleEntries, type OfferedRole, offeredRoles, offeredRolesOf, provision } from './offered-roles.ts';
export { createRankGuard } from './rank-guard.ts';
export { mountAppRoles, mountPermissions } from './roles.routes.ts';
export { permissionsOfRoles } from './user-permissions.store.ts';
export {
  appTagOf,
  createUserPermissions,
  type HeldAppRole,
  inspectApplications,
  inspectUserPermissions,
  type UserPermissionsReader,
} from './user-permissions.ts';
