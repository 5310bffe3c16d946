// Passwords and their history, and the count of failed logins.
import { sql } from 'kysely';
import { prepared } from '../../platform/database/index.ts';
import type { PasswordRow, Reader, Tables, Tx } from '../database.ts';

const newest = prepared<Tables, [user: string], PasswordRow>((db, user) =>
  db.selectFrom('passwords').where('user_id', '=', user).orderBy('serial', 'desc').limit(1).selectAll(),
);

export const findPassword = async (db: Reader, userId: string): Promise<PasswordRow | undefined> => (await newest(db, userId))[0];

export function readHistory(db: Reader, userId: string, count: number): Promise<PasswordRow[]> {
  return db.selectFrom('passwords').where('user_id', '=', userId).orderBy('serial', 'desc').limit(count).selectAll().execute();
}

export async function insertPassword(tx: Tx, row: PasswordRow): Promise<void> {
  await tx.insertInto('passwords').values(row).execute();
}

export async function deletePasswords(tx: Tx, userId: string, upToSerial: number): Promise<void> {
  await tx.deleteFrom('passwords').where('user_id', '=', userId).where('serial', '<=', upToSerial).execute();
}

/** Only if it is still the hash that was checked: a password changed meanwhile stays changed. */
export async function replaceHash(tx: Tx, id: string, oldHash: string, hash: string): Promise<void> {
  await tx.updateTable('passwords').set({ hash }).where('id', '=', id).where('hash', '=', oldHash).execute();
}

export async function findFailures(db: Reader, userId: string): Promise<{ failures: number; last_at: number } | undefined> {
  return db.selectFrom('login_failures').where('user_id', '=', userId).select(['failures', 'last_at']).executeTakeFirst();
}

/** One statement, so that parallel failures all count. Failures older than the lock-out start anew. */
export async function countFailure(tx: Tx, userId: string, now: number, forgetBefore: number): Promise<number> {
  const row = await tx
    .insertInto('login_failures')
    .values({ user_id: userId, failures: 1, last_at: now })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        failures: sql`case when login_failures.last_at < ${forgetBefore} then 1 else login_failures.failures + 1 end`,
        last_at: now,
      }),
    )
    .returning('failures')
    .executeTakeFirstOrThrow();
  return row.failures;
}

export async function forgetFailures(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('login_failures').where('user_id', '=', userId).execute();
}
