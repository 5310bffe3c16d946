// Roles and permissions of applications, who holds them, and what that lets them do.

export { createAppRoles } from './app-roles.rules.ts';
export { mountAllowed, mountAppAssignments } from './assignments.routes.ts';
export { createAppAssignments } from './assignments.rules.ts';
export { applicationsOfUser } from './assignments.store.ts';
export { INTERNAL_PERMISSIONS, INTERNAL_ROLES, type InternalPermission, isBuiltIn } from './built-in.ts';
export { everGiven, forgetGiven, noteGiven } from './given.store.ts';
export { memberships } from './holdings.store.ts';
export { appTagOf, createHoldings, type Holdings } from './holdings.ts';
export { createManagers, type Managers } from './managers.ts';
export { type OfferedOrganization, offeredOrganizations, offeredOrganizationsOf, organizationsHeld } from './members.ts';
export { type OfferedRole, offeredRoles, offeredRolesOf, provision, roleEntriesHeld } from './offered.ts';
export { organizationsAmong } from './organizations.store.ts';
export { mountAppRoles, mountPermissions } from './roles.routes.ts';
export { insertAppRole, insertLink, insertPermission } from './roles.store.ts';
export { createShield } from './shield.ts';
