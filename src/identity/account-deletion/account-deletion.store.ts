// Accounts that are to be deleted.
import { sql } from 'kysely';
import { type PageRequest, type RowPage, readPage } from '../../platform/database/index.ts';
import type { AccountDeletionRow, Database, Reader, Tx } from '../database.ts';
import { applyCriteria, type ListQuery } from '../resource/index.ts';

/** An account that is to be deleted. */
export interface PendingDeletion extends AccountDeletionRow {
  readonly user_name: string;
  readonly domain_id: string;
  readonly domain_enabled: number;
}

/** `id`: of the user, which pages of a list go by. */
export type ListedDeletion = Pick<PendingDeletion, 'requested_at' | 'due_at' | 'user_name' | 'domain_id'> & {
  readonly id: string;
};

const withUser = (db: Reader) =>
  db
    .selectFrom('account_deletions')
    .innerJoin('users', 'users.id', 'account_deletions.user_id')
    .innerJoin('projects as domain', 'domain.id', 'users.domain_id')
    .selectAll('account_deletions')
    .select(['users.name as user_name', 'users.domain_id', 'domain.enabled as domain_enabled']);

/** Still pending: nobody enabled the account since. */
export const findPending = (db: Reader, userId: string): Promise<PendingDeletion | undefined> =>
  withUser(db).where('account_deletions.user_id', '=', userId).where('users.enabled', '=', 0).executeTakeFirst();

export function listPending(db: Database, page: PageRequest, listQuery: ListQuery): Promise<RowPage<ListedDeletion> | undefined> {
  const pending = db.read
    .selectFrom((eb) => eb.selectFrom('account_deletions').select(['user_id as id', 'requested_at', 'due_at']).as('deletions'))
    .innerJoin('users', 'users.id', 'deletions.id')
    .where('users.enabled', '=', 0)
    .select(['deletions.id', 'deletions.requested_at', 'deletions.due_at', 'users.name as user_name', 'users.domain_id']);
  const visible = applyCriteria(pending, db.dialect, listQuery.visible);
  const query = applyCriteria(visible, db.dialect, listQuery.criteria);
  return readPage(query, { table: 'deletions', by: 'due_at' }, page, visible);
}

/** Users whose deletion is due. */
export async function dueUserIds(db: Reader, now: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('account_deletions')
    .where('due_at', '<=', now)
    .orderBy('due_at')
    .orderBy('user_id')
    .select('user_id')
    .limit(limit)
    .execute();
  return rows.map((row) => row.user_id);
}

/** Replaces one of an account that is enabled. */
export async function putDeletion(tx: Tx, row: AccountDeletionRow): Promise<void> {
  const { user_id: _, ...values } = row;
  await tx
    .insertInto('account_deletions')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute();
}

/** False when there is none. */
export async function deleteDeletion(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('account_deletions').where('user_id', '=', userId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The organizations that were made for the user by their registration. */
export async function registeredOrganizations(db: Reader, userId: string): Promise<string[]> {
  const row = await db.selectFrom('registrations').where('user_id', '=', userId).selectAll().executeTakeFirst();
  return row ? [row.project_id, row.cloud_project_id] : [];
}

export interface AdministratorTarget {
  /** A domain; null for the service. */
  readonly domainId: string | null;
}

/**
 * What the user administers and no other enabled user does. The service: with the role admin, wherever it was granted, or only on the system
 * if the scope is enforced. A domain: with the role admin or manager on it. Roles that imply these count, and so do those of groups.
 */
export async function administeredAlone(
  db: Reader,
  userId: string,
  { enforceScope }: { readonly enforceScope: boolean },
): Promise<AdministratorTarget[]> {
  const { rows } = await sql<{ domain_id: string | null }>`
    with recursive giving (id, name) as (
      select id, name from roles where name in ('admin', 'manager') and domain_id is null
      union
      select implied_roles.prior_role_id, giving.name from implied_roles join giving on implied_roles.implied_role_id = giving.id
    ),
    holders (user_id, domain_id) as (
      select coalesce(grants.user_id, group_members.user_id), domain.id
      from grants
      join giving on giving.id = grants.role_id
      left join group_members on group_members.group_id = grants.group_id
      join projects as domain on domain.id = grants.target_id and domain.is_domain = 1
      where grants.inherited = 0
      union
      select coalesce(grants.user_id, group_members.user_id), null
      from grants
      join giving on giving.id = grants.role_id and giving.name = 'admin'
      left join group_members on group_members.group_id = grants.group_id
      where ${enforceScope ? sql`grants.target_id is null` : sql`1 = 1`}
    )
    select holders.domain_id
    from holders
    where holders.user_id = ${userId} and not exists (
      select 1
      from holders as other
      join users on users.id = other.user_id and users.enabled = 1
      join projects as home on home.id = users.domain_id and home.enabled = 1
      where other.user_id <> ${userId}
        and (other.domain_id = holders.domain_id or (other.domain_id is null and holders.domain_id is null))
    )`.execute(db);
  return rows.map((row) => ({ domainId: row.domain_id }));
}
