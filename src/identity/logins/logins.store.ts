// The event of one more guess at a name nobody has, where there were many.
import type { AuditEventRow } from '../../platform/audit/index.ts';
import type { Tx } from '../database.ts';

/** In the place of the one before it with the same id. */
export async function replaceEvent(tx: Tx, row: AuditEventRow): Promise<void> {
  const { at, request_id, detail } = row;
  await tx
    .insertInto('audit_events')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet({ at, request_id, detail }))
    .execute();
}
