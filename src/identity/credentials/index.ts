// Credentials that users store here, such as TOTP keys.
export { mountCredentials } from './credentials.routes.ts';
export { type Credentials, createCredentials } from './credentials.rules.ts';
