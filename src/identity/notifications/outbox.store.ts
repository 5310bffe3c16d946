// Notifications to be sent.
import type { Database, OutboxRow, Reader, Tx } from '../database.ts';

export async function insertNotification(tx: Tx, row: OutboxRow): Promise<void> {
  await tx.insertInto('outbox').values(row).execute();
}

export const dueNotifications = (db: Reader, now: number, limit: number): Promise<OutboxRow[]> =>
  db.selectFrom('outbox').where('next_at', '<=', now).orderBy('next_at').orderBy('id').limit(limit).selectAll().execute();

/** Compare and set, so that only one process sends it. */
export async function claimNotification(db: Database, { id, attempts }: OutboxRow, nextAt: number): Promise<boolean> {
  const result = await db.write((tx) =>
    tx
      .updateTable('outbox')
      .set({ attempts: attempts + 1, next_at: nextAt })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .executeTakeFirst(),
  );
  return result.numUpdatedRows > 0n;
}

export async function deleteNotification(db: Database, id: string): Promise<void> {
  await db.write((tx) => tx.deleteFrom('outbox').where('id', '=', id).execute());
}
