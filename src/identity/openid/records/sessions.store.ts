// Where sessions were opened, in the database.
import type { OpenidSessionRow, Reader, Tx } from '../../ground/database/index.ts';

/** A session that is used again keeps the time of its first sign-in. */
export async function putSession(tx: Tx, row: OpenidSessionRow): Promise<void> {
  const { user_agent, address, last_used_at } = row;
  await tx.deleteFrom('openid_sessions').where('id', '=', row.id).where('user_id', '<>', row.user_id).execute();
  await tx
    .insertInto('openid_sessions')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ user_agent, address, last_used_at }))
    .execute();
}

/** In seconds. Uses in between are not noted: people see when a session was used, and applications refresh their tokens all the time. */
export const USE_STEP = 60;

export async function touchSession(tx: Tx, id: string, at: number): Promise<void> {
  const isDue = tx.updateTable('openid_sessions').where('last_used_at', '<', at - USE_STEP);
  await isDue.set({ last_used_at: at }).where('id', '=', id).execute();
}

export const sessionsOfUser = (db: Reader, userId: string): Promise<OpenidSessionRow[]> =>
  db.selectFrom('openid_sessions').where('user_id', '=', userId).selectAll().execute();

/** Deletes up to `limit` rows whose session has ended. */
export async function deleteUnusedSessions(tx: Tx, usedBefore: number, limit: number): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('openid_sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('openid_sessions as old')
        .where('old.last_used_at', '<', usedBefore)
        .where(({ not, exists, selectFrom }) =>
          not(exists(selectFrom('openid_records').whereRef('openid_records.uid', '=', 'old.id').select('openid_records.id'))),
        )
        .limit(limit)
        .select('old.id'),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
