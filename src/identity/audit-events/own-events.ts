// What people see of the events about themselves: on the page /account/activity, and by the API.

/** Other events about a person are work of the service, or concern administrators. */
export const OWN_ACTIONS = [
  'user.logged_in',
  'user.login_refused',
  'user.locked_out',
  'user.password_changed',
  'user.password_reset',
  'user.password_reset_requested',
  'user.email_change_requested',
  'user.email_changed',
  'user.email_confirmed',
  'user.profile_changed',
  'user.picture_changed',
  'user.picture_removed',
  'user.created',
  'user.registered',
  'user.activated',
  'user.updated',
  'user.password_expired',
  'user.tokens_revoked',
  'user.data_exported',
  'user.deletion_scheduled',
  'user.deletion_cancelled',
  'two_factor.enabled',
  'two_factor.disabled',
  'two_factor.key_replaced',
  'two_factor.recovery_codes_made',
  'two_factor.recovery_code_accepted',
  'passkey.added',
  'passkey.renamed',
  'passkey.removed',
  'device.remembered',
  'device.forgotten',
  'device.all_forgotten',
  'device.stolen',
  'session.dashboard_entered',
  'session.ended',
  'session.others_ended',
  'session.all_ended',
  'session.ended_by_provider',
  'sessions.ended_by_provider',
  'user.provider_linked',
  'user.provider_unlinked',
  'consent.given',
  'consent.revoked',
  'credential_offer.created',
] as const;
/** Events about something of a person, who is named in them. */
export const CONCERNING_ACTIONS = [
  'issued_credential.created',
  'issued_credential.suspended',
  'issued_credential.resumed',
  'issued_credential.revoked',
] as const;
export type OwnAction = (typeof OWN_ACTIONS)[number] | (typeof CONCERNING_ACTIONS)[number];

/** Of events that failed, people see only these. */
export const OWN_FAILURES: readonly OwnAction[] = ['user.login_refused'];
