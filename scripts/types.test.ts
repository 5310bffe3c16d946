// `npm run check` lets the compiler remember what it checked. These tests say what must not be forgotten with that.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { compilerArguments } from './types.ts';

/** `far` depends on `base` only through what is inferred in `middle`. */
const FILES = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': JSON.stringify({
    extends: resolve('tsconfig.json'),
    compilerOptions: { types: [] },
    include: ['*.ts'],
  }),
  'node_modules/library/package.json': '{ "name": "library", "type": "module", "types": "index.d.ts" }',
  'node_modules/library/index.d.ts': 'export declare const limit: number;',
  'base.ts': 'export interface Thing { readonly name: string }\nexport const thing: Thing = { name: "a" };',
  'middle.ts': 'import { thing } from "./base.ts";\nexport const make = () => ({ thing, made: true });',
  'far.ts': 'import { make } from "./middle.ts";\nexport const length: number = make().thing.name.length;',
  'bounded.ts': 'import { limit } from "library";\nexport const half: number = limit / 2;',
};

describe('Types that were checked before', () => {
  let folder: string;
  const write = (name: string, text: string) => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text);
  };
  const memory = () => join(folder, 'memory');
  /** The files that the compiler complains about. */
  function faulty(): string[] {
    const ours = globSync('*.ts', { cwd: folder }).map((path) => ({ path, text: readFileSync(join(folder, path), 'utf8') }));
    const args = [...compilerArguments(folder, ours, memory()), '--pretty', 'false'];
    const { status, stdout } = spawnSync('node_modules/.bin/tsc', args, { encoding: 'utf8' });
    const files = [...stdout.matchAll(/^(?:.*\/)?(\w+\.ts)\(\d+,\d+\): error/gm)].map(([, name]) => name!);
    assert.equal(status === 0, files.length === 0, stdout);
    return [...new Set(files)].sort();
  }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-check-'));
    for (const [name, text] of Object.entries(FILES)) write(name, text);
    assert.deepEqual(faulty(), []);
    assert.equal(readdirSync(memory()).length, 1, 'the compiler remembers nothing');
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it('are checked again after a change two files away, as often as asked, until it is undone', () => {
    write('base.ts', FILES['base.ts'].replaceAll('name', 'title'));
    assert.deepEqual(faulty(), ['far.ts']);
    assert.deepEqual(faulty(), ['far.ts']);
    write('base.ts', FILES['base.ts']);
    assert.deepEqual(faulty(), []);
  });

  it('are checked again after a change that left the time and the size of the file as they were', () => {
    const { atime, mtime } = statSync(join(folder, 'base.ts'));
    write('base.ts', FILES['base.ts'].replaceAll('name', 'nome'));
    utimesSync(join(folder, 'base.ts'), atime, mtime);
    assert.deepEqual(faulty(), ['far.ts']);
  });

  it('are checked again after a change of a library, and without it', () => {
    write('node_modules/library/index.d.ts', 'export declare const limit: string;');
    assert.deepEqual(faulty(), ['bounded.ts']);
    rmSync(join(folder, 'node_modules'), { recursive: true });
    assert.deepEqual(faulty(), ['bounded.ts']);
  });

  it('are checked again without a file that they import', () => {
    rmSync(join(folder, 'base.ts'));
    assert.ok(faulty().includes('middle.ts'));
  });

  it('are checked again after a change of what is declared for all files, also beside other changes', () => {
    write('text.ts', 'export const text: string = greeting;');
    write('everywhere.ts', 'declare global { const greeting: string }\nexport {};');
    assert.deepEqual(faulty(), []);
    write('everywhere.ts', 'declare global { const greeting: number }\nexport {};');
    write('base.ts', FILES['base.ts'].replaceAll('name', 'title'));
    assert.deepEqual(faulty(), ['far.ts', 'text.ts']);
    rmSync(join(folder, 'everywhere.ts'));
    assert.deepEqual(faulty(), ['far.ts', 'text.ts']);
    write('everywhere.d.ts', 'declare const greeting: string;');
    assert.deepEqual(faulty(), ['far.ts']);
    write('everywhere.d.ts', 'declare const greeting: number;');
    assert.deepEqual(faulty(), ['far.ts', 'text.ts']);
  });

  it('are not made global by a file that imports and exports nothing', () => {
    const bundler = '"module":"preserve","moduleResolution":"bundler","types"'; // as the pages have it
    write('tsconfig.json', FILES['tsconfig.json'].replace('"types"', bundler));
    write('alone.ts', 'const greeting = "hello";');
    write('text.ts', 'export const text: string = greeting;');
    assert.ok(faulty().includes('text.ts'));
  });

  it('are checked again with other settings of the compiler', () => {
    write('far.ts', `${FILES['far.ts']}\nexport const first = (list: string[]): string => list[0];`);
    write('tsconfig.json', FILES['tsconfig.json'].replace('"types"', '"noUncheckedIndexedAccess":false,"types"'));
    assert.deepEqual(faulty(), []);
    write('tsconfig.json', FILES['tsconfig.json']);
    assert.deepEqual(faulty(), ['far.ts']);
  });

  it('are checked again if what is remembered was half written', () => {
    write('base.ts', FILES['base.ts'].replaceAll('name', 'title'));
    const [name] = readdirSync(memory());
    const text = readFileSync(join(memory(), name!), 'utf8');
    write(join('memory', name!), text.slice(0, text.length / 2));
    assert.deepEqual(faulty(), ['far.ts']);
  });
});
