// Issuance (OID4VCI). The rules and their libraries are loaded with the first offer (modules.ts).
// In this order: offer, issuer-metadata, grant (authorization, token), receive (proof, nonce, credential-request, deferred, check), notification.
export { mountIssuance } from './issuance.routes.ts';
export type { Issuance } from './issuance.rules.ts';
export const loadIssuance = () => import('./load.ts');
