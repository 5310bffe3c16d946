import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { brotliDecompressSync } from 'node:zlib';
import { pageDocument } from './document.ts';
import { createPageFiles } from './files.ts';

describe('Files of pages', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pages-'));
  after(() => rmSync(folder, { recursive: true }));
  const write = (name: string, text: string): void => {
    mkdirSync(join(folder, name, '..'), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  write('shared/style.css', 'p { color: red }');
  write(
    'one/main.ts',
    "import { html } from 'lit';\nimport { add } from './add.ts';\nconst later = () => import('./later.ts');\nadd(1, 2);\n",
  );
  write('one/add.ts', 'export const add = (one: number, other: number): number => one + other;\n');
  write('one/later.ts', 'export {};\n');
  write('one/add.test.ts', 'throw new Error();\n');
  write('other/secret.ts', "export const secret = 'x';\n");
  const create = () => createPageFiles({ folder, subfolders: ['shared', 'one'], path: '/files/' });

  it('serves modules without their types, in the same lines', () => {
    const files = create();
    const file = files.at(`${files.root}one/add.ts`)!;
    assert.equal(file.type, 'text/javascript; charset=utf-8');
    assert.doesNotMatch(file.bytes.toString(), /: number/);
    assert.equal(file.bytes.toString().split('\n').length, 2);
  });

  it('compresses them', async () => {
    const files = create();
    const file = files.at(`${files.root}lib/lit-html/lit-html.js`)!;
    const compressed = await file.br;
    assert.ok(compressed.byteLength < file.bytes.byteLength / 2);
    assert.deepEqual(brotliDecompressSync(compressed), file.bytes);
  });

  it('serves nothing else', () => {
    const files = create();
    for (const name of [
      'other/secret.ts',
      '../other/secret.ts',
      'one/../../other/secret.ts',
      'one/add.test.ts',
      'lib/lit/package.json',
      'lib/lit/development/index.js',
      'lib/../../package.json',
      '',
      'one',
      '__proto__',
    ])
      assert.equal(files.at(files.root + name), undefined, name);
    assert.equal(files.at('/files/another-version/one/add.ts'), undefined);
  });

  it('knows what a module imports, and not what it loads later', () => {
    const files = create();
    const names = files.modulesOf('one/main.ts').map((path) => path.slice(files.root.length));
    assert.ok(names.includes('one/add.ts') && names.includes('lib/lit-html/lit-html.js'), names.join());
    assert.ok(!names.includes('one/later.ts'));
  });

  it('has another path when a file changes', () => {
    const { root } = create();
    assert.equal(create().root, root);
    write('one/add.ts', 'export const add = (one: number, other: number): number => one - -other;\n');
    assert.notEqual(create().root, root);
  });

  it('escapes what a document says', () => {
    const { text } = pageDocument({
      files: create(),
      entry: 'one/main.ts',
      language: 'en',
      title: '</title><script>alert(1)</script>',
      icon: '/icon.svg',
      settings: { name: '"><script>alert(1)</script>' },
      withoutScripts: '<b>',
    });
    assert.doesNotMatch(text, /<script>alert|<b>/);
  });
});
