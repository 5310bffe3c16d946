// Users: accounts of a domain, with passwords, options and whatever attributes a client keeps with them.

export type { Person, Profile } from './profile.ts';
export { pageOfUsers } from './users.lists.ts';
export { mountUsers } from './users.routes.ts';
export { createUsers, type Users, userFacts } from './users.rules.ts';
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
