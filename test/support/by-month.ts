// The table of audit events by month, as a service makes it some time after its start.
import type { Clock } from '../../src/platform/clock.ts';
import { type Database, keepMonths } from '../../src/platform/database/index.ts';

/** Where it can be: on PostgreSQL. */
export async function divideAuditEvents<S>(db: Database<S>, { clock }: { readonly clock: Clock }): Promise<void> {
  if (db.dialect === 'postgres')
    await keepMonths(db, { table: 'audit_events', column: 'at' }, { now: Math.floor(clock.now() / 1000) });
}
