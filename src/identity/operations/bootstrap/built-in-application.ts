// Creates the built-in application on the first start.
import { isUniqueViolation } from '../../../platform/database/index.ts';
import { insertBuiltInRoles } from '../../applications/app-roles/index.ts';
import { BUILT_IN_APPLICATION, type Consumers, findConsumer } from '../../applications/consumers/index.ts';
import { type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';

export async function ensureBuiltInApplication(deps: { db: Database; change: RunChange; consumers: Consumers }): Promise<void> {
  const { db, change, consumers } = deps;
  if (await findConsumer(db.read, BUILT_IN_APPLICATION)) return;
  try {
    await change(serviceActor, async (transaction) => {
      await consumers.insert(
        transaction,
        { name: BUILT_IN_APPLICATION, description: 'Built in: who manages applications' },
        BUILT_IN_APPLICATION,
      );
      await insertBuiltInRoles(transaction);
    });
  } catch (error) {
    // Another process of the same service was first.
    if (!isUniqueViolation(error)) throw error;
  }
}
