// Service providers in the database, beyond what all nouns have.
import type { Reader, ServiceProviderRow } from '../../ground/database/index.ts';

/** Every token names them all. */
export const MAX_SERVICE_PROVIDERS = 100;

/** Those that tokens name. */
export const enabledServiceProviders = (db: Reader): Promise<Pick<ServiceProviderRow, 'id' | 'auth_url' | 'sp_url'>[]> =>
  db
    .selectFrom('service_providers')
    .where('enabled', '=', 1)
    .orderBy('id')
    .select(['id', 'auth_url', 'sp_url'])
    .limit(MAX_SERVICE_PROVIDERS)
    .execute();

export async function countServiceProviders(db: Reader): Promise<number> {
  const { count } = await db
    .selectFrom('service_providers')
    .select((eb) => eb.fn.countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}
