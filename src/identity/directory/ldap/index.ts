// Directories (LDAP): users and groups of a domain that are in a directory, read-only.
// directory.ts is the client (connections, searches, password checks; servers.ts remembers which servers do not answer), identity.ts says
// whose entry it is, keep-*.rules.ts and close-users.rules.ts write the rows, departures.ts notices who left, synchronize.ts reads everything,
// guard.ts refuses changes. management.rules.ts is for those who look after a directory, trial.ts tries one.
export { createDirectories, type Directories } from './directories.ts';
export { mountDirectories } from './management.routes.ts';
export { publicId } from './public-id.ts';
