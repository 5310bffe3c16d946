// Held credentials.
export { mountCredentials } from './credentials.routes.ts';
export { type Credentials, createCredentials, credentialPlace } from './credentials.rules.ts';
export type { Held } from './credentials.schema.ts';
export { countCredentials, insertCredential } from './credentials.store.ts';
