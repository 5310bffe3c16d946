// The settings of the service that are stored in it.
import { identitySettings, serviceSettingsByKey } from '../../identity/ground/settings/index.ts';
import type { Body } from '../client.ts';
import type { KindDefinition } from './kind.ts';
import type { SaidValue } from './setting-values.ts';
import { SETTINGS_PATH, storedSettings } from './stored-settings.ts';

const WHERE: Readonly<Record<string, string>> = {
  environment: 'the operator has fixed it in the environment of the service',
  file: 'the operator has fixed it in the file of settings of the service',
};

const { smtpHost, smtpPort, smtpTls, smtpPassword } = identitySettings;

const { about, check, definition } = storedSettings({
  settings: new Map([...serviceSettingsByKey].map(([key, { setting }]) => [key, setting])),
  source: 'service',
  led: { password: smtpPassword.key, by: new Set([smtpHost, smtpPort, smtpTls].map(({ key }) => key)) },
  whyFixed: ({ source, group }) => WHERE[source] ?? (group ? undefined : 'it is read only when the service starts'),
  whyMissing: 'the service, which is of another version, does not know it',
});

export const settings: KindDefinition = {
  ...definition,
  label: () => 'settings of the service',
  about:
    'What administrators can change while the service runs, by keys. null: the default. What the operator has set in the environment stays.',
  keyOf(entry: Readonly<Record<string, SaidValue>>, _above, naming) {
    check(entry, naming);
    return [];
  },
  async read(state) {
    const body = (await state.list(SETTINGS_PATH)) as unknown as Body;
    state.add('settings', [], body, { url: SETTINGS_PATH, ...about(body) });
  },
  rule: () => 'identity:update_service_settings',
};
