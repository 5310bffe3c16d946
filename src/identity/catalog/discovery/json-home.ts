// JSON Home: the resources of the base API by their OpenStack relation names.

const REL = 'https://docs.openstack.org/api/openstack-identity/3/rel/';
const PARAM = 'https://docs.openstack.org/api/openstack-identity/3/param/';
const EXTENSION = 'https://docs.openstack.org/api/openstack-identity/3/ext/';
const INHERIT_REL = `${EXTENSION}OS-INHERIT/1.0/rel/`;

const RESOURCES: readonly (readonly [rel: string, path: string])[] = [
  ['auth_tokens', '/auth/tokens'],
  ['auth_catalog', '/auth/catalog'],
  ['auth_projects', '/auth/projects'],
  ['auth_domains', '/auth/domains'],
  ['auth_system', '/auth/system'],
  ['domains', '/domains'],
  ['domain', '/domains/{domain_id}'],
  ['domain_config', '/domains/{domain_id}/config'],
  ['domain_config_group', '/domains/{domain_id}/config/{group}'],
  ['domain_config_option', '/domains/{domain_id}/config/{group}/{option}'],
  ['domain_config_default', '/domains/config/default'],
  ['domain_config_default_group', '/domains/config/{group}/default'],
  ['domain_config_default_option', '/domains/config/{group}/{option}/default'],
  ['domain_user_roles', '/domains/{domain_id}/users/{user_id}/roles'],
  ['domain_user_role', '/domains/{domain_id}/users/{user_id}/roles/{role_id}'],
  ['domain_group_roles', '/domains/{domain_id}/groups/{group_id}/roles'],
  ['domain_group_role', '/domains/{domain_id}/groups/{group_id}/roles/{role_id}'],
  ['projects', '/projects'],
  ['project', '/projects/{project_id}'],
  ['project_tags', '/projects/{project_id}/tags/{value}'],
  ['project_user_roles', '/projects/{project_id}/users/{user_id}/roles'],
  ['project_user_role', '/projects/{project_id}/users/{user_id}/roles/{role_id}'],
  ['project_group_roles', '/projects/{project_id}/groups/{group_id}/roles'],
  ['project_group_role', '/projects/{project_id}/groups/{group_id}/roles/{role_id}'],
  ['system_user_roles', '/system/users/{user_id}/roles'],
  ['system_user_role', '/system/users/{user_id}/roles/{role_id}'],
  ['system_group_roles', '/system/groups/{group_id}/roles'],
  ['system_group_role', '/system/groups/{group_id}/roles/{role_id}'],
  ['application_credentials', '/users/{user_id}/application_credentials'],
  ['application_credential', '/users/{user_id}/application_credentials/{application_credential_id}'],
  ['access_rules', '/users/{user_id}/access_rules'],
  ['access_rule', '/users/{user_id}/access_rules/{access_rule_id}'],
  ['credentials', '/credentials'],
  ['credential', '/credentials/{credential_id}'],
  ['users', '/users'],
  ['user', '/users/{user_id}'],
  ['user_change_password', '/users/{user_id}/password'],
  ['user_groups', '/users/{user_id}/groups'],
  ['user_projects', '/users/{user_id}/projects'],
  ['groups', '/groups'],
  ['group', '/groups/{group_id}'],
  ['group_users', '/groups/{group_id}/users'],
  ['group_user', '/groups/{group_id}/users/{user_id}'],
  ['roles', '/roles'],
  ['role', '/roles/{role_id}'],
  ['implied_roles', '/roles/{prior_role_id}/implies'],
  ['implied_role', '/roles/{prior_role_id}/implies/{implied_role_id}'],
  ['role_inferences', '/role_inferences'],
  ['role_assignments', '/role_assignments'],
  ['regions', '/regions'],
  ['region', '/regions/{region_id}'],
  ['services', '/services'],
  ['service', '/services/{service_id}'],
  ['endpoints', '/endpoints'],
  ['endpoint', '/endpoints/{endpoint_id}'],
  ['policies', '/policies'],
  ['policy', '/policies/{policy_id}'],
];

