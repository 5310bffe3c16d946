// What ended tokens before their time, and what Keystone served once and does not serve any more.
export { mountRevokeEvents } from './revoke-events.routes.ts';
export { createRevokeEvents, type RevokeEvents } from './revoke-events.rules.ts';
