// /openid/invitation: the page that accepts an invitation.

export { createInvitationHandler, type InvitationHandler } from './invitation.ts';
