// [ldap]: the directory of a domain, with Keystone's names and defaults. Differences are in the descriptions.
import { X509Certificate } from 'node:crypto';
import { setting } from '../../../platform/config/index.ts';

const seconds = { min: 1, max: 86_400, unit: 'seconds' };
const connections = { min: 1, max: 1000, unit: 'connections' };

const list = (key: string, fallback: readonly string[], about: string) => ({ ...setting.list(key, about), fallback });

/** -1 means no limit in Keystone, and the default here. */
const timeout = (key: string, about: string) =>
  setting.custom<number>(key, 10, 'seconds', about, (text) => {
    if (text === '-1') return 10;
    if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > 3600)
      throw new Error(`must be a whole number from 1 to 3600 (seconds), not "${text}"`);
    return Number(text);
  });

const servers = (text: string): readonly string[] => {
  const urls = text
    .split(',')
    .map((url) => url.trim())
    .filter(Boolean);
  for (const url of urls)
    if (!URL.canParse(url) || !/^ldaps?:$/.test(new URL(url).protocol) || new URL(url).hostname === '')
      throw new Error(`must be addresses as ldap://host or ldaps://host:636, separated by commas, not "${url}"`);
  if (urls.length === 0) throw new Error('must be at least one address');
  return urls;
};

/** One after the other, as in a file of certificates. */
function certificates(text: string): string | undefined {
  if (text.trim() === '') return undefined;
  const found = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new Error('must be certificates that begin with -----BEGIN CERTIFICATE-----');
  for (const [at, pem] of found.entries())
    try {
      new X509Certificate(pem);
    } catch {
      throw new Error(`must be certificates, which number ${at + 1} of them is not`);
    }
  return found.join('\n');
}

const FIELDS = [
  'id',
  'name',
  'domain_id',
  'enabled',
  'email',
  'description',
  'default_project_id',
  'password',
  'password_expires_at',
  'original_password',
  'options',
  'links',
];

interface Mapped {
  readonly ldap: string;
  readonly name: string;
}

/** `ldap attribute:attribute of the API` */
const mapping = (key: string, about: string) =>
  setting.custom<readonly Mapped[]>(
    key,
    [],
    'comma-separated list',
    about,
    (text) =>
      text
        .split(',')
        .map((pair) => pair.trim())
        .filter(Boolean)
        .map((pair) => {
          const [, ldap, name] = /^([\w;.-]+):(\w+)$/.exec(pair) ?? [];
          if (!ldap || !name) throw new Error(`must be pairs as telephoneNumber:phone, separated by commas, not "${pair}"`);
          if (FIELDS.includes(name)) throw new Error(`cannot give ${name}, which has a meaning of its own`);
          return { ldap, name };
        }),
    false,
    (pairs) => pairs.map(({ ldap, name }) => `${ldap}:${name}`).join(','),
  );

const attribute = (key: string, fallback: string, about: string) =>
  setting.custom<string>(key, fallback, 'attribute', about, attributeName);
const optionalAttribute = (key: string, about: string) =>
  setting.custom<string | undefined>(key, undefined, 'attribute', about, (text) =>
    text === '' ? undefined : attributeName(text),
  );

/** Names are used in filters, so they are checked (RFC 4512, section 2.5). */
function attributeName(text: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9.;-]*$/.test(text)) throw new Error(`must be the name of an attribute, not "${text}"`);
  return text;
}

const objectClass = (key: string, fallback: string, about: string) =>
  setting.custom<string>(key, fallback, 'object class', about, (text) => {
    if (!/^[A-Za-z0-9][A-Za-z0-9.-]*$/.test(text)) throw new Error(`must be the name of an object class, not "${text}"`);
    return text;
  });

const filter = (key: string, about: string) =>
  setting.custom<string | undefined>(key, undefined, 'LDAP filter', about, (text) => {
    if (text !== '' && !/^\(.*\)$/s.test(text))
      throw new Error('must be a filter in brackets, as (memberOf=cn=staff,dc=example)');
    return text || undefined;
  });

