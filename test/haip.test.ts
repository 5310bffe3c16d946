// The tables of docs/haip.md: every requirement has a test, and every test that they name exists.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';

const FOLDERS: Readonly<Record<string, string>> = {
  Issuer: 'src/identity/role-credentials/issuing',
  Verifier: 'src/identity/pages/sign-in',
};
/** The first string of a call: it('...'), describe("..."), or a template. */
const TITLE = /\b(?:it|describe|onEachDatabase|onDatabase)\(\s*(?:'SQLite',\s*)?(['"`])((?:\\.|(?!\1)[\s\S])*?)\1/g;

interface Row {
  readonly part: string;
  readonly cells: readonly string[];
}

function rowsOf(page: string): Row[] {
  let part = '';
  return page.split('\n').flatMap((line) => {
    part = /^## (\w+)/.exec(line)?.[1] ?? part;
    if (!line.startsWith('|') || /^\|(?:---|\s*(?:Section|FAPI 2\.0) )/.test(line)) return [];
    return [
      {
        part,
        cells: line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim()),
      },
    ];
  });
}

const references = (text: string): { file: string; name: string }[] =>
  [...text.matchAll(/`([\w./-]+\.test\.ts)` "([^"]+)"/g)].map(([, file, name]) => ({ file: file!, name: name! }));

const sources = new Map<string, string>();
function sourceOf(file: string): string {
  if (!sources.has(file)) sources.set(file, readFileSync(file, 'utf8'));
  return sources.get(file)!;
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What a title stands for. In place of its variables there must be a text of the same file. */
function isTitle(title: string, name: string, source: string): boolean {
  if (!title.includes('${')) return title.replaceAll(/\\(['"`])/g, '$1') === name;
  const parts = title.split(/\$\{[^}]*\}/);
  const found = new RegExp(`^${parts.map(escaped).join('(.+?)')}$`).exec(name);
  return (
    found?.slice(1).every((value) => [`'${value}'`, `"${value}"`, `\`${value}\``].some((text) => source.includes(text))) ?? false
  );
}

function hasTest(file: string, name: string): boolean {
  const source = sourceOf(file);
  return [...source.matchAll(TITLE)].some(([, , title]) => isTitle(title!, name, source));
}

describe('The tables about HAIP', () => {
  const page = readFileSync('docs/haip.md', 'utf8');
  const rows = rowsOf(page);

  it('are there, for issuer and verifier', () => {
    for (const part of Object.keys(FOLDERS)) assert.ok(rows.filter((row) => row.part === part).length > 20, part);
    for (const { cells } of rows) assert.equal(cells.length, 4, cells[1]);
  });

  it('have a test for each requirement, or say why it does not apply', () => {
    for (const { cells } of rows) {
      const [section, requirement, here = '', test = ''] = cells;
      assert.match(section!, /^\d+(?:\.\d+)*$/, requirement);
      assert.ok(references(test).length > 0 || here.startsWith('Not applicable: '), requirement);
      // Nothing but names of tests.
      assert.equal(test.replaceAll(/`[\w./-]+\.test\.ts` "[^"]+"/g, '').replaceAll(/[;\s]/g, ''), '', requirement);
    }
  });

  it('name tests that exist', () => {
    let part = '';
    for (const line of page.split('\n')) {
      part = /^## (\w+)/.exec(line)?.[1] ?? part;
      for (const { file, name } of references(line)) {
        const path = file.includes('/') ? file : `${FOLDERS[part]}/${file}`;
        assert.ok(existsSync(path), path);
        assert.ok(hasTest(path, name), `${path} has no test "${name}"`);
      }
    }
  });

  it('would notice a test that is gone', () => {
    assert.equal(hasTest('test/haip.test.ts', 'would notice a test that is gone'), true);
    assert.equal(hasTest('test/haip.test.ts', ['would notice', 'a test that is not there'].join(' ')), false);
    const file = 'src/identity/role-credentials/issuing/attestation.security.test.ts';
    assert.equal(hasTest(file, 'about another wallet is not let in'), true);
    assert.equal(hasTest(file, 'about a flying wallet is not let in'), false);
  });
});
