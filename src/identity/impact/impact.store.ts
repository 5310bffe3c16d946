// Counts what refers to a thing and goes with it, by indexes.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database.ts';

export interface CountOptions {
  readonly id: string;
  readonly now: number;
  /** A count stops here. */
  readonly most: number;
}

type Rows = (options: CountOptions) => RawBuilder<unknown>;

const where =
  (table: string, column: string): Rows =>
  ({ id }) =>
    sql`select 1 from ${sql.table(table)} where ${sql.ref(column)} = ${id}`;

const records =
  (column: 'user_id' | 'consumer_id', ...models: readonly string[]): Rows =>
  ({ id, now }) =>
    sql`select 1 from openid_records where ${sql.ref(column)} = ${id} and model in (${sql.join(models)})
      and consumed_at is null and (expires_at is null or expires_at > ${now})`;

const TOKENS = ['AccessToken', 'RefreshToken', 'ClientCredentials'];

/** Applications whose managers the user is one of, by their own role. */
const ownedApplications: Rows = ({ id }) => sql`
  select distinct app_user_roles.application_id from app_user_roles
  join app_role_permissions on app_role_permissions.role_id = app_user_roles.role_id
  where app_user_roles.user_id = ${id} and app_role_permissions.permission_id = 'manage-application'`;

const counted = {
  user: {
    sessions: records('user_id', 'Session'),
    tokens: records('user_id', ...TOKENS),
    role_assignments: where('grants', 'user_id'),
    application_role_assignments: where('app_user_roles', 'user_id'),
    groups: where('group_members', 'user_id'),
    passkeys: ({ id }) => sql`select 1 from passkeys where user_id = ${id} and removed_at is null`,
    devices: where('devices', 'user_id'),
    credentials: where('credentials', 'user_id'),
    provider_accounts: where('provider_links', 'user_id'),
    applications_managed: ownedApplications,
  },
  group: { users: where('group_members', 'group_id'), role_assignments: where('grants', 'group_id') },
  project: {
    projects: where('projects', 'parent_id'),
    role_assignments: where('grants', 'target_id'),
    application_role_assignments: ({ id }) => sql`
      select 1 from app_user_roles where organization_id = ${id}
      union all select 1 from app_organization_roles where organization_id = ${id}`,
    users_by_default: where('users', 'default_project_id'),
  },
  domain: {
    users: where('users', 'domain_id'),
    groups: where('groups', 'domain_id'),
    projects: where('projects', 'domain_id'),
    roles: where('roles', 'domain_id'),
    role_assignments: where('grants', 'target_id'),
    identity_providers: where('identity_providers', 'domain_id'),
    connections: where('scim_connections', 'domain_id'),
    invitations: where('invitations', 'domain_id'),
  },
  role: {
    role_assignments: where('grants', 'role_id'),
    implications: ({ id }) => sql`
      select 1 from implied_roles where prior_role_id = ${id} union all select 1 from implied_roles where implied_role_id = ${id}`,
  },
  consumer: {
    roles: where('app_roles', 'application_id'),
    permissions: where('app_permissions', 'application_id'),
    application_role_assignments: ({ id }) => sql`
      select 1 from app_user_roles where application_id = ${id}
      union all select 1 from app_organization_roles where application_id = ${id}`,
    consents: records('consumer_id', 'Consent'),
    tokens: records('consumer_id', ...TOKENS),
  },
} as const satisfies Record<string, Record<string, Rows>>;

export type CountedKind = keyof typeof counted;

/** In one query; each count reads at most `most` rows. */
export async function countImpact(db: Reader, kind: CountedKind, options: CountOptions): Promise<Record<string, number>> {
  const columns = Object.entries<Rows>(counted[kind]).map(
    ([name, rows]) =>
      sql`(select count(*) from (select 1 from (${rows(options)}) as found limit ${options.most}) as counted) as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(db);
  return Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)]));
}
