// Every setting that can be stored has a name in the console, in English and Spanish, and no name is left over.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { settings as en } from '../console/identity/words/en/settings.ts';
import { settings as es } from '../console/identity/words/es/settings.ts';
import { SERVICE_SETTINGS, serviceSettingsByKey } from '../src/identity/ground/settings/index.ts';
import { LANGUAGE_TABLE } from '../src/platform/languages/index.ts';

describe('Settings in the console', () => {
  it('have names, groups and choices in words', () => {
    const all = [...serviceSettingsByKey.values()].map(({ setting }) => setting);
    const choices = all.flatMap(({ input }) => (input.type === 'choice' ? input.choices : []));
    for (const words of [en, es]) {
      assert.deepEqual(Object.keys(words.names).sort(), all.map(({ key }) => key).sort());
      assert.deepEqual(Object.keys(words.groups).sort(), Object.keys(SERVICE_SETTINGS).sort());
      // Names of protocols and languages say themselves.
      const isName = (choice: string) => /^(x509|did)/.test(choice) || Object.hasOwn(LANGUAGE_TABLE, choice);
      const unnamed = choices.filter((choice) => !(choice in words.choices) && !isName(choice));
      assert.deepEqual(unnamed, []);
    }
  });
});
