// Roles and permissions of applications, their assignments, and what these allow.

export { createAppRoles } from './app-roles.rules.ts';
export { mountAllowed, mountAppAssignments } from './assignments.routes.ts';
export { type AppAssignments, createAppAssignments } from './assignments.rules.ts';
export { applicationsOfUser } from './assignments.store.ts';
export { INTERNAL_PERMISSIONS, INTERNAL_ROLES, type InternalPermission, isBuiltIn } from './built-in.ts';
export { deleteGrantedEntries, readGrantedEntries, recordGrantedEntries } from './granted-entries.store.ts';
export { heldAssignments, type RoleSelection } from './held-roles.store.ts';
export { createManagers, type Managers } from './managers.ts';
export { memberOrganizationIds, type OfferedOrganization, offeredOrganizations, offeredOrganizationsOf } from './members.ts';
export { assignedRoleEntries, type OfferedRole, offeredRoles, offeredRolesOf, provision } from './offered-roles.ts';
export { organizationsAmong } from './organizations.store.ts';
export { createRankGuard } from './rank-guard.ts';
export { mountAppRoles, mountPermissions } from './roles.routes.ts';
export {
  findAppRole,
  findPermission,
  insertAppRole,
  insertLink,
  insertPermission,
  type PermissionQuestion,
  rolesWithPermission,
} from './roles.store.ts';
export { memberships, permissionsOfRoles } from './user-permissions.store.ts';
export {
  appTagOf,
  createUserPermissions,
  type HeldAppRole,
  inspectUserPermissions,
  type UserPermissions,
  type UserPermissionsReader,
} from './user-permissions.ts';
