// Tokens: issued at login, verified from memory, revoked one by one or through what they depend on.
// A token is decrypted with the key that it names, or found among those decrypted before. Its user and scope have a cached context, with the sum
// of the epochs of user, project and domains; the token carries the sum it was made with. If they differ, something it depends on was
// revoked. Its audit id is not among those that were revoked one by one.
export { mountAuth } from './auth.routes.ts';
export { type AuthRules, createAuth, type IssuedToken, type PartialLogin } from './auth.rules.ts';
export { TokenReply } from './auth.schema.ts';
export { createLoginChecks } from './login-checks.ts';
export { createAuthenticate } from './methods.ts';
export { mountOauth2Token } from './oauth2-token.routes.ts';
export { createReceipts } from './receipts.ts';
export { createTokenText, type TokenText } from './render.ts';
export { createRevocations, type Revocations } from './revocations.ts';
export { createScopes, type Scopes } from './scopes.ts';
export { createSecondProof } from './second-proof.ts';
export { createSessionTokens, type SessionTokens } from './session-tokens.ts';
export { createTokenKeys, type TokenKeys } from './token-keys.ts';
export { createTokens, type Tokens } from './tokens.ts';
export { isCodeValid } from './totp.method.ts';
