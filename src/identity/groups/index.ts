// Groups: users of a domain that are granted roles together.
export { mountGroups } from './groups.routes.ts';
export { createGroups, type GroupRevision, type Groups, groupFacts } from './groups.rules.ts';
export { findGroup, type Member, type NewMember, readMembers } from './groups.store.ts';
export type { MemberChange } from './membership.ts';
