// The groups and roles that a mapping gives to a person, as far as the provider may give them.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log/index.ts';
import { type Access, findProject } from '../../access/context/index.ts';
import { findByName } from '../../directory/projects/index.ts';
import { findRoleByName } from '../../directory/roles/index.ts';
import type { Change } from '../../ground/audit/index.ts';
import type { ProviderLinkRow, Reader, UserRow } from '../../ground/database/index.ts';
import { createEntitlementChanges, type Entitlements } from './entitlement-changes.rules.ts';
import { grantsOfGroups, groupsOfDomain } from './links.store.ts';
import { createManagement } from './management.rules.ts';
import type { DomainReference, MappedIdentity } from './mapping/index.ts';
import type { TrustedProvider } from './openid-settings.store.ts';

export interface EntitlementDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly access: Pick<Access, 'expand' | 'grantsOf'>;
  /** Whether only a directory (LDAP) says who is in the group. */
  isGroupInDirectory(groupId: string, reader: Reader): Promise<boolean>;
}

/** When memberships end that a provider gives now, in seconds; null for never. Keystone counts in minutes. */
const membershipEnd = (clock: Clock, { authorization_ttl: minutes }: TrustedProvider): number | null =>
  minutes ? seconds(clock) + minutes * 60 : null;

export function createEntitlements({ clock, log, access, isGroupInDirectory }: EntitlementDeps) {
  const { managesOthers, isManaging, needsProof } = createManagement(access);
  const changes = createEntitlementChanges({ clock });

  async function domainIdOf(reader: Reader, { id, name }: DomainReference): Promise<string | undefined> {
    const row = id === undefined ? await findByName(reader, name ?? '', null) : await findProject(reader, id);
    return row?.is_domain ? row.id : undefined;
  }

  /** Members of a group are users of its domain. Groups that do not exist are skipped, as in Keystone. */
  async function groupsOf(reader: Reader, provider: TrustedProvider, user: UserRow, identity: MappedIdentity): Promise<string[]> {
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
    provider: TrustedProvider,
    user: UserRow,
    identity: MappedIdentity,
  ): Promise<Entitlements['roles']> {
    const usable: Entitlements['roles'][number][] = [];
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

  return {
    managesOthers,
    needsProof,
    domainIdOf,

    /** Makes the groups and roles those of the identity. Returns what it gave, to be taken back later. */
    async give(
      transaction: Change,
      provider: TrustedProvider,
      user: UserRow,
      identity: MappedIdentity,
      link: Pick<ProviderLinkRow, 'id' | 'given'>,
    ): Promise<Entitlements> {
      const { tx } = transaction;
      const wanted = {
        groups: await groupsOf(tx, provider, user, identity),
        roles: await rolesOf(tx, provider, user, identity),
        until: membershipEnd(clock, provider),
      };
      return changes.set(
        transaction,
        { linkId: link.id, userId: user.id, entitlements: JSON.parse(link.given) as Entitlements },
        wanted,
      );
    },

    takeBack: changes.takeBack,
  };
}

export type EntitlementRules = ReturnType<typeof createEntitlements>;
export const NO_ENTITLEMENTS: Entitlements = { groups: [], roles: [] };
