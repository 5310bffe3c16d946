// Writes what providers give to people, and takes it back. What somebody else gave stays: an administrator or a provisioning client (`kept`), or
// another provider, whose links say what it gave. A membership that several providers gave ends with the last of them.
import type { Clock } from '../../../platform/clock.ts';
import { type HeldMembership, membershipsOf } from '../../access/context/index.ts';
import { directGrantsOf, lendRole, roleInProject, takeLentRoles } from '../../directory/grants/index.ts';
import { lendToMember, takeFromGroup } from '../../directory/groups/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProviderLinkRow } from '../../ground/database/index.ts';
import { linksOfUsers, replaceGiven } from './links.store.ts';

export interface EntitledRole {
  readonly projectId: string;
  readonly roleId: string;
}

/** What a provider gave to a person. */
export interface Entitlements {
  readonly groups: readonly string[];
  readonly roles: readonly EntitledRole[];
  /** When its memberships end, in seconds; null for never. Former versions did not write it: then the membership says it. */
  readonly until?: number | null;
}

/** What a link with a provider gave. */
export interface LinkEntitlements {
  readonly linkId: string;
  readonly userId: string;
  readonly entitlements: Entitlements;
}

type End = number | null | undefined;
type Link = Pick<ProviderLinkRow, 'id' | 'user_id' | 'given'>;

const keyOf = ({ projectId, roleId }: EntitledRole): string => `${projectId} ${roleId}`;
const entitlementsOf = ({ given }: Pick<ProviderLinkRow, 'given'>): Entitlements => JSON.parse(given) as Entitlements;

const grantOf = (userId: string, { projectId, roleId }: EntitledRole) => roleInProject(userId, projectId, roleId);

/** The end of a membership that these gave: the last of theirs. */
const lastOf = (ends: readonly End[], { expires_at: own }: HeldMembership): number | null =>
  ends
    .map((end) => (end === undefined ? own : end))
    .reduce((last, end) => (last === null || end === null ? null : Math.max(last, end)));

/** What other links give: groups with the end of each, and roles. */
function othersOf(links: readonly Link[]) {
  const groups = new Map<string, End[]>();
  const roles = new Set<string>();
  for (const entitlements of links.map(entitlementsOf)) {
    for (const id of entitlements.groups) groups.set(id, [...(groups.get(id) ?? []), entitlements.until]);
    for (const role of entitlements.roles) roles.add(keyOf(role));
  }
  return { groups, roles };
}

/** Somebody took it from the person since these gave it, so that it is not theirs when it is given again. */
async function forget(
  { tx }: Change,
  links: readonly Link[],
  { groups, roles }: { readonly groups: ReadonlySet<string>; readonly roles: ReadonlySet<string> },
): Promise<void> {
  if (groups.size + roles.size === 0) return;
  for (const link of links) {
    const entitlements = entitlementsOf(link);
    const left = {
      ...entitlements,
      groups: entitlements.groups.filter((id) => !groups.has(id)),
      roles: entitlements.roles.filter((role) => !roles.has(keyOf(role))),
    };
    if (left.groups.length + left.roles.length < entitlements.groups.length + entitlements.roles.length)
      await replaceGiven(tx, [link.id], JSON.stringify(left));
  }
}

