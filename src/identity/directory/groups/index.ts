// Groups of users in a domain. Roles can be granted to a group.
export { mountGroups } from './groups.routes.ts';
export { createGroups, type GroupRevision, type Groups, groupFacts } from './groups.rules.ts';
export {
  addMembers,
  endedMemberships,
  findGroup,
  type GroupMember,
  insertGroup,
  memberIds,
  membershipRows,
  type NewMember,
  readMembers,
  removeMembers,
  updateGroup,
} from './groups.store.ts';
export { lendToMember, type MemberChange, takeFromGroup } from './membership.ts';
