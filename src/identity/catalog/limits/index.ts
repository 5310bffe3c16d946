// Limits: how much of a resource projects and domains may use, by default and each. Services ask for them.
export { mountLimits } from './limits.routes.ts';
export { createLimits, type Limits } from './limits.rules.ts';
export { noteGoneLimits } from './limits.store.ts';
