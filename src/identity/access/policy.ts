// Who may do what: Keystone's default policy, by its names, for the personas admin, manager, member and reader.
// Each route names its rule. The server evaluates it before the handler, with facts about the target of the request. A missing
// target has no facts, so only callers who may see everything get a 404.

import type { App, Target } from '../../platform/http/index.ts';
import { fail } from '../faults.ts';
import type { Caller } from './caller.ts';
import { DEFAULT_DOMAIN } from './default-domain.ts';
import {
  admin,
  adminOrAssigns,
  adminOrInPerson,
  adminOrManager,
  adminOrManagesApplication,
  adminOrManagesRoles,
  adminOrSystemReader,
  adminOrThemselves,
  allInOwnDomain,
  anyCaller,
  anyOf,
  both,
  createsApplicationCredential,
  deletesApplicationCredential,
  domainManager,
  type Facts,
  hasRole,
  inPerson,
  isDelegated,
  listedByApplication,
  manageableRole,
  mayConsent,
  ownAssignments,
  ownDomain,
  ownPermissions,
  ownProject,
  type Rule,
  readers,
  readsApplicationCredential,
  roleOfOwnDomain,
  scopeDomain,
  seesAssignments,
  self,
  systemReader,
  withOwnRights,
} from './personas.ts';

