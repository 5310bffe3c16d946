// For parts of the service that tests build by themselves: every domain has the defaults.
import type { DomainSettings, DomainSettingsOf } from '../../src/identity/directory/domain-settings/index.ts';
import { identitySettings } from '../../src/identity/ground/settings/index.ts';
import { load } from '../../src/platform/config/index.ts';

const settings = { sessions: load(identitySettings, {}) } as unknown as DomainSettings;

export const noDomainSettings: Pick<DomainSettingsOf, 'ofDomain' | 'ofUser' | 'defaults'> = {
  ofDomain: () => settings,
  ofUser: async () => settings,
  defaults: () => settings,
};
