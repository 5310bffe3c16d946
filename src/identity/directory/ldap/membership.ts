// Groups and their members, also through nested groups.
import type { Client, Entry, Filter } from 'ldapts';
import type { LdapSettings } from '../domain-settings/index.ts';
import { dnKey } from './dn.ts';
import { type DirectoryGroup, type DirectoryUser, groupAttributes, groupOf, userAttributes } from './entries.ts';
import { all, any, equals, idEquals, inChain, type Kinds } from './filters.ts';
import { IncompleteValues, type Listing, type Searches } from './search.ts';

/** Limits for walking up nested groups. */
const MOST_GROUPS = 2000;
const DEEPEST = 30;
/** Groups have long entries, so fewer of them are in a page. */
const GROUP_PAGE = 100;

export interface GroupWithMembers extends DirectoryGroup {
  /** DNs, or ids with group_members_are_ids. Undefined when the server did not return all of them. */
  readonly members: readonly string[] | undefined;
}

/** The groups of a user. `ambiguous`: their ids are those of other entries, too. */
export interface GroupsOfUser {
  readonly groups: readonly DirectoryGroup[];
  readonly ambiguous: readonly DirectoryGroup[];
}

interface Trees {
  readonly users: string;
  readonly groups: string;
}

export function createMembership(
  ldap: LdapSettings,
  trees: Trees,
  kinds: Kinds,
  searches: Searches,
  usersIn: (entries: readonly Entry[]) => readonly DirectoryUser[],
) {
  const { few, many, valuesInParts } = searches;
  const { groupMemberAttribute: attribute } = ldap;
  const attributes = [...groupAttributes(ldap), ...(ldap.groupAdNesting ? [] : [attribute])];

  const groupsIn = (entries: readonly Entry[]): DirectoryGroup[] =>
    entries.map((entry) => groupOf(entry, ldap)).filter((group) => group !== undefined);

  const groupsWhere = async (filter: Filter): Promise<DirectoryGroup[]> =>
    groupsIn(await few({ base: trees.groups, filter: all(kinds.group, filter), attributes: groupAttributes(ldap) }));

  const hasId = (id: string): Filter => idEquals(ldap.groupIdAttribute, id);

  /** The groups that fit one of the values. */
  const groupsFor = async (values: readonly string[], fits: (value: string) => Filter): Promise<DirectoryGroup[]> =>
    groupsIn(
      await searches.each(values, (some) => ({
        base: trees.groups,
        filter: all(kinds.group, any(some.map(fits))),
        attributes: groupAttributes(ldap),
      })),
    );

  /** Walks up level by level. Each group is visited once, so cycles end. */
  async function walkUp(user: DirectoryUser): Promise<DirectoryGroup[]> {
    const found = new Map<string, DirectoryGroup>();
    let level = [user.dn];
    for (let depth = 0; depth < DEEPEST && level.length > 0 && found.size < MOST_GROUPS; depth++) {
      const above: string[] = [];
      for (const group of await groupsFor(level, (dn) => equals(attribute, dn))) {
        const key = dnKey(group.dn);
        if (found.has(key)) continue;
        found.set(key, group);
        above.push(group.dn);
      }
      level = above;
    }
    return [...found.values()];
  }

  function groupsWith(user: DirectoryUser): Promise<DirectoryGroup[]> {
    if (ldap.groupMembersAreIds) return groupsWhere(equals(attribute, user.localId));
    // The rule is defined for this attribute, whatever group_member_attribute is.
    return ldap.groupAdNesting ? groupsWhere(inChain('member', user.dn)) : walkUp(user);
  }

  /** Whoever may create entries somewhere in the tree could create a second group with the id of one that has roles. */
  async function ambiguousIds(groups: readonly DirectoryGroup[]): Promise<Set<string>> {
    const entries = new Map<string, Set<string>>();
    const note = ({ localId, dn }: DirectoryGroup) => {
      const dns = entries.get(localId) ?? new Set();
      entries.set(localId, dns.add(dnKey(dn)));
    };
    groups.forEach(note);
    (await groupsFor([...entries.keys()], hasId)).forEach(note);
    return new Set([...entries].filter(([, dns]) => dns.size > 1).map(([id]) => id));
  }

  /** A group whose members cannot be read does not keep the others from being read. */
  async function membersIn(client: Client, entry: Entry): Promise<string[] | undefined> {
    try {
      return await valuesInParts(client, entry, attribute);
    } catch (error) {
      if (error instanceof IncompleteValues) return undefined;
      throw error;
    }
  }

  async function withMembers(entries: readonly Entry[], client: Client): Promise<GroupWithMembers[]> {
    const groups: GroupWithMembers[] = [];
    for (const entry of entries) {
      const group = groupOf(entry, ldap);
      if (group) groups.push({ ...group, members: ldap.groupAdNesting ? [] : await membersIn(client, entry) });
    }
    return groups;
  }

  return {
    async findGroupByName(name: string): Promise<DirectoryGroup | undefined> {
      const groups = await groupsWhere(equals(ldap.groupNameAttribute, name));
      return groups.length === 1 ? groups[0] : undefined;
    },

    async groupsOf(user: DirectoryUser): Promise<GroupsOfUser> {
      const groups = await groupsWith(user);
      const twice = await ambiguousIds(groups);
      const isAmbiguous = ({ localId }: DirectoryGroup) => twice.has(localId);
      return { groups: groups.filter((group) => !isAmbiguous(group)), ambiguous: groups.filter(isAmbiguous) };
    },

    /** All groups, in pages, with the members in their entries; without members when memberIdsInChain is used. */
    groups(each: (groups: GroupWithMembers[]) => Promise<void>, signal?: AbortSignal): Promise<Listing> {
      const search = { base: trees.groups, filter: kinds.group, attributes };
      const options = { pageSize: GROUP_PAGE, signal };
      return many(search, async (entries, client) => each(await withMembers(entries, client)), options);
    },

    /** The groups with these ids. Fails unless the answer is complete. */
    groupsById: (ids: readonly string[]): Promise<GroupWithMembers[]> =>
      searches.onOwnConnection(async (client) => {
        const searchFor = (some: readonly string[]) => {
          const filter = all(kinds.group, any(some.map(hasId)));
          return { base: trees.groups, filter, attributes, baseMustExist: true };
        };
        return withMembers(await searches.eachFrom(client, ids, searchFor), client);
      }),

    /** The ids of all members, by Active Directory's rule for nested groups. */
    async memberIdsInChain({ dn }: DirectoryGroup, signal?: AbortSignal): Promise<Listing & { readonly ids: readonly string[] }> {
      const ids = new Set<string>();
      const search = { base: trees.users, filter: all(kinds.user, inChain('memberOf', dn)), attributes: userAttributes(ldap) };
      const listing = await many(
        search,
        async (entries) => {
          for (const { localId } of usersIn(entries)) ids.add(localId);
        },
        { signal },
      );
      return { ...listing, ids: [...ids] };
    },
  };
}
