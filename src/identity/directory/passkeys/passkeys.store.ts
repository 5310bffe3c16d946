// Passkeys in the database.
import { lockRow } from '../../../platform/database/index.ts';
import type { Database, PasskeyRow, Reader, Tx } from '../../ground/database/index.ts';

export const listPasskeys = (db: Reader, userId: string): Promise<PasskeyRow[]> =>
  db
    .selectFrom('passkeys')
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .orderBy('created_at')
    .orderBy('id')
    .selectAll()
    .execute();

export const hasPasskey = async (db: Reader, userId: string): Promise<boolean> => (await listPasskeys(db, userId)).length > 0;

export const findByCredentialId = (db: Reader, credentialId: string): Promise<PasskeyRow | undefined> =>
  db
    .selectFrom('passkeys')
    .where('credential_id', '=', credentialId)
    .where('removed_at', 'is', null)
    .selectAll()
    .executeTakeFirst();

/** Whether the user has it. It is not removed before the transaction ends. */
export async function lockPasskey(db: Database, tx: Tx, userId: string, id: string): Promise<boolean> {
  const row = await lockRow(db, tx, 'passkeys', id);
  return row?.user_id === userId && row.removed_at === null;
}

export async function insertPasskey(tx: Tx, row: PasskeyRow): Promise<void> {
  await tx.insertInto('passkeys').values(row).execute();
}

/**
 * Checks and moves the signature counter in one statement, so that of two uses with one counter only the first counts. False when
 * the counter did not go up (a copy of the passkey is in use) or the passkey was removed.
 */
export async function recordUse(tx: Tx, id: string, counter: number, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('passkeys')
    .set({ counter, last_used_at: now })
    .where('id', '=', id)
    .where('removed_at', 'is', null)
    .where('counter', counter === 0 ? '=' : '<', counter)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function renamePasskey(tx: Tx, userId: string, id: string, name: string): Promise<boolean> {
  const result = await tx
    .updateTable('passkeys')
    .set({ name })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export async function removePasskey(tx: Tx, userId: string, id: string, now: number): Promise<boolean> {
  const result = await tx
    .updateTable('passkeys')
    .set({ removed_at: now })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('removed_at', 'is', null)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}
