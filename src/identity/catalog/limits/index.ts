// Limits: how much of a resource projects and domains may use, by default and each. Services ask for them.
// model.ts is Keystone's strict model.
export { mountLimits } from './limits.routes.ts';
export { createLimits, type Limits } from './limits.rules.ts';
export { rememberDeletedLimits } from './limits.store.ts';
