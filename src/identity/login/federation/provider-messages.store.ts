// What travels between a browser, a provider and us by reference, in the database.
import type { ProviderMessageRow, Tx } from '../../ground/database/index.ts';

/** False when there is one of this sign-in already. */
export async function insertMessage(tx: Tx, row: ProviderMessageRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('provider_messages')
    .values(row)
    .onConflict((conflict) => conflict.column('about').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** Of this provider, and only for one of several who ask. */
export async function takeMessage(
  tx: Tx,
  { id, providerId, now }: { readonly id: string; readonly providerId: string; readonly now: number },
): Promise<ProviderMessageRow | undefined> {
  const row = await tx
    .selectFrom('provider_messages')
    .where('id', '=', id)
    .where('provider_id', '=', providerId)
    .where('expires_at', '>', now)
    .selectAll()
    .executeTakeFirst();
  if (!row) return undefined;
  const { numDeletedRows } = await tx.deleteFrom('provider_messages').where('id', '=', id).executeTakeFirst();
  return numDeletedRows === 1n ? row : undefined;
}

export async function deleteEndedMessages(tx: Tx, now: number): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('provider_messages').where('expires_at', '<=', now).executeTakeFirst();
  return Number(numDeletedRows);
}
