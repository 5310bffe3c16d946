// Serves the OpenID provider and all pages. They are loaded with the first request for them.
// openid.ts is what exists from the start, serving.ts puts the pages together, requests.ts picks what answers a request.

export { createOpenid } from './openid.ts';
