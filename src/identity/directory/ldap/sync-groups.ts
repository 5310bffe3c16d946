// Copies the groups of a directory and their members into rows.
import { chunksOf } from './chunks.ts';
import { presentGroups } from './directories.store.ts';
import { dnKey } from './dn.ts';
import type { GroupWithMembers } from './membership.ts';
import { byUniqueId, type SyncDeps, type SyncRun, TWICE, type UserIds } from './sync-run.ts';
import type { MappedDomain } from './write-user.rules.ts';
import { AT_ONCE } from './writing.ts';

/** More members than all groups of a directory have together: they are kept in memory. */
const MOST_MEMBERS = 5_000_000;

/** Members of a group, also through nested groups. Each group is visited once, so cycles end. Undefined when those of one are not known. */
function membersThrough(
  group: GroupWithMembers,
  groups: ReadonlyMap<string, GroupWithMembers>,
  users: ReadonlyMap<string, string>,
): Set<string> | undefined {
  const members = new Set<string>();
  const seen = new Set<string>([dnKey(group.dn)]);
  for (const open = [group]; open.length > 0; ) {
    const named = open.pop()!.members;
    if (!named) return undefined;
    for (const member of named) {
      const key = dnKey(member);
      const user = users.get(key);
      if (user !== undefined) members.add(user);
      const inner = groups.get(key);
      if (inner && !seen.has(key)) {
        seen.add(key);
        open.push(inner);
      }
    }
  }
  return members;
}

export function createGroupSync(deps: SyncDeps) {
  const { db, leftOut } = deps;

  async function membersOf(
    { directory, signal }: SyncRun,
    group: GroupWithMembers,
    all: ReadonlyMap<string, GroupWithMembers>,
    users: UserIds,
  ): Promise<Set<string> | undefined> {
    const byIds = (ids: readonly string[]) => new Set(ids.flatMap((id) => users.byLocalId.get(id) ?? []));
    if (directory.ldap.groupMembersAreIds) return group.members && byIds(group.members);
    if (!directory.ldap.groupAdNesting) return membersThrough(group, all, users.byDn);
    const { ids, complete } = await directory.memberIdsInChain(group, signal);
    return complete ? byIds(ids) : undefined;
  }

  /** All groups: those in the list, and those that have rows and were not in it. Those that do not exist any more are closed. */
  async function readGroups({ directory, domainId, signal }: SyncRun): Promise<Map<string, GroupWithMembers>> {
    const all = new Map<string, GroupWithMembers>();
    let members = 0;
    const take = (groups: readonly GroupWithMembers[]) => {
      for (const group of groups) {
        all.set(dnKey(group.dn), group);
        members += group.members?.length ?? 0;
      }
      if (members > MOST_MEMBERS) throw new Error(`the groups of the directory have more than ${MOST_MEMBERS} members`);
    };
    const { complete } = await directory.groups(async (page) => take(page), signal);
    // An empty list may be a wrong setting.
    if (all.size === 0) return all;
    const seen = new Set([...all.values()].map(({ localId }) => localId));
    // In an incomplete list another entry with the same id may be missing.
    if (!complete) for (const ids of chunksOf([...seen], AT_ONCE)) take(await directory.groupsById(ids));
    for (let after = ''; ; ) {
      signal.throwIfAborted();
      const page = await presentGroups(db.read, domainId, after, AT_ONCE);
      const missing = page.filter(({ local_id }) => !seen.has(local_id));
      const found = missing.length > 0 ? await directory.groupsById(missing.map(({ local_id }) => local_id)) : [];
      take(found);
      const there = new Set(found.map(({ localId }) => localId));
      for (const { id, local_id } of missing) if (!there.has(local_id)) await deps.closeGroup(id);
      if (page.length < AT_ONCE) return all;
      after = page.at(-1)!.id;
    }
  }

  return async function syncGroups(run: SyncRun, domain: MappedDomain, users: UserIds): Promise<number> {
    const { domainId, begun, signal } = run;
    const all = await readGroups(run);
    const { unique, twice } = byUniqueId(all.values());
    // Two groups with the same id: only the one that was there before counts.
    for (const id of twice.keys()) leftOut('group', domainId, id, TWICE);
    const original = await deps.groupsInPlace(domainId, [...twice.values()].flat());
    const kept = [...unique.values(), ...original];
    const ids = await deps.keepGroups(domain, kept);
    for (const group of kept) {
      signal.throwIfAborted();
      const id = ids.get(group.localId);
      const members = id === undefined ? undefined : await membersOf(run, group, all, users);
      if (id !== undefined && members) await deps.keepMembers(domainId, id, members, begun);
      else if (id !== undefined)
        leftOut('group', domainId, group.localId, 'not all its members are known; they stay as they are');
    }
    return all.size;
  };
}
