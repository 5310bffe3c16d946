// The OpenID provider, on the library oidc-provider: applications get tokens.
// provider.ts creates the library's provider and is loaded with the first request; configuration/ is its configuration, ../records/ its storage.
// Clients, signing keys, consents, back-channel logout; access-tokens.ts and introspection.* answer proxies. openid.documentation.ts describes
// the library's endpoints for OpenAPI.

export { type AccessTokens, createAccessTokens } from './access-tokens.ts';
export { type Accounts, createAccounts, SCOPES } from './accounts.ts';
export { acrOf, acrRequestOf, amrOf, FEDERATED, methodsOf, missingStrength, satisfies, withCode } from './acr.ts';
export { type ApiTokens, createApiTokens } from './api-tokens.ts';
export { ATTEMPT } from './attempts.ts';
export { browserCookie, cookieOf, hashOfSecret, newBrowserSecret, outdatedCookies } from './browser-binding.ts';
export { SELF_REGISTERED } from './clients.ts';
export { sessionLifetime } from './configuration/lifetimes.ts';
export { STRONGER_SIGN_IN } from './configuration/prompts.ts';
export { type Consent, saveConsent } from './consents.ts';
export {
  CREDENTIAL_SCOPE,
  type CredentialCatalog,
  credentialsAsked,
  ISSUER_STATE_MODEL,
  isCredentialScope,
} from './credential-requests.ts';
export { createDelegation } from './delegation.ts';
export { createDpopProofs, DpopError, type DpopProofs } from './dpop-proofs.ts';
export { withGuessLimit } from './guesses.ts';
export { DOMAIN_HINT, domainHintIn, hintIn, IDP_HINT } from './idp-hint.ts';
export { mountIntrospection } from './introspection.routes.ts';
export { createIntrospection } from './introspection.ts';
export { createOpenidKeys, type OpenidKeys } from './keys.ts';
export type { OidcProviderLibrary } from './library.ts';
export { type CreateCurrentProvider, loadProvider } from './load.ts';
export { createLogouts, type Logouts } from './logouts.ts';
export { openidRoutes } from './openid.documentation.ts';
export { OFFER_MODEL, PRE_AUTHORIZED_MODEL, registerPreAuthorizedGrant } from './pre-authorized-grant.ts';
export type { GrantCounts, ProviderWithKeys } from './provider.ts';
export { allowResources, mayAskFor, resourcesOf, shortenAddress } from './resources.ts';
export { EXCHANGE_LIMIT, registerTokenExchange } from './token-exchange.ts';
export { UNFINISHED_LIMIT } from './unfinished-limit.ts';
export { createUserInformation } from './user-information.ts';
export { createWalletNode, type WalletNode, type WalletNodeDeps, type WalletRegistrationOptions } from './wallet-node.ts';
