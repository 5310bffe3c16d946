// Groups: users of a domain that are granted roles together.
export { mountGroups } from './groups.routes.ts';
export { createGroups, type Groups } from './groups.rules.ts';
export { findGroup } from './groups.store.ts';
