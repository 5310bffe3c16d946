// Deletes what the OpenID provider stored for a time that is over, as the job does every minute.
import { createRecords } from '../../src/identity/openid/records/index.ts';
import { createSeal, newMasterKey } from '../../src/platform/seal/index.ts';
import type { TestApi } from './api.ts';
import { noDomainSettings } from './no-domain-settings.ts';
import { databaseOf } from './restartable-api.ts';

export async function deleteEndedRecords(api: TestApi): Promise<void> {
  const db = await databaseOf(api);
  const nothing = { onEnd: async () => {}, revocations: { revokeSessions: async () => {} }, domainSettings: noDomainSettings };
  await createRecords({ db, clock: api.clock, seal: createSeal([newMasterKey()]), ...nothing }).sweep();
  await db.close();
}
