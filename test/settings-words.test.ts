// Every setting that can be stored has a name in the console, in English and Spanish, and no name is left over. The guide uses these names.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { service } from '../console/identity/words/en/service.ts';
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

  it('are in the guide by the names that the console has', () => {
    const WAY = /\*Service\*, \*([^*]+)\*(?:, \*([^*]+)\*)?(?:, \*([^*]+)\*)?/g;
    const isOneOf = (all: Readonly<Record<string, string>>, name: string): boolean => Object.values(all).includes(name);
    const isRight = ([, tab = '', second = '', third = '']: readonly string[]): boolean => {
      if (!isOneOf(service.tabs, tab)) return false;
      return tab !== 'Settings' || second === '' || (isOneOf(en.groups, second) && (third === '' || isOneOf(en.names, third)));
    };
    const pages = [...globSync('docs/guide/*.md'), 'docs/config.md', 'README.md'];
    const ways = pages.flatMap((page) => [...readFileSync(page, 'utf8').replaceAll(/\s+/g, ' ').matchAll(WAY)]);
    assert.deepEqual(
      ways.filter((way) => !isRight(way)).map(([way]) => way),
      [],
    );
    assert.ok(ways.length > 20);
  });
});