const rules = {
  'identity:check_token': anyOf(admin, systemReader, self),
  'identity:validate_token': anyOf(admin, systemReader, (caller) => hasRole(caller, 'service'), self),
  'identity:revoke_token': anyOf(admin, self),
  'identity:get_auth_catalog': anyCaller,
  'identity:get_auth_projects': anyCaller,
  'identity:get_auth_domains': anyCaller,
  'identity:get_auth_system': anyCaller,
  /** Says of each rule whether it lets the caller pass. */
  'identity:get_allowed': anyCaller,

  'identity:get_domain': anyOf(admin, systemReader, ownDomain),
  'identity:list_domains': readers,
  'identity:create_domain': admin,
  'identity:update_domain': admin,
  'identity:delete_domain': admin,

  'identity:get_project': anyOf(readers, ownProject),
  'identity:list_projects': readers,
  'identity:list_user_projects': anyOf(readers, self),
  'identity:create_project': adminOrManager,
  'identity:update_project': adminOrManager,
  'identity:delete_project': adminOrManager,
  'identity:list_project_tags': anyOf(readers, ownProject),
  'identity:get_project_tag': anyOf(readers, ownProject),
  'identity:update_project_tags': adminOrManager,
  'identity:create_project_tag': adminOrManager,
  'identity:delete_project_tag': adminOrManager,
  'identity:delete_project_tags': adminOrManager,

  'identity:get_user': anyOf(readers, self),
  'identity:list_users': readers,
  'identity:create_user': adminOrManager,
  'identity:update_user': adminOrManager,
  'identity:delete_user': adminOrManager,

  // Sessions name addresses, so readers do not see them.
  'identity:list_user_sessions': anyOf(adminOrManager, inPerson),
  'identity:end_user_sessions': anyOf(adminOrManager, inPerson),
  'identity:expire_password': adminOrManager,

  'identity:list_account_deletions': readers,
  'identity:get_account_deletion': readers,
  'identity:cancel_account_deletion': adminOrManager,

  // Keyrock's portal makes these calls for people who have no account yet or have lost their password. Whoever may make them can take
  // over any account.
  'identity:register_user': admin,
  'identity:activate_user': admin,
  'identity:new_activation_key': admin,
  'identity:get_reset_token': admin,
  'identity:reset_password': admin,

  // As for users. What an invitation gives is also asked for by the rules that give it directly.
  'identity:list_invitations': readers,
  'identity:get_invitation': readers,
  'identity:create_invitation': adminOrManager,
  'identity:withdraw_invitation': adminOrManager,

  'identity:get_group': readers,
  'identity:list_groups': readers,
  'identity:list_groups_for_user': anyOf(readers, self),
  'identity:create_group': adminOrManager,
  'identity:update_group': adminOrManager,
  'identity:delete_group': adminOrManager,
  'identity:list_users_in_group': readers,
  'identity:check_user_in_group': anyOf(admin, systemReader, allInOwnDomain('reader')),
  'identity:add_user_to_group': anyOf(admin, allInOwnDomain('manager')),
  'identity:remove_user_from_group': anyOf(admin, allInOwnDomain('manager')),

  // For global and domain roles alike. Keystone has separate names with the same rules, except for what managers may read.
  'identity:get_role': anyOf(
    adminOrSystemReader,
    both((caller, { roleDomainId }) => hasRole(caller, 'manager') && roleDomainId === null, manageableRole),
  ),
  'identity:list_roles': anyOf(
    adminOrSystemReader,
    (caller, { roleDomainId }) => hasRole(caller, 'manager') && roleDomainId === null && scopeDomain(caller) !== undefined,
  ),
  'identity:create_role': admin,
  'identity:update_role': admin,
  'identity:delete_role': admin,
  'identity:get_implied_role': adminOrSystemReader,
  'identity:list_implied_roles': adminOrSystemReader,
  'identity:create_implied_role': admin,
  'identity:delete_implied_role': admin,
  'identity:check_implied_role': adminOrSystemReader,
  'identity:list_role_inference_rules': adminOrSystemReader,

  'identity:check_grant': anyOf(adminOrSystemReader, both(allInOwnDomain('reader'), roleOfOwnDomain)),
  'identity:list_grants': anyOf(adminOrSystemReader, allInOwnDomain('reader')),
  'identity:create_grant': anyOf(admin, both(allInOwnDomain('manager'), manageableRole)),
  'identity:revoke_grant': anyOf(admin, both(allInOwnDomain('manager'), manageableRole)),
  'identity:check_system_grant': adminOrSystemReader,
  'identity:list_system_grants': adminOrSystemReader,
  'identity:create_system_grant': admin,
  'identity:revoke_system_grant': admin,
  'identity:list_role_assignments': readers,
  'identity:list_role_assignments_for_tree': readers,
  // Readers of a domain learn why its users may do something in it.
  'identity:explain_access': anyOf(adminOrSystemReader, allInOwnDomain('reader')),

  // Stricter than Keystone, which lets a system reader read everyone's secrets.
  'identity:get_credential': anyOf(admin, inPerson),
  // All but administrators see only their own.
  'identity:list_credentials': anyOf(admin, inPerson),
  'identity:create_credential': anyOf(admin, inPerson),
  'identity:update_credential': anyOf(admin, inPerson),
  'identity:delete_credential': anyOf(admin, inPerson),

  'identity:list_application_credentials': readsApplicationCredential,
  'identity:get_application_credential': readsApplicationCredential,
  'identity:create_application_credential': createsApplicationCredential,
  'identity:delete_application_credential': deletesApplicationCredential,
  'identity:list_access_rules': readsApplicationCredential,
  'identity:get_access_rule': readsApplicationCredential,
  'identity:delete_access_rule': deletesApplicationCredential,

  // Everybody sees the events about themselves, and owners those of their applications. These two rules add to it.
  'identity:list_audit_events': anyOf(adminOrSystemReader, adminOrManager, withOwnRights),
  'identity:list_all_audit_events': adminOrSystemReader,
  'identity:list_domain_audit_events': adminOrManager,
  'identity:count_audit_events': anyOf(adminOrSystemReader, domainManager),

  'identity:get_service_overview': anyOf(adminOrSystemReader, domainManager),
  'identity:list_service_settings': admin,
  'identity:list_service_keys': admin,
  'identity:rotate_service_keys': admin,
  'identity:list_deliveries': admin,
  'identity:retry_delivery': admin,
  'identity:delete_delivery': admin,
  'identity:list_backups': admin,

  'identity:manage_scim_connections': admin,
  'OS-SCIM:administer': admin,
  'OS-SCIM:discover': anyCaller,
  'SCIM:discover': anyCaller,
  // Each operation is checked by the rule of its own route.
  'SCIM:bulk': anyCaller,

  'identity:get_region': anyCaller,
  'identity:list_regions': anyCaller,
  'identity:create_region': admin,
  'identity:update_region': admin,
  'identity:delete_region': admin,
  'identity:get_service': adminOrSystemReader,
  'identity:list_services': adminOrSystemReader,
  'identity:create_service': admin,
  'identity:update_service': admin,
  'identity:delete_service': admin,
  'identity:get_endpoint': adminOrSystemReader,
  'identity:list_endpoints': adminOrSystemReader,
  'identity:create_endpoint': admin,
  'identity:update_endpoint': admin,
  'identity:delete_endpoint': admin,

  'identity:list_identity_providers': adminOrSystemReader,
  'identity:get_identity_provider': adminOrSystemReader,
  'identity:create_identity_provider': admin,
  'identity:update_identity_provider': admin,
  'identity:delete_identity_provider': admin,
  'identity:list_mappings': adminOrSystemReader,
  'identity:get_mapping': adminOrSystemReader,
  'identity:create_mapping': admin,
  'identity:update_mapping': admin,
  'identity:delete_mapping': admin,
  'identity:list_protocols': adminOrSystemReader,
  'identity:get_protocol': adminOrSystemReader,
  'identity:create_protocol': admin,
  'identity:update_protocol': admin,
  'identity:delete_protocol': admin,

  // Applications, by the names in the error messages of the extension APIs.
  list_consumers: anyCaller,
  // The owner of a new application keeps it, so what was passed on is not enough.
  create_consumer: (caller) => !isDelegated(caller),
  get_consumer: adminOrManagesApplication,
  update_consumer: adminOrManagesApplication,
  delete_consumer: adminOrManagesApplication,
  rotate_consumer_secret: adminOrManagesApplication,
  list_consumer_grants: adminOrManagesApplication,
  end_consumer_grant: adminOrManagesApplication,
  try_consumer_sign_in: adminOrManagesApplication,

  list_roles: listedByApplication,
  create_role: adminOrManagesRoles,
  get_role: adminOrManagesRoles,
  update_role: adminOrManagesRoles,
  delete_role: adminOrManagesRoles,
  list_permissions: listedByApplication,
  create_permission: adminOrManagesRoles,
  get_permission: adminOrManagesRoles,
  update_permission: adminOrManagesRoles,
  delete_permission: adminOrManagesRoles,
  list_role_permissions: adminOrManagesRoles,
  add_permission_to_role: adminOrManagesRoles,
  remove_permission_from_role: adminOrManagesRoles,
  list_user_assignments: anyOf(admin, ownAssignments, seesAssignments),
  list_organization_assignments: anyOf(admin, seesAssignments),
  add_role_to_user: adminOrAssigns,
  remove_role_from_user: adminOrAssigns,
  add_role_to_organization: adminOrAssigns,
  remove_role_from_organization: adminOrAssigns,
  get_user_permissions: anyOf(admin, (caller) => hasRole(caller, 'service'), ownPermissions, seesAssignments),
  explain_permissions: anyOf(admin, seesAssignments),
  list_allowed_roles: adminOrThemselves,
  list_allowed_applications: adminOrThemselves,
  // Internal roles and permissions work in every application.
  manage_internal: admin,

  is_two_factor_auth_enabled: adminOrInPerson,
  enable_two_factor_auth: adminOrInPerson,
  disable_two_factor_auth: adminOrInPerson,
  get_two_factor_data: adminOrInPerson,
  check_security_question: adminOrInPerson,
  make_recovery_codes: adminOrInPerson,
  remember_device: adminOrInPerson,
  check_for_device: adminOrInPerson,
  list_devices: adminOrInPerson,
  forget_device: adminOrInPerson,
  forget_devices: adminOrInPerson,
  list_passkeys: adminOrInPerson,
  delete_passkey: adminOrInPerson,

  // An administrator who could consent for others could sign in as them.
  authorize: mayConsent,
  access_tokens: adminOrInPerson,
  verify_access_token: anyCaller,
} as const satisfies Record<string, Rule>;

