// Rules of the base identity API and of the service itself, by Keystone's names where Keystone has one.

import { NOUN_NAMES } from '../../ground/noun-names.ts';
import {
  admin,
  adminOfAll,
  adminOrInPerson,
  adminOrManager,
  adminOrService,
  adminOrSystemReader,
  anyCaller,
  anyOf,
  authorizesOAuth1,
  both,
  changesCredential,
  createsApplicationCredential,
  createsTrust,
  deletesApplicationCredential,
  deletesTrust,
  givesSecret,
  grantsRole,
  inPerson,
  inScope,
  listsEc2Credentials,
  listsGrantableRoles,
  listsTrusts,
  managerOfAll,
  managesOAuth1Tokens,
  notByApplication,
  ofSystem,
  ownDomain,
  ownProject,
  ownTokens,
  projectAdmin,
  type Rule,
  readerOfAll,
  readers,
  readsApplicationCredential,
  readsCredential,
  readsGrantableRole,
  readsTrust,
  roleOfOwnDomain,
  rule,
  self,
  service,
  systemReader,
  userOfToken,
  withinDomain,
  withOwnRights,
} from './personas.ts';

/** What was passed on to a program is not enough: these change how everybody signs in, or use what the service keeps secret. */
const adminWithOwnRights = both(admin, withOwnRights);

type Names = Readonly<Record<string, { readonly many: string; readonly isOpen?: true }>>;

/** The rules of nouns that administrators manage. */
const administered = <const All extends Names>(names: All) =>
  Object.fromEntries(
    Object.entries(names).flatMap(([one, { many, isOpen }]) => {
      const readers = isOpen ? anyCaller : adminOrSystemReader;
      return [
        [`identity:list_${many}`, readers],
        [`identity:get_${one}`, readers],
        ...['create', 'update', 'delete'].map((verb) => [`identity:${verb}_${one}`, admin]),
      ];
    }),
  ) as Record<
    `identity:list_${All[keyof All]['many']}` | `identity:${'get' | 'create' | 'update' | 'delete'}_${keyof All & string}`,
    Rule
  >;

