// Where the service registered itself, in the database.
import type { ProviderRegistrationRow, Reader, Tx } from '../../ground/database/index.ts';

export const findRegistration = (db: Reader, providerId: string): Promise<ProviderRegistrationRow | undefined> =>
  db.selectFrom('provider_registrations').where('provider_id', '=', providerId).selectAll().executeTakeFirst();

export async function replaceRegistration(tx: Tx, row: ProviderRegistrationRow): Promise<void> {
  await deleteRegistration(tx, row.provider_id);
  await tx.insertInto('provider_registrations').values(row).execute();
}

export async function deleteRegistration(tx: Tx, providerId: string): Promise<void> {
  await tx.deleteFrom('provider_registrations').where('provider_id', '=', providerId).execute();
}
