// Directories (LDAP): users and groups of a domain that live elsewhere, read-only.
export { createDirectory, type Directory } from './directory.ts';
export { publicId } from './public-id.ts';
