// The question every enforcement proxy asks: which roles and permissions does this user have in this application, in each organization?
// Answered from memory like a token check, and asked by our own rules too: who manages an application, who may assign a role.
import type { MaybePromise } from '../../platform/maybe-promise.ts';
import { findUserWithDomain, groupIdsOf, tagOf } from '../access/index.ts';
import { findConsumer, tagOfConsumer } from '../consumers/index.ts';
import type { Database, Reader } from '../database.ts';
import type { InternalPermission } from './built-in.ts';
import { type HeldRoleRow, type LinkedPermission, memberships, permissionsHeld, readHeldRoles } from './holdings.store.ts';

/** About a kilobyte each. */
const LIMIT = 20_000;

export const appTagOf = {
  /** Roles, permissions and links of an application. */
  application: tagOfConsumer,
  /** Assignments of a user. */
  user: (id: string): string => `app-user:${id}`,
} as const;

interface Held {
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

export interface UserHoldings {
  /** The answer to the question, as JSON: made once, sent many times. */
  readonly text: string;
  /** Length of the text as it travels. */
  readonly bytes: number;
  /** In any organization. */
  readonly roleIds: ReadonlySet<string>;
  readonly internal: ReadonlySet<string>;
  readonly tags: readonly string[];
}

export interface Holdings {
  /** Undefined when there is no such user or application. */
  of(userId: string, applicationId: string): MaybePromise<UserHoldings | undefined>;
  /** Whether the user holds an internal permission in the application, in whichever organization. */
  has(userId: string, applicationId: string, ...permissions: readonly InternalPermission[]): Promise<boolean>;
}

/** What a user holds in an application, as the database has it now; undefined when there is no such user or application. */
export async function readHoldings(db: Reader, userId: string, applicationId: string): Promise<UserHoldings | undefined> {
  const [user, application, groups, all] = await Promise.all([
    findUserWithDomain(db, userId),
    findConsumer(db, applicationId),
    groupIdsOf(db, userId),
    readHeldRoles(db, userId, applicationId),
  ]);
  if (!user || !application) return undefined;
  const organizations = [...new Set(all.map((row) => row.organization_id))];
  // Someone who left an organization keeps nothing of what they held inside it; their own is always theirs.
  const member = await memberships(
    db,
    userId,
    organizations.filter((id) => id !== user.default_project_id),
  );
  const counts = (row: HeldRoleRow): boolean =>
    row.organization_enabled === 1 && (row.organization_id === user.default_project_id || member.has(row.organization_id));
  const rows = user.enabled && user.domain_enabled ? all.filter(counts) : [];
  const permissions = rows.length > 0 ? await permissionsHeld(db, userId, applicationId) : [];
  const byOrganization = Map.groupBy(rows, (row) => row.organization_id);
  const own = byOrganization.get(user.default_project_id ?? '') ?? [];
  const roleIds = new Set(rows.map((row) => row.role_id));
  const internal = permissions.filter((permission) => permission.is_internal && roleIds.has(permission.role_id));
  const answer = {
    ...heldOf(own, permissions),
    organizations: [...byOrganization]
      .filter(([id]) => id !== user.default_project_id)
      .map(([id, held]) => ({ id, name: held[0]!.organization_name, ...heldOf(held, permissions) })),
  };
  const text = JSON.stringify(answer);
  return {
    text,
    bytes: Buffer.byteLength(text),
    roleIds,
    internal: new Set(internal.map((permission) => permission.id)),
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

function heldOf(rows: readonly HeldRoleRow[], permissions: readonly LinkedPermission[]): Held {
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

export function createHoldings(db: Database): Holdings {
  const cache = db.cached<UserHoldings>({ name: 'holdings', limit: LIMIT, tags: ({ tags }) => tags });

  const of = (userId: string, applicationId: string): MaybePromise<UserHoldings | undefined> =>
    cache.getOrLoad(`${userId} ${applicationId}`, () => readHoldings(db.read, userId, applicationId));

  return {
    of,
    async has(userId, applicationId, ...permissions) {
      const held = await of(userId, applicationId);
      return permissions.some((permission) => held?.internal.has(permission));
    },
  };
}
