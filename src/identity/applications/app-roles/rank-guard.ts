// Protects users and groups with more rights than the caller: a password reset, a new e-mail address or a membership in the same
// group would hand these rights over. Those who manage a domain and provisioning clients manage users who have no rights beyond the domain.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { Access, Grantee } from '../../access/context/index.ts';
import { type Caller, isAdministrator, isDomainAdministrator, type RankGuard, visibleDomain } from '../../access/rules/index.ts';
import type { Reader } from '../../ground/database/index.ts';
import { fail } from '../../ground/faults.ts';
import type { InternalPermission } from './built-in.ts';
import { anyManagesApplications, managersIn, managesElsewhere, rolesByTrust } from './management.store.ts';
import { memberships } from './user-permissions.store.ts';

/** Roles with effect in every domain, wherever they are granted; with `enforce_scope`, that of the administrator is above a manager's. */
const EVERYWHERE = ['admin', 'service'];
/** Of these, what administrators of one domain do not have. */
const BEYOND_DOMAINS = ['service'];
/** Roles a guest may have in another domain while the managers of the guest's own domain still manage the account. */
const OF_GUESTS = ['member', 'reader'];
/** The owner of an organization acts for it in applications. */
const OWNER = 'owner';
/** Roles that do not let their users manage others. */
const PLAIN = [...OF_GUESTS, OWNER, 'basic', 'trial', 'community'];
/** Roles that let their users manage others in this service. Other services decide what other roles mean. */
const MANAGING = [...EVERYWHERE, 'manager'];
/** Provisioning clients assign public roles for organizations, as their owners do. */
const PROVISIONED: InternalPermission = 'get-assign-public-roles';

export function createRankGuard({
  access,
  clock,
}: {
  readonly access: Pick<Access, 'expand' | 'grantsOf' | 'organizationsOf'>;
  readonly clock: Clock;
}): RankGuard {
  async function hasRightsBeyond(reader: Reader, caller: Caller, grantee: Grantee): Promise<boolean> {
    const domainId = visibleDomain(caller);
    const above = isDomainAdministrator(caller) ? BEYOND_DOMAINS : EVERYWHERE;
    for (const { roleId, targetId, domainId: of } of await access.grantsOf(reader, grantee)) {
      const names = (await access.expand(reader, [roleId])).map(({ name }) => name);
      if (targetId === null && names.length > 0) return true;
      if (names.some((name) => above.includes(name))) return true;
      if (of !== domainId && names.some((name) => !OF_GUESTS.includes(name))) return true;
    }
    if (!('userId' in grantee)) return false;
    return (
      (await administersByTrust(reader, grantee.userId, { above, domainId })) ||
      managesElsewhere(reader, grantee.userId, domainId)
    );
  }

  /** Other roles do not count here: everybody who has some could protect people of other domains from their managers, by a trust. */
  async function administersByTrust(
    reader: Reader,
    userId: string,
    { above, domainId }: { readonly above: readonly string[]; readonly domainId: string | undefined },
  ): Promise<boolean> {
    for (const { roleId, domainId: of } of await rolesByTrust(reader, userId, seconds(clock))) {
      const beyond = of === domainId ? above : EVERYWHERE;
      if ((await access.expand(reader, [roleId])).some(({ name }) => beyond.includes(name))) return true;
    }
    return false;
  }

  /** Whether a role of the grantee matches, or they own an organization that manages an application. */
  async function managesOr(reader: Reader, grantee: Grantee, matches: (name: string) => boolean): Promise<boolean> {
    const owning: string[] = [];
    for (const roleId of new Set((await access.grantsOf(reader, grantee)).map((grant) => grant.roleId))) {
      const names = (await access.expand(reader, [roleId])).map(({ name }) => name);
      if (names.some(matches)) return true;
      if (names.includes(OWNER)) owning.push(roleId);
    }
    return (
      owning.length > 0 && anyManagesApplications(reader, await access.organizationsOf(reader, grantee, owning), PROVISIONED)
    );
  }

  /** Application roles in an organization have no effect after a user leaves it. Joining again through a group would bring them back. */
  async function restoresManager(reader: Reader, grantee: Grantee, userIds: readonly string[]): Promise<boolean> {
    for (const { userId, organizationId } of await managersIn(reader, userIds, await access.organizationsOf(reader, grantee)))
      if (!(await memberships(reader, userId, [organizationId], seconds(clock))).has(organizationId)) return true;
    return false;
  }

  const givesManagement = async (reader: Reader, grantee: Grantee, admits: readonly string[]): Promise<boolean> =>
    (await managesOr(reader, grantee, (name) => MANAGING.includes(name))) || (await restoresManager(reader, grantee, admits));

  /** Whether only people may change how this user signs in. That includes the user who authorized the provisioning client. */
  const isReservedForPeople = async (reader: Reader, caller: Caller, grantee: Grantee): Promise<boolean> =>
    ('userId' in grantee && (grantee.userId === caller.userId || (await managesElsewhere(reader, grantee.userId, undefined)))) ||
    (await managesOr(reader, grantee, (name) => !PLAIN.includes(name)));

  return async (reader, caller, action, grantee, { signIn = false, admits = [] } = {}) => {
    if (isAdministrator(caller)) return;
    if (await hasRightsBeyond(reader, caller, grantee)) fail('auth.forbidden', { action });
    if (!caller.provisions) return;
    if (signIn && (await isReservedForPeople(reader, caller, grantee))) fail('auth.forbidden', { action });
    if (admits.length > 0 && (await givesManagement(reader, grantee, admits))) fail('auth.forbidden', { action });
  };
}
