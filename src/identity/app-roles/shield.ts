// Whoever holds more than the caller is shielded from them: a password reset, another e-mail address or a seat in the same group
// would hand it over. Managers of a domain, and what provisions it, look after people who hold nothing beyond that domain.
import {
  type Access,
  type Caller,
  grantedPlaces,
  type Holder,
  heldGrants,
  isAdministrator,
  managedFrom,
  managersInside,
  managesElsewhere,
  type Shield,
  visibleDomain,
} from '../access/index.ts';
import type { Reader } from '../database.ts';
import { fail } from '../faults.ts';
import type { InternalPermission } from './built-in.ts';
import { memberships } from './holdings.store.ts';

/** Roles that mean something in every domain, wherever they are held. */
const EVERYWHERE = ['admin', 'service'];
/** Roles of a guest: what the own domain's managers may do to a guest's account is for the inviting domain to know. */
const OF_GUESTS = ['member', 'reader'];
/** Who owns an organization acts for it in applications. */
const OWNER = 'owner';
/** Roles that let nobody look after others. */
const PLAIN = [...OF_GUESTS, OWNER, 'basic', 'trial', 'community'];
/** Roles that let their holders look after others here. What other roles are good for is for other services to say. */
const MANAGING = [...EVERYWHERE, 'manager'];
/** What provisions a domain lets people in to applications for its organizations, as their owners do. */
const PROVISIONED: InternalPermission = 'get-assign-public-roles';

export function createShield({ access }: { readonly access: Pick<Access, 'expand'> }): Shield {
  async function holdsBeyond(reader: Reader, holder: Holder, domainId: string | undefined): Promise<boolean> {
    for (const { roleId, targetId, domainId: of } of await heldGrants(reader, holder)) {
      const names = (await access.expand(reader, [roleId])).map(({ name }) => name);
      if (targetId === null && names.length > 0) return true;
      if (names.some((name) => EVERYWHERE.includes(name))) return true;
      if (of !== domainId && names.some((name) => !OF_GUESTS.includes(name))) return true;
    }
    return 'userId' in holder && managesElsewhere(reader, holder.userId, domainId);
  }

  /** Whether a role the holder has says so, or they own an organization that manages an application. */
  async function holdsRole(reader: Reader, holder: Holder, says: (name: string) => boolean): Promise<boolean> {
    const owning: string[] = [];
    for (const roleId of new Set((await heldGrants(reader, holder)).map((grant) => grant.roleId))) {
      const names = (await access.expand(reader, [roleId])).map(({ name }) => name);
      if (names.some(says)) return true;
      if (names.includes(OWNER)) owning.push(roleId);
    }
    return owning.length > 0 && managedFrom(reader, await grantedPlaces(reader, holder, owning), PROVISIONED);
  }

  /** What people held in an organization sleeps when they leave it: who comes back by a group would manage again. */
  async function wakesManager(reader: Reader, holder: Holder, userIds: readonly string[]): Promise<boolean> {
    for (const { userId, organizationId } of await managersInside(reader, userIds, await grantedPlaces(reader, holder)))
      if (!(await memberships(reader, userId, [organizationId])).has(organizationId)) return true;
    return false;
  }

  const handsOutManagement = async (reader: Reader, holder: Holder, admits: readonly string[]): Promise<boolean> =>
    (await holdsRole(reader, holder, (name) => MANAGING.includes(name))) || (await wakesManager(reader, holder, admits));

  /** Whoever let the program in is among them: it acts for them, and is not them. */
  const isForPeople = async (reader: Reader, caller: Caller, holder: Holder): Promise<boolean> =>
    ('userId' in holder && (holder.userId === caller.userId || (await managesElsewhere(reader, holder.userId, undefined)))) ||
    (await holdsRole(reader, holder, (name) => !PLAIN.includes(name)));

  return async (reader, caller, action, holder, { signIn = false, admits = [] } = {}) => {
    if (isAdministrator(caller)) return;
    if (await holdsBeyond(reader, holder, visibleDomain(caller))) fail('auth.forbidden', { action });
    if (!caller.provisions) return;
    if (signIn && (await isForPeople(reader, caller, holder))) fail('auth.forbidden', { action });
    if (admits.length > 0 && (await handsOutManagement(reader, holder, admits))) fail('auth.forbidden', { action });
  };
}
