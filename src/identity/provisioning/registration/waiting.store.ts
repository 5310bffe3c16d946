// Registrations that wait for an administrator.
import { type PageRequest, type RowPage, readPage } from '../../../platform/database/index.ts';
import type { Database, Reader, Tx, UserRow } from '../../ground/database/index.ts';
import { applyCriteria, type ListQuery } from '../../ground/resource/index.ts';

/** With the account: `id` is that of the user, and `created_at` is since when they wait. */
export type WaitingUser = Pick<UserRow, 'id' | 'name' | 'domain_id' | 'extra' | 'profile'> & { readonly created_at: number };

/** False if it waits already. */
export async function insertWaiting(tx: Tx, row: { readonly user_id: string; readonly created_at: number }): Promise<boolean> {
  const { numInsertedOrUpdatedRows = 0n } = await tx
    .insertInto('waiting_registrations')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows > 0n;
}

export async function isWaiting(db: Reader, userId: string): Promise<boolean> {
  return (
    (await db.selectFrom('waiting_registrations').where('user_id', '=', userId).select('user_id').executeTakeFirst()) !==
    undefined
  );
}

/** False if it did not wait. */
export async function deleteWaiting(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('waiting_registrations').where('user_id', '=', userId).executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Who waits longest comes first. */
export function listWaiting(db: Database, page: PageRequest, listQuery: ListQuery): Promise<RowPage<WaitingUser> | undefined> {
  const waiting = db.lists
    .selectFrom((eb) => eb.selectFrom('waiting_registrations').select(['user_id as id', 'created_at']).as('waiting'))
    .innerJoin('users', 'users.id', 'waiting.id')
    .select(['waiting.id', 'waiting.created_at', 'users.name', 'users.domain_id', 'users.extra', 'users.profile']);
  const visible = applyCriteria(waiting, db.dialect, listQuery.visible);
  const query = applyCriteria(visible, db.dialect, listQuery.criteria);
  return readPage(query, { table: 'waiting', by: 'created_at' }, page, visible);
}

/** At most `limit`: of one domain, or of all. */
export async function countWaiting(db: Reader, domainId: string | undefined, limit: number): Promise<number> {
  const rows = await db
    .selectFrom('waiting_registrations')
    .innerJoin('users', 'users.id', 'waiting_registrations.user_id')
    .$if(domainId !== undefined, (query) => query.where('users.domain_id', '=', domainId!))
    .select('user_id')
    .limit(limit)
    .execute();
  return rows.length;
}

/** Those who wait since this time or longer, at most `limit` of them. */
export async function waitingSince(db: Reader, time: number, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('waiting_registrations')
    .where('created_at', '<=', time)
    .select('user_id')
    .orderBy('created_at')
    .limit(limit)
    .execute();
  return rows.map(({ user_id }) => user_id);
}
