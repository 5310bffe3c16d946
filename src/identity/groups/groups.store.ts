// Groups and their members in the database.
import { lockRow, type Page, type PageRequest, readPage } from '../../platform/database/index.ts';
import type { Database, GroupRow, Reader, Tx } from '../database.ts';
import { applyCriteria, type Criterion } from '../lists.ts';

export function findGroup(db: Reader, id: string): Promise<GroupRow | undefined> {
  return db.selectFrom('groups').where('id', '=', id).selectAll().executeTakeFirst();
}

/** Groups, or only those one user is a member of. */
export function listGroups(
  db: Database,
  page: PageRequest,
  criteria: readonly Criterion[],
  userId?: string,
): Promise<Page<GroupRow> | undefined> {
  let query = applyCriteria(db.read.selectFrom('groups').selectAll('groups'), db.dialect, criteria);
  if (userId !== undefined) {
    query = query.where('groups.id', 'in', (eb) =>
      eb.selectFrom('group_members').where('user_id', '=', userId).select('group_id'),
    );
  }
  return readPage(query, { table: 'groups', by: 'name' }, page, (id) => findGroup(db.read, id));
}

export async function insertGroup(tx: Tx, row: GroupRow): Promise<void> {
  await tx.insertInto('groups').values(row).execute();
}

export async function updateGroup(tx: Tx, id: string, values: Partial<GroupRow>): Promise<void> {
  await tx.updateTable('groups').set(values).where('id', '=', id).execute();
}

export async function deleteGroup(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('groups').where('id', '=', id).execute();
}

export async function addMember(tx: Tx, groupId: string, userId: string): Promise<void> {
  await tx
    .insertInto('group_members')
    .values({ group_id: groupId, user_id: userId })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function removeMember(tx: Tx, groupId: string, userId: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('group_members')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function isMember(db: Reader, groupId: string, userId: string): Promise<boolean> {
  const row = await db
    .selectFrom('group_members')
    .where('group_id', '=', groupId)
    .where('user_id', '=', userId)
    .select('user_id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Held until the change ends, so that changes to it follow one another. */
export const lockGroup = (db: Database, tx: Tx, id: string): Promise<GroupRow | undefined> => lockRow(db, tx, 'groups', id);
