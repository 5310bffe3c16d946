// Audit events that say that tokens ended.
import type { AuditEventRow, Reader } from '../../ground/database/index.ts';

export type RevokingEvent = Pick<AuditEventRow, 'at' | 'action' | 'target_id' | 'detail'>;

/** The newest, of these actions, not older than `since` (seconds). */
export const readRevokingEvents = (
  db: Reader,
  actions: readonly string[],
  since: number,
  limit: number,
): Promise<RevokingEvent[]> =>
  db
    .selectFrom('audit_events')
    .where('action', 'in', [...actions])
    .where('outcome', '=', 'success')
    .where('at', '>=', since)
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .select(['at', 'action', 'target_id', 'detail'])
    .execute();
