// Requests that a person signs in somewhere else, how people may be asked, and what is still to be done.
import type { Database, NewSignInTaskRow, Reader, SignInRequestRow, Tx } from '../../ground/database/index.ts';

export async function insertRequest(tx: Tx, row: SignInRequestRow): Promise<void> {
  await tx.insertInto('sign_in_requests').values(row).execute();
}

export async function insertTask(tx: Tx, row: NewSignInTaskRow): Promise<void> {
  await tx.insertInto('sign_in_tasks').values(row).execute();
}

/**
 * How many tasks wait, and since when the oldest does (seconds). `failed`: people who were not looked for, and not deleted yet. An application that could
 * not be told asks by itself.
 */
export async function taskState(db: Reader): Promise<{ waiting: number; oldest: number | null; failed: number }> {
  const waits = await db
    .selectFrom('sign_in_tasks')
    .where('failed_at', 'is', null)
    .select((eb) => [eb.fn.countAll().as('count'), eb.fn.min('created_at').as('oldest')])
    .executeTakeFirstOrThrow();
  const { failed } = await db
    .selectFrom('sign_in_tasks')
    .where('failed_at', 'is not', null)
    .where('kind', '=', 'find')
    .select((eb) => eb.fn.countAll().as('failed'))
    .executeTakeFirstOrThrow();
  const oldest = waits.oldest === null ? null : Number(waits.oldest);
  return { waiting: Number(waits.count), oldest, failed: Number(failed) };
}

/** For the answer of an application's question: by one statement, so that of several at once one is in time. What has an answer, or has ended, is told at once. */
export async function notePoll(db: Database, id: string, now: number): Promise<boolean> {
  return db.write(async (tx) => {
    const { numUpdatedRows } = await tx
      .updateTable('sign_in_requests')
      .set((eb) => ({ poll_at: eb(eb.val(now), '+', eb.ref('poll_seconds')) }))
      .where('id', '=', id)
      .where((eb) => eb.or([eb('poll_at', '<=', now), eb('expires_at', '<=', now), eb('state', 'in', ['allowed', 'refused'])]))
      .executeTakeFirst();
    return numUpdatedRows > 0n;
  });
}

/** It asked too early: it has to wait longer from now on (CIBA, 11). */
export async function slowDown(db: Database, id: string, now: number, more: number, most: number): Promise<void> {
  await db.write((tx) =>
    tx
      .updateTable('sign_in_requests')
      .set((eb) => ({
        poll_seconds: eb('poll_seconds', '+', more),
        poll_at: eb(eb.val(now + more), '+', eb.ref('poll_seconds')),
      }))
      .where('id', '=', id)
      .where('poll_seconds', '<', most)
      .execute(),
  );
}

/** Nobody has decided about it yet, and it has not ended. False when that is not so. */
export async function decideRequest(
  tx: Tx,
  id: string,
  { userId, state, now }: { userId: string; state: 'asked' | 'withheld'; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sign_in_requests')
    .set({ user_id: userId, state })
    .where('id', '=', id)
    .where('state', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The person answers, once. False when it is not theirs, was answered, or has ended. */
export async function answerRequest(
  tx: Tx,
  { id, userId, state, now }: { id: string; userId: string; state: 'allowed' | 'refused'; now: number },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sign_in_requests')
    .set({ state })
    .where('id', '=', id)
    .where('user_id', '=', userId)
    .where('state', '=', 'asked')
    .where('expires_at', '>', now)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

export const waitingOf = (db: Reader, userId: string, now: number): Promise<SignInRequestRow[]> =>
  db
    .selectFrom('sign_in_requests')
    .where('user_id', '=', userId)
    .where('state', '=', 'asked')
    .where('expires_at', '>', now)
    .orderBy('created_at', 'desc')
    .orderBy('id')
    .selectAll()
    .execute();

/** Those of this person since then, whoever made them. */
export const requestsSince = (
  db: Reader,
  userId: string,
  since: number,
): Promise<Pick<SignInRequestRow, 'consumer_id' | 'state' | 'expires_at'>[]> =>
  db
    .selectFrom('sign_in_requests')
    .where('user_id', '=', userId)
    .where('created_at', '>', since)
    .select(['consumer_id', 'state', 'expires_at'])
    .execute();

/** Up to `limit` that have ended and do not count any more. Returns their number. */
export async function deleteEnded(db: Database, before: number, limit: number): Promise<number> {
  const { numDeletedRows } = await db.write((tx) =>
    tx
      .deleteFrom('sign_in_requests')
      .where('id', 'in', (eb) => eb.selectFrom('sign_in_requests').where('expires_at', '<', before).select('id').limit(limit))
      .executeTakeFirst(),
  );
  return Number(numDeletedRows);
}

/** Undefined: everybody may ask. Null: nobody. Else the sealed code. */
export async function findChoice(db: Reader, userId: string): Promise<string | null | undefined> {
  const row = await db.selectFrom('sign_in_request_choices').where('user_id', '=', userId).select('code').executeTakeFirst();
  return row?.code;
}

export async function saveChoice(tx: Tx, userId: string, code: string | null | undefined): Promise<void> {
  if (code === undefined) await tx.deleteFrom('sign_in_request_choices').where('user_id', '=', userId).execute();
  else
    await tx
      .insertInto('sign_in_request_choices')
      .values({ user_id: userId, code })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ code }))
      .execute();
}
