// The OpenID provider: people sign in, applications get tokens.

export { mountApplicationGrants } from './application-grants/application-grants.routes.ts';
export { mountKeyrockOAuth } from './keyrock/oauth2.routes.ts';
export { DashboardPage, openidRoutes, Page } from './openid.documentation.ts';
export { createOpenid, type Openid } from './openid.ts';
export { pageErrors } from './pages/error-page.ts';
export { type AccessTokens, createAccessTokens } from './provider/access-tokens.ts';
export { createAccounts } from './provider/accounts.ts';
export {
  CREDENTIAL_DETAILS,
  CREDENTIAL_SCOPE,
  type CredentialCatalog,
  ISSUER_STATE_MODEL,
} from './provider/credential-requests.ts';
export { createDelegation } from './provider/delegation.ts';
export { createDpopProofs, DpopError, type DpopProofs } from './provider/dpop-proofs.ts';
export { isAnonymousWallet, isWallet } from './provider/first-party-clients.ts';
export { mountIntrospection } from './provider/introspection.routes.ts';
export type { OpenidKeys } from './provider/keys.ts';
export { createLogouts, type Logouts } from './provider/logouts.ts';
export { opensPage, PRE_AUTHORIZED, wantsPage } from './provider/paths.ts';
export { OFFER_MODEL, PRE_AUTHORIZED_MODEL, TX_CODE_ATTEMPTS } from './provider/pre-authorized-grant.ts';
export { createRecords, type Records } from './provider/records/records.ts';
export { UNFINISHED_LIMIT } from './provider/unfinished-limit.ts';
export type { WalletRegistrationOptions } from './provider/wallet-node.ts';
export { mountUserSessions } from './sessions/sessions.routes.ts';
export { createUserSessions } from './sessions/sessions.rules.ts';
export { mountSignInAttempts } from './sign-in-attempts/sign-in-attempts.routes.ts';
