// Creates the built-in application on the first start.
import { type Clock, seconds } from '../../../platform/clock.ts';
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { tagOf } from '../../access/context/index.ts';
import {
  INTERNAL_PERMISSIONS,
  INTERNAL_ROLES,
  insertAppRole,
  insertLink,
  insertPermission,
} from '../../applications/app-roles/index.ts';
import { BUILT_IN_APPLICATION, type Consumers, findConsumer } from '../../applications/consumers/index.ts';
import { type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';

export async function ensureBuiltInApplication(deps: {
  db: Database;
  clock: Clock;
  change: RunChange;
  consumers: Consumers;
}): Promise<void> {
  const { db, clock, change, consumers } = deps;
  if (await findConsumer(db.read, BUILT_IN_APPLICATION)) return;
  const shared = { application_id: BUILT_IN_APPLICATION, is_internal: 1, created_at: seconds(clock) };
  try {
    await change(serviceActor, async (transaction) => {
      const { tx } = transaction;
      await consumers.insert(
        transaction,
        { name: BUILT_IN_APPLICATION, description: 'Built in: who manages applications' },
        BUILT_IN_APPLICATION,
      );
      for (const [id, name] of Object.entries(INTERNAL_PERMISSIONS)) {
        await insertPermission(tx, { id, name, ...shared, action: null, resource: null, xml: null });
      }
      for (const [id, permissions] of Object.entries(INTERNAL_ROLES)) {
        await insertAppRole(tx, { id, name: id, ...shared });
        for (const permission of permissions) await insertLink(tx, id, permission);
      }
      transaction.invalidate(tagOf.everything);
    });
  } catch (error) {
    // Another process of the same service was first.
    if (!isUniqueViolation(error)) throw error;
  }
}
