import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { ConfigError, load, refuseUnknownKeys, setting, describeSettings as show } from './index.ts';

const settings = {
  port: setting.number('GATEHOUSE_PORT', 5000, { min: 0, max: 65_535, unit: 'port' }, 'A port.'),
  limits: setting.flag('GATEHOUSE_LIMITS', true, 'A switch.'),
  url: setting.address('GATEHOUSE_URL', 'An address.'),
  proxies: setting.list('GATEHOUSE_PROXIES', 'A list.'),
  level: setting.choice('GATEHOUSE_LEVEL', 'info', ['info', 'warn'], 'A choice.'),
  key: setting.secret('GATEHOUSE_KEY', 'A secret.'),
  pattern: setting.pattern('GATEHOUSE_PATTERN', 'A pattern.'),
  days: setting.optionalNumber('GATEHOUSE_DAYS', { min: 1, max: 10, unit: 'days' }, 'Days.'),
};

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-config-'));
after(() => rmSync(folder, { recursive: true }));
let files = 0;

function file(text: string): string {
  const path = join(folder, `file-${++files}`);
  writeFileSync(path, text);
  return path;
}

describe('Settings', () => {
  it('have working defaults', () => {
    assert.deepEqual(load(settings, {}), {
      port: 5000,
      limits: true,
      url: undefined,
      proxies: [],
      level: 'info',
      key: undefined,
      pattern: undefined,
      days: undefined,
    });
  });

  it('are read by their kind', () => {
    const read = load(settings, {
      GATEHOUSE_PORT: '80',
      GATEHOUSE_LIMITS: 'OFF',
      GATEHOUSE_URL: 'https://id.example.org/',
      GATEHOUSE_PROXIES: '10.0.0.0/8, ::1',
      GATEHOUSE_LEVEL: 'warn',
      GATEHOUSE_PATTERN: '^.{8,}$',
      GATEHOUSE_DAYS: '7',
    });
    assert.equal(read.port, 80);
    assert.equal(read.limits, false);
    assert.equal(read.url, 'https://id.example.org');
    assert.deepEqual(read.proxies, ['10.0.0.0/8', '::1']);
    assert.equal(read.level, 'warn');
    assert.equal(read.pattern?.source, '^.{8,}$');
    assert.equal(read.days, 7);
  });

  it('refuse a bad value with a line that names the key and the remedy', () => {
    const refusals: [string, string, RegExp][] = [
      ['GATEHOUSE_PORT', '99999', /^GATEHOUSE_PORT must be a whole number from 0 to 65535 \(port\), not "99999"$/],
      ['GATEHOUSE_PORT', '1e3', /^GATEHOUSE_PORT must be/],
      ['GATEHOUSE_LIMITS', 'maybe', /^GATEHOUSE_LIMITS must be on or off/],
      ['GATEHOUSE_URL', 'id.example.org', /^GATEHOUSE_URL must be an absolute http or https address/],
      ['GATEHOUSE_URL', 'javascript:alert(1)', /^GATEHOUSE_URL must be/],
      ['GATEHOUSE_LEVEL', 'loud', /^GATEHOUSE_LEVEL must be one of info, warn/],
      ['GATEHOUSE_PATTERN', '(', /^GATEHOUSE_PATTERN must be a regular expression/],
      ['GATEHOUSE_DAYS', '0', /^GATEHOUSE_DAYS must be/],
    ];
    for (const [key, value, message] of refusals) {
      assert.throws(
        () => load(settings, { [key]: value }),
        (error: Error) => error instanceof ConfigError && message.test(error.message),
        key,
      );
    }
  });

  it('come from the environment, else from the file, else from the default', () => {
    const path = file('GATEHOUSE_PORT=81\nGATEHOUSE_LEVEL=warn\n');
    const read = load(settings, { GATEHOUSE_CONFIG_FILE: path, GATEHOUSE_PORT: '82' });
    assert.equal(read.port, 82);
    assert.equal(read.level, 'warn');
  });

  it('take a secret from a file, but not from two places', () => {
    const path = file('the key\n');
    assert.equal(load(settings, { GATEHOUSE_KEY_FILE: path }).key, 'the key');
    assert.throws(() => load(settings, { GATEHOUSE_KEY_FILE: path, GATEHOUSE_KEY: 'another' }), /are both set; keep one/);
    assert.throws(
      () => load(settings, { GATEHOUSE_KEY_FILE: '/nowhere' }),
      /GATEHOUSE_KEY_FILE: cannot read \/nowhere \(ENOENT\)/,
    );
  });

  it('refuse an unknown key, in the environment and in the file', () => {
    assert.throws(
      () => refuseUnknownKeys({ GATEHOUSE_PROT: '1' }, settings),
      /GATEHOUSE_PROT is not a setting; did you mean GATEHOUSE_PORT\?/,
    );
    assert.throws(
      () => refuseUnknownKeys({ GATEHOUSE_CONFIG_FILE: file('GATEHOUSE_LEVLE=warn') }, settings),
      /did you mean GATEHOUSE_LEVEL\?/,
    );
    refuseUnknownKeys({ PATH: '/bin', GATEHOUSE_KEY_FILE: 'x' }, settings);
  });

  it('refuse a line of the file that is not KEY=value, with its number but not its text', () => {
    const refused: readonly (readonly [string, RegExp])[] = [
      ['# a remark\n\nGATEHOUSE_PORT 81\n', /GATEHOUSE_CONFIG_FILE: line 3 of \S+ is not of the form KEY=value/],
      ['GATEHOUSE_PORT=81\r\nGATEHOUSE_LEVEL: warn\r\n', /line 2 of/],
      ['[section]\n', /line 1 of/],
      ['1KEY=value', /line 1 of/],
      ['=value', /line 1 of/],
      ['GATEHOUSE_PORT=81\n// a remark', /line 2 of/],
      ['GATEHOUSE_KEY="begun\nGATEHOUSE_PORT=82\n"', /line 1 of \S+ opens a quote/],
    ];
    for (const [text, why] of refused) assert.throws(() => load(settings, { GATEHOUSE_CONFIG_FILE: file(text) }), why, text);
    try {
      load(settings, { GATEHOUSE_CONFIG_FILE: file('GATEHOUSE_KEY hidden') });
      assert.fail();
    } catch (error) {
      assert.doesNotMatch((error as Error).message, /hidden/);
    }
  });

  it('refuse a key that the file sets twice', () => {
    const path = file('GATEHOUSE_PORT=81\n\nGATEHOUSE_PORT=82\n');
    assert.throws(
      () => load(settings, { GATEHOUSE_CONFIG_FILE: path }),
      /line 3 of \S+ sets GATEHOUSE_PORT again, which line 1 has set/,
    );
  });

  it('accept comments, empty lines, quotes and export in the file', () => {
    const path = file(
      '\uFEFF# a remark\n\n  # another\nexport GATEHOUSE_PORT=81 # the port\r\nGATEHOUSE_KEY="with = and # in it"\nOTHER=\n',
    );
    const read = load(settings, { GATEHOUSE_CONFIG_FILE: path });
    assert.deepEqual([read.port, read.key], [81, 'with = and # in it']);
  });

  it('are shown without secrets', () => {
    const lines = show(settings, load(settings, { GATEHOUSE_KEY: 'hidden', GATEHOUSE_LIMITS: 'off' }));
    assert.ok(lines.includes('GATEHOUSE_KEY=********'));
    assert.ok(lines.includes('GATEHOUSE_LIMITS=off'));
    assert.ok(!lines.join().includes('hidden'));
  });
});
