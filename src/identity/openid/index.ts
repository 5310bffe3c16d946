// The OpenID provider: people sign in, applications get tokens.

export { type AccessTokens, createAccessTokens } from './access-tokens.ts';
export { createAccounts } from './accounts.ts';
export { createActingFor } from './acting-for.ts';
export type { OpenidKeys } from './keys.ts';
export { createLogouts, type Logouts } from './logouts.ts';
export { mountOldOAuth } from './old.routes.ts';
export { ACCESS_TOKEN, APPLICATION, openidRoutes } from './openid.described.ts';
export { createOpenid, type Openid, type WalletOptions } from './openid.ts';
export { createRecords, type Records } from './records.ts';
export { UNFINISHED } from './unfinished.ts';
