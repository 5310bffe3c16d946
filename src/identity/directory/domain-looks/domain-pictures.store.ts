// The logos and icons of domains in the database.
import type { DomainPictureRow, Reader, Tx } from '../../ground/database/index.ts';
import type { BrandPicture } from '../../ground/look/index.ts';

export const findPictures = (db: Reader, domainId: string): Promise<Pick<DomainPictureRow, 'kind' | 'id'>[]> =>
  db.selectFrom('domain_pictures').where('domain_id', '=', domainId).select(['kind', 'id']).execute();

export const findPicture = (db: Reader, domainId: string, kind: BrandPicture): Promise<DomainPictureRow | undefined> =>
  db.selectFrom('domain_pictures').where('domain_id', '=', domainId).where('kind', '=', kind).selectAll().executeTakeFirst();

export const findImage = (db: Reader, id: string): Promise<Pick<DomainPictureRow, 'media_type' | 'content'> | undefined> =>
  db.selectFrom('domain_pictures').where('id', '=', id).select(['media_type', 'content']).executeTakeFirst();

export async function putPicture(tx: Tx, row: DomainPictureRow): Promise<void> {
  const { domain_id: _domain, kind: _kind, ...values } = row;
  await tx
    .insertInto('domain_pictures')
    .values(row)
    .onConflict((conflict) => conflict.columns(['domain_id', 'kind']).doUpdateSet(values))
    .execute();
}

export async function deletePicture(tx: Tx, domainId: string, kind: BrandPicture): Promise<void> {
  await tx.deleteFrom('domain_pictures').where('domain_id', '=', domainId).where('kind', '=', kind).execute();
}
