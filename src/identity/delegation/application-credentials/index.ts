// Application credentials: programs log in for a user, with some of the user's roles in one project.
export { mountApplicationCredentials } from './application-credentials.routes.ts';
export {
  type ApplicationCredentials,
  createApplicationCredentials,
  endApplicationCredentials,
} from './application-credentials.rules.ts';
export { applicationCredentialDelegation } from './delegation.ts';
