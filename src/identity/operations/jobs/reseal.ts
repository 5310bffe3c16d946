// After a change of the master key: encrypts all secrets again, while requests are served.
import { DamagedSeal, type Seal } from '../../../platform/seal/index.ts';
import { resealColumns } from '../../../platform/sealed/index.ts';
import { type Actor, type RunChange, serviceActor } from '../../ground/audit/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { SEALED_COLUMNS } from './sealed.ts';

/** Returns how many secrets were sealed again. Fails if one is damaged; the others are done then. */
export const createReseal =
  (db: Database, change: RunChange, seal: Seal & { readonly keyId: string }) =>
  async (actor: Actor = serviceActor): Promise<number> => {
    const { count, damaged } = await resealColumns(db, SEALED_COLUMNS, seal);
    const [first] = damaged;
    if (first) throw new DamagedSeal(first.replace(' ', '/'));
    await change(actor, async ({ audit }) => {
      audit('master_key.rotated', { kind: 'master_key', id: 'master' }, { secrets: count });
    });
    return count;
  };
