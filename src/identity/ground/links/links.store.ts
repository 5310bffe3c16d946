// Links, by the hash of their token. There is one for each purpose and subject.
import type { Database, LinkRow, Reader, Tx } from '../database/index.ts';

/** Replaces the link of the same purpose and subject, also if two are made at the same time. */
export async function putLink(tx: Tx, row: LinkRow): Promise<void> {
  const { purpose: _purpose, subject: _subject, ...values } = row;
  await tx
    .insertInto('links')
    .values(row)
    .onConflict((conflict) => conflict.columns(['purpose', 'subject']).doUpdateSet(values))
    .execute();
}

export const findLink = (db: Reader, hash: string, now: number): Promise<LinkRow | undefined> =>
  db.selectFrom('links').where('token_hash', '=', hash).where('expires_at', '>', now).selectAll().executeTakeFirst();

/** Deletes and returns it. Of concurrent requests, one gets it. */
export const takeLink = (tx: Tx, hash: string, now: number): Promise<LinkRow | undefined> =>
  tx.deleteFrom('links').where('token_hash', '=', hash).where('expires_at', '>', now).returningAll().executeTakeFirst();

export async function deleteLinksOfUser(tx: Tx, userId: string, purposes: readonly string[] | undefined): Promise<number> {
  const all = tx.deleteFrom('links').where('user_id', '=', userId);
  const { numDeletedRows } = await (purposes ? all.where('purpose', 'in', purposes) : all).executeTakeFirst();
  return Number(numDeletedRows);
}

export async function deleteLink(tx: Tx, purpose: string, subject: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('links')
    .where('purpose', '=', purpose)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const SWEEP_BATCH = 1000;

/** In small batches, so that other writers do not wait long. */
export async function sweepLinks(db: Database, now: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await db.write((tx) =>
      tx
        .deleteFrom('links')
        .where('token_hash', 'in', (eb) =>
          eb.selectFrom('links').where('expires_at', '<=', now).select('token_hash').limit(SWEEP_BATCH),
        )
        .executeTakeFirst(),
    );
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}
