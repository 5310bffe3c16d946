// Rules about many rows at once (no circle of roles, no circle of regions) need writers that follow one another.
import { sql } from 'kysely';
import type { Database, Tx } from './database.ts';

/** Waits for every other change that said the same, in any process, and holds up later ones until this change ends. */
export async function takeAdvisoryLock<S>({ dialect }: Pick<Database<S>, 'dialect'>, tx: Tx<S>, what: string): Promise<void> {
  // SQLite has one writer anyway.
  if (dialect === 'postgres') await sql`select pg_advisory_xact_lock(hashtext(${`gatehouse ${what}`}))`.execute(tx);
}
