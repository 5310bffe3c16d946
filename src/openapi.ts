// The OpenAPI documents of both services, for the command and for docs/api.
export { identityOpenApi } from './identity/openapi.ts';
export { walletOpenApi } from './wallet/openapi.ts';
