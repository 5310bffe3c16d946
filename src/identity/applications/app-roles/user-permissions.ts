// The roles and permissions of a user in an application, by organization. Enforcement proxies ask for them with every request, so they
// are cached like token checks. Our own rules use them too: who manages an application, who may assign a role.
import { type Clock, seconds } from '../../../platform/clock.ts';
import type { MaybePromise } from '../../../platform/maybe-promise.ts';
import { findUserWithDomain, heldGroups, membershipsOf, tagOf } from '../../access/context/index.ts';
import type { Database, Reader, Tx } from '../../ground/database/index.ts';
import { findConsumer, tagOfConsumer } from '../consumers/index.ts';
import type { InternalPermission } from './built-in.ts';
import {
  type AssignedRoleRow,
  applicationsOfUser,
  type LinkedPermission,
  memberships,
  readAssignedPermissions,
  readAssignedRoles,
} from './user-permissions.store.ts';

/** Each takes about a kilobyte. */
const LIMIT = 20_000;

export const appTagOf = {
  /** Roles, permissions and links of an application. */
  application: tagOfConsumer,
  /** Assignments of a user. */
  user: (id: string): string => `app-user:${id}`,
} as const;

interface RolesAndPermissions {
  readonly roles: readonly { id: string; name: string }[];
  readonly permissions: readonly {
    id: string;
    name: string;
    action: string | null;
    resource: string | null;
    xml: string | null;
    is_internal: boolean;
  }[];
}

export interface UserPermissions {
  /** The response as JSON, serialized once and sent many times. */
  readonly text: string;
  /** Length of the text in bytes. */
  readonly bytes: number;
  /** In any organization. */
  readonly roleIds: ReadonlySet<string>;
  readonly internal: ReadonlySet<string>;
  /** Time in seconds when this expires, because a membership ends; null for never. */
  readonly validUntil: number | null;
  readonly tags: readonly string[];
}

export interface UserPermissionsReader {
  /** Undefined when the user or the application does not exist. */
  of(userId: string, applicationId: string): MaybePromise<UserPermissions | undefined>;
  /** The same within a transaction, and not cached: to act on what it says in this transaction. */
  readIn(tx: Tx, userId: string, applicationId: string): Promise<UserPermissions | undefined>;
  /** Whether the user has one of these internal permissions in the application, in any organization. */
  has(userId: string, applicationId: string, ...permissions: readonly InternalPermission[]): Promise<boolean>;
  /** In which the user has a role that may count. */
  applicationsOf(userId: string): Promise<readonly string[]>;
}

/** A role that a user has in an organization, and why it does not count. */
export interface HeldAppRole extends AssignedRoleRow {
  readonly obstacle: 'organization_disabled' | 'not_a_member' | undefined;
  /** It counts without a membership. */
  readonly inDefaultOrganization: boolean;
}

/** What decides about a user in an application. Undefined when the user or the application does not exist. */
export async function inspectUserPermissions(
  { clock }: { readonly clock: Clock },
  db: Reader,
  userId: string,
  applicationId: string,
) {
  const [user, application, groupMemberships, all] = await Promise.all([
    findUserWithDomain(db, userId),
    findConsumer(db, applicationId),
    membershipsOf(db, userId),
    readAssignedRoles(db, userId, applicationId),
  ]);
  if (!user || !application) return undefined;
  const organizations = [...new Set(all.map((row) => row.organization_id))];
  const member = await memberships(db, userId, organizations, seconds(clock));
  // Roles in an organization count only while the user is a member of it. The default organization always counts, but only in the
  // domain of the user: managers of that domain choose it, and must not bring back roles in organizations of other domains.
  const held = all.map((row): HeldAppRole => {
    const inDefaultOrganization =
      row.organization_id === user.default_project_id && row.organization_domain_id === user.domain_id;
    const counts = member.has(row.organization_id) || inDefaultOrganization;
    const obstacle = row.organization_enabled === 1 ? (counts ? undefined : 'not_a_member') : 'organization_disabled';
    return { ...row, inDefaultOrganization, obstacle };
  });
  const isUsable = user.enabled === 1 && user.domain_enabled === 1;
  return { user, application, ...heldGroups(groupMemberships, clock), organizations, held, isUsable };
}

