// Sessions in the database, by the hash of their id. A copy of the table cannot be used to log in.
import type { Reader, SessionRow, Tx } from '../ground/database.ts';

export function findSession(db: Reader, idHash: string): Promise<SessionRow | undefined> {
  return db.selectFrom('sessions').where('id_hash', '=', idHash).selectAll().executeTakeFirst();
}

export async function insertSession(tx: Tx, row: SessionRow): Promise<void> {
  await tx.insertInto('sessions').values(row).execute();
}

export async function deleteSession(tx: Tx, idHash: string): Promise<void> {
  await tx.deleteFrom('sessions').where('id_hash', '=', idHash).execute();
}

/**
 * Deletes the sessions of one session id at the provider, of one user, or of both. With both, the user's sessions without a known
 * session id are deleted too. Returns their id hashes.
 */
export async function deleteSessionsOf(
  tx: Tx,
  { owner, sidHash }: { readonly owner: string | undefined; readonly sidHash: string | undefined },
): Promise<{ id_hash: string; owner: string }[]> {
  let query = tx.deleteFrom('sessions');
  if (owner !== undefined) query = query.where('owner', '=', owner);
  if (sidHash !== undefined)
    query = query.where((eb) =>
      owner === undefined ? eb('sid_hash', '=', sidHash) : eb.or([eb('sid_hash', '=', sidHash), eb('sid_hash', 'is', null)]),
    );
  if (owner === undefined && sidHash === undefined) return [];
  return query.returning(['id_hash', 'owner']).execute();
}

export async function markUsed(tx: Tx, idHash: string, at: number): Promise<void> {
  await tx.updateTable('sessions').set({ used_at: at }).where('id_hash', '=', idHash).where('used_at', '<', at).execute();
}

/** True for the one caller that may refresh. All others continue with the current tokens. */
export async function claimRefresh(tx: Tx, idHash: string, due: number | null, next: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({ refresh_at: next })
    .where('id_hash', '=', idHash)
    .where('refresh_at', due === null ? 'is' : '=', due)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False if the session ended meanwhile. */
export async function replaceGrant(tx: Tx, idHash: string, sealed: string, refreshAt: number | null): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set({ sealed, refresh_at: refreshAt })
    .where('id_hash', '=', idHash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** False if this login or logout token was already used. */
export async function spendOnce(tx: Tx, stateHash: string, expiresAt: number): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('spent_logins')
    .values({ state_hash: stateHash, expires_at: expiresAt })
    .onConflict((conflict) => conflict.column('state_hash').doNothing())
    .executeTakeFirst();
  return (numInsertedOrUpdatedRows ?? 0n) > 0n;
}

export async function sweepSessions(tx: Tx, now: number, usedBefore: number): Promise<number> {
  const sessions = await tx
    .deleteFrom('sessions')
    .where((eb) => eb.or([eb('ends_at', '<=', now), eb('used_at', '<=', usedBefore)]))
    .executeTakeFirst();
  const logins = await tx.deleteFrom('spent_logins').where('expires_at', '<=', now).executeTakeFirst();
  return Number(sessions.numDeletedRows + logins.numDeletedRows);
}

export async function countSessions(db: Reader, now: number): Promise<number> {
  const row = await db
    .selectFrom('sessions')
    .where('ends_at', '>', now)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}
