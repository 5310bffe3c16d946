// The audit event that stands for further guesses at unknown names.
import type { AuditEventRow, Tx } from '../../ground/database/index.ts';

/**
 * Replaces the event with the same id, if there is one of that time or later. Not by one statement with the id as its key: a table by month has
 * no key of all its months.
 */
export async function replaceEvent(tx: Tx, row: AuditEventRow, since: number): Promise<void> {
  const { at, request_id, detail } = row;
  const { numUpdatedRows } = await tx
    .updateTable('audit_events')
    .set({ at, request_id, detail })
    .where('id', '=', row.id)
    .where('at', '>=', since)
    .executeTakeFirst();
  if (numUpdatedRows > 0n) return;
  // Another process may have been first, at the same moment: its event stands for this one, too.
  await tx
    .insertInto('audit_events')
    .values(row)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
