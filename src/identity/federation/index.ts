// Federation: people sign in through other OpenID providers. Keystone's OS-FEDERATION configures them.
export type { ProviderAssertion } from './assertion.ts';
export { createFederationDelegation } from './delegation.ts';
export { mountFederation } from './federation.routes.ts';
export { createFederation, type Federation } from './federation.ts';
export type { LinkedAccount } from './links.rules.ts';
export { FLOW_SECONDS, interactionOf, type OfferedProviders, type ProviderFlow } from './provider-flow.rules.ts';
export type { ProviderLogin } from './provider-login.rules.ts';
