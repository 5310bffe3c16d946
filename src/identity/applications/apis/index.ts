// APIs: what access tokens can be for (RFC 8707), with scopes of their own. api.ts is the noun that administrators manage, apis.ts answers the
// OpenID provider: who may ask for which scopes, and what of a token is good still.

export { api } from './api.ts';
export { APIS_TAG, type Api, type ApiScope, type Apis, createApis, SCIM_API, SCIM_PATH, SCIM_SCOPE } from './apis.ts';
export type { Exchange } from './scopes.ts';
