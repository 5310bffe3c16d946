// SCIM provisioning: one core, two faces (/scim/v2 and /v3/OS-SCIM), and the connections that use the first.

export { mountConnections } from './connections.routes.ts';
export { type ConnectionWithDomain, listConnections } from './connections.store.ts';
export { type Connections, createConnections } from './connections.ts';
export { mountOldScim } from './old.routes.ts';
export { canonicalUrl } from './resource.schema.ts';
export { scimFace } from './scim.face.ts';
export { createScim } from './scim.rules.ts';
export { mountScim } from './standard.routes.ts';
