// Reads the grants that make people administrators: of the service, or of a domain.
import { sql } from 'kysely';
import type { Reader } from '../../ground/database/index.ts';
import { type HeldGrant, heldGrant } from './access.store.ts';

/** The role admin administers the service wherever it was granted; with the scope enforced, only on the system. */
export interface ScopeRule {
  readonly enforceScope: boolean;
}

/** A grant that makes somebody an administrator. */
export interface Holding {
  readonly userId: string;
  /** A domain; null for the service. */
  readonly domainId: string | null;
  readonly grant: HeldGrant;
}

type HoldingRow = {
  readonly user_id: string;
  readonly domain_id: string | null;
} & Parameters<typeof heldGrant>[0];

/** A domain: with the role admin or manager on it. Roles that imply these count, and so do those of groups. */
const holdings = ({ enforceScope }: ScopeRule) => sql`
  recursive giving (id, name) as (
    select id, name from roles where name in ('admin', 'manager') and domain_id is null
    union
    select implied_roles.prior_role_id, giving.name from implied_roles join giving on implied_roles.implied_role_id = giving.id
  ),
  holdings (user_id, domain_id, role_id, group_id, target_id, inherited, kept) as (
    select coalesce(grants.user_id, group_members.user_id), domain.id,
      grants.role_id, grants.group_id, grants.target_id, grants.inherited, grants.kept
    from grants
    join giving on giving.id = grants.role_id
    left join group_members on group_members.group_id = grants.group_id
    join projects as domain on domain.id = grants.target_id and domain.is_domain = 1
    where grants.inherited = 0
    union
    select coalesce(grants.user_id, group_members.user_id), null,
      grants.role_id, grants.group_id, grants.target_id, grants.inherited, grants.kept
    from grants
    join giving on giving.id = grants.role_id and giving.name = 'admin'
    left join group_members on group_members.group_id = grants.group_id
    where ${enforceScope ? sql`grants.target_id is null` : sql`1 = 1`}
  )`;

const holdingOf = ({ user_id: userId, domain_id: domainId, ...grant }: HoldingRow): Holding => ({
  userId,
  domainId,
  grant: heldGrant(grant),
});

export async function holdingsOf(db: Reader, userId: string, rule: ScopeRule): Promise<Holding[]> {
  const { rows } = await sql<HoldingRow>`
    with ${holdings(rule)}
    select * from holdings where user_id = ${userId}`.execute(db);
  return rows.map(holdingOf);
}

/** Of enabled people other than this one. Those come first to whom no provider gave anything. */
export async function holdingsOfOthers(
  db: Reader,
  { userId, domainId, limit }: { readonly userId: string | undefined; readonly domainId: string | null; readonly limit: number },
  rule: ScopeRule,
): Promise<Holding[]> {
  const { rows } = await sql<HoldingRow>`
    with ${holdings(rule)}
    select holdings.* from holdings
    join users on users.id = holdings.user_id and users.enabled = 1
    join projects as home on home.id = users.domain_id and home.enabled = 1
    where holdings.user_id <> ${userId ?? ''}
      and ${domainId === null ? sql`holdings.domain_id is null` : sql`holdings.domain_id = ${domainId}`}
    order by case when exists (select 1 from provider_links where provider_links.user_id = holdings.user_id) then 1 else 0 end,
      holdings.user_id
    limit ${limit}`.execute(db);
  return rows.map(holdingOf);
}

/**
 * Enabled people with the role `admin` anywhere, by a grant or a group, who have neither a second factor nor a passkey. No role implies
 * `admin`. `is_linked`: a provider may have given it, so that it may not count. The others come first.
 * (`union all`: for `union`, SQLite would read the grants of everybody in the order of the users.)
 */
export async function administratorsWithoutFactor(
  db: Reader,
  limit: number,
): Promise<{ id: string; name: string; is_linked: number }[]> {
  const admin = sql`(select id from roles where name = 'admin' and domain_id is null)`;
  const { rows } = await sql<{ id: string; name: string; is_linked: number }>`
    select id, name, case when exists (select 1 from provider_links l where l.user_id = users.id) then 1 else 0 end as is_linked
    from users
    where enabled = 1
      and id in (
        select user_id from grants where role_id = ${admin} and user_id is not null
        union all
        select m.user_id from grants g join group_members m on m.group_id = g.group_id where g.role_id = ${admin}
      )
      and not exists (select 1 from two_factor f where f.user_id = users.id)
      and not exists (select 1 from passkeys p where p.user_id = users.id and p.removed_at is null)
    order by is_linked, name, id
    limit ${limit}`.execute(db);
  return rows;
}
