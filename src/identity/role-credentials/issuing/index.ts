// Roles as credentials in wallets: the credential issuer (OID4VCI 1.0), and offers.
export { type Configurations, configurationId, configurationsOf, createConfigurations } from './configurations.ts';
export { ISSUANCE_LIMIT } from './issuance.rules.ts';
export { mountCredentialIssuer } from './issuer.routes.ts';
export { mountCredentialOffers } from './offers.routes.ts';
export { createRoleCredentials, type RoleCredentials } from './role-credentials.ts';
