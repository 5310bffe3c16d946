// The modules of tempest, and the parts of the API that this version does not serve.

/** Modules that test a part of the API this version does not serve. */
export const NOT_SERVED: Readonly<Record<string, string>> = {
  'plugin.v3.test_service_providers': 'service providers',
};

/** `tempest.api.identity.admin.v3.test_users.UsersV3TestJSON.test_x`, or the class alone, belongs to the module `admin.v3.test_users`; of the plugin to `plugin.v3.test_...` or `rbac.v3.test_...`. */
export function moduleOf(name: string): string {
  const parts = name
    .replace(/^keystone_tempest_plugin\.tests\.api\.identity\./, 'tempest.api.identity.plugin.')
    .replace(/^keystone_tempest_plugin\.tests\.rbac\./, 'tempest.api.identity.rbac.')
    .split('.')
    .slice(3);
  return parts.slice(0, parts.findIndex((part) => part.startsWith('test_')) + 1).join('.');
}
