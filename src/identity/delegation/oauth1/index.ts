// OAuth 1.0 (RFC 5849), as Keystone has it: consumers sign their requests, and use roles that a user passed on to them.
// signature.ts and requests.ts verify the signatures, tokens.rules.ts are the three steps to an access token.
export { endOAuth1AccessTokens, endOAuth1Authorizations } from './access-tokens.rules.ts';
export { oauth1Delegation } from './delegation.ts';
export { mountOAuth1 } from './oauth1.routes.ts';
export { createOAuth1, type OAuth1 } from './oauth1.ts';
