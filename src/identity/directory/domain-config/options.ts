// Which options a domain can have. Keystone names each of them, too, so that a new one is not settable by accident.

import { fail } from '../../ground/faults.ts';
import type { IdentityConfig } from '../../ground/settings/index.ts';
import { sectionsWith } from '../domain-settings/index.ts';

export const GROUPS = {
  identity: ['driver', 'list_limit'],
  ldap: [
    ...['url', 'user', 'suffix', 'query_scope', 'page_size', 'alias_dereferencing', 'debug_level', 'chase_referrals'],
    ...['user_tree_dn', 'user_filter', 'user_objectclass', 'user_id_attribute', 'user_name_attribute', 'user_mail_attribute'],
    ...['user_description_attribute', 'user_pass_attribute', 'user_enabled_attribute', 'user_enabled_invert'],
    ...['user_enabled_mask', 'user_enabled_default', 'user_attribute_ignore', 'user_default_project_id_attribute'],
    ...['user_enabled_emulation', 'user_enabled_emulation_dn', 'user_enabled_emulation_use_group_config'],
    ...['user_additional_attribute_mapping', 'group_tree_dn', 'group_filter', 'group_objectclass', 'group_id_attribute'],
    ...['group_name_attribute', 'group_members_are_ids', 'group_member_attribute', 'group_desc_attribute'],
    ...['group_attribute_ignore', 'group_additional_attribute_mapping', 'tls_cacertfile', 'tls_cacertdir', 'use_tls'],
    ...['tls_req_cert', 'use_pool', 'pool_size', 'pool_retry_max', 'pool_retry_delay', 'pool_connection_timeout'],
    ...['pool_connection_lifetime', 'use_auth_pool', 'auth_pool_size', 'auth_pool_connection_lifetime'],
  ],
} as const satisfies Record<string, readonly string[]>;
type Group = keyof typeof GROUPS;

/** Stored sealed, and never shown. */
const SECRET: Readonly<Record<Group, readonly string[]>> = { identity: [], ldap: ['password'] };

const isGroup = (group: string): group is Group => Object.hasOwn(GROUPS, group);
const isShown = (group: Group, option: string): boolean => (GROUPS[group] as readonly string[]).includes(option);
export const isSecret = (group: string, option: string): boolean => isGroup(group) && SECRET[group].includes(option);

export const invalid = (why: string): never => fail('domain_config.invalid', { why });

/** What a path names. */
export interface ConfigPart {
  readonly group?: string | undefined;
  readonly option?: string | undefined;
}

export function checkPart({ group, option }: ConfigPart): void {
  if (group === undefined) return;
  if (!isGroup(group)) invalid(`Group ${group} is not supported for domain specific configurations`);
  else if (option !== undefined && !isShown(group, option) && !isSecret(group, option))
    invalid(`Option ${option} in group ${group} is not supported for domain specific configurations`);
}

export interface ConfigOption {
  readonly group: string;
  readonly option: string;
  readonly value: unknown;
}

/** `{ ldap: { url: ... } }` as a list of options, all of which can be set. */
export function readOptions(config: Readonly<Record<string, unknown>>): ConfigOption[] {
  const groups = Object.entries(config);
  if (groups.length === 0) invalid('No options specified');
  return groups.flatMap(([group, options]) => {
    if (typeof options !== 'object' || options === null || Array.isArray(options) || Object.keys(options).length === 0)
      return invalid(`The value of group ${group} specified in the config should be a dictionary of options`);
    return Object.entries(options as Record<string, unknown>).map(([option, value]) => {
      checkPart({ group, option });
      return { group, option, value };
    });
  });
}

/** As the path asks: all groups, one group, or an option alone. */
export function configOf(options: readonly ConfigOption[], { option }: ConfigPart): Record<string, unknown> {
  if (option !== undefined) return { [option]: options[0]?.value };
  const byGroup = Map.groupBy(options, ({ group }) => group);
  return Object.fromEntries(
    [...byGroup].map(([group, all]) => [group, Object.fromEntries(all.map((one) => [one.option, one.value]))]),
  );
}

/** Keystone has the addresses of a directory as one text, with commas. */
const asKeystone = (option: string, value: unknown): unknown =>
  option === 'url' && Array.isArray(value) ? value.join(',') : value;

/** What is in force where a domain's file says nothing; null where this service has no such option. */
export function defaultOptions(config: IdentityConfig, part: ConfigPart): ConfigOption[] {
  checkPart(part);
  if (part.group !== undefined && part.option !== undefined && isSecret(part.group, part.option))
    invalid(`Reading the default for option ${part.option} in group ${part.group} is not supported`);
  const sections = sectionsWith(config);
  return (Object.keys(GROUPS) as Group[])
    .filter((group) => part.group === undefined || part.group === group)
    .flatMap((group) => {
      const known = new Map(Object.values(sections[group]).map(({ key, fallback }) => [key, asKeystone(key, fallback)]));
      return GROUPS[group]
        .filter((option) => part.option === undefined || part.option === option)
        .map((option) => ({ group, option, value: known.get(option) ?? null }));
    });
}