/** Has the role `admin` in the scope of the token, whichever that is. */
export const isAdministrator = (caller: Caller): boolean => admin(caller, {});

export type Action = keyof typeof rules;

export type IdentityApp = App<Caller, Action, Facts>;
/** The target of a route of this service. */
export type IdentityTarget<Thing> = Target<Facts, Thing>;

/** Called by the server before the handler. */
export function authorize(rule: string, caller: Caller, facts: unknown): void {
  const mayProceed = isAllowed(caller, rule as Action, (facts ?? {}) as Facts);
  // This API answers 401 instead of 403.
  if (!mayProceed && rule === 'OS-SCIM:administer') fail('auth.required', undefined, { reason: 'not an administrator' });
  if (!mayProceed) fail('auth.forbidden', { action: rule });
}

/** The target of a request by its row, which may be missing. */
export const targetOf = <Row>(row: Row | undefined, factsOf: (row: Row) => Facts, missing: () => never): IdentityTarget<Row> => ({
  facts: row === undefined ? {} : factsOf(row),
  get: () => row ?? missing(),
});

/** For requests without a single target that still have facts: lists, and things to be created. */
export const factsOnly = (facts: Facts): IdentityTarget<undefined> => ({ facts, get: () => undefined });

export const isAllowed = (caller: Caller, action: Action, target: Facts = {}): boolean => rules[action](caller, target);

/** Fails with 403 unless the action is allowed. */
export function permit(caller: Caller, action: Action, target: Facts = {}): void {
  if (!isAllowed(caller, action, target)) fail('auth.forbidden', { action });
}

/** The domain a list is limited to; undefined for all. A domain-scoped token sees only its domain, even an administrator's. */
export function visibleDomain(caller: Caller): string | undefined {
  return scopeDomain(caller);
}

/** The domain of something new. */
export const domainOfNew = (caller: Caller, requested: string | undefined): string =>
  requested ?? visibleDomain(caller) ?? DEFAULT_DOMAIN;

/** Target of a request that creates something in a domain. */
export const domainTarget = (domainId: string): IdentityTarget<string> => ({ facts: { domainId }, get: () => domainId });

/** Facts of a list: the domain the token is scoped to, if any. */
export const listFacts = (caller: Caller): Facts => ({ domainId: scopeDomain(caller) ?? null });
