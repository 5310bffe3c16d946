// Rules about many rows (no cycle of roles, no cycle of regions) need their writers to run one after the other.
import { sql } from 'kysely';
import type { Database, Tx } from './database.ts';

/**
 * Waits until no other transaction, in any process, holds the lock of this name, and holds it until this transaction ends. `shared`: others may
 * hold it so at the same time. Whoever waits for it alone comes before those who ask to share it later, which is not so for locks of rows.
 */
export async function takeAdvisoryLock<S>(
  { dialect }: Pick<Database<S>, 'dialect'>,
  tx: Tx<S>,
  name: string,
  mode: 'alone' | 'shared' = 'alone',
): Promise<void> {
  // SQLite has only one writer.
  if (dialect !== 'postgres') return;
  const take = mode === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`;
  await sql`select ${take}(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}
