// Where our rules differ from those of Keystone on purpose.

/** Rules of Keystone by names that we do not have. Others have the same name. */
export const OTHER_NAMES: Readonly<Record<string, string>> = {
  'identity:get_domain_role': 'identity:get_role',
  'identity:list_domain_roles': 'identity:list_roles',
  'identity:create_domain_role': 'identity:create_role',
  'identity:update_domain_role': 'identity:update_role',
  'identity:delete_domain_role': 'identity:delete_role',
  ...Object.fromEntries(
    ['user', 'group'].flatMap((actor) =>
      ['list_system_grants', 'check_system_grant', 'create_system_grant', 'revoke_system_grant'].map((name) => [
        `identity:${name}_for_${actor}`,
        `identity:${name}`,
      ]),
    ),
  ),
  'identity:list_trusts_for_trustor': 'identity:list_trusts',
  'identity:list_trusts_for_trustee': 'identity:list_trusts',
};

/** Rules that no route of Keystone asks any more. */
export const UNUSED: readonly string[] = [
  'identity:list_projects_for_user',
  'identity:list_domains_for_user',
  'identity:revocation_list',
];

export const DIFFERENCES: readonly { readonly rule: RegExp; readonly place?: string; readonly why: string }[] = [
  {
    rule: /^identity:(list|get|delete)_access_token\w*$/,
    why: 'Keystone lets administrators of any project manage the OAuth1 tokens of everybody. Here their user does, and administrators of the system.',
  },
  {
    rule: /^identity:list_role_assignments$/,
    place: 'inProject',
    why: 'The project is known for lists of its tree only, for which Keystone asks its other rule.',
  },
  {
    rule: /^identity:list_trusts$/,
    place: 'self',
    why: 'Keystone has other rules for lists of one trustor or trustee. Ours is all three.',
  },
];