const ENDPOINT_FILTER: readonly (readonly [rel: string, path: string])[] = [
  ['endpoint_groups', '/OS-EP-FILTER/endpoint_groups'],
  ['endpoint_group', '/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}'],
  ['endpoint_projects', '/OS-EP-FILTER/endpoints/{endpoint_id}/projects'],
  ['project_endpoint', '/OS-EP-FILTER/projects/{project_id}/endpoints/{endpoint_id}'],
  ['project_endpoints', '/OS-EP-FILTER/projects/{project_id}/endpoints'],
  ['project_endpoint_groups', '/OS-EP-FILTER/projects/{project_id}/endpoint_groups'],
  ['endpoints_in_endpoint_group', '/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/endpoints'],
  ['projects_associated_with_endpoint_group', '/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects'],
  ['endpoint_group_to_project_association', '/OS-EP-FILTER/endpoint_groups/{endpoint_group_id}/projects/{project_id}'],
];

const ENDPOINT_POLICY: readonly (readonly [rel: string, path: string])[] = [
  ['endpoint_policy', '/endpoints/{endpoint_id}/OS-ENDPOINT-POLICY/policy'],
  ['policy_endpoints', '/policies/{policy_id}/OS-ENDPOINT-POLICY/endpoints'],
  ['endpoint_policy_association', '/policies/{policy_id}/OS-ENDPOINT-POLICY/endpoints/{endpoint_id}'],
  ['service_policy_association', '/policies/{policy_id}/OS-ENDPOINT-POLICY/services/{service_id}'],
  ['region_and_service_policy_association', '/policies/{policy_id}/OS-ENDPOINT-POLICY/services/{service_id}/regions/{region_id}'],
];

/** Keystone marks these as experimental. */
const EXPERIMENTAL: readonly (readonly [rel: string, path: string])[] = [
  ['registered_limits', '/registered_limits'],
  ['registered_limit', '/registered_limits/{registered_limit_id}'],
  ['limits', '/limits'],
  ['limit', '/limits/{limit_id}'],
  ['limit_model', '/limits/model'],
];

const TRUST = 'https://docs.openstack.org/api/openstack-identity/3/ext/OS-TRUST/1.0/';
const TRUSTS: readonly (readonly [rel: string, path: string])[] = [
  ['trusts', '/OS-TRUST/trusts'],
  ['trust', '/OS-TRUST/trusts/{trust_id}'],
  ['trust_roles', '/OS-TRUST/trusts/{trust_id}/roles'],
  ['trust_role', '/OS-TRUST/trusts/{trust_id}/roles/{role_id}'],
];
const OAUTH1 = 'https://docs.openstack.org/api/openstack-identity/3/ext/OS-OAUTH1/1.0/';
const OAUTH1_RESOURCES: readonly (readonly [rel: string, path: string])[] = [
  ['consumers', '/OS-OAUTH1/consumers'],
  ['consumer', '/OS-OAUTH1/consumers/{consumer_id}'],
  ['request_tokens', '/OS-OAUTH1/request_token'],
  ['access_tokens', '/OS-OAUTH1/access_token'],
  ['authorize_request_token', '/OS-OAUTH1/authorize/{request_token_id}'],
  ['user_access_tokens', '/users/{user_id}/OS-OAUTH1/access_tokens'],
  ['user_access_token', '/users/{user_id}/OS-OAUTH1/access_tokens/{access_token_id}'],
  ['user_access_token_roles', '/users/{user_id}/OS-OAUTH1/access_tokens/{access_token_id}/roles'],
  ['user_access_token_role', '/users/{user_id}/OS-OAUTH1/access_tokens/{access_token_id}/roles/{role_id}'],
];
/** Names of parameters that belong to an extension. */
const EXTENSION_PARAMS: Readonly<Record<string, string>> = {
  trust_id: `${TRUST}param/trust_id`,
  endpoint_group_id: `${EXTENSION}OS-EP-FILTER/1.0/param/endpoint_group_id`,
  consumer_id: `${OAUTH1}param/consumer_id`,
  request_token_id: `${OAUTH1}param/request_token_id`,
  access_token_id: `${OAUTH1}param/access_token_id`,
};

/** Of extensions, each with a version of its own. */
const EXTENSIONS: readonly (readonly [extension: string, rel: string, path: string])[] = [
  ['OS-FEDERATION', 'projects', '/auth/projects'],
  ['OS-FEDERATION', 'domains', '/auth/domains'],
  ['OS-EC2', 'user_credentials', '/users/{user_id}/credentials/OS-EC2'],
  ['OS-EC2', 'user_credential', '/users/{user_id}/credentials/OS-EC2/{credential_id}'],
  ['OS-EC2', 'ec2tokens', '/ec2tokens'],
  ['s3tokens', 's3tokens', '/s3tokens'],
  ['OS-OAUTH2', 'token', '/OS-OAUTH2/token'],
  ['OS-REVOKE', 'events', '/OS-REVOKE/events'],
  ['OS-SIMPLE-CERT', 'ca_certificate', '/OS-SIMPLE-CERT/ca'],
  ['OS-SIMPLE-CERT', 'certificates', '/OS-SIMPLE-CERT/certificates'],
];

