// After a change of the master key: encrypts all secrets again, in one transaction.
import { type Change, type RunChange, serviceActor } from '../audit/index.ts';

interface SecretsOfModule {
  /** Returns how many secrets there are. */
  reseal(transaction: Change): Promise<number>;
}

export const createReseal = (change: RunChange, modules: readonly SecretsOfModule[]) => (): Promise<number> =>
  change(serviceActor, async (transaction) => {
    let count = 0;
    for (const module of modules) count += await module.reseal(transaction);
    transaction.audit('master_key.rotated', { kind: 'master_key', id: 'master' }, { secrets: count });
    return count;
  });
