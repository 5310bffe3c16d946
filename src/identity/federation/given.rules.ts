// Gives a person the groups and roles of the mapping, and takes back those that it gave before. What others gave stays.
import type { Clock } from '../../platform/clock.ts';
import type { Log } from '../../platform/log/index.ts';
import { type Access, findProject, groupIdsOf, tagOf } from '../access/index.ts';
import type { Change } from '../audit/index.ts';
import type { Reader, UserRow } from '../database.ts';
import { deleteGrants, type Grant, grantedRoleIds, insertGrant } from '../grants/index.ts';
import { addToGroup, renewMembership, takeFromGroup } from '../groups/index.ts';
import { findByName } from '../projects/index.ts';
import { findRoleByName } from '../roles/index.ts';
import { grantsOfGroups, groupsOfDomain } from './links.store.ts';
import { createManagement } from './management.rules.ts';
import type { DomainReference, MappedIdentity } from './mapping/index.ts';
import { membershipEnd } from './memberships.rules.ts';
import type { UsableProvider } from './openid-settings.store.ts';

export interface Given {
  readonly groups: readonly string[];
  readonly roles: readonly { readonly projectId: string; readonly roleId: string }[];
}

export interface GivenDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly access: Pick<Access, 'expand'>;
  /** Whether only a directory (LDAP) says who is in the group. */
  isGroupInDirectory(groupId: string, reader: Reader): Promise<boolean>;
}

/** Databases limit the number of parameters in a statement. */
const CHUNK = 500;

/** What a link with a provider gave to a person. */
export interface GivenTo {
  readonly userId: string;
  readonly given: Given;
}

interface MembershipsToSet {
  /** Groups that the provider gave before. */
  readonly former: readonly string[];
  readonly wanted: readonly string[];
  /** When the memberships end, in seconds; null for never. */
  readonly expiresAt: number | null;
}

const grantOf = (userId: string, { projectId, roleId }: Given['roles'][number]): Grant => ({
  actor: { kind: 'user', id: userId },
  targetId: projectId,
  roleId,
  inherited: false,
});

function tell({ audit, invalidate }: Change, event: string, { actor, targetId, roleId, inherited }: Grant): void {
  audit(event, { kind: 'role', id: roleId }, { user_id: actor.id, target: 'project', target_id: targetId, inherited });
  invalidate(tagOf.user(actor.id));
}

async function revoke(transaction: Change, grants: readonly Grant[]): Promise<void> {
  for (const grant of await deleteGrants(transaction.tx, grants)) tell(transaction, 'grant.revoked', grant);
}

const keyOf = ({ projectId, roleId }: Given['roles'][number]): string => `${projectId} ${roleId}`;

