// Logout notifications that are waiting to be sent. Those of one application are sent and postponed together.
import type { Database, LogoutRow, Reader, Tx } from '../../ground/database/index.ts';

export async function insertLogout(tx: Tx, row: LogoutRow): Promise<void> {
  await tx.insertInto('logouts').values(row).execute();
}

/** How many wait, and since when the oldest does (seconds). */
export async function waitingLogouts(db: Reader): Promise<{ waiting: number; oldest: number | null }> {
  const { waiting, oldest } = await db
    .selectFrom('logouts')
    .select((eb) => [eb.fn.countAll().as('waiting'), eb.fn.min('created_at').as('oldest')])
    .executeTakeFirstOrThrow();
  return { waiting: Number(waiting), oldest: oldest === null ? null : Number(oldest) };
}

export interface DueClient {
  readonly clientId: string;
  readonly attempts: number;
}

/** Applications with no postponed notification: a new one must not shorten the wait of an application that failed. Oldest first. */
export async function dueClients(db: Reader, now: number, limit: number): Promise<DueClient[]> {
  const rows = await db
    .selectFrom('logouts')
    .groupBy('client_id')
    .having((eb) => eb(eb.fn.max('next_at'), '<=', now))
    .select((eb) => ['client_id', eb.fn.max('attempts').as('attempts')])
    .orderBy((eb) => eb.fn.min('next_at'))
    .orderBy('client_id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ clientId: row.client_id, attempts: Number(row.attempts) }));
}

/** False when another process claimed it first. */
export async function claimClient(db: Database, { clientId, attempts }: DueClient, now: number, until: number): Promise<boolean> {
  const { numUpdatedRows } = await db.write((tx) =>
    tx
      .updateTable('logouts')
      .set({ attempts: attempts + 1, next_at: until })
      .where('client_id', '=', clientId)
      .where('next_at', '<=', now)
      .executeTakeFirst(),
  );
  return numUpdatedRows > 0n;
}

export const logoutsOf = (db: Reader, clientId: string, limit: number): Promise<LogoutRow[]> =>
  db
    .selectFrom('logouts')
    .where('client_id', '=', clientId)
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit)
    .selectAll()
    .execute();

export async function deleteLogout(db: Database, id: string): Promise<void> {
  await db.write((tx) => tx.deleteFrom('logouts').where('id', '=', id).execute());
}

/** The application answers: its other notifications can be sent now. */
export async function releaseClient(db: Database, clientId: string, now: number): Promise<void> {
  await db.write((tx) =>
    tx.updateTable('logouts').set({ attempts: 0, next_at: now }).where('client_id', '=', clientId).execute(),
  );
}

export async function deleteExhausted(db: Database, clientId: string, attempts: number): Promise<void> {
  await db.write((tx) => tx.deleteFrom('logouts').where('client_id', '=', clientId).where('attempts', '>=', attempts).execute());
}
