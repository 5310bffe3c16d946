// Rules about many rows (no cycle of roles, no cycle of regions) need their writers to run one after the other.
import { sql } from 'kysely';
import type { Database, Tx } from './database.ts';

/** `shared`: others may hold it so at the same time. */
type LockMode = 'alone' | 'shared';

const takeIn = (mode: LockMode) => (mode === 'shared' ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`);

/**
 * Waits until no other transaction, in any process, holds the lock of this name, and holds it until this transaction ends. `shared`: others may
 * hold it so at the same time. Whoever waits for it alone comes before those who ask to share it later, which is not so for locks of rows.
 */
export async function takeAdvisoryLock<S>(
  { dialect }: Pick<Database<S>, 'dialect'>,
  tx: Tx<S>,
  name: string,
  mode: LockMode = 'alone',
): Promise<void> {
  // SQLite has only one writer.
  if (dialect !== 'postgres') return;
  await sql`select ${takeIn(mode)}(hashtext(${`gatehouse ${name}`}))`.execute(tx);
}

/** The same for many names in one statement, in an order that all callers have in common. */
export async function takeAdvisoryLocks<S>(
  { dialect }: Pick<Database<S>, 'dialect'>,
  tx: Tx<S>,
  names: Iterable<string>,
  mode: LockMode = 'alone',
): Promise<void> {
  const keys = [...new Set(names)].sort().map((name) => `gatehouse ${name}`);
  if (dialect !== 'postgres' || keys.length === 0) return;
  await sql`select count(${takeIn(mode)}(hashtext(name))::text) from unnest(${keys}::text[]) as name`.execute(tx);
}
