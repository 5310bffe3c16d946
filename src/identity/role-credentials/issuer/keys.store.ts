// Keys and certificates of the issuer in the database.
import type { IssuerCertificateRow, IssuerKeyRow, Reader, Tx } from '../../ground/database/index.ts';

/** The oldest first. */
export const readKeys = (db: Reader): Promise<IssuerKeyRow[]> =>
  db.selectFrom('issuer_keys').orderBy('active_from').orderBy('id').selectAll().execute();

export async function insertKey(tx: Tx, row: IssuerKeyRow): Promise<void> {
  await tx.insertInto('issuer_keys').values(row).execute();
}

/** Their certificates are deleted, too. */
export async function deleteKeys(tx: Tx, ids: readonly string[]): Promise<void> {
  if (ids.length > 0)
    await tx
      .deleteFrom('issuer_keys')
      .where('id', 'in', [...ids])
      .execute();
}

export async function markActive(tx: Tx, id: string, at: number): Promise<void> {
  await tx.updateTable('issuer_keys').set({ last_active_at: at }).where('id', '=', id).where('last_active_at', '<', at).execute();
}

/** Whether something that was issued until then is still valid. Those that end first are looked at first: most of them were issued first. */
export async function isAnyValid(db: Reader, issuedUntil: number, now: number): Promise<boolean> {
  const row = await db
    .selectFrom('issued_credentials')
    .where('expires_at', '>=', now)
    .where('issued_at', '<=', issuedUntil)
    .orderBy('expires_at')
    .select('id')
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

export const findCertificate = (db: Reader, keyId: string, issuer: string): Promise<IssuerCertificateRow | undefined> =>
  db.selectFrom('issuer_certificates').where('key_id', '=', keyId).where('issuer', '=', issuer).selectAll().executeTakeFirst();

export async function replaceCertificate(tx: Tx, row: IssuerCertificateRow): Promise<void> {
  await tx.deleteFrom('issuer_certificates').where('key_id', '=', row.key_id).where('issuer', '=', row.issuer).execute();
  await tx.insertInto('issuer_certificates').values(row).execute();
}
