// Users: accounts of a domain, with passwords, options and whatever attributes a client keeps with them.

export type { Person, Profile } from './profile.ts';
export { mountUsers } from './users.routes.ts';
export { createUsers, domainOfNew, listMembers, type Users, userTarget } from './users.rules.ts';
export { renderUser, UserList } from './users.schema.ts';
export {
  findUser,
  findUserByName,
  nameKey,
  nobodyKey,
  setDefaultProject,
  type UserWithExpiry,
  writeLastActive,
} from './users.store.ts';
