// Directories (LDAP): users and groups of a domain that are in a directory, read-only.
export { createDirectories, type Directories } from './directories.ts';
export { publicId } from './public-id.ts';
