import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { ConfigError, defaultsOf, readIni, setting } from './index.ts';

const sections = {
  door: {
    width: setting.number('width', 90, { min: 1, max: 500, unit: 'cm' }, 'A number.'),
    open: setting.flag('is_open', false, 'A switch.'),
    names: setting.list('names', 'A list.'),
    key: setting.secret('key', 'A secret.'),
    note: setting.text('note', '', 'A text.'),
  },
  window: { colour: setting.choice('colour', 'red', ['red', 'blue'], 'A choice.') },
};
const read = (text: string) => readIni(sections, '/etc/house.conf', text);

describe('Settings in an INI file', () => {
  it('have defaults', () => {
    assert.deepEqual(read('').values, defaultsOf(sections));
    assert.deepEqual(defaultsOf(sections).window, { colour: 'red' });
  });

  it('are read as oslo.config reads them', () => {
    const { values } = read(
      '\uFEFF# a remark\n[door]\r\nwidth = 80\nis_open: yes\nnames = a, b,\n  c\n; another\nkey = "with = and # in it"\n\n[window]\ncolour=blue\n',
    );
    assert.deepEqual(values.door, { width: 80, open: true, names: ['a', 'b', 'c'], key: 'with = and # in it', note: '' });
    assert.equal(values.window.colour, 'blue');
  });

  it('take the first = or : as the end of the key', () => {
    assert.equal(read('[door]\nnote = ou=Users,dc=a:b\n').values.door.note, 'ou=Users,dc=a:b');
    assert.equal(read("[door]\nnote: 'x = y'\n").values.door.note, 'x = y');
  });

  it('refuse what they do not know, by file and line, and name the nearest', () => {
    const refused: readonly (readonly [string, RegExp])[] = [
      ['[dor]\n', /^line 1 of \/etc\/house\.conf: \[dor\] is not a section; did you mean \[door\]\?$/],
      ['[__proto__]\n', /^line 1 of .* is not a section/],
      ['[door]\n\nwitdh = 3\n', /^line 3 of \/etc\/house\.conf: witdh is not a setting of \[door\]; did you mean width\?$/],
      ['[door]\nconstructor = 3\n', /^line 2 of .* is not a setting/],
      ['[door]\nwidth = wide\n', /^line 2 of \/etc\/house\.conf: \[door\] width must be a whole number from 1 to 500/],
      ['[window]\ncolour = green\n', /^line 2 of .*colour must be one of red, blue/],
      ['width = 3\n', /^line 1 of .* sets width before the first \[section\]$/],
      ['[door]\nwidth\n', /^line 2 of .* is not of the form key = value/],
      ['[door\n', /^line 1 of .* is not of the form key = value/],
      ['[door]\nwidth = 1\nwidth = 2\n', /^line 3 of .* sets width again, which line 2 has set/],
      ['[door]\n[window]\n[door]\n', /^line 3 of .* begins \[door\] again, which line 1 has begun/],
      ['[door]\n  width = 1\n', /^line 2 of .* begins with a space/],
      ['[window]\nkey_file = x\n', /^line 2 of .* is not a setting of \[window\]/],
    ];
    for (const [text, why] of refused)
      assert.throws(
        () => read(text),
        (error: Error) => error instanceof ConfigError && why.test(error.message),
        text,
      );
  });

  it('do not show the text of an invalid line, because it may be a secret', () => {
    assert.throws(
      () => read('[door]\nkey hidden\n'),
      (error: Error) => !error.message.includes('hidden'),
    );
  });

  it('take a secret from a file, but not from two places', (t) => {
    const folder = mkdtempSync(join(tmpdir(), 'gatehouse-ini-'));
    t.after(() => rmSync(folder, { recursive: true }));
    const path = join(folder, 'key');
    writeFileSync(path, 'the key\n');
    assert.equal(read(`[door]\nkey_file = ${path}\n`).values.door.key, 'the key');
    assert.throws(() => read(`[door]\nkey = a\nkey_file = ${path}\n`), /line 3 of .*key and key_file are both set; keep one/);
    assert.throws(() => read('[door]\nkey_file = /nowhere\n'), /line 2 of .*: cannot read \/nowhere \(ENOENT\)/);
  });
});
