// Maps modules of tempest to parts of the API, and knows which parts this version does not serve.

/** Modules of `tempest.api.identity` that test a part of the API this version does not serve. */
const NOT_SERVED: Readonly<Record<string, string>> = {
  'admin.v3.test_application_credentials': 'application credentials',
  'v3.test_application_credentials': 'application credentials',
  'v3.test_access_rules': 'access rules',
  'v3.test_ec2_credentials': 'EC2 credentials',
  'admin.v3.test_domain_configuration': 'domain configuration',
  'admin.v3.test_endpoint_groups': 'endpoint groups',
  'admin.v3.test_oauth_consumers': 'OAUTH1 consumers',
  'admin.v3.test_policies': 'policies',
  'admin.v3.test_trusts': 'trusts',
};

/** The name of the part if it is not served, else undefined. */
export const notServed = (module: string): string | undefined => NOT_SERVED[module];

/** `tempest.api.identity.admin.v3.test_users.UsersV3TestJSON.test_x`, or the class alone, belongs to the module `admin.v3.test_users`. */
export function moduleOf(name: string): string {
  const parts = name.split('.').slice(3);
  return parts.slice(0, parts.findIndex((part) => part.startsWith('test_')) + 1).join('.');
}
