// What ended tokens before their time, and what Keystone served once and does not serve any more.
// /v3/OS-REVOKE/events are made from the audit events: ended.ts says which of them end tokens, and which tokens. /v3/OS-SIMPLE-CERT is gone.
export { mountRevokeEvents } from './revoke-events.routes.ts';
export { createRevokeEvents, type RevokeEvents } from './revoke-events.rules.ts';
export {
  createRevocationTakeOver,
  type KeystoneRevocation,
  type TakenRevocations,
  type TakeOverRevocations,
} from './taken-over.rules.ts';
