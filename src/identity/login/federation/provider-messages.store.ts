// What travels between a browser, a provider and us by reference, in the database.
import type { ProviderMessageRow, Reader, Tx } from '../../ground/database/index.ts';

/** False when there is one of this sign-in already. */
export async function insertMessage(tx: Tx, row: ProviderMessageRow): Promise<boolean> {
  const { numInsertedOrUpdatedRows } = await tx
    .insertInto('provider_messages')
    .values(row)
    .onConflict((conflict) => conflict.column('about').doNothing())
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

interface NamedMessage {
  readonly id: string;
  readonly providerId: string;
  readonly now: number;
}

export const findMessage = (db: Reader, { id, providerId, now }: NamedMessage): Promise<ProviderMessageRow | undefined> =>
  db
    .selectFrom('provider_messages')
    .where('id', '=', id)
    .where('provider_id', '=', providerId)
    .where('expires_at', '>', now)
    .selectAll()
    .executeTakeFirst();

/** Only for one of several who ask. */
export async function takeMessage(tx: Tx, named: NamedMessage): Promise<ProviderMessageRow | undefined> {
  const row = await findMessage(tx, named);
  if (!row) return undefined;
  const { numDeletedRows } = await tx.deleteFrom('provider_messages').where('id', '=', row.id).executeTakeFirst();
  return numDeletedRows === 1n ? row : undefined;
}

export async function deleteEndedMessages(tx: Tx, now: number): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('provider_messages').where('expires_at', '<=', now).executeTakeFirst();
  return Number(numDeletedRows);
}
