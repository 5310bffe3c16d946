// The rows of SCIM resources: by condition, by page and by lookup.
import { type Expression, type SqlBool, sql } from 'kysely';
import { preparedRows } from '../../../../platform/database/index.ts';
import type { UserWithExpiry } from '../../../directory/users/index.ts';
import type { Database, GroupRow, ProjectRow, Reader, Tables, UserRow } from '../../../ground/database/index.ts';
import type { ScimSqlCondition, SqlColumn } from './filter-to-sql.ts';

/** The columns a resource needs. */
const USER_COLUMNS = [
  'id',
  'domain_id',
  'external_id',
  'name',
  'enabled',
  'profile',
  'created_at',
  'updated_at',
  'version',
] as const;
type UserColumns = Pick<UserRow, (typeof USER_COLUMNS)[number]>;

export interface Rows {
  /** With groups if the same query read them. */
  users: UserColumns & {
    readonly groups?: readonly GroupOfUser[];
    /** Whether the user has application roles or memberships, if the same query checked. */
    readonly holds_offers?: boolean | number;
  };
  groups: GroupRow;
  projects: ProjectRow;
}
export type ScimTable = keyof Rows;

/** Complete rows, which the base API changes. */
export interface StoredRows extends Rows {
  users: UserWithExpiry;
}

export interface Selection {
  readonly table: ScimTable;
  /** Undefined: all domains. */
  readonly domainId: string | undefined;
  readonly condition: ScimSqlCondition | undefined;
}

export interface SortOrder {
  readonly column: SqlColumn;
  readonly descending: boolean;
}

export interface RowRange {
  readonly limit: number;
  readonly offset?: number;
  /** Starts after this row, in the default order. */
  readonly after?: { readonly name: string; readonly id: string } | undefined;
  readonly order?: SortOrder | undefined;
}

function compile(table: ScimTable, condition: ScimSqlCondition): Expression<SqlBool> {
  switch (condition.kind) {
    case 'and':
    case 'or': {
      const parts = condition.parts.map((part) => compile(table, part));
      return sql<SqlBool>`(${sql.join(parts, condition.kind === 'and' ? sql` and ` : sql` or `)})`;
    }
    case 'column':
      return sql<SqlBool>`${sql.ref(`${table}.${condition.column}`)} ${sql.raw(condition.comparison)} ${condition.value}`;
    case 'foldedName':
      return sql<SqlBool>`lower(${sql.ref(`${table}.name`)}) = ${condition.value}`;
    case 'email':
      return sql<SqlBool>`users.id in (select user_id from user_emails where value_key = ${condition.key})`;
    // The base API allows group members of other domains; SCIM shows only the own domain.
    case 'inGroup':
      return sql<SqlBool>`(users.id in (select user_id from group_members where group_id = ${condition.id})
        and users.domain_id = (select domain_id from groups where id = ${condition.id}))`;
    case 'withMember':
      return sql<SqlBool>`(groups.id in (select group_id from group_members where user_id = ${condition.id})
        and groups.domain_id = (select domain_id from users where id = ${condition.id}))`;
    default:
      return sql<SqlBool>`1 = 0`;
  }
}

function selectRows(db: Reader, { table, domainId, condition }: Selection) {
  let query = db.selectFrom(table as 'users');
  if (domainId !== undefined) query = query.where('domain_id', '=', domainId);
  // A domain is a row of the same table.
  if (table === 'projects') query = query.where(sql<SqlBool>`is_domain = 0`);
  return condition ? query.where(compile(table, condition)) : query;
}

export async function readRows<T extends ScimTable>(
  db: Reader,
  selection: Selection & { readonly table: T },
  { limit, offset, after, order }: RowRange,
): Promise<Rows[T][]> {
  let query = selectRows(db, selection).selectAll();
  if (after) query = query.where(sql<SqlBool>`(name, id) > (${after.name}, ${after.id})`);
  const direction = order?.descending ? 'desc' : 'asc';
  query = order ? query.orderBy(order.column, direction).orderBy('id', direction) : query.orderBy('name').orderBy('id');
  query = query.limit(limit);
  if (offset) query = query.offset(offset);
  return (await query.execute()) as unknown as Rows[T][];
}

