// Federation: people sign in through other OpenID providers, or with credentials that others issued. Keystone's OS-FEDERATION configures them.
// Protocols have openid-settings.* or wallet-settings.*. provider-flow.rules.ts goes there and back, provider-login.rules.ts finds the account,
// account-choice.rules.ts decides for somebody new, entitlements.rules.ts gives groups and roles, entitlement-changes.rules.ts writes them beside what others gave.
// sign-in-providers.* are providers as administrators see them as a whole, sign-in-attempts.* try one, mapping-trials.rules.ts says what a mapping makes of claims.
// provider-sessions.rules.ts ends sessions with those of the provider, link-batches.rules.ts ends what a provider gave to thousands of people.
// token-logins.* log in at the API with a token of a provider, api-sessions.rules.ts are these logins. mapping/ is Keystone's mapping language.
export { OPENID, type ProviderAssertion, type ServedProtocol } from './assertion.ts';
export { createFederationDelegation } from './delegation.ts';
export { mountFederation } from './federation.routes.ts';
export { createFederation, type Federation } from './federation.ts';
export type { LinkedAccount } from './links.rules.ts';
export { FLOW_SECONDS, interactionOf, type OfferedProviders, type ProviderFlow } from './provider-flow.rules.ts';
export type { ProviderLogin } from './provider-login.rules.ts';
export { serviceProvider } from './service-provider.ts';
export { attemptOf } from './sign-in-attempts.rules.ts';
export type { CredentialStatement, WalletProvider, WalletProviders } from './wallet-providers.rules.ts';
export type { AskedCredential } from './wallet-settings.schema.ts';
