// Who passes a rule of access/policy.ts, in words. A test asks for an entry for every rule that a route names.
import { type Action, givesSecretBy } from '../access/index.ts';

const ADMIN = 'administrators';
const SYSTEM_READER = 'readers of the system';
const DOMAIN_READER = 'readers of the domain';
const MANAGER = 'managers of the domain';
const SELF = 'the user concerned';
const IN_PERSON = 'the user concerned, and no application that acts for them';
const OWNER = 'whoever manages the application';
const EVERYBODY = 'everybody with a token';

const readers = [ADMIN, SYSTEM_READER, DOMAIN_READER];
const managers = [ADMIN, MANAGER];
const systemReaders = [ADMIN, SYSTEM_READER];
const admin = [ADMIN];
const inPerson = [ADMIN, IN_PERSON];
const owners = [ADMIN, OWNER];
const rolesOwners = [ADMIN, 'whoever manages the roles of the application'];
const assigners = [ADMIN, 'whoever may assign this role there'];
const everybody = [EVERYBODY];

/** The first pattern that matches the name of a rule counts. */
const WHO: readonly (readonly [pattern: RegExp, who: readonly string[]])[] = [
  [/^get_credential_issuer$/, everybody],
  [/^(list_available_role_credentials|create_role_credential_offer)$/, inPerson],
  [/^set_credential_target$/, admin],
  [/^list_credential_types$/, [ADMIN, 'whoever manages the application, or everybody for those that they manage']],
  [/^\w+_credential_(type|target)$/, owners],
  [/^identity:validate_token$/, [ADMIN, SYSTEM_READER, 'services (role `service`)', 'the user of the token']],
  [/^identity:check_token$/, [ADMIN, SYSTEM_READER, 'the user of the token']],
  [/^identity:revoke_token$/, [ADMIN, 'the user of the token']],
  [/^identity:get_(auth_\w+|allowed)$/, everybody],
  [/^identity:get_security_compliance_domain_config$/, everybody],
  [/^identity:get_domain_config(_default)?$/, systemReaders],
  [/^identity:(create|update|delete)_domain_config$/, admin],
  [/^identity:get_domain$/, [ADMIN, SYSTEM_READER, 'everybody whose token is for the domain or a project in it']],
  [/^identity:(list_domains)$/, readers],
  [/^identity:(create|update|delete)_domain$/, admin],
  [/^identity:(get_project|list_project_tags|get_project_tag)$/, [...readers, 'everybody whose token is for the project']],
  [/^identity:(list_projects|list_account_deletions|get_account_deletion|list_invitations|get_invitation)$/, readers],
  [/^identity:(list_users|list_users_in_group|get_group|list_groups|check_user_in_group)$/, readers],
  [/^identity:(get_user|list_user_projects|list_groups_for_user)$/, [...readers, SELF]],
  [/^identity:(create|update|delete)_project(_tags?)?$/, managers],
  [/^identity:(create|update|delete)_(user|group)$/, managers],
  [/^identity:revoke_tokens_for_user$/, inPerson],
  [/^identity:(list|end)_user_sessions$/, [...managers, IN_PERSON]],
  [/^identity:(expire_password|cancel_account_deletion|create_invitation|withdraw_invitation)$/, managers],
  [/^identity:(add_user_to|remove_user_from)_group$/, managers],
  [/^identity:(register_user|activate_user|new_activation_key|get_reset_token|reset_password)$/, admin],
  [/^identity:(get_role|list_roles)$/, [ADMIN, SYSTEM_READER, 'managers of a domain, for roles that they may grant']],
  [/^identity:(create|update|delete)_(role|implied_role)$/, admin],
  [/^identity:\w*(implied_role|inference)\w*$/, systemReaders],
  [/^identity:\w+_system_grants?$/, []],
  [/^identity:(check_grant|list_grants|explain_access)$/, [ADMIN, SYSTEM_READER, 'readers of a domain in which all of it is']],
  [
    /^identity:(create|revoke)_grant$/,
    [ADMIN, 'managers of a domain in which all of it is, for the roles `manager`, `member` and `reader`'],
  ],
  [/^identity:list_role_assignments/, readers],
  [/^identity:create_application_credential$/, ['the user concerned; with an application credential only if it is unrestricted']],
  [/^identity:delete_(application_credential|access_rule)$/, [ADMIN, SELF]],
  [/^identity:(get|list)_(application_credentials?|access_rules?)$/, [ADMIN, SYSTEM_READER, SELF]],
  [/^identity:(list_consumers|get_consumer)$/, systemReaders],
  [/^identity:(create|update|delete)_consumer$/, admin],
  [/^identity:authorize_request_token$/, ['administrators in person']],
  [/^identity:\w+_access_token\w*$/, [ADMIN, IN_PERSON]],
  [/^identity:create_trust$/, ['the trustor']],
  [/^identity:delete_trust$/, [ADMIN, 'the trustor']],
  [
    /^identity:(list_trusts|get_trust|list_roles_for_trust|get_role_for_trust)$/,
    [ADMIN, SYSTEM_READER, 'the trustor', 'the trustee'],
  ],
  [/^identity:(get_credential|list_credentials|ec2_get_credential)$/, [ADMIN, SYSTEM_READER, IN_PERSON]],
  [/^identity:\w+_credentials?$/, inPerson],
  [/^identity:(ec2tokens_validate|s3tokens_validate|list_revoke_events)$/, [ADMIN, 'services (role `service`)']],
  [/^identity:list_audit_events$/, ['everybody in person; who sees which events is said above']],
  [/^identity:(count_audit_events|get_service_overview)$/, [ADMIN, SYSTEM_READER, MANAGER]],
  [/^identity:(list_regions|get_region|(list|get)_registered_limits?|get_limit_model|list_limits)$/, everybody],
  [
    /^identity:(get|list|check)_(endpoint_groups?|endpoints?_\w+|endpoint_groups?_\w+|projects_(for|associated)_\w+)$/,
    systemReaders,
  ],
  [/^identity:((create|update|delete)_endpoint_group|(add|remove)_endpoint_(group_)?(to|from)_project)$/, admin],
  [/^identity:(get|list|check)_(polic(y|ies)|endpoints_for_policy|policy_for_endpoint|policy_association_\w+)$/, systemReaders],
  [/^identity:(create|update|delete)_policy(_association_\w+)?$/, admin],
  [/^identity:get_limit$/, [ADMIN, SYSTEM_READER, 'everybody whose token is for the project, or for the domain']],
  [/^identity:(create|update|delete)_(registered_)?limits?$/, admin],
  [/^identity:(get|list)_(services?|endpoints?|identity_providers?|service_providers?|mappings?|protocols?)$/, systemReaders],
  [/^identity:(create|update|delete)_(region|service|endpoint|identity_provider|service_provider|mapping|protocol)$/, admin],
  [/^identity:(manage_scim_connections|\w+_service_\w+|\w+_deliver(y|ies)|list_backups)$/, admin],
  [/^(OS-SCIM|SCIM):(discover|bulk)$/, everybody],
  [/^SCIM:get_user$/, [...readers, IN_PERSON]],
  [/^OS-SCIM:administer$/, ['administrators; others are answered 401, as Keyrock does']],
  [/^(list_consumers|create_consumer|verify_access_token)$/, everybody],
  [/^list_user_consumers$/, inPerson],
  [/^\w*consumer\w*$/, owners],
  [/^list_(roles|permissions)$/, [ADMIN, 'everybody else for the applications whose roles they manage']],
  [/^(create|get|update|delete)_(role|permission)$|^(list_role_permissions|\w+_permission_\w+_role)$/, rolesOwners],
  [/^list_user_assignments$/, [ADMIN, SELF, 'whoever may see assignments in the application']],
  [/^(list_organization_assignments|explain_permissions)$/, [ADMIN, 'whoever may see assignments in the application']],
  [/^get_user_permissions$/, [ADMIN, 'services (role `service`)', SELF, 'whoever may see assignments in the application']],
  [/^(add|remove)_role_(to|from)_(user|organization)$/, assigners],
  [/^list_allowed_\w+$/, [ADMIN, 'the user concerned, or a token for the organization concerned']],
  [/two_factor|security_question|recovery_codes|device|passkey/, inPerson],
  [/^(list|get|revoke)_issued_credentials?$/, [...owners, IN_PERSON]],
  [/^update_issued_credential$/, owners],
  [/^authorize$/, [IN_PERSON]],
  [/^access_tokens$/, inPerson],
];

