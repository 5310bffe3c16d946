// The addresses of the credential issuer (OID4VCI 1.0), below the issuer.
export const ISSUER_METADATA = '/.well-known/openid-credential-issuer';
const ROOT = '/openid/credentials';
export const NONCE = `${ROOT}/nonce`;
export const CREDENTIAL = `${ROOT}/credential`;
export const NOTIFICATION = `${ROOT}/notification`;
export const OFFERS = `${ROOT}/offers`;