export const ldapSection = {
  url: setting.custom<readonly string[]>(
    'url',
    ['ldap://localhost'],
    'ldap(s):// URLs',
    'Servers, separated by commas; the first that answers is used.',
    servers,
  ),
  randomizeUrls: setting.flag('randomize_urls', false, 'Each process tries the servers in an order of its own.'),
  user: setting.optionalText('user', 'DN the service binds as to search; anonymous when unset.'),
  password: setting.secret('password', 'Password of that DN.'),
  suffix: setting.text(
    'suffix',
    'cn=example,cn=com',
    'Base DN of the trees of users and groups, unless user_tree_dn and group_tree_dn are set.',
  ),
  queryScope: setting.choice('query_scope', 'one', ['one', 'sub'], 'How deep a search goes below a tree.'),
  pageSize: setting.number(
    'page_size',
    500,
    { min: 0, max: 10_000, unit: 'entries' },
    'Entries in one page of search results; 0 turns paging off, and many servers then return only some of the entries.',
  ),
  aliasDereferencing: setting.custom<'never'>(
    'alias_dereferencing',
    'never',
    'never or default',
    'Aliases are never followed, whatever the value.',
    (text) => {
      if (text === 'never' || text === 'default') return 'never';
      throw new Error(`must be never or default, not "${text}": aliases are not followed`);
    },
  ),
  debugLevel: setting.optionalText('debug_level', 'Accepted but ignored: it is for the C library that Keystone uses.'),
  chaseReferrals: setting.custom<false>(
    'chase_referrals',
    false,
    'off',
    'Referrals to other servers are never followed: any answer could send the password to another server. Name all servers in url.',
    (text) => {
      if (/^(on|true|1|yes)$/i.test(text)) throw new Error('cannot be on: referrals are not followed; name the servers in url');
      if (/^(off|false|0|no|)$/i.test(text)) return false;
      throw new Error(`must be off, not "${text}"`);
    },
  ),

  userTreeDn: setting.optionalText('user_tree_dn', 'Where users are; `ou=Users` below the suffix when unset.'),
  userFilter: filter('user_filter', 'LDAP filter that the entries of users match, in addition to their object class.'),
  userObjectclass: objectClass('user_objectclass', 'inetOrgPerson', 'Class of a user.'),
  userIdAttribute: attribute('user_id_attribute', 'cn', 'Attribute that tells users apart and never changes.'),
  userUniqueIdAttribute: optionalAttribute(
    'user_unique_id_attribute',
    'Attribute whose values are never reused. By it the service notices that an id now belongs to another person. When unset: `entryUUID`, `objectGUID`, `nsUniqueId` or `ipaUniqueID`, whichever an entry has. If the directory never reuses ids, set it to the attribute in `user_id_attribute`.',
  ),
  userNameAttribute: attribute('user_name_attribute', 'sn', 'Attribute people log in by.'),
  userDescriptionAttribute: attribute('user_description_attribute', 'description', 'Attribute shown as `description`.'),
  userMailAttribute: attribute('user_mail_attribute', 'mail', 'Attribute shown as `email`.'),
  userPassAttribute: attribute('user_pass_attribute', 'userPassword', 'Never read: the directory checks passwords itself.'),
  userEnabledAttribute: attribute('user_enabled_attribute', 'enabled', 'Attribute that says whether an account is enabled.'),
  userEnabledInvert: setting.flag('user_enabled_invert', false, 'Inverts that attribute: true means disabled.'),
  userEnabledMask: setting.number(
    'user_enabled_mask',
    0,
    { min: 0, max: 2_147_483_647, unit: 'bits' },
    'Bit of that attribute, a number, that means disabled; 2 for Active Directory, 0 if the attribute is True or False.',
  ),
  userEnabledDefault: setting.text(
    'user_enabled_default',
    'True',
    'What an entry without the attribute is taken for; 512 for Active Directory.',
  ),
  userAttributeIgnore: list(
    'user_attribute_ignore',
    ['default_project_id'],
    'Attributes of the API that are not taken from entries.',
  ),
  userDefaultProjectIdAttribute: optionalAttribute(
    'user_default_project_id_attribute',
    'Attribute shown as `default_project_id`, when it is not ignored.',
  ),
  userEnabledEmulation: setting.flag('user_enabled_emulation', false, 'Only the members of one group are enabled.'),
  userEnabledEmulationDn: setting.optionalText(
    'user_enabled_emulation_dn',
    'DN of that group; `cn=enabled_users` below the tree of users when unset.',
  ),
  userEnabledEmulationUseGroupConfig: setting.flag(
    'user_enabled_emulation_use_group_config',
    false,
    'That group has the object class and the member attribute of other groups. Off: `groupOfNames` and `member`.',
  ),
  userAdditionalAttributeMapping: mapping(
    'user_additional_attribute_mapping',
    'Further attributes: pairs of the LDAP attribute and its name in the API, such as `telephoneNumber:phone`.',
  ),

  groupTreeDn: setting.optionalText('group_tree_dn', 'Where groups are; `ou=UserGroups` below the suffix when unset.'),
  groupFilter: filter('group_filter', 'LDAP filter that the entries of groups match, in addition to their object class.'),
  groupObjectclass: objectClass('group_objectclass', 'groupOfNames', 'Class of a group.'),
  groupIdAttribute: attribute('group_id_attribute', 'cn', 'Attribute that tells groups apart and never changes.'),
  groupNameAttribute: attribute('group_name_attribute', 'ou', 'Attribute shown as `name`.'),
  groupMemberAttribute: attribute('group_member_attribute', 'member', 'Attribute with the members.'),
  groupMembersAreIds: setting.flag('group_members_are_ids', false, 'Members are given by their ids, not by their DNs.'),
  groupDescAttribute: attribute('group_desc_attribute', 'description', 'Attribute shown as `description`.'),
  groupAttributeIgnore: list('group_attribute_ignore', [], 'Attributes of the API that are not taken from entries.'),
  groupAdditionalAttributeMapping: mapping('group_additional_attribute_mapping', 'The same for groups.'),
  groupAdNesting: setting.flag(
    'group_ad_nesting',
    false,
    'The server resolves nested groups, by the matching rule of Active Directory (LDAP_MATCHING_RULE_IN_CHAIN). Off: the service follows them group by group.',
  ),

  tlsCacertfile: setting.optionalText(
    'tls_cacertfile',
    'CA certificates (PEM) to verify the servers with; those of the system when unset.',
  ),
  tlsCacertdir: setting.optionalText('tls_cacertdir', 'Folder of such files.'),
  tlsCacert: setting.custom<string | undefined>(
    'tls_cacert',
    undefined,
    'certificates (PEM)',
    'Such certificates themselves, for a directory that is connected while the service runs.',
    certificates,
  ),
  useTls: setting.flag('use_tls', false, 'StartTLS on ldap:// servers, before anything is said.'),
  tlsReqCert: setting.choice(
    'tls_req_cert',
    'demand',
    ['demand', 'never', 'allow'],
    'Whether the certificate of a server must be valid. `never` and `allow` accept any certificate: for tests.',
  ),
  connectionTimeout: timeout(
    'connection_timeout',
    'How long to wait for a connection to a server, and for each answer; -1 means 10.',
  ),

  usePool: setting.flag('use_pool', true, 'Keep connections for searches open and reuse them.'),
  poolSize: setting.number('pool_size', 10, connections, 'How many searches run at the same time.'),
  poolRetryMax: setting.number(
    'pool_retry_max',
    3,
    { min: 1, max: 100, unit: 'attempts' },
    'How many times all servers are tried, within connection_timeout.',
  ),
  poolRetryDelay: setting.custom<number>('pool_retry_delay', 0.1, 'seconds', 'Pause between these attempts.', (text) => {
    if (!/^\d{1,2}(\.\d+)?$/.test(text)) throw new Error(`must be a number of seconds below 100, not "${text}"`);
    return Number(text);
  }),
  poolConnectionTimeout: setting.custom<number | undefined>(
    'pool_connection_timeout',
    undefined,
    'seconds',
    'How long a search waits for a free connection; -1 or unset: connection_timeout.',
    (text) => (text === '-1' ? undefined : timeout('', '').read(text)),
  ),
  poolConnectionLifetime: setting.number('pool_connection_lifetime', 600, seconds, 'Age at which a kept connection is closed.'),
  useAuthPool: setting.flag('use_auth_pool', true, 'Accepted but ignored: a connection that checked a password is not reused.'),
  authPoolSize: setting.number('auth_pool_size', 100, connections, 'How many passwords are checked at the same time.'),
  authPoolConnectionLifetime: setting.number('auth_pool_connection_lifetime', 60, seconds, 'Accepted but ignored.'),
} as const;