/** What decides about a user in their applications. Each is read once, when it is asked for; undefined where they have no role. */
export async function inspectApplications(
  deps: { readonly clock: Clock },
  db: Reader,
  userId: string,
): Promise<(applicationId: string) => ReturnType<typeof inspectUserPermissions> | undefined> {
  const ids = new Set(await applicationsOfUser(db, userId));
  const found = new Map<string, ReturnType<typeof inspectUserPermissions>>();
  return (id) => {
    if (ids.has(id) && !found.has(id)) found.set(id, inspectUserPermissions(deps, db, userId, id));
    return found.get(id);
  };
}

/** Reads from the database. Undefined when the user or the application does not exist. */
async function readUserPermissions(
  deps: { readonly clock: Clock },
  db: Reader,
  userId: string,
  applicationId: string,
): Promise<UserPermissions | undefined> {
  const found = await inspectUserPermissions(deps, db, userId, applicationId);
  if (!found) return undefined;
  const { user, groups, organizations } = found;
  const rows = found.isUsable ? found.held.filter(({ obstacle }) => obstacle === undefined) : [];
  const permissions = rows.length > 0 ? await readAssignedPermissions(db, userId, applicationId) : [];
  const byOrganization = Map.groupBy(rows, (row) => row.organization_id);
  const own = byOrganization.get(user.default_project_id ?? '') ?? [];
  const roleIds = new Set(rows.map((row) => row.role_id));
  const internal = permissions.filter((permission) => permission.is_internal && roleIds.has(permission.role_id));
  const answer = {
    ...rolesAndPermissionsOf(own, permissions),
    organizations: [...byOrganization]
      .filter(([id]) => id !== user.default_project_id)
      .map(([id, assigned]) => ({
        id,
        name: assigned[0]!.organization_name,
        ...rolesAndPermissionsOf(assigned, permissions),
      })),
  };
  const text = JSON.stringify(answer);
  return {
    text,
    bytes: Buffer.byteLength(text),
    roleIds,
    internal: new Set(internal.map((permission) => permission.id)),
    validUntil: found.groupsUntil,
    tags: [
      tagOf.everything,
      tagOf.user(userId),
      appTagOf.user(userId),
      appTagOf.application(applicationId),
      ...groups.map(tagOf.group),
      ...organizations.map(tagOf.project),
      tagOf.project(user.domain_id),
    ],
  };
}

function rolesAndPermissionsOf(rows: readonly AssignedRoleRow[], permissions: readonly LinkedPermission[]): RolesAndPermissions {
  const roles = rows.map((row) => ({ id: row.role_id, name: row.role_name }));
  const linked = permissions.filter((permission) => roles.some((role) => role.id === permission.role_id));
  const unique = [...new Map(linked.map((permission) => [permission.id, permission])).values()];
  return {
    roles,
    permissions: unique.map(({ id, name, action, resource, xml, is_internal }) => ({
      id,
      name,
      action,
      resource,
      xml,
      is_internal: is_internal === 1,
    })),
  };
}

export function createUserPermissions(deps: { readonly db: Database; readonly clock: Clock }): UserPermissionsReader {
  const { db, clock } = deps;
  // The name is a label of a metric, so it stays.
  const cache = db.cached<UserPermissions>({
    name: 'holdings',
    limit: LIMIT,
    tags: ({ tags }) => tags,
    expiry: { clock, at: ({ validUntil }) => (validUntil ?? Number.POSITIVE_INFINITY) * 1000 },
  });

  const of = (userId: string, applicationId: string): MaybePromise<UserPermissions | undefined> =>
    cache.getOrLoad(`${userId} ${applicationId}`, () => readUserPermissions(deps, db.read, userId, applicationId));

  return {
    of,
    readIn: (tx, userId, applicationId) => readUserPermissions(deps, tx, userId, applicationId),
    applicationsOf: (userId) => applicationsOfUser(db.read, userId),
    async has(userId, applicationId, ...permissions) {
      const found = await of(userId, applicationId);
      return permissions.some((permission) => found?.internal.has(permission));
    },
  };
}