export function createGiven({ clock, log, access, isGroupInDirectory }: GivenDeps) {
  const { managesOthers, isManaging, needsProof } = createManagement(access);

  async function domainIdOf(reader: Reader, { id, name }: DomainReference): Promise<string | undefined> {
    const row = id === undefined ? await findByName(reader, name ?? '', null) : await findProject(reader, id);
    return row?.is_domain ? row.id : undefined;
  }

  /** Members of a group are users of its domain. Groups that do not exist are skipped, as in Keystone. */
  async function groupsOf(reader: Reader, provider: UsableProvider, user: UserRow, identity: MappedIdentity): Promise<string[]> {
    const domainId = user.domain_id;
    const found = new Set(await groupsOfDomain(reader, domainId, 'id', identity.groupIds));
    const byDomain = Map.groupBy(identity.groups, ({ domain }) => JSON.stringify([domain.id, domain.name]));
    for (const references of byDomain.values()) {
      if ((await domainIdOf(reader, references[0]!.domain)) !== domainId) continue;
      const names = references.map(({ name }) => name);
      for (const id of await groupsOfDomain(reader, domainId, 'name', names)) found.add(id);
    }
    for (const id of found) if (await isGroupInDirectory(id, reader)) found.delete(id);
    if (provider.may_give_admin === 1) return [...found];
    for (const { group_id: id, role_id: roleId, target_id: targetId } of await grantsOfGroups(reader, [...found])) {
      if (!found.has(id!) || !(targetId === null || (await isManaging(reader, roleId)))) continue;
      found.delete(id!);
      log.warn({ provider: provider.provider_id, group: id }, 'a provider may not make people managers by this group');
    }
    return [...found];
  }

  /** Roles in projects of the user's domain. Other than Keystone, a project that does not exist is not created. */
  async function rolesOf(
    reader: Reader,
    provider: UsableProvider,
    user: UserRow,
    identity: MappedIdentity,
  ): Promise<Given['roles']> {
    const usable: Given['roles'][number][] = [];
    for (const { name, domain, roles } of identity.projects) {
      const domainId = domain ? await domainIdOf(reader, domain) : provider.domain_id;
      const project = domainId === user.domain_id ? await findByName(reader, name, domainId) : undefined;
      if (!project) continue;
      for (const { name: roleName } of roles) {
        const role = await findRoleByName(reader, roleName);
        if (!role) continue;
        if (provider.may_give_admin === 1 || !(await isManaging(reader, role.id)))
          usable.push({ projectId: project.id, roleId: role.id });
        else log.warn({ provider: provider.provider_id, role: roleName }, 'a provider may not make people managers by this role');
      }
    }
    return usable;
  }

  async function setGroups(
    transaction: Change,
    userId: string,
    { former, wanted, expiresAt }: MembershipsToSet,
  ): Promise<string[]> {
    const current = new Set(await groupIdsOf(transaction.tx, userId));
    const [isFormer, isWanted] = [new Set(former), new Set(wanted)];
    const given: string[] = [];
    // Rows of groups are always written in the same order: otherwise two sign-ins at once wait for each other.
    for (const groupId of [...isFormer.union(isWanted)].sort()) {
      const isMember = current.has(groupId);
      if (!isWanted.has(groupId)) {
        if (isMember) await takeFromGroup(transaction, clock, groupId, [userId]);
        continue;
      }
      const membership = { groupId, userId, expiresAt };
      if (!isMember) await addToGroup(transaction, clock, membership);
      else if (isFormer.has(groupId)) await renewMembership(transaction, clock, membership);
      // Whoever was a member before, by somebody else, stays one when the provider changes its mind.
      if (!isMember || isFormer.has(groupId)) given.push(groupId);
    }
    return given;
  }

  async function setRoles(
    transaction: Change,
    userId: string,
    former: Given['roles'],
    wanted: Given['roles'],
  ): Promise<Given['roles']> {
    const { tx } = transaction;
    const keys = new Map(wanted.map((one) => [keyOf(one), one]));
    const before = new Set(former.map(keyOf));
    await revoke(
      transaction,
      former.filter((one) => !keys.has(keyOf(one))).map((one) => grantOf(userId, one)),
    );
    const given: Given['roles'][number][] = [];
    for (const one of keys.values()) {
      const { actor, targetId, inherited } = grantOf(userId, one);
      const has = (await grantedRoleIds(tx, { actor, targetId, inherited })).includes(one.roleId);
      if (!has) {
        await insertGrant(tx, grantOf(userId, one));
        tell(transaction, 'grant.created', grantOf(userId, one));
      }
      if (!has || before.has(keyOf(one))) given.push(one);
    }
    return given;
  }

  return {
    managesOthers,
    needsProof,
    domainIdOf,

    /** Makes the groups and roles those of the identity. Returns what it gave, to be taken back later. */
    async give(
      transaction: Change,
      provider: UsableProvider,
      user: UserRow,
      identity: MappedIdentity,
      former: Given,
    ): Promise<Given> {
      const { tx } = transaction;
      const groups = await groupsOf(tx, provider, user, identity);
      const roles = await rolesOf(tx, provider, user, identity);
      return {
        groups: await setGroups(transaction, user.id, {
          former: former.groups,
          wanted: groups,
          expiresAt: membershipEnd(clock, provider),
        }),
        roles: await setRoles(transaction, user.id, former.roles, roles),
      };
    },

    /** For links that end, whose users are locked. The number of statements depends on the groups, not on the people. */
    async takeBack(transaction: Change, links: readonly GivenTo[]): Promise<void> {
      const members = links.flatMap(({ userId, given }) => given.groups.map((groupId) => ({ groupId, userId })));
      const byGroup = [...Map.groupBy(members, ({ groupId }) => groupId)].sort(([one], [other]) => (one < other ? -1 : 1));
      for (const [groupId, own] of byGroup) {
        const userIds = own.map(({ userId }) => userId);
        await takeFromGroup(transaction, clock, groupId, userIds);
      }
      const grants = links.flatMap(({ userId, given }) => given.roles.map((one) => grantOf(userId, one)));
      for (let at = 0; at < grants.length; at += CHUNK) await revoke(transaction, grants.slice(at, at + CHUNK));
    },
  };
}

export type GivenRules = ReturnType<typeof createGiven>;
export const NOTHING_GIVEN: Given = { groups: [], roles: [] };
