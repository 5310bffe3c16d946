// Audit events about one person.
import type { AuditEventRow, Reader } from '../../database.ts';

export type ActivityRow = Pick<AuditEventRow, 'id' | 'at' | 'actor_id' | 'action' | 'outcome' | 'detail'>;

/** The last event of the page before. */
export interface ActivityMarker {
  readonly at: number;
  readonly id: string;
}

/** Events about the person, the newest first. Of those that failed only those in `failures`. */
export function eventsAbout(
  db: Reader,
  userId: string,
  {
    actions,
    failures,
    before,
    limit,
  }: { actions: readonly string[]; failures: readonly string[]; before?: ActivityMarker | undefined; limit: number },
): Promise<ActivityRow[]> {
  let query = db
    .selectFrom('audit_events')
    .where('target_id', '=', userId)
    .where('target_kind', '=', 'user')
    .where('action', 'in', actions)
    .where((eb) => eb.or([eb('outcome', '=', 'success'), eb('action', 'in', failures)]));
  if (before)
    query = query.where((eb) => eb.or([eb('at', '<', before.at), eb.and([eb('at', '=', before.at), eb('id', '<', before.id)])]));
  return query
    .orderBy('at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .select(['id', 'at', 'actor_id', 'action', 'outcome', 'detail'])
    .execute();
}
