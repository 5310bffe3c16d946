// Which roles a user or organization may assign, and which applications they may manage. Their roles' internal permissions decide.
import type { AppRoleRow, Reader } from '../../ground/database/index.ts';
import type { InternalPermission } from './built-in.ts';
import { candidatePermissions, candidateRoles, type LinkedPermission, permissionsOfRoles } from './user-permissions.store.ts';

/** The roles of a user or organization in one application. */
export interface Authority {
  readonly roleIds: ReadonlySet<string>;
  /** The internal permissions of those roles: what they may manage. */
  readonly internal: ReadonlySet<string>;
}

/** Internal permissions by role. */
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

/** Whether the authority may assign a role: it must itself have all internal permissions of the role. */
function covers(
  { roleIds, internal }: Authority,
  applicationId: string,
  role: AppRoleRow,
  rolePermissions: ReadonlySet<string>,
): boolean {
  const has = (permission: InternalPermission): boolean => internal.has(permission);
  const isAssignable =
    (has('get-assign-public-roles') && role.application_id === applicationId) ||
    (has('get-assign-public-owned-roles') && roleIds.has(role.id)) ||
    (has('get-assign-internal-roles') && role.is_internal === 1);
  return isAssignable && rolePermissions.isSubsetOf(internal);
}

export async function mayAssign(db: Reader, authority: Authority, applicationId: string, role: AppRoleRow): Promise<boolean> {
  return covers(authority, applicationId, role, await internalPermissions(db, [role.id]));
}

/** The roles that the given roles allow to assign in an application. */
export async function assignableRoles(db: Reader, applicationId: string, roleIds: readonly string[]): Promise<string[]> {
  const [assignable] = await assignableRolesFor(db, [{ applicationId, roleIds }]);
  return assignable!.map(({ role }) => role.id);
}

interface AssignableRole {
  readonly role: AppRoleRow;
  /** Whether it has internal permissions. */
  readonly manages: boolean;
}

/** The same for many assignees, in their order, with as many queries as for one. */
export async function assignableRolesFor(
  db: Reader,
  assignees: readonly { readonly applicationId: string; readonly roleIds: readonly string[] }[],
): Promise<AssignableRole[][]> {
  const granted = internalByRole(await permissionsOfRoles(db, [...new Set(assignees.flatMap(({ roleIds }) => roleIds))]));
  const authorities = assignees.map(({ applicationId, roleIds }) => ({
    applicationId,
    roleIds: new Set(roleIds),
    internal: new Set(roleIds.flatMap((id) => [...(granted.get(id) ?? [])])),
  }));
  const applicationIds = new Set(
    authorities.filter(({ internal }) => internal.size > 0).map(({ applicationId }) => applicationId),
  );
  if (applicationIds.size === 0) return assignees.map(() => []);
  const roles = await candidateRoles(db, [...applicationIds]);
  const permissionsByRole = internalByRole(await candidatePermissions(db, [...applicationIds]));
  const own = Map.groupBy(
    roles.filter((role) => !role.is_internal),
    (role) => role.application_id,
  );
  const internal = roles.filter((role) => role.is_internal);
  const none: ReadonlySet<string> = new Set();
  return authorities.map((authority) =>
    (authority.internal.size > 0 ? [...(own.get(authority.applicationId) ?? []), ...internal] : [])
      .map((role) => ({ role, permissions: permissionsByRole.get(role.id) ?? none }))
      .filter(({ role, permissions }) => covers(authority, authority.applicationId, role, permissions))
      .map(({ role, permissions }) => ({ role, manages: permissions.size > 0 })),
  );
}

/** `{ <application>: [<role>] }`, without applications where no role may be assigned. */
export async function assignableByApplication(
  db: Reader,
  rolesByApplication: ReadonlyMap<string, readonly string[]>,
): Promise<Record<string, string[]>> {
  const entries = await Promise.all(
    [...rolesByApplication].map(async ([id, roles]) => [id, await assignableRoles(db, id, roles)] as const),
  );
  return Object.fromEntries(entries.filter(([, roles]) => roles.length > 0));
}

/** The applications in which the roles have a permission. */
export async function applicationsWith(
  db: Reader,
  rolesByApplication: ReadonlyMap<string, readonly string[]>,
  permission: InternalPermission,
): Promise<string[]> {
  const found = await Promise.all(
    [...rolesByApplication].map(async ([id, roles]) => ((await internalPermissions(db, roles)).has(permission) ? id : undefined)),
  );
  return found.filter((id) => id !== undefined);
}
