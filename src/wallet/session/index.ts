// Sessions: login through an OpenID provider, cookies, and authentication of requests.
export { createAuthenticate } from './authenticate.ts';
export { createBearer } from './bearer.ts';
export { createCookies } from './cookies.ts';
export type { AuthenticatedCaller } from './identity.ts';
export { createOwnResource } from './protected-resource.ts';
export { mountSession } from './session.routes.ts';
export { createLogins, type WalletLogins } from './session.rules.ts';
export { sessionSealContext } from './session.ts';
export { createSessionReader, type SessionReader } from './session-reader.ts';
export { createSessions, type Sessions } from './sessions.ts';
