// Settings that administrators have stored.
import type { Reader, ServiceSettingRow, Tx } from '../database/index.ts';

export const readSettings = (db: Reader): Promise<ServiceSettingRow[]> =>
  db.selectFrom('service_settings').selectAll().orderBy('id').execute();

export async function writeSetting(tx: Tx, row: ServiceSettingRow): Promise<void> {
  const { id: _, ...values } = row;
  await tx
    .insertInto('service_settings')
    .values(row)
    .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
    .execute();
}

export async function deleteSetting(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('service_settings').where('id', '=', id).execute();
}
