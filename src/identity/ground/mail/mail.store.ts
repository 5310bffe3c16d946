// Mails to be sent.
import type { Database, NewMailRow, Reader, Tx } from '../database/index.ts';

export async function insertMail(tx: Tx, row: NewMailRow): Promise<void> {
  await tx.insertInto('mails').values(row).execute();
}

export async function countMails(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('mails')
    .where('failed_at', 'is', null)
    .select(db.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

const SWEEP_BATCH = 1000;

/** In small batches, so that other writers do not wait long. */
export async function sweepMails(db: Database, now: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await db.write((tx) =>
      tx
        .deleteFrom('mails')
        .where('id', 'in', (eb) => eb.selectFrom('mails').where('expires_at', '<=', now).select('id').limit(SWEEP_BATCH))
        .executeTakeFirst(),
    );
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}
