// Application credentials: programs log in for a user, with some of the user's roles in one project.
// delegation.ts is what their tokens may do.
export { mountApplicationCredentials } from './application-credentials.routes.ts';
export {
  type ApplicationCredentials,
  createApplicationCredentials,
  endApplicationCredentials,
} from './application-credentials.rules.ts';
export { applicationCredentialDelegation } from './delegation.ts';
export { importApplicationCredential } from './imported.rules.ts';
