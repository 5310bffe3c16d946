// The server's own limits for statements and locks. They are asked for when a connection begins; a pooler may not pass that on.
import { type Kysely, sql } from 'kysely';
import type pg from 'pg';
import { withoutTimeLimit } from '../deadline.ts';
import type { Database, Tx } from './database.ts';
import { withNext } from './with-next.ts';

/** Longest statement of background jobs, and of changes that concern very many rows. */
export const JOB_STATEMENT_MS = 25_000;

/** In milliseconds, with PostgreSQL's names. */
export interface TimeLimits {
  readonly statement_timeout: number;
  readonly lock_timeout: number;
}

/** For the current transaction. */
export async function setTimeLimits<S>(
  trx: Kysely<S>,
  { statement_timeout: statement, lock_timeout: lock }: TimeLimits,
): Promise<void> {
  await sql`${withNext}select set_config('statement_timeout', ${String(statement)}, true), set_config('lock_timeout', ${String(lock)}, true)`.execute(
    trx,
  );
}

/** A part of a request that is done as a whole or not at all, however many rows it concerns: its statements may take as long as those of a job. */
export async function withLongStatements<S, T>(
  { dialect }: Pick<Database<S>, 'dialect'>,
  tx: Tx<S>,
  work: () => Promise<T>,
): Promise<T> {
  if (dialect !== 'postgres') return work();
  await sql`${withNext}select set_config('statement_timeout', ${String(JOB_STATEMENT_MS)}, true)`.execute(tx);
  return withoutTimeLimit(work);
}

/** Whether the limits that this client asked for apply. A pooler ignores them, or refuses a client that asks for them. */
export async function hasTimeLimits(client: pg.Client, limits: TimeLimits): Promise<boolean> {
  client.on('error', () => {});
  try {
    await client.connect();
    const { rows } = await client.query<{ name: keyof TimeLimits; setting: string }>(
      `select name, setting from pg_settings where name in ('statement_timeout', 'lock_timeout')`,
    );
    return rows.every(({ name, setting }) => Number(setting) === limits[name]);
  } catch (error) {
    if (/unsupported startup parameter/.test((error as Error).message)) return false;
    throw error;
  } finally {
    client.end().catch(() => {});
  }
}
