// The errors of the identity service: code, status and text (Keystone's text where clients match on it).
import { faultsOf, platformFaults } from '../../platform/faults/index.ts';
import { federationFaults } from './federation-faults.ts';
import { invitationFaults } from './invitation-faults.ts';
import { missing } from './missing-fault.ts';
import { NOUN_NAMES, type NounName, type NounNames, type TitleOf } from './noun-names.ts';
import { registrationFaults } from './registration-faults.ts';
import { roleCredentialFaults } from './role-credential-faults.ts';
import { scimFaults } from './scim-faults.ts';
import { settingFaults } from './setting-faults.ts';

const missingNouns = Object.fromEntries(
  Object.entries<NounNames>(NOUN_NAMES).map(([one, { title = one }]) => [`${one}.not_found`, missing(title)]),
) as { readonly [One in NounName as `${One}.not_found`]: ReturnType<typeof missing<TitleOf<One>>> };

export const identityFaults = {
  ...platformFaults,
  'request.bad_value': { status: 400, text: "Invalid value for '{field}': {why}." },
  'list.marker_not_found': { status: 400, text: "Invalid value for 'marker': no item {marker} to continue from." },

  'auth.required': { status: 401, text: 'The request you have made requires authentication.' },
  'auth.password_expired': { status: 401, text: 'The password is expired and needs to be changed for user: {id}.' },
  'auth.two_factor_required': {
    status: 401,
    text: 'This account must have a second factor, which is turned on at the sign-in page: the password alone is not enough.',
  },
  'auth.method_unsupported': { status: 401, text: 'Attempted to authenticate with an unsupported method.' },
  'auth.forbidden': { status: 403, text: 'You are not authorized to perform the requested action: {action}.' },
  'auth.rescope_system': {
    status: 403,
    text: 'Using a system-scoped token to get a token for a project or a domain is not allowed.',
  },
  'auth.rescope_delegated': {
    status: 403,
    text: 'A token of a trust, an application credential or an OAuth1 access token cannot be exchanged for another token.',
  },
  'auth.ec2_token': { status: 403, text: 'EC2 credential tokens cannot be used for authorization.' },
  'auth.catalog_needs_project': { status: 403, text: 'A project-scoped token is required to produce a service catalog.' },

  'token.not_found': { status: 404, text: 'Could not find token.' },

  'application_credential.not_found': missing('Application Credential'),
  'application_credential.needs_project': {
    status: 403,
    text: 'An application credential belongs to one project: get a token for that project first.',
  },
  'application_credential.unassigned_role': {
    status: 400,
    text: 'Invalid application credential: Cannot create an application credential with unassigned role',
  },
  'application_credential.limited': {
    status: 403,
    text: 'An application credential with access rules cannot create others, because its access rules would not apply to them.',
  },
  'application_credential.limit': { status: 403, text: 'A user may have at most {limit} application credentials.' },
  'role_credential.type_unavailable': missing('credential type'),
  'role_credential.no_role': { status: 403, text: 'The user has no role for a credential of type {id}.' },
  'issued_credential.not_found': missing('issued credential'),
  'status_list.not_found': missing('status list'),
  'issued_credential.revoked': { status: 409, text: 'Credential {id} is revoked, which cannot be taken back.' },
  'access_rule.not_found': missing('Access Rule'),
  'access_rule.in_use': { status: 403, text: 'May not delete access rule in use' },

  'oauth1.bad_request': { status: 400, text: 'Validation failed with errors: {why}.' },
  'oauth1.refused': { status: 401, text: 'Invalid signature' },
  'oauth1.role_not_held': { status: 401, text: 'authorizing user does not have role required' },
  'oauth1.request_token_expired': { status: 401, text: 'Request token is expired' },
  'oauth1.request_token_limit': {
    status: 403,
    text: 'A consumer may have at most {limit} request tokens at a time. Use one of them, or wait until they have ended.',
  },
  'oauth1.consumer_not_found': missing('consumer'),
  'oauth1.request_token_not_found': missing('request token'),
  'oauth1.access_token_not_found': missing('access token'),

  'trust.not_found': missing('trust'),
  'trust.no_role': { status: 403, text: 'At least one role should be specified' },
  'trust.limit': { status: 403, text: 'A trustor may have at most {limit} trusts.' },
  'trust.too_deep': {
    status: 403,
    text: 'Requested redelegation depth of {depth} is greater than allowed {limit}',
  },
  'trust.not_redelegable': { status: 403, text: 'This trust may not be redelegated.' },
  'trust.more_than_given': {
    status: 403,
    text: 'A redelegated trust cannot give more than the trust it comes from: {field}.',
  },
  'trust.not_trustee': { status: 403, text: 'User is not a trustee.' },
  'trust.gives_nothing': {
    status: 403,
    text: 'Trustee has no delegated roles. The trustor no longer has one of the roles, or a user whom the trust depends on is disabled.',
  },

  'domain.not_found': missing('domain'),
  'domain.enabled': { status: 403, text: 'Cannot delete a domain that is enabled, please disable it first.' },
  'domain.name_of_file': {
    status: 409,
    text: 'The file {file} of the operator has settings of the domain {name}. A domain gets or loses them by its name, so the operator renames or removes the file first.',
  },
  'domain.default': { status: 403, text: 'The default domain cannot be deleted or disabled.' },
  'domain_config.not_found': { status: 404, text: 'Could not find {what} in domain configuration for domain {id}.' },
  ...settingFaults,
  'domain_config.invalid': { status: 403, text: 'Invalid domain specific configuration: {why}.' },
  'project.not_found': missing('project'),
  'project.has_children': { status: 403, text: 'Cannot delete the project {id} since it is not a leaf in the hierarchy.' },
  'project.children_enabled': { status: 403, text: 'Cannot disable project {id} since its subtree contains enabled projects.' },
  'project.parent_disabled': { status: 403, text: 'Cannot enable project {id} since it has disabled parents.' },
  'project.is_domain': { status: 403, text: 'Project {id} acts as a domain; use the domains API.' },
  'project.too_deep': { status: 403, text: 'Max hierarchy depth reached: the project tree may be {depth} levels deep.' },
  'project.parent_fixed': { status: 403, text: 'Update of `parent_id` is not allowed.' },
  'project.tag_not_found': { status: 404, text: 'Could not find project tag: {tag}.' },

  // Does not name the domain: whoever tries ids of users would learn it.
  'directory.unavailable': { status: 503, text: 'The directory does not answer. Please try again later.' },
  'directory.read_only': {
    status: 403,
    text: 'LDAP does not support write operations: the {kind} {id} is in a directory, which is read-only here.',
  },
  'directory.password': {
    status: 403,
    text: 'LDAP does not support write operations: the password of the user {id} is in a directory and must be changed there.',
  },
  'directory.none': { status: 409, text: 'The domain {id} has no directory.' },
  'directory.no_new': {
    status: 403,
    text: 'LDAP does not support write operations: users and groups of the domain {domain} must be created in its directory.',
  },

  'user.not_found': missing('user'),
  'user.no_password': { status: 409, text: 'The user {id} has no password.' },
  'user.password_never_expires': {
    status: 409,
    text: 'The user {id} has the option ignore_password_expiry, so that the password does not expire.',
  },
  'user.email_changed': { status: 409, text: 'The e-mail address of the user was changed.' },
  'user.name_is_address': { status: 400, text: 'A user name with @ must be the e-mail address of the user.' },
  'user.name_alike': {
    status: 409,
    text: 'Conflict occurred attempting to store user - Duplicate Entry: the name {name} looks like one that is taken.',
  },
  'role.name_alike': {
    status: 409,
    text: 'Conflict occurred attempting to store role - Duplicate Entry: the name {name} looks like {other}.',
  },
  'user.field_missing': { status: 400, text: 'Who registers here must say this of themselves: {field}.' },
  'user.terms': { status: 400, text: 'The present terms of use must be accepted.' },
  'user.exempt': {
    status: 403,
    text: 'Only administrators exempt an account from the second factor that everybody must have.',
  },
  'user.password_short': {
    status: 400,
    text: 'The password does not meet the requirements: it must have at least {least} characters.',
  },
  'user.password_common': {
    status: 400,
    text: 'The password does not meet the requirements: it is on the list of common passwords.',
  },
  'user.password_rule': { status: 400, text: 'The password does not meet the requirements: {why}.' },
  'user.password_pattern': {
    status: 400,
    text: 'The password does not meet the requirements: it does not match the required pattern.',
  },
  'user.password_reused': {
    status: 400,
    text: 'The new password cannot be identical to a previous password. The total number which includes the new password must be unique is {count}.',
  },
  'user.password_same': { status: 400, text: 'The new password cannot be identical to the current password.' },
  'user.password_too_young': { status: 400, text: 'Cannot change password before minimum age {days} days is met.' },
  'user.password_locked': { status: 400, text: 'The password of this user cannot be changed: an administrator has locked it.' },

  'link.ended': { status: 400, text: 'The link has expired or was already used.' },
  'account_deletion.not_found': { status: 404, text: 'The account {id} has no pending deletion by its owner.' },
  'account_deletion.off': { status: 403, text: 'People of this domain cannot delete their account themselves.' },
  'account_deletion.managed': {
    status: 403,
    text: 'This account is managed by another system, which would make it again. Ask an administrator.',
  },
  'account_deletion.last_administrator': {
    status: 403,
    text: 'You are the last administrator. Make somebody else an administrator first.',
  },
  'account_deletion.wrong_name': { status: 400, text: 'This is not your user name.' },

  'registration.not_found': missing('registration of user'),
  'registration.active': { status: 400, text: 'The user {id} is already activated.' },
  'registration.inactive': { status: 403, text: 'The user {id} is not activated.' },
  'registration.over': {
    status: 403,
    text: 'The user {id} was activated before. Only an administrator can enable the account again.',
  },
  'registration.not_waiting': { status: 404, text: 'The user {id} does not wait for approval.' },
  'registration.key_not_found': { status: 404, text: 'Could not find {kind} of user: {id}.' },
  'registration.key_ended': { status: 403, text: 'The {kind} has expired, or was used or replaced.' },

  ...invitationFaults,

  'group.not_found': missing('group'),
  'group.not_member': { status: 404, text: 'User {user} is not found in group {group}.' },

  'role.not_found': missing('role'),
  'role.implied_not_found': { status: 404, text: 'Could not find implied role: {prior} implies {implied}.' },
  'role.implied_admin': { status: 403, text: 'The administrator role {id} cannot be an implied role.' },
  'role.implied_by_global_role': { status: 403, text: 'A global role cannot imply the role {id} of a domain.' },
  'role.implied_cycle': { status: 400, text: 'Role {prior} cannot imply {implied}: {implied} already implies {prior}.' },
  'role.wrong_domain': {
    status: 403,
    text: 'Role {role} belongs to domain {domain} and can only be granted in that domain.',
  },
  'role.domain_role_on_system': { status: 400, text: 'Role {role} belongs to a domain and cannot be granted on the system.' },
  'grant.not_found': { status: 404, text: 'Could not find role assignment with role: {role}.' },

  'assignments.too_many': {
    status: 400,
    text: 'There are more than {limit} effective role assignments. Filter by user, project or role.',
  },

  'access_token.not_found': { status: 404, text: 'Could not find the access token.' },
  'oauth.invalid_client': { status: 401, text: 'Client authentication failed.' },
  'oauth.invalid_token': { status: 401, text: 'The token is not valid, or no longer.' },
  'oauth.invalid_redirect_uri': { status: 400, text: 'The redirect URI {uri} cannot be registered: {why}.' },
  'oauth.invalid_client_metadata': { status: 400, text: '{field} cannot be registered: {why}.' },
  'oauth.registration_off': { status: 403, text: 'Applications do not register themselves here.' },
  'oauth.registration_full': {
    status: 429,
    text: 'As many applications as there may be have registered themselves. Try again later.',
  },
  'oauth.must_be_signed': {
    status: 400,
    text: 'The security profile of this application asks for signed answers: Accept: {type}.',
  },
  'oauth.unsupported_grant_type': { status: 400, text: 'The grant_type is not supported.' },
  'pki.gone': { status: 410, text: 'This API is no longer available due to the removal of support for PKI tokens.' },

  ...scimFaults,

  'key.kind_not_found': { status: 404, text: 'There are no keys of the kind {kind}.' },
  'key.master_given': {
    status: 409,
    text: 'The master key is set by GATEHOUSE_MASTER_KEY: change it there (docs/guide/operating.md, Keys).',
  },
  'key.master_file': {
    status: 409,
    text: 'Nothing was changed: master.key in the data folder is missing, or does not have the key in use. Put the file back first.',
  },
  'key.announced': { status: 409, text: 'New {kind} keys are announced already and will be used soon. Try again later.' },
  'key.issuer_brought': {
    status: 409,
    text: 'The key of the issuer is given by a setting. Replace GATEHOUSE_IDENTITY_ISSUER_CERT_FILE and GATEHOUSE_IDENTITY_ISSUER_KEY_FILE.',
  },
  'key.verifier_brought': {
    status: 409,
    text: 'The key of requests to wallets is given by a setting. Replace GATEHOUSE_IDENTITY_VERIFIER_CERT_FILE and GATEHOUSE_IDENTITY_VERIFIER_KEY_FILE, or those of the issuer where one chain is for both.',
  },
  'key.issuer_limit': {
    status: 409,
    text: 'The issuer has {most} keys, the maximum, and all are still needed. Try again later.',
  },
  'key.issuer_unavailable': { status: 503, text: 'The keys of the issuer are being replaced. Try again.' },
  'issuer.no_did': { status: 404, text: 'The issuer of credentials has no DID.' },
  'issuer.not_found': { status: 404, text: 'There is no such issuer.' },
  'credential_type.not_found': missing('credential type'),
  'credential_type.limit': { status: 409, text: 'There are {most} credential types already, which is the most.' },
  'credential_target.no_did': { status: 404, text: 'Application {id} has no DID.' },
  'backup.elsewhere': {
    status: 409,
    text: 'The data are in PostgreSQL, whose own tools make backups (docs/guide/operating.md, Backups).',
  },
  'backup.running': { status: 409, text: 'A backup is being made. Try again when it is there.' },
  'delivery.not_found': missing('message'),
  'delivery.not_failed': { status: 409, text: 'Message {id} has not failed: it is being sent, or waits for its first attempt.' },
  'delivery.expired': { status: 409, text: 'Message {id} has expired.' },

  ...missingNouns,
  'region.has_endpoints': {
    status: 403,
    text: 'Unable to delete region {id} because it or its child regions have associated endpoints.',
  },
  'region.cycle': { status: 400, text: 'Region {id} cannot be its own ancestor.' },

  'endpoint.not_in_project': { status: 404, text: 'Endpoint {id} not found in project {project}.' },
  'endpoint_group.not_in_project': { status: 404, text: 'Endpoint Group {id} not found in project {project}.' },

  'policy.association_not_found': { status: 404, text: 'Could not find policy association.' },
  'policy.none_for_endpoint': { status: 404, text: 'No policy is associated with endpoint {id}.' },

  'registered_limit.not_found': { status: 404, text: 'Could not find registered limit for {id}.' },
  'registered_limit.in_use': {
    status: 403,
    text: 'Unable to update or delete registered limit {id} because there are project limits associated with it.',
  },
  'import.not_found': missing('import'),
  'import.ended': { status: 409, text: 'The import {id} has ended. Begin another one.' },
  'limit.not_found': { status: 404, text: 'Could not find limit for {id}.' },
  'limit.not_registered': { status: 403, text: 'Unable to create a limit that has no corresponding registered limit.' },
  'limit.duplicate': { status: 409, text: 'Conflict occurred attempting to store {kind} - Duplicate entry.' },
  'limit.breaks_model': {
    status: 403,
    text: "Invalid resource limit: that of the {kind} {id} doesn't satisfy the current hierarchy model. A project may not have more than its domain.",
  },

  ...federationFaults,

  ...registrationFaults,
  'consumer.not_found': missing('consumer'),
  'consumer.previous_secret_works': {
    status: 409,
    text: 'The previous secret of consumer {id} still works. End it first, or replace the present one without a grace time.',
  },
  'consumer.cannot_be_tried': { status: 409, text: 'The sign-in of consumer {id} cannot be tried: {why}.' },
  'application_grant.not_found': { status: 404, text: 'User {id} has given this consumer no access.' },
  'consumer.no_previous_secret': { status: 404, text: 'Consumer {id} has no previous secret that still works.' },
  'consumer.no_logo': { status: 404, text: 'Consumer {id} has no logo.' },
  'application.not_found': missing('application'),
  'permission.not_found': missing('permission'),
  'permission.other_application': {
    status: 400,
    text: 'Permission {permission} and role {role} belong to different applications, and neither is internal.',
  },
  'role.other_application': {
    status: 400,
    text: 'Role {role} does not belong to application {application} and is not internal.',
  },
  'organization.not_found': missing('organization'),
  'organization.no_default': { status: 404, text: 'This user has no default organization' },

  'two_factor.not_enabled': { status: 404, text: 'Two-factor authentication is not enabled for user: {id}.' },
  'two_factor.required': {
    status: 403,
    text: 'Two-factor authentication cannot be turned off: everybody of this domain must have a second factor.',
  },
  'two_factor.last': {
    status: 403,
    text: 'This is the only second factor of the account, and everybody of this domain must have one. Turn on another one first.',
  },
  'device.not_found': missing('device'),
  'device.stolen': {
    status: 403,
    text: 'This device token was replaced by a newer one, so it may be a copy. All devices of the user were forgotten.',
  },
  'session.not_found': missing('session'),
  'delegated_access.not_found': missing('delegated access'),
  ...roleCredentialFaults,
  'passkey.not_found': missing('passkey'),
  'passkey.refused': { status: 400, text: 'This passkey cannot be added: {why}.' },
  'passkey.too_many': { status: 400, text: 'This passkey cannot be added: {most} are the most a person can have.' },
  'passkey.known': { status: 400, text: 'This passkey cannot be added: it was added before.' },
  'passkey.required': {
    status: 403,
    text: 'This passkey cannot be removed: this person must sign in with one. Add another passkey first.',
  },
  'passkey.last_way_in': {
    status: 403,
    text: 'This passkey is the only way to sign in to this account. Set a password or add another passkey first.',
  },
  'credential.not_found': missing('credential'),
  'credential.limit': {
    status: 403,
    text: 'Unable to create additional credentials, maximum of {limit} already exceeded for user.',
  },
  'credential.delegation_fixed': { status: 400, text: '{key} can not be updated for credential' },
  'ec2.no_request': { status: 400, text: 'request must include a request body' },

  'resource.built_in': { status: 403, text: 'The {kind} {id} is built in and cannot be changed or deleted.' },
  'resource.immutable': { status: 403, text: 'Cannot {action} immutable {kind}: {id}.' },
  'resource.id_fixed': { status: 400, text: 'Cannot change {kind} ID.' },
  'resource.domain_fixed': { status: 400, text: 'Cannot change domain ID.' },
  'resource.changed': {
    status: 412,
    text: 'The {kind} {id} was changed since the version that If-Match names. Read it again, then repeat the change.',
  },
  'resource.duplicate': {
    status: 409,
    text: 'Conflict occurred attempting to store {kind} - Duplicate Entry found with {field} {value}.',
  },
} as const;

export type FaultCode = keyof typeof identityFaults;
export { Fault } from '../../platform/faults/index.ts';

const own = faultsOf(identityFaults);
export const fault = own.fault;
/** Annotated, so that TypeScript knows that it never returns. */
export const fail: typeof own.fail = own.fail;
