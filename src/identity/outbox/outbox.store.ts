// Messages to be sent. Each queue is its own table, which has the columns of QueueRow.
import type { Database, QueueRow, Reader, Tables } from '../database.ts';

export type Queue = 'outbox' | 'mails';

// The queries below use only the columns of QueueRow, so the type of one queue fits them all.
const asOne = (queue: Queue): 'outbox' => queue as 'outbox';

export async function dueRows<Q extends Queue>(db: Reader, queue: Q, now: number, limit: number): Promise<Tables[Q][]> {
  const due = db.selectFrom(asOne(queue)).where('next_at', '<=', now).orderBy('next_at').orderBy('id').limit(limit);
  return (await due.selectAll().execute()) as QueueRow[] as Tables[Q][];
}

/** Compare and set, so that only one process sends it. */
export async function claimRow(db: Database, queue: Queue, { id, attempts }: QueueRow, nextAt: number): Promise<boolean> {
  const result = await db.write((tx) =>
    tx
      .updateTable(asOne(queue))
      .set({ attempts: attempts + 1, next_at: nextAt })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .executeTakeFirst(),
  );
  return result.numUpdatedRows > 0n;
}

export async function deleteRow(db: Database, queue: Queue, id: string): Promise<void> {
  await db.write((tx) => tx.deleteFrom(asOne(queue)).where('id', '=', id).execute());
}
