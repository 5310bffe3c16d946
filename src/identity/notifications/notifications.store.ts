// Notifications to be sent.
import type { OutboxRow, Tx } from '../database.ts';

export async function insertNotification(tx: Tx, row: OutboxRow): Promise<void> {
  await tx.insertInto('outbox').values(row).execute();
}
