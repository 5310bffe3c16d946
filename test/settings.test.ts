// Settings as they are shown: by the API, `gatehouse config` and docs/config.md.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { domainSections } from '../src/identity/directory/domain-settings/index.ts';
import { identitySettings } from '../src/identity/ground/settings/index.ts';
import { describeSettings, effectiveSettings, load, type Settings } from '../src/platform/config/index.ts';
import { sharedSettings } from '../src/settings.ts';
import { walletSettings } from '../src/wallet/ground/settings.ts';

const GROUPS: readonly Settings[] = [sharedSettings, identitySettings, walletSettings, ...Object.values(domainSections)];

describe('A setting', () => {
  it('is shown in the words in which it is written, so that what was read can be entered', () => {
    let checked = 0;
    for (const setting of GROUPS.flatMap((group) => Object.values(group))) {
      const { key, fallback } = setting;
      const text = setting.write(fallback);
      if (fallback === undefined || text === '') continue;
      assert.deepEqual(setting.read(text), fallback, `${key}=${text}`);
      checked++;
    }
    assert.ok(checked > 100);
  });

  it('that is a time of the day has hours and minutes, wherever it is shown', () => {
    const shown = (env: Record<string, string>) =>
      effectiveSettings(env, sharedSettings).find(({ key }) => key === 'GATEHOUSE_BACKUP_AT')!.value;
    assert.deepEqual([shown({}), shown({ GATEHOUSE_BACKUP_AT: '23:05' })], ['02:00', '23:05']);
    assert.ok(describeSettings(sharedSettings, load(sharedSettings, {})).includes('GATEHOUSE_BACKUP_AT=02:00'));
  });
});
