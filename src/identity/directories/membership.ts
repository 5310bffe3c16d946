// Who is in which group of a directory, also through other groups.
import type { Client, Entry, Filter } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { dnKey } from './dn.ts';
import {
  type DirectoryGroup,
  type DirectoryUser,
  groupAttributes,
  groupOf,
  userAttributes,
  userOf,
  valuesOf,
} from './entries.ts';
import { all, any, equals, inChain, type Kinds } from './filters.ts';
import type { Listing, Searches } from './search.ts';

/** So many groups of one user are looked at, through so many levels: more is a mistake. */
const MOST_GROUPS = 2000;
const DEEPEST = 30;
/** Names in one filter. */
const AT_ONCE = 50;

export interface GroupWithMembers extends DirectoryGroup {
  /** As the entry has them: DNs, or ids where the settings say so. */
  readonly members: readonly string[];
}

interface Trees {
  readonly users: string;
  readonly groups: string;
}

export function createMembership(ldap: LdapSettings, trees: Trees, kinds: Kinds, { few, fewFrom, many }: Searches) {
  const { groupMemberAttribute: attribute } = ldap;

  const groupsWhere = async (filter: Filter): Promise<DirectoryGroup[]> =>
    (await few({ base: trees.groups, filter: all(kinds.group, filter), attributes: groupAttributes(ldap) }))
      .map((entry) => groupOf(entry, ldap))
      .filter((group) => group !== undefined);

  /** From the user up, level by level. A group that was seen is not gone up from again, so circles end. */
  async function walkUp(user: DirectoryUser): Promise<DirectoryGroup[]> {
    const found = new Map<string, DirectoryGroup>();
    let level = [user.dn];
    for (let depth = 0; depth < DEEPEST && level.length > 0 && found.size < MOST_GROUPS; depth++) {
      const above: string[] = [];
      for (let at = 0; at < level.length; at += AT_ONCE) {
        const members = level.slice(at, at + AT_ONCE).map((dn) => equals(attribute, dn));
        for (const group of await groupsWhere(any(members))) {
          const key = dnKey(group.dn);
          if (found.has(key)) continue;
          found.set(key, group);
          above.push(group.dn);
        }
      }
      level = above;
    }
    return [...found.values()];
  }

  const rangeIn = (entry: Entry): string | undefined =>
    Object.keys(entry).find((name) => name.toLowerCase().startsWith(`${attribute.toLowerCase()};range=`));

  /** Active Directory gives at most 1,500 values at once, under a name that says which. */
  async function membersIn(client: Client, entry: Entry): Promise<string[]> {
    const members = valuesOf(entry, attribute);
    let part: Entry | undefined = entry;
    for (let range = rangeIn(entry); part && range !== undefined; range = part && rangeIn(part)) {
      members.push(...valuesOf(part, range));
      const last = /range=\d+-(\d+)$/i.exec(range)?.[1];
      if (last === undefined) break;
      const attributes = [`${attribute};range=${Number(last) + 1}-*`];
      [part] = await fewFrom(client, { base: entry.dn, filter: kinds.group, attributes, scope: 'base' });
    }
    return members;
  }

  return {
    async findGroupByName(name: string): Promise<DirectoryGroup | undefined> {
      const groups = await groupsWhere(equals(ldap.groupNameAttribute, name));
      return groups.length === 1 ? groups[0] : undefined;
    },

    groupsOf(user: DirectoryUser): Promise<DirectoryGroup[]> {
      if (ldap.groupMembersAreIds) return groupsWhere(equals(attribute, user.localId));
      // The rule goes by this attribute, whatever the groups call theirs.
      return ldap.groupAdNesting ? groupsWhere(inChain('member', user.dn)) : walkUp(user);
    },

    /** Every group, some at a time, with the members that stand in its entry; none where the server is asked for them instead. */
    groups(each: (groups: GroupWithMembers[]) => Promise<void>): Promise<Listing> {
      const attributes = [...groupAttributes(ldap), ...(ldap.groupAdNesting ? [] : [attribute])];
      return many({ base: trees.groups, filter: kinds.group, attributes }, async (entries, client) => {
        const groups: GroupWithMembers[] = [];
        for (const entry of entries) {
          const group = groupOf(entry, ldap);
          if (group) groups.push({ ...group, members: ldap.groupAdNesting ? [] : await membersIn(client, entry) });
        }
        await each(groups);
      });
    },

    /** The ids of all who are in a group, as Active Directory knows them. */
    async memberIdsInChain({ dn }: DirectoryGroup): Promise<Listing & { readonly ids: readonly string[] }> {
      const ids = new Set<string>();
      const filter = all(kinds.user, inChain('memberOf', dn));
      const listing = await many({ base: trees.users, filter, attributes: userAttributes(ldap) }, async (entries) => {
        for (const entry of entries) {
          const user = userOf(entry, ldap);
          if (user) ids.add(user.localId);
        }
      });
      return { ...listing, ids: [...ids] };
    },
  };
}
