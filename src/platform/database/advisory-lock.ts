// Rules about many rows (no cycle of roles, no cycle of regions) need their writers to run one after the other.
import { sql } from 'kysely';
import type { Database, Tx } from './database.ts';

/** Waits until no other transaction, in any process, holds the lock of this name, and holds it until this transaction ends. */
export async function takeAdvisoryLock<S>({ dialect }: Pick<Database<S>, 'dialect'>, tx: Tx<S>, name: string): Promise<void> {
  // SQLite has only one writer.
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}
