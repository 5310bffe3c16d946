// The certificates of the attester, by the thumbprint of their key.
import type { AttesterCertificateRow, Reader, Tx } from '../ground/database.ts';

export const findCertificate = (db: Reader, kid: string): Promise<AttesterCertificateRow | undefined> =>
  db.selectFrom('attester_certificates').where('kid', '=', kid).selectAll().executeTakeFirst();

/** In place of an earlier one of the key, and of those that have ended. */
export async function replaceCertificate(tx: Tx, row: AttesterCertificateRow): Promise<void> {
  await tx
    .deleteFrom('attester_certificates')
    .where((eb) => eb.or([eb('kid', '=', row.kid), eb('expires_at', '<', row.created_at)]))
    .execute();
  await tx.insertInto('attester_certificates').values(row).execute();
}
