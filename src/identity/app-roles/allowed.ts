// What a set of roles lets its holder assign or manage: by the internal permissions those roles carry.
import type { Reader } from '../database.ts';
import type { InternalPermission } from './built-in.ts';
import { internalRoleIds, permissionsOfRoles, roleIdsOf } from './holdings.store.ts';

async function internalPermissions(db: Reader, roleIds: readonly string[]): Promise<Set<string>> {
  const permissions = await permissionsOfRoles(db, roleIds);
  return new Set(permissions.filter((permission) => permission.is_internal).map((permission) => permission.id));
}

/** The roles of an application that whoever holds `held` in it may assign. */
export async function assignableRoles(db: Reader, applicationId: string, held: readonly string[]): Promise<string[]> {
  const permissions = await internalPermissions(db, held);
  const has = (permission: InternalPermission): boolean => permissions.has(permission);
  const own = has('get-assign-public-roles')
    ? await roleIdsOf(db, applicationId)
    : has('get-assign-public-owned-roles')
      ? held
      : [];
  const internal = has('get-assign-internal-roles') ? await internalRoleIds(db) : [];
  return [...new Set([...own, ...internal])];
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
