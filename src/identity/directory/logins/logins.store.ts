// The audit event that stands for further guesses at unknown names.
import type { AuditEventRow, Tx } from '../../ground/database/index.ts';

/** Replaces the event with the same id. */
export async function replaceEvent(tx: Tx, row: AuditEventRow): Promise<void> {
  const { at, request_id, detail } = row;
  await tx
    .insertInto('audit_events')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ at, request_id, detail }))
    .execute();
}
