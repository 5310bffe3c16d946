// Copies all users and groups of a directory into rows. LDAP is never asked within a transaction.
import type { Log } from '../../platform/log/index.ts';
import type { Directory } from './directory.ts';
import { dnKey } from './dn.ts';
import type { DirectoryUser } from './entries.ts';
import type { GroupKeeping } from './keep-groups.rules.ts';
import type { UserKeeping } from './keep-users.rules.ts';
import type { GroupWithMembers } from './membership.ts';
import type { KeptDomain } from './write-user.rules.ts';

export interface SyncDeps extends UserKeeping, GroupKeeping {
  readonly log: Log;
}

export interface SyncOutcome {
  readonly users: number;
  readonly groups: number;
  readonly closed: number;
}

interface Known {
  /** User ids by the id in the directory, and by DN. */
  readonly byLocalId: Map<string, string>;
  readonly byDn: Map<string, string>;
}

const uniqueById = <T extends { readonly localId: string }>(entries: readonly T[]): T[] => [
  ...new Map(entries.toReversed().map((entry) => [entry.localId, entry])).values(),
];

/** Members of a group, also through nested groups. Each group is visited once, so cycles end. */
function membersThrough(
  group: GroupWithMembers,
  groups: ReadonlyMap<string, GroupWithMembers>,
  users: ReadonlyMap<string, string>,
): Set<string> {
  const members = new Set<string>();
  const seen = new Set<string>([dnKey(group.dn)]);
  for (const open = [group]; open.length > 0; ) {
    for (const member of open.pop()!.members) {
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

export function createSynchronize(deps: SyncDeps) {
  const { log } = deps;

  async function users(directory: Directory, domain: KeptDomain, known: Known, signal: AbortSignal) {
    const present = new Set<string>();
    const { complete } = await directory.users(async (page: DirectoryUser[]) => {
      signal.throwIfAborted();
      // Two entries with the same id: the first one counts.
      const fresh = uniqueById(page).filter(({ localId }) => !present.has(localId));
      const ids = await deps.keepUsers(domain, fresh);
      for (const { localId, dn } of fresh) {
        present.add(localId);
        const id = ids.get(localId);
        if (id === undefined) continue;
        known.byLocalId.set(localId, id);
        known.byDn.set(dnKey(dn), id);
      }
    });
    // An empty list may be a wrong setting. An incomplete one says nothing about the missing users.
    if (!complete || present.size === 0) {
      const entries = { domain: domain.domainId, entries: present.size };
      log.warn(
        entries,
        'the directory did not return all users, so none are disabled for being missing; check page_size and the limits of the server',
      );
      return { present, closed: 0, complete: false };
    }
    return { present, closed: await deps.closeOthers(domain.domainId, present), complete: true };
  }

  async function membersOf(
    directory: Directory,
    group: GroupWithMembers,
    all: ReadonlyMap<string, GroupWithMembers>,
    known: Known,
  ) {
    const byIds = (ids: readonly string[]) => new Set(ids.flatMap((id) => known.byLocalId.get(id) ?? []));
    if (directory.ldap.groupMembersAreIds) return byIds(group.members);
    if (!directory.ldap.groupAdNesting) return membersThrough(group, all, known.byDn);
    const { ids, complete } = await directory.memberIdsInChain(group);
    return complete ? byIds(ids) : undefined;
  }

  /** Without all users (`knowsAll`) nobody is removed from a group. */
  async function groups(
    directory: Directory,
    domain: KeptDomain,
    known: Known,
    knowsAll: boolean,
    signal: AbortSignal,
  ): Promise<number> {
    const all = new Map<string, GroupWithMembers>();
    const { complete } = await directory.groups(async (page) => {
      for (const group of page) all.set(dnKey(group.dn), group);
    });
    // Two groups with the same id: nobody can say whose members have its roles.
    const byId = Map.groupBy(all.values(), ({ localId }) => localId);
    const unique = [...all.values()].filter(({ localId }) => byId.get(localId)!.length === 1);
    const ids = await deps.keepGroups(domain, unique);
    for (const group of unique) {
      signal.throwIfAborted();
      const id = ids.get(group.localId);
      const members = id === undefined ? undefined : await membersOf(directory, group, all, known);
      if (id !== undefined && members) await deps.keepMembers(id, members, knowsAll && complete);
    }
    if (complete && all.size > 0) await deps.closeOtherGroups(domain.domainId, new Set(byId.keys()));
    return all.size;
  }

  return async (
    directory: Directory,
    { domainId, users: mapped, groups: mappedOfGroups }: SyncedDomain,
    signal: AbortSignal,
  ): Promise<SyncOutcome> => {
    const known: Known = { byLocalId: new Map(), byDn: new Map() };
    const { present, closed, complete } = await users(directory, { domainId, mapped }, known, signal);
    return {
      users: present.size,
      closed,
      groups: await groups(directory, { domainId, mapped: mappedOfGroups }, known, complete, signal),
    };
  };
}

export interface SyncedDomain {
  readonly domainId: string;
  /** Names of the additional attributes. */
  readonly users: readonly string[];
  readonly groups: readonly string[];
}

export type Synchronize = ReturnType<typeof createSynchronize>;
