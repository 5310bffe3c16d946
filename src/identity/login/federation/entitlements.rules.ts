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

/** Why somebody does not get what a mapping names. */
export type Withheld = 'not_found' | 'other_domain' | 'in_directory' | 'manages_others';

export interface JudgedGroup {
  readonly name: string;
  readonly id: string | null;
  /** Null: it is given. */
  readonly why: Withheld | null;
}

export interface JudgedRole {
  readonly project: string;
  readonly role: string;
  readonly projectId: string | null;
  readonly roleId: string | null;
  readonly why: Withheld | null;
}

type GivingProvider = Pick<TrustedProvider, 'provider_id' | 'domain_id' | 'may_give_admin'>;

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

  const judged = (name: string, why: Withheld, id: string | null = null): JudgedGroup => ({ name, id, why });

  /** Members of a group are users of its domain. Groups that do not exist are skipped, as in Keystone. */
  async function existing(reader: Reader, domainId: string, identity: MappedIdentity): Promise<JudgedGroup[]> {
    const found = new Map<string, JudgedGroup>();
    const missing: JudgedGroup[] = [];
    const read = async (by: 'id' | 'name', values: readonly string[]): Promise<void> => {
      const rows = await groupsOfDomain(reader, domainId, by, values);
      const known = new Map(rows.map((row) => [row[by], row]));
      for (const value of values) {
        const row = known.get(value);
        if (row) found.set(row.id, { ...row, why: null });
        else missing.push(judged(value, 'not_found'));
      }
    };
    await read('id', identity.groupIds);
    const byDomain = Map.groupBy(identity.groups, ({ domain }) => JSON.stringify([domain.id, domain.name]));
    for (const references of byDomain.values()) {
      const names = references.map(({ name }) => name);
      if ((await domainIdOf(reader, references[0]!.domain)) === domainId) await read('name', names);
      else for (const name of names) missing.push(judged(name, 'other_domain'));
    }
    return [...found.values(), ...missing];
  }

  /** The groups that a mapping names for somebody of this domain; those that are not given, and why. */
  async function judgeGroups(
    reader: Reader,
    provider: GivingProvider,
    domainId: string,
    identity: MappedIdentity,
  ): Promise<JudgedGroup[]> {
    const groups = await existing(reader, domainId, identity);
    const withheld = new Map<string, Withheld>();
    const ids = groups.flatMap(({ id }) => id ?? []);
    for (const id of ids) if (await isGroupInDirectory(id, reader)) withheld.set(id, 'in_directory');
    if (provider.may_give_admin === 0)
      for (const { group_id: id, role_id: roleId, target_id: targetId } of await grantsOfGroups(reader, ids))
        if (!withheld.has(id!) && (targetId === null || (await isManaging(reader, roleId)))) withheld.set(id!, 'manages_others');
    const judged = groups.map((group) => ({ ...group, why: group.why ?? withheld.get(group.id!) ?? null }));
    return judged.sort((one, other) => (one.name < other.name ? -1 : 1));
  }

  /** Roles in projects of the user's domain. Other than Keystone, a project that does not exist is not created. */
  async function judgeRoles(
    reader: Reader,
    provider: GivingProvider,
    domainId: string,
    identity: MappedIdentity,
  ): Promise<JudgedRole[]> {
    const found: JudgedRole[] = [];
    for (const { name: project, domain, roles } of identity.projects) {
      const id = domain ? await domainIdOf(reader, domain) : provider.domain_id;
      const row = id === domainId ? await findByName(reader, project, id) : undefined;
      for (const { name: role } of roles) {
        const known = row && (await findRoleByName(reader, role));
        const mayGive = known && (provider.may_give_admin === 1 || !(await isManaging(reader, known.id)));
        const why = id !== domainId ? 'other_domain' : !known ? 'not_found' : mayGive ? null : 'manages_others';
        found.push({ project, role, projectId: row?.id ?? null, roleId: known?.id ?? null, why });
      }
    }
    return found;
  }

  return {
    managesOthers,
    needsProof,
    domainIdOf,
    judgeGroups,
    judgeRoles,

    /** Makes the groups and roles those of the identity. Returns what it gave, to be taken back later. */
    async give(
      transaction: Change,
      provider: TrustedProvider,
      user: UserRow,
      identity: MappedIdentity,
      link: Pick<ProviderLinkRow, 'id' | 'given'>,
    ): Promise<Entitlements> {
      const { tx } = transaction;
      const groups = await judgeGroups(tx, provider, user.domain_id, identity);
      const roles = await judgeRoles(tx, provider, user.domain_id, identity);
      for (const { why, ...about } of [...groups, ...roles])
        if (why === 'manages_others')
          log.warn({ provider: provider.provider_id, ...about }, 'a provider may not make people managers by this group or role');
      const wanted = {
        groups: groups.flatMap(({ id, why }) => (why === null && id !== null ? [id] : [])),
        roles: roles.flatMap(({ projectId, roleId, why }) =>
          why === null && projectId !== null && roleId !== null ? [{ projectId, roleId }] : [],
        ),
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
