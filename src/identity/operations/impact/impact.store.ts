// Counts what refers to a thing and goes with it, by indexes.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../../ground/database/index.ts';

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
    sql`select 1 from openid_records where ${sql.ref(column)} = ${id} ${usable(models, now)}`;

/** Credentials in wallets that would be revoked. */
const issuedBy =
  (column: 'user_id' | 'application_id' | 'type_id'): Rows =>
  ({ id, now }) =>
    sql`select 1 from issued_credentials where ${sql.ref(column)} = ${id} ${revocable(now)}`;
const revocable = (now: number) => sql`and state <> 'revoked' and expires_at > ${now}`;

const TOKENS = ['AccessToken', 'RefreshToken', 'ClientCredentials'];

/** Applications whose managers the user is one of, by their own role. */
const ownedApplications: Rows = ({ id }) => sql`
  select distinct app_user_roles.application_id from app_user_roles
  join app_role_permissions on app_role_permissions.role_id = app_user_roles.role_id
  where app_user_roles.user_id = ${id} and app_role_permissions.permission_id = 'manage-application'`;

const MEMBERS = ['users', 'groups', 'projects', 'roles'] as const;
type Member = (typeof MEMBERS)[number];

/**
 * Rows that refer to things of a domain, each once, by the columns with the ids of these things. Of a domain with very many of them, only
 * as many are looked at as are counted.
 */
const ofDomain =
  (table: string, key: readonly string[], refers: Readonly<Record<string, Member>>, more = sql``): Rows =>
  ({ id, most }) => {
    const columns = sql.join(key.map((column) => sql.ref(column)));
    const ways = Object.entries(refers).map(
      ([column, members]) => sql`select * from (select ${columns} from ${sql.table(table)} where ${sql.ref(column)} in
        (select id from ${sql.table(members)} where domain_id = ${id} limit ${most}) ${more} limit ${most}) as way`,
    );
    return sql.join(ways, sql` union `);
  };

const usable = (models: readonly string[], now: number) =>
  sql`and model in (${sql.join(models)}) and consumed_at is null and (expires_at is null or expires_at > ${now})`;

const recordsOfDomain =
  (...models: readonly string[]): Rows =>
  (options) =>
    ofDomain('openid_records', ['id'], { user_id: 'users' }, usable(models, options.now))(options);

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
    issued_credentials: issuedBy('user_id'),
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
    sessions: recordsOfDomain('Session'),
    tokens: recordsOfDomain(...TOKENS),
    role_assignments: (options) => {
      const inside = { user_id: 'users', group_id: 'groups', target_id: 'projects', role_id: 'roles' } as const;
      return sql`select id from grants where target_id = ${options.id} union ${ofDomain('grants', ['id'], inside)(options)}`;
    },
    application_role_assignments: (options) => sql`
      ${ofDomain('app_user_roles', ['id'], { user_id: 'users', organization_id: 'projects' })(options)}
      union ${ofDomain('app_organization_roles', ['id'], { organization_id: 'projects' })(options)}`,
    memberships: ofDomain('group_members', ['group_id', 'user_id'], { user_id: 'users', group_id: 'groups' }),
    passkeys: ofDomain('passkeys', ['id'], { user_id: 'users' }, sql`and removed_at is null`),
    devices: ofDomain('devices', ['id'], { user_id: 'users' }),
    credentials: ofDomain('credentials', ['id'], { user_id: 'users' }),
    provider_accounts: (options) => sql`
      ${ofDomain('provider_links', ['id'], { user_id: 'users' })(options)} union
      select * from (select id from provider_links where provider_id in
        (select id from identity_providers where domain_id = ${options.id}) limit ${options.most}) as way`,
    issued_credentials: (options) =>
      ofDomain('issued_credentials', ['id'], { user_id: 'users' }, revocable(options.now))(options),
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
    issued_credentials: issuedBy('application_id'),
  },
  identity_provider: {
    provider_accounts: where('provider_links', 'provider_id'),
    sessions: ({ id, now }) => sql`
      select 1 from provider_sessions join provider_links on provider_links.id = provider_sessions.link_id
      where provider_links.provider_id = ${id} and provider_sessions.expires_at > ${now}`,
  },
  credential_type: { issued_credentials: issuedBy('type_id') },
} as const satisfies Record<string, Record<string, Rows>>;

export type CountedKind = keyof typeof counted;

export interface CountedImpact {
  readonly counts: Readonly<Record<string, number>>;
  /** False for a domain that has more things than were looked at: then all numbers are at least. */
  readonly complete: boolean;
}

/** In one query; each count stops at `most` rows. */
export async function countImpact(db: Reader, kind: CountedKind, options: CountOptions): Promise<CountedImpact> {
  const columns = Object.entries<Rows>(counted[kind]).map(
    ([name, rows]) =>
      sql`(select count(*) from (select 1 from (${rows(options)}) as found limit ${options.most}) as counted) as ${sql.ref(name)}`,
  );
  const { rows } = await sql<Record<string, unknown>>`select ${sql.join(columns)}`.execute(db);
  const counts = Object.fromEntries(Object.entries(rows[0]!).map(([name, value]) => [name, Number(value)]));
  const isComplete = kind !== 'domain' || MEMBERS.every((name) => counts[name]! < options.most);
  return { counts, complete: isComplete };
}
