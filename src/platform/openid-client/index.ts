// A client of an OpenID provider (relying party), on the library openid-client: login, refresh, and tokens of the provider.
export { PROVIDER_ALGORITHMS } from './algorithms.ts';
export { readBearerToken, type VerifiedBearer } from './bearer-token.ts';
export type { ProviderOptions, Unavailable } from './discovery.ts';
export { isGrantRevoked, isServerError, isUnavailable, providerErrorOf, RegistrationRefused } from './errors.ts';
export type { AuthorizationFlow, PreviousGrant, ProviderGrant } from './grant.ts';
export { readLogoutToken, USED_MS, type VerifiedLogout } from './logout-token.ts';
export { createProvider, type Provider } from './provider.ts';
export { type RegistrationHandle, registerClient, removeClient } from './registration.ts';
export { createVerifyToken, isNonEmptyString, LEEWAY_SECONDS, type VerifyToken } from './tokens.ts';
export {
  CLIENT_AUTHENTICATIONS,
  type ClientKeys,
  type ClientWay,
  neededKeys,
  PROFILES,
  REQUEST_FORMS,
  RESPONSE_MODES,
  type ResponseMode,
  SIGNING_ALGORITHMS,
  type SigningKey,
  TOKEN_BINDINGS,
  USUAL_WAY,
} from './ways.ts';
