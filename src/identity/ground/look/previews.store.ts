// Previews in the database.
import type { Reader, Tx } from '../database/index.ts';

export async function insertPreview(
  tx: Tx,
  { id, content, expiresAt }: { readonly id: string; readonly content: string; readonly expiresAt: number },
): Promise<void> {
  await tx.insertInto('previews').values({ id, content, expires_at: expiresAt }).execute();
}

export async function findPreview(db: Reader, id: string, now: number): Promise<string | undefined> {
  const row = await db
    .selectFrom('previews')
    .where('id', '=', id)
    .where('expires_at', '>', now)
    .select('content')
    .executeTakeFirst();
  return row?.content;
}

export async function deletePreviews(tx: Tx, now: number): Promise<number> {
  const { numDeletedRows } = await tx.deleteFrom('previews').where('expires_at', '<=', now).executeTakeFirst();
  return Number(numDeletedRows);
}
