// The built-in templates, and those of a folder.
import assert from 'node:assert/strict';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ConfigError } from '../../../platform/config/index.ts';
import { LANGUAGE_TABLE, LANGUAGE_TAGS } from '../../../platform/languages/index.ts';
import { copyTemplates } from './index.ts';
import { TEMPLATE_NAMES } from './letters.ts';
import { BUILT_IN, createTemplates, type Templates } from './templates.ts';

describe('Templates', () => {
  let folder: string;
  let made = 0;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-templates-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function folderWith(files: Readonly<Record<string, string | Buffer>>): string {
    const path = join(folder, String(++made));
    mkdirSync(path);
    for (const [name, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, name)), { recursive: true });
      writeFileSync(join(path, name), content);
    }
    return path;
  }
  const templatesWith = (mailTemplates: string | undefined, mailLanguage = 'en'): Templates =>
    createTemplates({ mailTemplates, mailLanguage })();
  const of = (files: Readonly<Record<string, string | Buffer>>): Templates => templatesWith(folderWith(files));

  const TEXT = 'Subject: New password for {{name}}\n\nGo to {{link}}\n';
  const HTML = '<p><a href="{{link}}">Go</a></p>';
  const pair = { 'es/reset-password.txt': TEXT, 'es/reset-password.html': HTML };

  it('are there in every language, those of a complete one all of them', () => {
    const templates = templatesWith(undefined);
    for (const name of TEMPLATE_NAMES)
      for (const language of LANGUAGE_TAGS) {
        const found = templates.find(name, language);
        if (LANGUAGE_TABLE[language].isComplete) assert.equal(found.language, language);
        assert.ok(found.template.subject && found.template.text && found.template.html);
      }
    assert.deepEqual(readdirSync(BUILT_IN).sort(), [...LANGUAGE_TAGS, 'layout.html'].sort());
    for (const language of LANGUAGE_TAGS.filter((tag) => LANGUAGE_TABLE[tag].isComplete))
      assert.deepEqual(
        readdirSync(join(BUILT_IN, language)).sort(),
        TEMPLATE_NAMES.flatMap((name) => [`${name}.html`, `${name}.txt`]).sort(),
      );
  });

  it('about a new way to sign in tell how to remove it: a new password does not', () => {
    const templates = templatesWith(undefined);
    const advice = {
      en: /(remove|disconnect) it at once at/,
      es: /(elimínela|desconéctela) enseguida en/,
      de: /(entfernen|trennen) Sie (ihn|es) sofort unter/,
    };
    for (const name of ['passkey-added', 'provider-linked'] as const)
      for (const [language, expected] of Object.entries(advice)) {
        const { text, html } = templates.find(name, language).template;
        for (const content of [text, html]) assert.match(content, expected);
      }
  });

  it('of a folder replace the built-in ones one by one', () => {
    const templates = of(pair);
    assert.deepEqual(templates.find('reset-password', 'es').template, {
      subject: 'New password for {{name}}',
      text: 'Go to {{link}}\n',
      html: HTML,
    });
    const own = templatesWith(undefined);
    assert.deepEqual(templates.find('reset-password', 'en'), own.find('reset-password', 'en'));
    assert.deepEqual(templates.find('invitation', 'es'), own.find('invitation', 'es'));
    assert.equal(templates.layout, own.layout);
    assert.equal(of({ 'layout.html': '<main>{{content}}</main>' }).layout, '<main>{{content}}</main>');
  });

  it('of a folder can add a language, which need not be complete', () => {
    const path = folderWith({ 'fr/reset-password.txt': TEXT, 'fr/reset-password.html': HTML });
    const templates = templatesWith(path, 'fr');
    assert.equal(templates.find('reset-password', 'fr-CA').language, 'fr');
    assert.equal(templates.find('reset-password', undefined).language, 'fr');
    assert.equal(templates.find('invitation', 'fr').language, 'en');
    assert.equal(templates.find('invitation', 'es').language, 'es');
  });

  it('of a folder can have Windows line endings, a byte order mark and files of editors beside them', () => {
    const windows = `\uFEFF${TEXT}`.replaceAll('\n', '\r\n');
    const templates = of({
      ...pair,
      'es/reset-password.txt': windows,
      '.DS_Store': 'x',
      'es/.reset.txt.swp': 'x',
      'es/reset-password.txt~': 'x',
    });
    assert.equal(templates.find('reset-password', 'es').template.subject, 'New password for {{name}}');
  });

  it('with a mistake are refused with the file and the reason', () => {
    const cases: [Readonly<Record<string, string | Buffer>>, RegExp][] = [
      [
        { 'es/reset-password.txt': TEXT },
        /es\/reset-password\.html is missing; es\/reset-password\.txt is there, and every mail has both/,
      ],
      [{ 'es/reset-password.html': HTML }, /es\/reset-password\.txt is missing/],
      [
        { ...pair, 'es/reset-password.txt': 'Go to {{link}}\n' },
        /reset-password\.txt must begin with "Subject: \.\.\." and an empty line/,
      ],
      [{ ...pair, 'es/reset-password.txt': 'Subject: x\n\n  \n' }, /must begin with "Subject/],
      [{ ...pair, 'es/reset-password.txt': 'Subject: x\nBcc: bob@example.org\n\n{{link}}' }, /must begin with "Subject/],
      [{ ...pair, 'es/reset-password.txt': TEXT.replace('{{link}}', '') }, /reset-password\.txt must have \{\{link\}\}/],
      [{ ...pair, 'es/reset-password.html': '<p>Hello</p>' }, /reset-password\.html must have \{\{link\}\}/],
      [
        { ...pair, 'es/reset-password.html': `${HTML}{{password}}` },
        /has \{\{password\}\}; it may use \{\{service\}\}, .*\{\{link\}\}/,
      ],
      [{ ...pair, 'es/reset-password.html': `${HTML}{{}}` }, /has \{\{\}\}; it may use/],
      [{ ...pair, 'es/reset-password.html': `${HTML}{{name` }, /has \{\{ or \}\} without a value/],
      [{ ...pair, 'es/reset-password.html': `${HTML}{{constructor}}` }, /has \{\{constructor\}\}/],
      [{ ...pair, 'es/reset-password.html': Buffer.from([0x3c, 0xff, 0xfe]) }, /reset-password\.html is not UTF-8/],
      [{ ...pair, 'es/reset-password.html': HTML + ' '.repeat(300_000) }, /is longer than 262144 bytes/],
      [{ 'es/reset_password.txt': TEXT }, /es\/reset_password\.txt is not a template; did you mean reset-password\.txt\?/],
      [{ 'reset-password.txt': TEXT }, /reset-password\.txt is neither layout\.html nor the folder of a language/],
      [{ 'spanish/reset-password.txt': TEXT }, /spanish is neither/],
      [{ 'layout.html': '<main></main>' }, /layout\.html must have \{\{content\}\}/],
      [{ 'layout.html': '{{content}}{{link}}' }, /layout\.html has \{\{link\}\}; it may use/],
    ];
    for (const [files, message] of cases)
      assert.throws(
        () => of(files),
        (error: Error) =>
          error instanceof ConfigError &&
          error.message.startsWith('GATEHOUSE_IDENTITY_MAIL_TEMPLATES: ') &&
          message.test(error.message),
        String(message),
      );
    assert.throws(
      () => templatesWith(join(folder, 'nowhere')),
      /MAIL_TEMPLATES: .*nowhere cannot be read as a folder \(ENOENT\)/,
    );
    const secret = folderWith(pair);
    chmodSync(join(secret, 'es/reset-password.txt'), 0o000);
    if (process.getuid?.() !== 0) assert.throws(() => templatesWith(secret), /cannot be read \(EACCES\)/);
  });

  it('are copied to an empty folder only', () => {
    const path = join(folder, 'copy');
    copyTemplates(path);
    assert.equal(readFileSync(join(path, 'layout.html'), 'utf8'), readFileSync(join(BUILT_IN, 'layout.html'), 'utf8'));
    assert.equal(templatesWith(path).find('invitation', 'es').language, 'es');
    assert.throws(() => copyTemplates(path), /copy is not empty; name another folder/);
    const kept = join(folder, 'kept');
    cpSync(path, kept, { recursive: true });
  });
});
