// Logos of applications in the database.
import { isIn } from '../../../platform/database/index.ts';
import type { ApplicationLogoRow, Reader, Tx } from '../../ground/database/index.ts';

export async function putLogo(tx: Tx, row: ApplicationLogoRow): Promise<void> {
  const { consumer_id: _, ...values } = row;
  await tx
    .insertInto('application_logos')
    .values(row)
    .onConflict((conflict) => conflict.column('consumer_id').doUpdateSet(values))
    .execute();
}

export async function deleteLogo(tx: Tx, consumerId: string): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('application_logos').where('consumer_id', '=', consumerId).executeTakeFirst();
  return numDeletedRows > 0n;
}

export const findLogo = (db: Reader, id: string): Promise<Pick<ApplicationLogoRow, 'media_type' | 'content'> | undefined> =>
  db.selectFrom('application_logos').where('id', '=', id).select(['media_type', 'content']).executeTakeFirst();

export const findLogoOf = (db: Reader, consumerId: string): Promise<ApplicationLogoRow | undefined> =>
  db.selectFrom('application_logos').where('consumer_id', '=', consumerId).selectAll().executeTakeFirst();

/** The ids of logos by the ids of their consumers. */
export async function logoIdsOf(db: Reader, consumerIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (consumerIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('application_logos')
    .where(isIn('consumer_id', consumerIds))
    .select(['consumer_id', 'id'])
    .execute();
  return new Map(rows.map((row) => [row.consumer_id, row.id]));
}
