// Groups of users in a domain. Roles can be granted to a group.
export { mountGroups } from './groups.routes.ts';
export { createGroups, type Groups, groupFacts } from './groups.rules.ts';
export { findGroup, type GroupMember, memberIds, type NewMember } from './groups.store.ts';
export { addUsers, lendToMember, type MemberChange, removeUsers, takeFromGroup } from './membership.ts';
export { insertGroupRow, updateGroupRow } from './rows.rules.ts';
