// The terms of use that people accepted, in the database.
import type { Tx } from '../../ground/database/index.ts';

export async function insertAcceptedTerms(
  tx: Tx,
  row: { readonly user_id: string; readonly version: string; readonly url: string; readonly accepted_at: number },
): Promise<void> {
  await tx.insertInto('accepted_terms').values(row).execute();
}
