// Credentials a user keeps with the service, TOTP keys among them.
export { mountCredentials } from './credentials.routes.ts';
export { type Credentials, createCredentials } from './credentials.rules.ts';
