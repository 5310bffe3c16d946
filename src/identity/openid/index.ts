// The OpenID provider: people sign in, applications get tokens.
export { createOpenid, type Openid } from './openid.ts';
export { createRecords, type Records } from './records.ts';
