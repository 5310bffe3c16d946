// Audit events leave the service: what Keystone calls them (platform/audit-export sends them).
export { identityCadf } from './cadf-names.ts';
