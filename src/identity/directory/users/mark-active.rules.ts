// When users were last active, for the rule that disables accounts after some days without use: only if there is one, and once a day.
import { seconds } from '../../../platform/clock.ts';
import { tagOf } from '../../access/context/index.ts';
import type { UserRow } from '../../ground/database/index.ts';
import type { Deps } from '../../ground/resource/index.ts';
import { writeLastActive } from './users.store.ts';

const DAY = 86_400;

export const createMarkActive =
  ({ clock, config, change }: Pick<Deps, 'clock' | 'config' | 'change'>) =>
  async ({ id, last_active_at }: UserRow): Promise<void> => {
    if (config.disableUserAccountDaysInactive === undefined) return;
    const now = seconds(clock);
    if (Math.floor((last_active_at ?? 0) / DAY) === Math.floor(now / DAY)) return;
    await change({ userId: id, requestId: null }, async ({ tx, audit, invalidate }) => {
      await writeLastActive(tx, id, now);
      invalidate(tagOf.user(id));
      audit('user.active', { kind: 'user', id });
    });
  };
