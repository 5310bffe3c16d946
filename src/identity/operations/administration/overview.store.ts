// Reads what the overview shows. Everything is bounded, so that it is quick with a million users.
import { type Kysely, sql } from 'kysely';
import type { Reader } from '../../ground/database/index.ts';

/** Counting ends here: a table is not read to its end. */
export const MAX_COUNT = 100_000;

export interface Counts {
  readonly users: number;
  readonly groups: number;
  readonly projects: number;
  readonly domains: number;
  readonly applications: number;
}

/** At most one more than the bound. With a domain: what is in it. */
export async function countThings(db: Reader, domainId: string | undefined): Promise<Counts> {
  const within = domainId === undefined ? sql`1 = 1` : sql`domain_id = ${domainId}`;
  const bounded = (rows: ReturnType<typeof sql>) => sql`(select count(*) from (${rows} limit ${MAX_COUNT + 1}) rows)`;
  const { rows } = await sql<Record<keyof Counts, number>>`select
    ${bounded(sql`select 1 from users where ${within}`)} as users,
    ${bounded(sql`select 1 from groups where ${within}`)} as groups,
    ${bounded(sql`select 1 from projects where is_domain = 0 and ${within}`)} as projects,
    ${bounded(sql`select 1 from projects where is_domain = 1 and ${domainId === undefined ? sql`1 = 1` : sql`id = ${domainId}`}`)} as domains,
    ${bounded(sql`select 1 from consumers`)} as applications`.execute(db);
  const { users, groups, projects, domains, applications } = rows[0]!;
  return {
    users: Number(users),
    groups: Number(groups),
    projects: Number(projects),
    domains: Number(domains),
    applications: Number(applications),
  };
}

export async function namesOfDomains(db: Reader, ids: readonly string[]): Promise<Map<string, string>> {
  if (ids.length === 0) return new Map();
  const rows = await db
    .selectFrom('projects')
    .where('id', 'in', [...ids])
    .select(['id', 'name'])
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}

export interface QuietConnection {
  readonly id: string;
  readonly name: string;
  readonly domain_id: string;
  readonly last_used_at: number | null;
  readonly failures: number;
}

/**
 * Provisioning connections with the number of their stored requests that failed since a time. Not those that belong to ordinary
 * provisioning: clients ask for people who are not there yet (404), and create some who are there already (409).
 */
export async function connectionStates(db: Reader, since: number): Promise<(QuietConnection & { created_at: number })[]> {
  const { rows } = await sql<QuietConnection & { created_at: number }>`
    select c.id, c.name, c.domain_id, c.created_at, c.last_used_at,
      (select count(*) from scim_requests r
        where r.connection_id = c.id and r.at >= ${since} and r.status >= 400 and r.status not in (404, 409)) as failures
    from scim_connections c order by c.created_at, c.id limit 1000`.execute(db);
  return rows.map((row) => ({ ...row, failures: Number(row.failures) }));
}

/** Since when the newest keys are active (seconds). */
export async function readKeyAges<S>(
  db: Kysely<S>,
): Promise<Readonly<Record<'token' | 'openid' | 'issuer', number | undefined>>> {
  type Age = number | string | null;
  const { rows } = await sql<{ token: Age; openid: Age; issuer: Age }>`select
    (select max(active_from) from token_keys) as token, (select max(active_from) from openid_keys) as openid,
    (select max(active_from) from issuer_keys where origin = 'made') as issuer`.execute(db);
  const age = (value: Age | undefined): number | undefined => (value === null || value === undefined ? undefined : Number(value));
  return { token: age(rows[0]?.token), openid: age(rows[0]?.openid), issuer: age(rows[0]?.issuer) };
}

/** The ids of the keys that the OpenID provider publishes. */
export async function publishedKeyIds<S>(db: Kysely<S>): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from openid_keys where kind <> 'cookie'`.execute(db);
  return rows.map(({ id }) => id);
}
