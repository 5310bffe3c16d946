// Base roles of the identity API (not those of applications), and implied roles.
export { refuseAlike } from './alike.ts';
export { insertBaseRoles } from './base-roles.ts';
export { createImpliedRoles } from './implied.rules.ts';
export { idsOfRoles, type NamedRole } from './named-role.ts';
export { mountImpliedRoles, mountRoles } from './roles.routes.ts';
export { createRoles, type Roles } from './roles.rules.ts';
export { Role, RoleEnvelope, RoleList, renderRole } from './roles.schema.ts';
export { findRole, findRoleByName } from './roles.store.ts';
export { implyRole, insertRoleRow, replaceRoleRow } from './rows.rules.ts';
