// When users were last active, for the rule that disables accounts after some days without use.
import { seconds } from '../../../platform/clock.ts';
import { tagOf } from '../../access/context/index.ts';
import { type UserWithExpiry, writeLastActive } from '../../directory/users/index.ts';
import type { Deps } from '../../ground/resource/index.ts';

const DAY = 86_400;

/** Only when accounts are disabled for inactivity, and once a day. */
export function createMarkActive({ clock, config, change }: Pick<Deps, 'clock' | 'config' | 'change'>) {
  return async (user: UserWithExpiry): Promise<void> => {
    if (config.disableUserAccountDaysInactive === undefined) return;
    const now = seconds(clock);
    if (Math.floor((user.last_active_at ?? 0) / DAY) === Math.floor(now / DAY)) return;
    await change({ userId: user.id, requestId: null }, async ({ tx, audit, invalidate }) => {
      await writeLastActive(tx, user.id, now);
      invalidate(tagOf.user(user.id));
      audit('user.active', { kind: 'user', id: user.id });
    });
  };
}
