// The second factor of a user, guesses at it, and recovery codes, in the database.
import { sql } from 'kysely';
import { preparedRows } from '../../../platform/database/index.ts';
import type { Reader, Tables, TwoFactorRow, Tx } from '../../ground/database/index.ts';
import { STEPS_SET_BACK } from './totp.ts';

const byUser = preparedRows<Tables, [user: string], TwoFactorRow>((db, user) =>
  db.selectFrom('two_factor').where('user_id', '=', user).selectAll(),
);

export const findFactor = async (db: Reader, userId: string): Promise<TwoFactorRow | undefined> => (await byUser(db, userId))[0];

export const isFactorOn = async (db: Reader, userId: string): Promise<boolean> => (await findFactor(db, userId)) !== undefined;

/** Whether somebody has what makes codes: a second factor, or a key that was stored as a credential, as in Keystone. */
export async function hasCodes(db: Reader, userId: string): Promise<boolean> {
  if (await isFactorOn(db, userId)) return true;
  const credentials = db.selectFrom('credentials').where('user_id', '=', userId).where('type', '=', 'totp');
  return (await credentials.select('id').limit(1).executeTakeFirst()) !== undefined;
}

export async function putFactor(tx: Tx, row: TwoFactorRow): Promise<void> {
  const { user_id: _, ...values } = row;
  await tx
    .insertInto('two_factor')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute();
}

export async function deleteFactor(tx: Tx, userId: string): Promise<boolean> {
  const result = await tx.deleteFrom('two_factor').where('user_id', '=', userId).executeTakeFirst();
  return result.numDeletedRows > 0n;
}

/** Compare and set: of two requests with the same code, only one succeeds. */
export async function acceptStep(tx: Tx, userId: string, step: number): Promise<boolean> {
  const result = await tx
    .updateTable('two_factor')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    .where((eb) => eb.or([eb('last_step', '<', step), eb('last_step', '>', step + STEPS_SET_BACK)]))
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/**
 * Counts a guess before it is checked, and returns the count. Beyond the limit the time is not updated, so that the wait ends even
 * if guesses continue; a time in the future (the clock was set back) becomes now. The row is locked until the transaction ends.
 */
export async function countAttempt(tx: Tx, userId: string, now: number, limit: number, forgetAfter: number): Promise<number> {
  const stale = sql<boolean>`factor_attempts.last_at < ${now - forgetAfter}`;
  const row = await tx
    .insertInto('factor_attempts')
    .values({ user_id: userId, attempts: 1, last_at: now })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({
        attempts: sql`case when ${stale} then 1 else factor_attempts.attempts + 1 end`,
        last_at: sql`case when ${stale} or factor_attempts.attempts < ${limit} or factor_attempts.last_at > ${now} then ${now} else factor_attempts.last_at end`,
      }),
    )
    .returning('attempts')
    .executeTakeFirstOrThrow();
  return row.attempts;
}

/** Those of these users who tried at least so often, the last time not before this time. */
export const usersWithAttempts = (
  db: Reader,
  userIds: readonly string[],
  { least, from }: { readonly least: number; readonly from: number },
): Promise<{ user_id: string; attempts: number; last_at: number }[]> =>
  db
    .selectFrom('factor_attempts')
    .where('user_id', 'in', userIds)
    .where('attempts', '>=', least)
    .where('last_at', '>=', from)
    .select(['user_id', 'attempts', 'last_at'])
    .execute();

export async function forgetAttempts(tx: Tx, userId: string): Promise<void> {
  await tx.deleteFrom('factor_attempts').where('user_id', '=', userId).execute();
}

export async function replaceRecoveryCodes(tx: Tx, userId: string, hashes: readonly string[]): Promise<void> {
  await tx.deleteFrom('recovery_codes').where('user_id', '=', userId).execute();
  if (hashes.length > 0)
    await tx
      .insertInto('recovery_codes')
      .values(hashes.map((code_hash) => ({ code_hash, user_id: userId })))
      .execute();
}

/** Each code works once: using it deletes it. */
export async function spendRecoveryCode(tx: Tx, userId: string, hash: string): Promise<boolean> {
  const result = await tx
    .deleteFrom('recovery_codes')
    .where('user_id', '=', userId)
    .where('code_hash', '=', hash)
    .executeTakeFirst();
  return result.numDeletedRows > 0n;
}

export async function countRecoveryCodes(db: Reader, userId: string): Promise<number> {
  const row = await db
    .selectFrom('recovery_codes')
    .where('user_id', '=', userId)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}
