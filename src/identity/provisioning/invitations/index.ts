// Invitations: people get a mail, choose name and password, and have the roles and groups that the inviter named.
// items.rules.ts is what an invitation gives, accept.rules.ts gives it.
export { type AcceptInvitation, ATTEMPTS_LIMIT, createAcceptance, type OpenInvitation } from './accept.rules.ts';
export { mountInvitations } from './invitations.routes.ts';
export { createInvitations, type InvitationDeps, type Invitations, MAILS_LIMIT } from './invitations.rules.ts';
