// Pictures in the database.
import type { PictureRow, Reader, Tx } from '../../ground/database/index.ts';

export async function putPicture(tx: Tx, row: PictureRow): Promise<void> {
  const { user_id: _, ...values } = row;
  await tx
    .insertInto('pictures')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(values))
    .execute();
}

export async function deletePicture(tx: Tx, userId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('pictures').where('user_id', '=', userId).executeTakeFirst();
  return numDeletedRows > 0n;
}

export const findPicture = (db: Reader, id: string): Promise<Pick<PictureRow, 'media_type' | 'content'> | undefined> =>
  db
    .selectFrom('pictures')
    .innerJoin('users', 'users.id', 'pictures.user_id')
    .where('pictures.id', '=', id)
    .where('users.enabled', '=', 1)
    .select(['pictures.media_type', 'pictures.content'])
    .executeTakeFirst();

export async function pictureIdOf(db: Reader, userId: string): Promise<string | undefined> {
  return (await db.selectFrom('pictures').where('user_id', '=', userId).select('id').executeTakeFirst())?.id;
}
