// Notifications to be sent.
import type { NewOutboxRow, Tx } from '../database/index.ts';

export async function insertNotification(tx: Tx, row: NewOutboxRow): Promise<void> {
  await tx.insertInto('outbox').values(row).execute();
}
