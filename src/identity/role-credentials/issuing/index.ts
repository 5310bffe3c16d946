// Roles as credentials in wallets: the credential issuer (OID4VCI 1.0), and offers.
// issuance.rules.ts has the steps of a request, proofs.ts the key proofs, credential-access.ts the access token. What the OpenID provider
// does for it is in openid/provider: credential-requests.ts, pre-authorized-grant.ts, dpop-proofs.ts.
export { type Configurations, configurationId, createConfigurations } from './configurations.ts';
export { ISSUANCE_LIMIT } from './issuance.rules.ts';
export { mountCredentialIssuer } from './issuer.routes.ts';
export { mountCredentialOffers } from './offers.routes.ts';
export { refuseOfferLink } from './offers.rules.ts';
export { createRoleCredentials, type RoleCredentials } from './role-credentials.ts';
