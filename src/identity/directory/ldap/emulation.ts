// [ldap] user_enabled_emulation: the members of one group are the enabled users.
import type { LdapSettings } from '../domain-settings/index.ts';
import { away } from './away.ts';
import { dnKey } from './dn.ts';
import type { DirectoryUser } from './entries.ts';
import { equals } from './filters.ts';
import type { Searches } from './search.ts';

/** Undefined when it is off. */
export function createEmulation(ldap: LdapSettings, domainId: string, userTree: string, { few, valuesAt }: Searches) {
  if (!ldap.userEnabledEmulation || ldap.userAttributeIgnore.includes('enabled')) return undefined;
  const asGroups = ldap.userEnabledEmulationUseGroupConfig;
  const base = ldap.userEnabledEmulationDn ?? `cn=enabled_users,${userTree}`;
  const objectClass = asGroups ? ldap.groupObjectclass : 'groupOfNames';
  const attribute = asGroups ? ldap.groupMemberAttribute : 'member';
  const areIds = asGroups && ldap.groupMembersAreIds;

  return {
    /** For many users: reads the members once. Fails when the group does not exist: everybody would be disabled. */
    async read(): Promise<(user: DirectoryUser) => boolean> {
      const values = await valuesAt(base, equals('objectClass', objectClass), attribute);
      if (!values) throw away(domainId, new Error('user_enabled_emulation_dn does not exist'));
      const members = new Set(values.map((member) => (areIds ? member : dnKey(member))));
      return (user) => members.has(areIds ? user.localId : dnKey(user.dn));
    },

    async isEnabled(user: Pick<DirectoryUser, 'localId' | 'dn'>): Promise<boolean> {
      const filter = equals(attribute, areIds ? user.localId : user.dn);
      return (await few({ base, filter, attributes: ['1.1'], scope: 'base' })).length > 0;
    },
  };
}
