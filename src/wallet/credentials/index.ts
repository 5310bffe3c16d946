// Held credentials.
export { mountCredentials } from './credentials.routes.ts';
export { type Credentials, createCredentials } from './credentials.rules.ts';
export { Credential } from './credentials.schema.ts';
export { credentialPlace, type Held, instancePlace } from './held.ts';
export { type Candidate, type Copy, createKeeping, type Keeping } from './keeping.ts';
