// /v3/OS-OAUTH2/consumers/{id}/grants: who gave an application access.

export { mountApplicationGrants } from './application-grants.routes.ts';
export { createApplicationGrants } from './application-grants.rules.ts';
