// [ldap] user_enabled_emulation: the members of one group are the enabled users.
import type { LdapSettings } from '../domain-settings/index.ts';
import { dnKey } from './dn.ts';
import { type DirectoryUser, valuesOf } from './entries.ts';
import { equals } from './filters.ts';
import type { Searches } from './search.ts';

/** Undefined when it is off. */
export function createEmulation(ldap: LdapSettings, userTree: string, { few }: Searches) {
  if (!ldap.userEnabledEmulation || ldap.userAttributeIgnore.includes('enabled')) return undefined;
  const asGroups = ldap.userEnabledEmulationUseGroupConfig;
  const base = ldap.userEnabledEmulationDn ?? `cn=enabled_users,${userTree}`;
  const objectClass = asGroups ? ldap.groupObjectclass : 'groupOfNames';
  const attribute = asGroups ? ldap.groupMemberAttribute : 'member';
  const areIds = asGroups && ldap.groupMembersAreIds;
  const scope = 'base' as const;

  return {
    /** For many users: reads the members once. */
    async read(): Promise<(user: DirectoryUser) => boolean> {
      const [entry] = await few({ base, filter: equals('objectClass', objectClass), attributes: [attribute], scope });
      const members = new Set((entry ? valuesOf(entry, attribute) : []).map((member) => (areIds ? member : dnKey(member))));
      return (user) => members.has(areIds ? user.localId : dnKey(user.dn));
    },

    async isEnabled(user: DirectoryUser): Promise<boolean> {
      const filter = equals(attribute, areIds ? user.localId : user.dn);
      return (await few({ base, filter, attributes: ['1.1'], scope })).length > 0;
    },
  };
}
