// Held credentials.

export type { Candidate } from './candidates.ts';
export type { Copy } from './copies.ts';
export { mountCredentials } from './credentials.routes.ts';
export { type Credentials, createCredentials } from './credentials.rules.ts';
export { Credential } from './credentials.schema.ts';
export { credentialPlace, type Held, instancePlace } from './held.ts';
export { createHeldCredentials, type HeldCredentials } from './held-credentials.ts';
