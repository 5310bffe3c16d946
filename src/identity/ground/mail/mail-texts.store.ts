// Texts of mails that administrators wrote, in the database.
import type { MailTextRow, Reader, Tx } from '../database/index.ts';

export const readTexts = (db: Reader): Promise<MailTextRow[]> => db.selectFrom('mail_texts').selectAll().orderBy('id').execute();

export async function putText(tx: Tx, row: MailTextRow): Promise<void> {
  const { id: _, ...values } = row;
  await tx
    .insertInto('mail_texts')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

export async function deleteText(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('mail_texts').where('id', '=', id).execute();
}