export function createEntitlementChanges({ clock }: { readonly clock: Clock }) {
  /** A provider gives it no more, but others may. */
  async function release(
    transaction: Change,
    userId: string,
    row: HeldMembership,
    others: readonly End[] | undefined,
  ): Promise<void> {
    const groupId = row.group_id;
    const end = others && lastOf(others, row);
    if (end === undefined || (end !== null && end <= transaction.now)) {
      await takeFromGroup(transaction, clock, groupId, [userId]);
      return;
    }
    if (row.kept === 0) await lendToMember(transaction, clock, { groupId, userId, expiresAt: end, isMember: true });
  }

  /** Makes the groups of a person those that the provider wants them to have. Returns what it gave. */
  async function setGroups(
    transaction: Change,
    {
      userId,
      former,
      wanted,
      until,
    }: { userId: string; former: readonly string[]; wanted: readonly string[]; until: number | null },
    others: ReadonlyMap<string, readonly End[]>,
  ): Promise<{ current: string[]; isNew: Set<string> }> {
    const rows = new Map((await membershipsOf(transaction.tx, userId)).map((row) => [row.group_id, row]));
    const [isFormer, isWanted] = [new Set(former), new Set(wanted)];
    const [current, isNew] = [[] as string[], new Set<string>()];
    // Rows of groups are always written in the same order: otherwise two sign-ins at once wait for each other.
    for (const groupId of [...isFormer.union(isWanted)].sort()) {
      const [row, ends] = [rows.get(groupId), others.get(groupId)];
      if (!isWanted.has(groupId)) {
        if (row) await release(transaction, userId, row, ends);
        continue;
      }
      // Whoever is a member by somebody else stays one when the provider changes its mind.
      if (row && (row.kept === 1 || !(isFormer.has(groupId) || ends))) continue;
      const expiresAt = row && ends ? lastOf([until, ...ends], row) : until;
      await lendToMember(transaction, clock, { groupId, userId, expiresAt, isMember: row !== undefined });
      current.push(groupId);
      if (!row) isNew.add(groupId);
    }
    return { current, isNew };
  }

  async function setRoles(
    transaction: Change,
    { userId, former, wanted }: { userId: string; former: readonly EntitledRole[]; wanted: readonly EntitledRole[] },
    others: ReadonlySet<string>,
  ): Promise<{ current: EntitledRole[]; isNew: Set<string> }> {
    const held = new Map(
      (await directGrantsOf(transaction.tx, userId)).map((row) => [
        keyOf({ projectId: row.target_id!, roleId: row.role_id }),
        row.kept,
      ]),
    );
    const keys = new Map(wanted.map((one) => [keyOf(one), one]));
    const isFormer = new Set(former.map(keyOf));
    const lost = former.filter((one) => !keys.has(keyOf(one)) && !others.has(keyOf(one)));
    await takeLentRoles(
      transaction,
      lost.map((one) => grantOf(userId, one)),
    );
    const [current, isNew] = [[] as EntitledRole[], new Set<string>()];
    for (const [key, one] of keys) {
      const kept = held.get(key);
      if (kept === 1 || (kept === 0 && !isFormer.has(key) && !others.has(key))) continue;
      current.push(one);
      if (kept !== undefined) continue;
      isNew.add(key);
      await lendRole(transaction, grantOf(userId, one));
    }
    return { current, isNew };
  }

  return {
    /** Makes the groups and roles those that the provider wants a person to have, who is locked. Returns what it gave, to be taken back later. */
    async set(
      transaction: Change,
      { linkId, userId, entitlements: former }: LinkEntitlements,
      wanted: Required<Entitlements>,
    ): Promise<Entitlements> {
      const { until } = wanted;
      const links = (await linksOfUsers(transaction.tx, [userId])).filter(({ id }) => id !== linkId);
      const others = othersOf(links);
      const groups = await setGroups(transaction, { userId, former: former.groups, wanted: wanted.groups, until }, others.groups);
      const roles = await setRoles(transaction, { userId, former: former.roles, wanted: wanted.roles }, others.roles);
      await forget(transaction, links, { groups: groups.isNew, roles: roles.isNew });
      return { groups: groups.current, roles: roles.current, ...(groups.current.length > 0 ? { until } : {}) };
    },

    /** For links that end, whose users are locked. The number of statements depends on the groups, not on the people, unless others gave the same. */
    async takeBack(transaction: Change, links: readonly LinkEntitlements[]): Promise<void> {
      const ending = new Set(links.map(({ linkId }) => linkId));
      const all = await linksOfUsers(transaction.tx, [...new Set(links.map(({ userId }) => userId))]);
      const byUser = Map.groupBy(
        all.filter(({ id }) => !ending.has(id)),
        (link) => link.user_id,
      );
      const others = new Map([...byUser].map(([userId, own]) => [userId, othersOf(own)]));
      const members = links.flatMap(({ userId, entitlements }) => entitlements.groups.map((groupId) => ({ groupId, userId })));
      const byGroup = [...Map.groupBy(members, ({ groupId }) => groupId)].sort(([one], [other]) => (one < other ? -1 : 1));
      for (const [groupId, own] of byGroup) {
        const isShared = ({ userId }: { readonly userId: string }): boolean => others.get(userId)?.groups.has(groupId) ?? false;
        const userIds = own.filter((one) => !isShared(one)).map(({ userId }) => userId);
        if (userIds.length > 0) await takeFromGroup(transaction, clock, groupId, userIds);
        for (const { userId } of own.filter(isShared)) {
          const row = (await membershipsOf(transaction.tx, userId)).find((one) => one.group_id === groupId);
          if (row) await release(transaction, userId, row, others.get(userId)!.groups.get(groupId));
        }
      }
      const grants = links.flatMap(({ userId, entitlements }) =>
        entitlements.roles.filter((one) => !others.get(userId)?.roles.has(keyOf(one))).map((one) => grantOf(userId, one)),
      );
      await takeLentRoles(transaction, grants);
    },
  };
}

export type EntitlementChanges = ReturnType<typeof createEntitlementChanges>;
