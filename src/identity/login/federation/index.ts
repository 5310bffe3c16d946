// Federation: people sign in through other OpenID providers, or with credentials that others issued. Keystone's OS-FEDERATION configures them.
export { OPENID, type ProviderAssertion, type ServedProtocol } from './assertion.ts';
export { createFederationDelegation } from './delegation.ts';
export { mountFederation } from './federation.routes.ts';
export { createFederation, type Federation } from './federation.ts';
export type { LinkedAccount } from './links.rules.ts';
export { FLOW_SECONDS, interactionOf, type OfferedProviders, type ProviderFlow } from './provider-flow.rules.ts';
export type { ProviderLogin } from './provider-login.rules.ts';
export type { CredentialStatement, WalletProvider, WalletProviders } from './wallet-providers.rules.ts';
export type { AskedCredential } from './wallet-settings.schema.ts';
