// Registrations, and the hashes of their keys.
import type { Database, Reader, RegistrationKeyRow, RegistrationRow, Tx } from '../../ground/database/index.ts';

export type KeyPurpose = RegistrationKeyRow['purpose'];

export async function insertRegistration(tx: Tx, row: RegistrationRow): Promise<void> {
  await tx.insertInto('registrations').values(row).execute();
}

export function findRegistration(db: Reader, userId: string): Promise<RegistrationRow | undefined> {
  return db.selectFrom('registrations').where('user_id', '=', userId).selectAll().executeTakeFirst();
}

export async function insertKey(tx: Tx, row: RegistrationKeyRow): Promise<void> {
  await tx.insertInto('registration_keys').values(row).execute();
}

export function findKey(db: Reader, hash: string): Promise<RegistrationKeyRow | undefined> {
  return db.selectFrom('registration_keys').where('key_hash', '=', hash).selectAll().executeTakeFirst();
}

/** One statement, so that of concurrent requests only one uses the key. False when it has ended. */
export async function useKey(
  tx: Tx,
  { hash, userId, purpose, now }: { hash: string; userId: string; purpose: KeyPurpose; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('registration_keys')
    .set({ ended_at: now })
    .where('key_hash', '=', hash)
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('ended_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export async function endKeys(tx: Tx, userId: string, purpose: KeyPurpose, now: number): Promise<void> {
  await tx
    .updateTable('registration_keys')
    .set({ ended_at: now })
    .where('user_id', '=', userId)
    .where('purpose', '=', purpose)
    .where('ended_at', 'is', null)
    .execute();
}

const SWEEP_BATCH = 1000;

/** In small batches, so that other writers do not wait long. */
export async function sweepKeys(db: Database, before: number): Promise<number> {
  for (let swept = 0; ; ) {
    const { numDeletedRows } = await db.write((tx) =>
      tx
        .deleteFrom('registration_keys')
        .where('key_hash', 'in', (eb) =>
          eb.selectFrom('registration_keys').where('expires_at', '<', before).select('key_hash').limit(SWEEP_BATCH),
        )
        .executeTakeFirst(),
    );
    swept += Number(numDeletedRows);
    if (numDeletedRows < SWEEP_BATCH) return swept;
  }
}

/** The row is locked so that of two keys made at the same time, the second ends the first. */
