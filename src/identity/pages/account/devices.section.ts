// Devices on which a person is not asked for a code.
import type { Devices } from '../../directory/two-factor/index.ts';
import type { AccountSection } from './section.ts';
import { devicesSection } from './sessions.page.ts';

export interface DevicesDeps {
  readonly devices: Devices;
}

export const createDevicesSection = ({ devices }: DevicesDeps): AccountSection => ({
  page: 'sessions',
  async show(visit) {
    const known = await devices.list(visit.person.user.id);
    return devicesSection(
      visit,
      known.map((row) => ({ id: row.id, userAgent: row.user_agent, lastUsed: row.last_used_at })),
    );
  },
  steps: {
    'forget-device': {
      async run({ person: { user, actor } }, form) {
        await devices.forget(actor, user.id, form.text('device'));
        return { done: 'deviceIsForgotten' };
      },
    },
  },
});
