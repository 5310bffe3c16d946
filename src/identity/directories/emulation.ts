// Accounts that are open because they are members of one group ([ldap] user_enabled_emulation).
import type { LdapSettings } from '../domain-settings/index.ts';
import { dnKey } from './dn.ts';
import { type DirectoryUser, valuesOf } from './entries.ts';
import { equals } from './filters.ts';
import type { Searches } from './search.ts';

/** Undefined where entries say for themselves whether they are open. */
export function createEmulation(ldap: LdapSettings, userTree: string, { few }: Searches) {
  if (!ldap.userEnabledEmulation || ldap.userAttributeIgnore.includes('enabled')) return undefined;
  const asGroups = ldap.userEnabledEmulationUseGroupConfig;
  const base = ldap.userEnabledEmulationDn ?? `cn=enabled_users,${userTree}`;
  const objectClass = asGroups ? ldap.groupObjectclass : 'groupOfNames';
  const attribute = asGroups ? ldap.groupMemberAttribute : 'member';
  const areIds = asGroups && ldap.groupMembersAreIds;
  const scope = 'base' as const;

  return {
    /** For many users: who is in the group now. */
    async read(): Promise<(user: DirectoryUser) => boolean> {
      const [entry] = await few({ base, filter: equals('objectClass', objectClass), attributes: [attribute], scope });
      const members = new Set((entry ? valuesOf(entry, attribute) : []).map((member) => (areIds ? member : dnKey(member))));
      return (user) => members.has(areIds ? user.localId : dnKey(user.dn));
    },

    async isOpen(user: DirectoryUser): Promise<boolean> {
      const filter = equals(attribute, areIds ? user.localId : user.dn);
      return (await few({ base, filter, attributes: ['1.1'], scope })).length > 0;
    },
  };
}
