// The logo and the icon of the service in the database.
import type { BrandPictureRow, Reader, Tx } from '../database/index.ts';

export type BrandPicture = 'logo' | 'favicon';

export const readPictures = (db: Reader): Promise<BrandPictureRow[]> =>
  db.selectFrom('brand_pictures').selectAll().orderBy('kind').execute();

export async function putPicture(tx: Tx, row: BrandPictureRow): Promise<void> {
  const { kind: _, ...values } = row;
  await tx
    .insertInto('brand_pictures')
    .values(row)
    .onConflict((conflict) => conflict.column('kind').doUpdateSet(values))
    .execute();
}

export async function deletePicture(tx: Tx, kind: BrandPicture): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('brand_pictures').where('kind', '=', kind).executeTakeFirst();
  return numDeletedRows > 0n;
}
