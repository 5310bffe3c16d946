// Sign-ins at providers that administrators try, in the database.
import type { ProviderAttemptRow, Reader, Tx } from '../../ground/database/index.ts';

/** Of one person at one provider there is the newest only. */
export async function replaceAttempt(tx: Tx, row: ProviderAttemptRow): Promise<void> {
  await tx
    .deleteFrom('provider_attempts')
    .where('user_id', '=', row.user_id)
    .where('provider_id', '=', row.provider_id)
    .execute();
  await tx.insertInto('provider_attempts').values(row).execute();
}

/** Of this person at this provider; undefined when there is none that has not ended. */
export const findAttempt = (
  db: Reader,
  {
    id,
    providerId,
    userId,
    now,
  }: { readonly id: string; readonly providerId: string; readonly userId: string; readonly now: number },
): Promise<ProviderAttemptRow | undefined> =>
  db
    .selectFrom('provider_attempts')
    .where('id', '=', id)
    .where('provider_id', '=', providerId)
    .where('user_id', '=', userId)
    .where('expires_at', '>', now)
    .selectAll()
    .executeTakeFirst();

export const isAwaited = async (
  db: Reader,
  { id, providerId, now }: { readonly id: string; readonly providerId: string; readonly now: number },
): Promise<boolean> =>
  (await db
    .selectFrom('provider_attempts')
    .where('id', '=', id)
    .where('provider_id', '=', providerId)
    .where('expires_at', '>', now)
    .select('id')
    .executeTakeFirst()) !== undefined;

/** False when somebody else used it up. */
export async function deleteAttempt(tx: Tx, id: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('provider_attempts').where('id', '=', id).executeTakeFirst();
  return numDeletedRows > 0n;
}

export async function deleteEndedAttempts(tx: Tx, now: number): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('provider_attempts').where('expires_at', '<=', now).executeTakeFirst();
  return Number(numDeletedRows);
}