export const baseRules = {
  'identity:check_token': anyOf(admin, systemReader, userOfToken),
  'identity:validate_token': anyOf(admin, systemReader, service, userOfToken),
  'identity:revoke_token': anyOf(admin, ownTokens),
  'identity:get_auth_catalog': anyCaller,
  'identity:get_auth_projects': anyCaller,
  'identity:get_auth_domains': anyCaller,
  'identity:get_auth_system': anyCaller,
  /** Says of each rule whether it lets the caller pass. */
  'identity:get_allowed': anyCaller,

  'identity:get_domain': anyOf(admin, systemReader, ownDomain),
  'identity:list_domains': both(readers, ofSystem),
  'identity:create_domain': admin,
  'identity:update_domain': admin,
  'identity:delete_domain': admin,

  'identity:create_domain_config': adminWithOwnRights,
  'identity:get_domain_config': adminOrSystemReader,
  'identity:update_domain_config': adminWithOwnRights,
  'identity:delete_domain_config': adminWithOwnRights,
  'identity:get_domain_config_default': adminOrSystemReader,
  'identity:list_domain_settings': anyOf(systemReader, adminOrManager),
  // What managers may change is the administrators' to say.
  'identity:update_domain_settings': both(adminOrManager, withOwnRights),
  'identity:get_directory': adminOrSystemReader,
  'identity:read_directory': adminWithOwnRights,
  'identity:test_directory': adminWithOwnRights,
  'identity:get_security_compliance_domain_config': anyCaller,

  'identity:get_project': anyOf(readers, ownProject),
  'identity:list_projects': readers,
  'identity:list_user_projects': anyOf(readers, self),
  'identity:create_project': adminOrManager,
  'identity:update_project': adminOrManager,
  'identity:delete_project': adminOrManager,
  'identity:list_project_tags': anyOf(readers, ownProject),
  'identity:get_project_tag': anyOf(readers, ownProject),
  'identity:update_project_tags': anyOf(adminOrManager, projectAdmin),
  'identity:create_project_tag': anyOf(adminOrManager, projectAdmin),
  'identity:delete_project_tag': anyOf(adminOrManager, projectAdmin),
  'identity:delete_project_tags': anyOf(adminOrManager, projectAdmin),

  'identity:get_user': anyOf(readers, self),
  'identity:list_users': readers,
  'identity:create_user': adminOrManager,
  'identity:update_user': adminOrManager,
  'identity:delete_user': adminOrManager,
  // Keystone: the owner, by whatever token. Here a program that got some rights of a person does not sign the person out everywhere.
  'identity:revoke_tokens_for_user': adminOrInPerson,

  // Sessions name addresses, so readers do not see them.
  'identity:list_user_sessions': anyOf(adminOrManager, inPerson),
  'identity:end_user_sessions': anyOf(adminOrManager, inPerson),
  // A program does not end what would end itself, or others with the same rights.
  'identity:list_delegated_access': both(anyOf(adminOrManager, inPerson), withOwnRights),
  'identity:end_delegated_access': both(anyOf(adminOrManager, inPerson), withOwnRights),
  'identity:expire_password': adminOrManager,
  // A program with what somebody passed on does not give more guesses.
  'identity:list_user_locks': adminOrManager,
  'identity:get_user_lock': adminOrManager,
  'identity:preview_sign_in': adminOrManager,
  'identity:unlock_user': both(adminOrManager, withOwnRights),

  'identity:list_account_deletions': readers,
  'identity:get_account_deletion': readers,
  'identity:cancel_account_deletion': adminOrManager,

  // Keyrock's portal makes these calls for people who have no account yet or have lost their password. Whoever may make them can take
  // over any account.
  'identity:register_user': givesSecret(admin),
  'identity:activate_user': admin,
  'identity:new_activation_key': givesSecret(admin),
  'identity:get_reset_token': givesSecret(admin),
  'identity:reset_password': admin,

  // As for users: to approve is to enable one, to refuse to delete one.
  'identity:list_waiting_registrations': readers,
  'identity:approve_registration': adminOrManager,
  'identity:refuse_registration': adminOrManager,

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
  'identity:check_user_in_group': anyOf(admin, systemReader, readerOfAll),
  'identity:add_user_to_group': anyOf(admin, managerOfAll),
  'identity:remove_user_from_group': anyOf(admin, managerOfAll),

  // For global and domain roles alike. Keystone has separate names with the same rules, except for what managers may read.
  'identity:get_role': anyOf(adminOrSystemReader, readsGrantableRole),
  'identity:list_roles': anyOf(adminOrSystemReader, listsGrantableRoles),
  'identity:create_role': admin,
  'identity:update_role': admin,
  'identity:delete_role': admin,
  'identity:get_implied_role': adminOrSystemReader,
  'identity:list_implied_roles': adminOrSystemReader,
  'identity:create_implied_role': admin,
  'identity:delete_implied_role': admin,
  'identity:check_implied_role': adminOrSystemReader,
  'identity:list_role_inference_rules': adminOrSystemReader,

  'identity:check_grant': anyOf(adminOrSystemReader, both(readerOfAll, roleOfOwnDomain)),
  'identity:list_grants': anyOf(adminOrSystemReader, readerOfAll),
  'identity:create_grant': anyOf(admin, both(adminOfAll, roleOfOwnDomain, withinDomain), grantsRole),
  'identity:revoke_grant': anyOf(admin, both(adminOfAll, roleOfOwnDomain), grantsRole),
  'identity:check_system_grant': adminOrSystemReader,
  'identity:list_system_grants': adminOrSystemReader,
  'identity:create_system_grant': admin,
  'identity:revoke_system_grant': admin,
  // The project is known for lists of its tree only.
  'identity:list_role_assignments': anyOf(readers, projectAdmin),
  'identity:list_role_assignments_for_tree': anyOf(readers, projectAdmin),
  // Readers of a domain learn why its users may do something in it.
  'identity:explain_access': anyOf(adminOrSystemReader, readerOfAll),

  'identity:get_credential': readsCredential,
  // All but administrators and system readers see only their own.
  'identity:list_credentials': readsCredential,
  'identity:create_credential': changesCredential,
  'identity:update_credential': changesCredential,
  'identity:delete_credential': changesCredential,
  'identity:ec2_get_credential': readsCredential,
  'identity:ec2_list_credentials': listsEc2Credentials,
  'identity:ec2_create_credential': changesCredential,
  'identity:ec2_delete_credential': changesCredential,
  // Whoever may ask learns what the owner of a key may do, so only services ask.
  'identity:ec2tokens_validate': adminOrService,
  'identity:s3tokens_validate': adminOrService,
  'identity:list_revoke_events': both(adminOrService, ofSystem),

  'identity:list_application_credentials': readsApplicationCredential,
  'identity:get_application_credential': readsApplicationCredential,
  'identity:create_application_credential': createsApplicationCredential,
  'identity:delete_application_credential': deletesApplicationCredential,
  'identity:list_access_rules': readsApplicationCredential,
  'identity:get_access_rule': readsApplicationCredential,
  'identity:delete_access_rule': deletesApplicationCredential,

  // Keystone has two more names, for lists of one trustor or trustee.
  'identity:list_trusts': listsTrusts,
  'identity:create_trust': createsTrust,
  'identity:get_trust': readsTrust,
  'identity:delete_trust': deletesTrust,
  'identity:list_roles_for_trust': readsTrust,
  'identity:get_role_for_trust': readsTrust,

  // Consumers of OAuth1; those of OAuth2 are in extension-rules.ts.
  'identity:list_consumers': adminOrSystemReader,
  'identity:get_consumer': adminOrSystemReader,
  'identity:create_consumer': givesSecret(admin),
  'identity:update_consumer': admin,
  'identity:delete_consumer': admin,
  'identity:authorize_request_token': authorizesOAuth1,
  'identity:list_access_tokens': managesOAuth1Tokens,
  'identity:get_access_token': managesOAuth1Tokens,
  'identity:list_access_token_roles': managesOAuth1Tokens,
  'identity:get_access_token_role': managesOAuth1Tokens,
  'identity:delete_access_token': managesOAuth1Tokens,

  // Everybody sees the events about themselves, and owners those of their applications. These two rules add to it.
  'identity:list_audit_events': rule(
    anyOf(adminOrSystemReader, adminOrManager, rule(withOwnRights)),
    'everybody in person; who sees which events is said above',
  ),
  'identity:list_all_audit_events': adminOrSystemReader,
  'identity:list_domain_audit_events': adminOrManager,
  'identity:count_audit_events': anyOf(adminOrSystemReader, adminOrManager),

  'identity:get_service_overview': anyOf(adminOrSystemReader, adminOrManager),
  'identity:list_service_settings': admin,
  'identity:update_service_settings': adminWithOwnRights,
  'identity:send_test_mail': adminWithOwnRights,
  'identity:list_service_keys': admin,
  'identity:rotate_service_keys': adminWithOwnRights,
  'identity:list_deliveries': admin,
  'identity:retry_delivery': admin,
  'identity:delete_delivery': admin,
  'identity:list_backups': admin,
  'identity:create_backup': adminWithOwnRights,
  'identity:list_replicas': adminOrSystemReader,

  // People come with their passwords: as if the caller had given these to everybody.
  'identity:list_imports': admin,
  'identity:import': adminWithOwnRights,

  'identity:manage_scim_connections': givesSecret(admin),
  'identity:manage_registration_tokens': givesSecret(adminOrManager),
  'identity:manage_registered_applications': both(adminOrManager, withOwnRights),
  'OS-SCIM:administer': rule(admin, 'administrators; others are answered 401, as Keyrock does'),
  'OS-SCIM:discover': anyCaller,
  'SCIM:discover': anyCaller,
  // With telephone numbers and addresses: more than people are asked for when they let an application act for them.
  'SCIM:get_user': anyOf(readers, notByApplication),
  // Each operation is checked by the rule of its own route.
  'SCIM:bulk': anyCaller,

  ...administered(NOUN_NAMES),

  'identity:list_endpoints_associated_with_endpoint_group': adminOrSystemReader,
  'identity:list_projects_associated_with_endpoint_group': adminOrSystemReader,
  'identity:list_endpoint_groups_for_project': adminOrSystemReader,
  'identity:get_endpoint_group_in_project': adminOrSystemReader,
  'identity:add_endpoint_group_to_project': admin,
  'identity:remove_endpoint_group_from_project': admin,
  'identity:list_projects_for_endpoint': adminOrSystemReader,
  'identity:list_endpoints_for_project': adminOrSystemReader,
  'identity:check_endpoint_in_project': adminOrSystemReader,
  'identity:add_endpoint_to_project': admin,
  'identity:remove_endpoint_from_project': admin,

  'identity:list_endpoints_for_policy': adminOrSystemReader,
  'identity:get_policy_for_endpoint': adminOrSystemReader,
  'identity:create_policy_association_for_endpoint': admin,
  'identity:check_policy_association_for_endpoint': adminOrSystemReader,
  'identity:delete_policy_association_for_endpoint': admin,
  'identity:create_policy_association_for_service': admin,
  'identity:check_policy_association_for_service': adminOrSystemReader,
  'identity:delete_policy_association_for_service': admin,
  'identity:create_policy_association_for_region_and_service': admin,
  'identity:check_policy_association_for_region_and_service': adminOrSystemReader,
  'identity:delete_policy_association_for_region_and_service': admin,

  'identity:list_registered_limits': anyCaller,
  'identity:get_registered_limit': anyCaller,
  'identity:create_registered_limits': admin,
  'identity:update_registered_limit': admin,
  'identity:delete_registered_limit': admin,
  'identity:get_limit_model': anyCaller,
  // Each caller sees those of the scope of the token.
  'identity:list_limits': anyCaller,
  'identity:get_limit': anyOf(adminOrSystemReader, inScope),
  'identity:create_limits': admin,
  'identity:update_limit': admin,
  'identity:delete_limit': admin,

  ...administered({
    identity_provider: { many: 'identity_providers' },
    mapping: { many: 'mappings' },
    protocol: { many: 'protocols' },
  }),
} as const satisfies Record<string, Rule>;
