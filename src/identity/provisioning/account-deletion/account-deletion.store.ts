// Accounts that are to be deleted.
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { AccountDeletionRow, Database, Reader, Tx } from '../../ground/database/index.ts';
import { applyCriteria, type ListQuery } from '../../ground/resource/index.ts';

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
  const pending = db.lists
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
