// Keys of requests to wallets, as they are stored.
import type { Reader, Tx, VerifierKeyRow } from '../../ground/database/index.ts';

export const newestVerifierKey = (db: Reader, issuer: string): Promise<VerifierKeyRow | undefined> =>
  db
    .selectFrom('verifier_keys')
    .where('issuer', '=', issuer)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .selectAll()
    .limit(1)
    .executeTakeFirst();

/** In place of those before it, and of those that have ended. */
export async function replaceVerifierKey(tx: Tx, row: VerifierKeyRow): Promise<void> {
  await tx
    .deleteFrom('verifier_keys')
    .where((eb) => eb.or([eb('issuer', '=', row.issuer), eb('expires_at', '<', row.created_at)]))
    .execute();
  await tx.insertInto('verifier_keys').values(row).execute();
}
