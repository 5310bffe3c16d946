// Users: accounts of a domain, with passwords, options and whatever attributes a client keeps with them.
export { mountUsers } from './users.routes.ts';
export { createUsers, listMembers, type Users, userTarget } from './users.rules.ts';
export { renderUser, UserList } from './users.schema.ts';
export { findUser, nameKey, type UserWithExpiry, updateUser } from './users.store.ts';
