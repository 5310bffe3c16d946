// Files that share a process: their suites are nested as in a process of their own, and a stray error fails the run.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, it } from 'node:test';
import { testProcesses } from './test-processes.ts';

const RUNS = `import { after, before, describe, it } from 'node:test';
  describe('outer', () => { let n = 0; before(() => { n = 1; }); after(() => console.log('cleaned up'));
    describe('inner', () => { it('one', async () => { await null; if (n !== 1) throw new Error('no before'); }); it('two', () => {}); }); });`;
const STRAY = `import { it } from 'node:test';
  it('passes', async () => { setTimeout(() => { throw new Error('a stray error'); }, 10); await new Promise((done) => setTimeout(done, 100)); });`;

describe('Test files that share a process', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-shared-'));
  after(() => rmSync(folder, { recursive: true }));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;

  function run(texts: Readonly<Record<string, string>>) {
    const files = Object.entries(texts).map(([name, text]) => {
      writeFileSync(join(folder, name), text);
      // As files of src, which share a process.
      return `src/../${relative(process.cwd(), join(folder, name))}`;
    });
    const { paths, remove } = testProcesses(files);
    assert.equal(paths.length, 1);
    const { status, stdout } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', '--test', ...paths], {
      env,
      encoding: 'utf8',
    });
    remove();
    return { status, stdout };
  }

  it('keep their suites', () => {
    const { status, stdout } = run({ 'one.test.ts': RUNS, 'two.test.ts': RUNS });
    assert.equal(status, 0, stdout);
    assert.match(stdout, /▶ outer\n {2}▶ inner\n {4}✔ one/);
    assert.match(stdout, /ℹ tests 4\nℹ suites 4/);
    assert.equal(stdout.match(/cleaned up/g)?.length, 2);
  });

  it('fail when a stray error comes, although every test passes', () => {
    const { status, stdout } = run({ 'one.test.ts': RUNS, 'stray.test.ts': STRAY });
    assert.equal(status, 1, stdout);
    assert.match(stdout, /a stray error/);
  });
});
