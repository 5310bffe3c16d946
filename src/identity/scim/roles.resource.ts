// Roles of applications as Okta provisions them: a list to choose from, and an attribute of users.
import { type OfferedRole, offeredRoles, offeredRolesOf, provisionRoles } from '../app-roles/index.ts';
import type { Change } from '../audit/index.ts';
import type { Database, Reader } from '../database.ts';
import { fail } from '../faults.ts';
import { listTarget, permit } from '../policy.ts';
import type { Resource } from './attribute.ts';
import { roleType } from './definitions.ts';
import type { Context } from './handler.ts';

/** An entry of the list: organization, application and role. Other values of `roles` are the client's own words, and are only kept. */
const OF_THE_LIST = /^[\w.-]{1,64}:[\w.-]{1,64}:[\w.-]{1,64}$/;

interface GivenRole {
  readonly value?: unknown;
}

const rolesIn = ({ roles }: Resource): readonly GivenRole[] => (Array.isArray(roles) ? (roles as GivenRole[]) : []);
const isOfTheList = ({ value }: GivenRole): boolean => typeof value === 'string' && OF_THE_LIST.test(value);

export const listedRolesIn = (resource: Resource): string[] => [
  ...new Set(
    rolesIn(resource)
      .filter(isOfTheList)
      .map(({ value }) => value as string),
  ),
];

/** What stays with the profile. */
export function withoutListedRoles(resource: Resource): Resource {
  if (!('roles' in resource)) return resource;
  const { roles: _, ...rest } = resource;
  const own = rolesIn(resource).filter((role) => !isOfTheList(role));
  return own.length > 0 ? { ...rest, roles: own } : rest;
}

const displayOf = ({ applicationName, roleName }: OfferedRole): string => `${applicationName}: ${roleName}`;

/** A resource with the roles that are held beside those that are only kept. */
export function withRoles(resource: Resource, held: readonly OfferedRole[]): Resource {
  if (held.length === 0) return resource;
  const roles = held.map((role) => ({ value: role.id, display: displayOf(role), type: roleType.name }));
  return { ...resource, roles: [...rolesIn(resource), ...roles] };
}

export const renderRole = (role: OfferedRole, base: string): Resource => ({
  schemas: [roleType.core.id],
  id: role.id,
  displayName: displayOf(role),
  type: roleType.name,
  description: `In the organization ${role.organizationName}`,
  meta: { resourceType: roleType.name, location: `${base}${roleType.endpoint}/${encodeURIComponent(role.id)}` },
});

export const heldRoles = async (db: Reader, user: { id: string; domain_id: string }): Promise<readonly OfferedRole[]> =>
  (await offeredRolesOf(db, user.domain_id, [user.id])).get(user.id) ?? [];

export async function heldRolesOfMany(
  db: Reader,
  users: readonly { id: string; domain_id: string }[],
): Promise<ReadonlyMap<string, readonly OfferedRole[]>> {
  const found = new Map<string, readonly OfferedRole[]>();
  for (const [domainId, rows] of Map.groupBy(users, (user) => user.domain_id)) {
    const ids = rows.map(({ id }) => id);
    for (const [id, roles] of await offeredRolesOf(db, domainId, ids)) found.set(id, roles);
  }
  return found;
}

/** Gives and takes until the user holds just these of the list. What is on it is decided inside the change. */
export async function holdRoles(
  inside: Change,
  user: { id: string; domain_id: string },
  wantedOf: (held: readonly OfferedRole[]) => readonly string[],
): Promise<void> {
  const held = await heldRoles(inside.tx, user);
  const wanted = wantedOf(held);
  const missing = wanted.filter((id) => !held.some((role) => role.id === id));
  const taken = held.filter(({ id }) => !wanted.includes(id));
  if (missing.length + taken.length === 0) return;
  const offered = missing.length > 0 ? await offeredRoles(inside.tx, user.domain_id) : [];
  const given = missing.map(
    (id) =>
      offered.find((role) => role.id === id) ??
      fail('scim.invalid_value', { name: 'roles', why: `there is no role ${id} to give` }),
  );
  await provisionRoles(inside, user.id, { given, taken });
}

export function createRoleList({ db }: { db: Database }) {
  /** Whoever may list the people of the domain sees what they can be given. */
  return async ({ caller, domainId }: Context): Promise<OfferedRole[]> => {
    permit(caller, 'identity:list_users', listTarget(caller));
    return domainId === undefined ? [] : offeredRoles(db.read, domainId);
  };
}
