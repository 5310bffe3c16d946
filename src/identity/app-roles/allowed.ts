// What a set of roles lets its holder assign or manage: by the internal permissions those roles carry.
import type { AppRoleRow, Reader } from '../database.ts';
import type { InternalPermission } from './built-in.ts';
import { candidatePermissions, candidateRoles, type LinkedPermission, permissionsOfRoles } from './holdings.store.ts';

/** What a user, or an organization, holds in one application. */
export interface Authority {
  readonly roleIds: ReadonlySet<string>;
  /** The internal permissions those roles carry: what they may manage. */
  readonly internal: ReadonlySet<string>;
}

/** By role: the internal permissions it carries. */
function internalByRole(permissions: readonly LinkedPermission[]): Map<string, Set<string>> {
  const byRole = new Map<string, Set<string>>();
  for (const { id, role_id: role, is_internal: internal } of permissions) {
    if (internal) byRole.set(role, (byRole.get(role) ?? new Set()).add(id));
  }
  return byRole;
}

async function internalPermissions(db: Reader, roleIds: readonly string[]): Promise<Set<string>> {
  const permissions = await permissionsOfRoles(db, roleIds);
  return new Set(permissions.filter((permission) => permission.is_internal).map((permission) => permission.id));
}

export const authorityOf = async (db: Reader, roleIds: readonly string[]): Promise<Authority> => ({
  roleIds: new Set(roleIds),
  internal: await internalPermissions(db, roleIds),
});

/** A role among those the holder may assign, that carries no management the holder lacks. */
function covers(
  { roleIds, internal }: Authority,
  applicationId: string,
  role: AppRoleRow,
  carried: ReadonlySet<string>,
): boolean {
  const has = (permission: InternalPermission): boolean => internal.has(permission);
  const named =
    (has('get-assign-public-roles') && role.application_id === applicationId) ||
    (has('get-assign-public-owned-roles') && roleIds.has(role.id)) ||
    (has('get-assign-internal-roles') && role.is_internal === 1);
  return named && carried.isSubsetOf(internal);
}

export async function mayAssign(db: Reader, authority: Authority, applicationId: string, role: AppRoleRow): Promise<boolean> {
  return covers(authority, applicationId, role, await internalPermissions(db, [role.id]));
}

/** The roles that whoever holds `held` in an application may assign there. */
export async function assignableRoles(db: Reader, applicationId: string, held: readonly string[]): Promise<string[]> {
  const [found] = await assignableIn(db, [{ applicationId, roleIds: held }]);
  return found!.map(({ role }) => role.id);
}

interface Assignable {
  readonly role: AppRoleRow;
  /** Whether it carries management. */
  readonly manages: boolean;
}

/** The same for many holders, in their order, with as many queries as for one. */
export async function assignableIn(
  db: Reader,
  holders: readonly { readonly applicationId: string; readonly roleIds: readonly string[] }[],
): Promise<Assignable[][]> {
  const granted = internalByRole(await permissionsOfRoles(db, [...new Set(holders.flatMap(({ roleIds }) => roleIds))]));
  const authorities = holders.map(({ applicationId, roleIds }) => ({
    applicationId,
    roleIds: new Set(roleIds),
    internal: new Set(roleIds.flatMap((id) => [...(granted.get(id) ?? [])])),
  }));
  const places = new Set(authorities.filter(({ internal }) => internal.size > 0).map(({ applicationId }) => applicationId));
  if (places.size === 0) return holders.map(() => []);
  const roles = await candidateRoles(db, [...places]);
  const carried = internalByRole(await candidatePermissions(db, [...places]));
  const own = Map.groupBy(
    roles.filter((role) => !role.is_internal),
    (role) => role.application_id,
  );
  const internal = roles.filter((role) => role.is_internal);
  const none: ReadonlySet<string> = new Set();
  return authorities.map((authority) =>
    (authority.internal.size > 0 ? [...(own.get(authority.applicationId) ?? []), ...internal] : [])
      .map((role) => ({ role, carries: carried.get(role.id) ?? none }))
      .filter(({ role, carries }) => covers(authority, authority.applicationId, role, carries))
      .map(({ role, carries }) => ({ role, manages: carries.size > 0 })),
  );
}

/** `{ <application>: [<role>] }`, without applications where nothing may be assigned. */
export async function assignableByApplication(
  db: Reader,
  held: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, string[]>> {
  const entries = await Promise.all([...held].map(async ([id, roles]) => [id, await assignableRoles(db, id, roles)] as const));
  return Object.fromEntries(entries.filter(([, roles]) => roles.length > 0));
}

/** The applications in which the roles carry a permission. */
export async function applicationsWith(
  db: Reader,
  held: ReadonlyMap<string, readonly string[]>,
  permission: InternalPermission,
): Promise<string[]> {
  const found = await Promise.all(
    [...held].map(async ([id, roles]) => ((await internalPermissions(db, roles)).has(permission) ? id : undefined)),
  );
  return found.filter((id) => id !== undefined);
}
