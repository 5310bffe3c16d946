// Rights to manage others that a provider gave without being allowed to (`may_give_admin`). A group or a role may come to manage others long
// after the provider gave it, so this is asked when rights are used, not only when they are given.
import type { Reader } from '../../ground/database/index.ts';
import type { HeldGrant } from './access.store.ts';
import { keptGroups, type LinkRights, lentTo } from './lent-rights.store.ts';

/** Roles that let people manage others. Roles on the system do so, too, whatever they are called. */
export const MANAGING_ROLES: readonly string[] = ['admin', 'manager', 'service'];

export interface CountedGrants {
  readonly counted: readonly HeldGrant[];
  /** They give nothing: only providers gave them that may not. */
  readonly withheld: readonly HeldGrant[];
  /** The providers that were asked about. */
  readonly providerIds: readonly string[];
}

const isGivenBy =
  ({ groupId, roleId, targetId, inherited }: HeldGrant) =>
  ({ groups, roles }: LinkRights): boolean =>
    groupId !== null
      ? groups.includes(groupId)
      : !inherited && roles.some((role) => role.roleId === roleId && role.projectId === targetId);

/** `givesRoles`: the names of the roles that a role gives, with those it implies. Reads nothing more for those who manage nobody. */
export async function countGrants(
  reader: Reader,
  userId: string,
  grants: readonly HeldGrant[],
  givesRoles: (roleId: string) => readonly string[],
): Promise<CountedGrants> {
  const manages = ({ roleId, targetId }: HeldGrant): boolean =>
    targetId === null || givesRoles(roleId).some((name) => MANAGING_ROLES.includes(name));
  const managing = grants.filter((grant) => manages(grant) && (grant.groupId !== null || !grant.kept));
  const lent = managing.length > 0 ? await lentTo(reader, userId) : [];
  if (lent.length === 0) return { counted: grants, withheld: [], providerIds: [] };
  const kept = await keptGroups(reader, userId);
  const withheld = managing.filter((grant) => {
    const givers = lent.filter(isGivenBy(grant));
    return givers.length > 0 && !givers.some(({ mayGiveAdmin }) => mayGiveAdmin) && !(grant.groupId && kept.has(grant.groupId));
  });
  return {
    counted: grants.filter((grant) => !withheld.includes(grant)),
    withheld,
    providerIds: [...new Set(lent.map(({ providerId }) => providerId))],
  };
}
