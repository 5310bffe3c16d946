// Held credentials.
export { mountCredentials } from './credentials.routes.ts';
export { type Credentials, createCredentials } from './credentials.rules.ts';
export { Credential } from './credentials.schema.ts';
export { countCredentials, insertCredential } from './credentials.store.ts';
export { credentialPlace, type Held, instancePlace } from './held.ts';
export { insertInstances } from './keeping.store.ts';
export { type Candidate, type Copy, createKeeping, type Keeping } from './keeping.ts';