/** Parameters that have the relation of another one. */
const PARAMETERS: Readonly<Record<string, string>> = {
  value: 'tag_value',
  group: 'config_group',
  option: 'config_option',
  prior_role_id: 'role_id',
  implied_role_id: 'role_id',
};

/** As in Keystone, where the lists of projects are missing. */
const INHERITED: readonly (readonly [rel: string, path: string])[] = ['user', 'group'].flatMap((actor) => {
  const ofDomain = `/OS-INHERIT/domains/{domain_id}/${actor}s/{${actor}_id}/roles`;
  const ofProject = `/OS-INHERIT/projects/{project_id}/${actor}s/{${actor}_id}/roles`;
  return [
    [`domain_${actor}_roles_inherited_to_projects`, `${ofDomain}/inherited_to_projects`],
    [`domain_${actor}_role_inherited_to_projects`, `${ofDomain}/{role_id}/inherited_to_projects`],
    [`project_${actor}_role_inherited_to_projects`, `${ofProject}/{role_id}/inherited_to_projects`],
  ] as const;
});

const FEDERATION = 'https://docs.openstack.org/api/openstack-identity/3/ext/OS-FEDERATION/1.0/';
const FEDERATED: readonly (readonly [rel: string, path: string])[] = [
  ['websso', '/auth/OS-FEDERATION/websso/{protocol_id}'],
  ['identity_providers_websso', '/auth/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/websso'],
  ['identity_providers', '/OS-FEDERATION/identity_providers'],
  ['identity_provider', '/OS-FEDERATION/identity_providers/{idp_id}'],
  ['identity_provider_protocols', '/OS-FEDERATION/identity_providers/{idp_id}/protocols'],
  ['identity_provider_protocol', '/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}'],
  ['identity_provider_protocol_auth', '/OS-FEDERATION/identity_providers/{idp_id}/protocols/{protocol_id}/auth'],
  ['mappings', '/OS-FEDERATION/mappings'],
  ['mapping', '/OS-FEDERATION/mappings/{mapping_id}'],
  ['service_providers', '/OS-FEDERATION/service_providers'],
  ['service_provider', '/OS-FEDERATION/service_providers/{sp_id}'],
];

function entry(path: string, param = PARAM): Record<string, unknown> {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!);
  if (names.length === 0) return { href: path };
  return {
    'href-template': path,
    'href-vars': Object.fromEntries(names.map((name) => [name, EXTENSION_PARAMS[name] ?? param + (PARAMETERS[name] ?? name)])),
  };
}

export function homeDocument(prefix: string): { resources: Record<string, unknown> } {
  const all: readonly (readonly [rel: string, path: string, param?: string])[] = [
    ...RESOURCES.map(([rel, path]) => [REL + rel, path] as const),
    ...TRUSTS.map(([rel, path]) => [`${TRUST}rel/${rel}`, path] as const),
    ...EXTENSIONS.map(([extension, rel, path]) => [`${EXTENSION}${extension}/1.0/rel/${rel}`, path] as const),
    ...ENDPOINT_FILTER.map(([rel, path]) => [`${EXTENSION}OS-EP-FILTER/1.0/rel/${rel}`, path] as const),
    ...ENDPOINT_POLICY.map(([rel, path]) => [`${EXTENSION}OS-ENDPOINT-POLICY/1.0/rel/${rel}`, path] as const),
    ...OAUTH1_RESOURCES.map(([rel, path]) => [`${OAUTH1}rel/${rel}`, path] as const),
    ...INHERITED.map(([rel, path]) => [INHERIT_REL + rel, path] as const),
    ...FEDERATED.map(([rel, path]) => [`${FEDERATION}rel/${rel}`, path, `${FEDERATION}param/`] as const),
  ];
  const hints = { hints: { status: 'experimental' } };
  return {
    resources: {
      ...Object.fromEntries(all.map(([rel, path, param]) => [rel, entry(prefix + path, param)])),
      ...Object.fromEntries(EXPERIMENTAL.map(([rel, path]) => [REL + rel, { ...entry(prefix + path), ...hints }])),
    },
  };
}
