// Messages to be sent. Each queue is its own table, which has the columns of QueueRow.
import type { Database, QueueRow, Reader, Tables } from '../database/index.ts';

export type Queue = 'outbox' | 'mails' | 'sign_in_tasks';

/** An earlier version does not know what was given up, but sends nothing before its time. */
const NEVER = 253_402_300_799;

// The queries below use only the columns of QueueRow, so the type of one queue fits them all.
const asOne = (queue: Queue): 'outbox' => queue as 'outbox';

export async function dueRows<Q extends Queue>(db: Reader, queue: Q, now: number, limit: number): Promise<Tables[Q][]> {
  const due = db
    .selectFrom(asOne(queue))
    .where('next_at', '<=', now)
    .where('failed_at', 'is', null)
    .orderBy('next_at')
    .orderBy('id')
    .limit(limit);
  return (await due.selectAll().execute()) as QueueRow[] as Tables[Q][];
}

/** Compare and set, so that only one process sends it. */
export async function claimRow(db: Database, queue: Queue, { id, attempts }: QueueRow, nextAt: number): Promise<boolean> {
  const result = await db.write((tx) =>
    tx
      .updateTable(asOne(queue))
      // While it is being sent, it has no error.
      .set({ attempts: attempts + 1, next_at: nextAt, last_error: null })
      .where('id', '=', id)
      .where('attempts', '=', attempts)
      .executeTakeFirst(),
  );
  return result.numUpdatedRows > 0n;
}

/** The last attempt failed. With `failedAt` it is not tried again. */
export async function noteFailure(db: Database, queue: Queue, id: string, error: string, failedAt: number | null): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable(asOne(queue))
      .set({ last_error: error, ...(failedAt === null ? {} : { failed_at: failedAt, next_at: NEVER }) })
      .where('id', '=', id)
      .execute(),
  );
}

/** Deletes those that were given up before this time. */
export async function sweepFailed(db: Database, queue: Queue, before: number): Promise<number> {
  const { numDeletedRows } = await db.write((tx) =>
    tx.deleteFrom(asOne(queue)).where('failed_at', '<', before).executeTakeFirst(),
  );
  return Number(numDeletedRows);
}

export async function deleteRow(db: Database, queue: Queue, id: string): Promise<void> {
  await db.write((tx) => tx.deleteFrom(asOne(queue)).where('id', '=', id).execute());
}
