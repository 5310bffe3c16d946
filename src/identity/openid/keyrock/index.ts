// OAuth2 as Keyrock's back-end serves it: /v3/OS-OAUTH2, /v3/access-tokens.

export { createKeyrockCodes } from './codes.ts';
export { mountKeyrockOAuth } from './oauth2.routes.ts';
export { namingAnonymousWallet, toTokenRequest } from './token-request.ts';