export async function countRows(db: Reader, selection: Selection): Promise<number> {
  const row = await selectRows(db, selection)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export interface GroupOfUser {
  readonly userId: string;
  readonly groupId: string;
  readonly name: string;
}

/** Sorted here: the database uses its own collation, and sorting there costs a tenth of the lookup even for one row. */
const byName = (one: GroupOfUser, other: GroupOfUser): number => (one.name < other.name ? -1 : 1);

type UserGroupRow = UserColumns & {
  readonly group_id: string | null;
  readonly group_name: string | null;
  readonly holds_offers: boolean | number;
};

const withGroups = (db: Reader) =>
  db
    .selectFrom('users')
    .leftJoin('group_members', 'group_members.user_id', 'users.id')
    .leftJoin('groups', (join) =>
      join.onRef('groups.id', '=', 'group_members.group_id').onRef('groups.domain_id', '=', 'users.domain_id'),
    )
    .select(USER_COLUMNS.map((column) => `users.${column}` as const))
    .select(['groups.id as group_id', 'groups.name as group_name'])
    .select((eb) =>
      eb
        .or([
          eb.exists(
            eb.selectFrom('app_user_roles').whereRef('app_user_roles.user_id', '=', 'users.id').select('app_user_roles.id'),
          ),
          eb.exists(
            eb
              .selectFrom('grants')
              .whereRef('grants.user_id', '=', 'users.id')
              .where('grants.inherited', '=', 0)
              .select('grants.id'),
          ),
        ])
        .as('holds_offers'),
    );

/** The most frequent queries: one user by a unique value, with the groups of the user. */
const lookUpsBySingleValue = {
  id: preparedRows<Tables, [string, string], UserGroupRow>((db, domain, id) =>
    withGroups(db).where('users.id', '=', id).where('users.domain_id', '=', domain),
  ),
  name_key: preparedRows<Tables, [string, string], UserGroupRow>((db, domain, key) =>
    withGroups(db).where('users.domain_id', '=', domain).where('users.name_key', '=', key),
  ),
};

/** Lookups by values that several users may have. */
const lookUps = {
  external_id: preparedRows<Tables, [string, string, number], UserColumns>((db, domain, id, limit) =>
    db
      .selectFrom('users')
      .where('external_id', '=', id)
      .where('domain_id', '=', domain)
      .orderBy('name')
      .orderBy('id')
      .limit(limit)
      .select(USER_COLUMNS),
  ),
  email: preparedRows<Tables, [string, string, number], UserColumns>((db, domain, key, limit) =>
    db
      .selectFrom('users')
      .where('id', 'in', (eb) => eb.selectFrom('user_emails').where('value_key', '=', key).select('user_id'))
      .where('domain_id', '=', domain)
      .orderBy('name')
      .orderBy('id')
      .limit(limit)
      .select(USER_COLUMNS),
  ),
};

/** Merges the rows, one for each group, into one user. */
function mergeGroups(found: readonly UserGroupRow[]): Rows['users'][] {
  const user: (UserGroupRow & { groups?: GroupOfUser[] }) | undefined = found[0];
  if (!user) return [];
  const groups: GroupOfUser[] = [];
  for (const { group_id: groupId, group_name: name } of found)
    if (groupId !== null && name !== null) groups.push({ userId: user.id, groupId, name });
  user.groups = groups.sort(byName);
  return [user];
}

/** Uses a prepared lookup if there is one for the selection. */
export async function lookUpUsers(
  db: Reader,
  { table, domainId, condition }: Selection,
  limit: number,
): Promise<Rows['users'][] | undefined> {
  if (table !== 'users' || domainId === undefined || !condition || limit === 0) return undefined;
  if (condition.kind === 'email') return lookUps.email(db, domainId, condition.key, limit);
  if (condition.kind !== 'column' || condition.comparison !== '=' || typeof condition.value !== 'string') return undefined;
  const { column, value } = condition;
  if (column === 'external_id') return lookUps.external_id(db, domainId, value, limit);
  if (column === 'id' || column === 'name_key') return mergeGroups(await lookUpsBySingleValue[column](db, domainId, value));
  return undefined;
}

/** The groups of many users. */
export async function groupsOfUsers(db: Reader, userIds: readonly string[]): Promise<GroupOfUser[]> {
  const groups = await db
    .selectFrom('group_members')
    .innerJoin('users', 'users.id', 'group_members.user_id')
    .innerJoin('groups', (join) =>
      join.onRef('groups.id', '=', 'group_members.group_id').onRef('groups.domain_id', '=', 'users.domain_id'),
    )
    .where('group_members.user_id', 'in', [...userIds])
    .select(['group_members.user_id as userId', 'groups.id as groupId', 'groups.name'])
    .execute();
  return groups.sort(byName);
}

export function findOrganization(db: Reader, id: string): Promise<ProjectRow | undefined> {
  return db.selectFrom('projects').where('id', '=', id).where('is_domain', '=', 0).selectAll().executeTakeFirst();
}

/** Counts users with a base role on a domain, directly or through a group. */
export async function countUsersWithRole(db: Database, roleName: string, domainId: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from (
      select grants.user_id from grants join roles on roles.id = grants.role_id
      where roles.name = ${roleName} and roles.domain_id is null and grants.target_id = ${domainId}
        and grants.inherited = 0 and grants.user_id is not null
      union
      select group_members.user_id from grants join roles on roles.id = grants.role_id
      join group_members on group_members.group_id = grants.group_id
      where roles.name = ${roleName} and roles.domain_id is null and grants.target_id = ${domainId} and grants.inherited = 0
    ) as holders`.execute(db.lists);
  return Number(rows[0]!.count);
}

/** Counts organizations with the cloud flag, and those that have neither this flag nor the default flag. */
export async function countOrganizations(db: Database): Promise<{ cloud: number; user: number }> {
  const marked = (name: string) =>
    db.dialect === 'sqlite'
      ? sql<SqlBool>`coalesce(json_extract(extra, ${`$.${name}`}), 0) = 1`
      : sql<SqlBool>`coalesce(extra::json ->> ${name}, '') = 'true'`;
  const count = sql<number>`count(*)`.as('count');
  const organizations = db.lists.selectFrom('projects').where('is_domain', '=', 0).select(count);
  const cloud = await organizations.where(marked('is_cloud_project')).executeTakeFirstOrThrow();
  const user = await organizations
    .where(sql<SqlBool>`not ${marked('is_cloud_project')}`)
    .where(sql<SqlBool>`not ${marked('is_default')}`)
    .executeTakeFirstOrThrow();
  return { cloud: Number(cloud.count), user: Number(user.count) };
}

/** Databases limit the number of parameters in a statement. */
const CHUNK = 1000;

/** Which of these ids are organizations of the domain, enabled or not. */
export async function organizationsAmong(db: Reader, domainId: string, ids: readonly string[]): Promise<Set<string>> {
  const found = new Set<string>();
  for (let at = 0; at < ids.length; at += CHUNK) {
    const some = db
      .selectFrom('projects')
      .where('projects.domain_id', '=', domainId)
      .where('projects.is_domain', '=', 0)
      .where('projects.id', 'in', ids.slice(at, at + CHUNK));
    for (const { id } of await some.select('projects.id').execute()) found.add(id);
  }
  return found;
}