const SYSTEM_GRANTS: Readonly<Record<string, readonly string[]>> = {
  'identity:check_system_grant': systemReaders,
  'identity:list_system_grants': systemReaders,
  'identity:create_system_grant': admin,
  'identity:revoke_system_grant': admin,
};

const whoOf = (rule: string): readonly string[] => SYSTEM_GRANTS[rule] ?? WHO.find(([pattern]) => pattern.test(rule))?.[1] ?? [];

/** `administrators, readers of the system, and the user concerned` */
function listed(all: readonly string[]): string {
  if (all.length < 3) return all.join(', and ');
  return `${all.slice(0, -1).join(', ')}, and ${all.at(-1)}`;
}

const isForSecrets = (rule: string): boolean => givesSecretBy(rule as Action);

export function whoMay(rule: string): string {
  const who = whoOf(rule);
  const may = who.length === 0 ? `whoever passes the rule \`${rule}\`` : listed(who);
  const how = isForSecrets(rule) ? ' Not with an application credential, a trust or an OAuth1 token.' : '';
  return `Who may call it: ${may}.${how}`;
}

/** Everybody with a token passes; nobody is refused with 403 by the rule. */
export const isForEverybody = (rule: string): boolean => whoOf(rule) === everybody && !isForSecrets(rule);
