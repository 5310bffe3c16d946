// The terms of use that people accepted, in the database.
import type { Reader, Tx } from '../../ground/database/index.ts';

/** Once for each version. */
export async function insertAcceptedTerms(
  tx: Tx,
  row: { readonly user_id: string; readonly version: string; readonly url: string; readonly accepted_at: number },
): Promise<void> {
  await tx
    .insertInto('accepted_terms')
    .values(row)
    .onConflict((conflict) => conflict.columns(['user_id', 'version']).doNothing())
    .execute();
}

export async function hasAccepted(db: Reader, userId: string, version: string): Promise<boolean> {
  const found = db.selectFrom('accepted_terms').where('user_id', '=', userId).where('version', '=', version);
  return (await found.select('user_id').executeTakeFirst()) !== undefined;
}
