// Serves the OpenID provider and all pages. They are loaded with the first request for them.

export { createOpenid } from './openid.ts';
