// SCIM provisioning: one core, two APIs (/scim/v2 and /v3/OS-SCIM), and the connections that use /scim/v2.
// core/definitions.ts is the schema; core/resource.schema.ts reads what clients send; filter, path, patch, projection and sort are pure functions;
// core/filter-to-sql.ts makes SQL conditions; core/*.resource.ts are users, groups, organizations. standard/operations.ts lists the operations, for
// single and bulk requests. connections/ are bearer tokens for provisioning one domain.

export { mountConnections } from './connections/connections.routes.ts';
export { type ConnectionWithDomain, listConnections } from './connections/connections.store.ts';
export { type Connections, createConnections } from './connections/connections.ts';
export { canonicalUrl } from './core/resource.schema.ts';
export { createScim } from './core/scim.rules.ts';
export { mountKeyrockScim } from './keyrock/keyrock.routes.ts';
export { ScimError, scimErrors } from './standard/error-format.ts';
export { mountScim } from './standard/standard.routes.ts';
