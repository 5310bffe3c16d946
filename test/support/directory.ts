// The settings of a directory that the tests start, and what is in it.

import { readDomainFile } from '../../src/identity/directory/domain-settings/files.ts';
import type { DomainSettings, LdapSettings } from '../../src/identity/directory/domain-settings/index.ts';
import { identitySettings } from '../../src/identity/ground/settings/index.ts';
import { load } from '../../src/platform/config/index.ts';
import { type Attributes, dnOf, GROUPS, group, groupDn, PEOPLE, person, READER, SUFFIX } from './slapd.ts';

/** The settings of an [ldap] section for such a server; `more` over them. */
export function ldapOptions(url: string, more: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return {
    url,
    user: READER.dn,
    password: READER.password,
    suffix: SUFFIX,
    query_scope: 'sub',
    page_size: '200',
    user_tree_dn: PEOPLE,
    user_id_attribute: 'uid',
    user_name_attribute: 'sn',
    user_additional_attribute_mapping: 'telephoneNumber:phone',
    group_tree_dn: GROUPS,
    group_id_attribute: 'cn',
    group_name_attribute: 'cn',
    connection_timeout: '2',
    pool_retry_max: '1',
    ...more,
  };
}

/** The same as the lines of a file. */
export function ldapSection(url: string, more: Readonly<Record<string, string>> = {}): string {
  const values = ldapOptions(url, more);
  return `[ldap]\n${Object.entries(values)
    .filter(([, value]) => value !== '')
    .map(([key, value]) => `${key} = ${value}\n`)
    .join('')}`;
}

/** What the file of a domain says. */
export const domainSettingsIn = (text: string): DomainSettings =>
  readDomainFile('keystone.test.conf', text, load(identitySettings, {}));

export const ldapSettings = (url: string, more: Readonly<Record<string, string>> = {}): LdapSettings =>
  domainSettingsIn(ldapSection(url, more)).ldap;

/** Groups within groups, one circle among them: alice is in inner, inner in middle, middle in outer, outer in inner. */
export const ENTRIES: Readonly<Record<string, Attributes>> = {
  [dnOf('alice')]: person('alice', { telephoneNumber: '+34 600', description: 'Somebody' }),
  [dnOf('bob')]: person('bob', { userPassword: [] }),
  [dnOf('Zoë, the (first)*')]: person('Zoë, the (first)*', { userPassword: 'a password' }),
  [dnOf('twin1')]: person('twin1', { sn: 'twin' }),
  [dnOf('twin2')]: person('twin2', { sn: 'twin' }),
  [groupDn('inner')]: group('inner', ['UID=Alice, ou=people,dc=example,dc=org', groupDn('outer')]),
  [groupDn('middle')]: group('middle', [groupDn('inner')]),
  [groupDn('outer')]: group('outer', [groupDn('middle'), dnOf('bob')], { description: 'All of them' }),
  [groupDn('others')]: group('others', [dnOf('bob'), dnOf('gone')]),
};
