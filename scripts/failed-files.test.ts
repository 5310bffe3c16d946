import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { it } from 'node:test';

const FILES = {
  'helper.ts': `import { describe } from 'node:test'; export const suite = (define: () => void) => describe('a suite', define);`,
  'fails.test.ts': `import { it } from 'node:test'; import { suite } from './helper.ts';
    suite(() => { it('passes', () => {}); it('fails', () => { throw new Error('wrong'); }); });`,
  'hook.test.ts': `import { before, it } from 'node:test'; import { suite } from './helper.ts';
    suite(() => { before(() => { throw new Error('no database'); }); it('never runs', () => {}); });`,
  'crashes.test.ts': `import { it } from 'node:test'; it('passes', () => {}); setTimeout(() => process.exit(3), 50);`,
  'breaks.test.ts': `throw new Error('broken');`,
  'passes.test.ts': `import { it } from 'node:test'; it('passes', () => {}); it('is not done', { todo: true }, () => { throw new Error(); });`,
};

it('The files of failed tests are named: not the helpers that define suites, and also files that fail as a whole', () => {
  const folder = mkdtempSync(join(tmpdir(), 'failed-files-'));
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const failedOf = (name: string): string[] => {
    const reporter = `--test-reporter=${join(import.meta.dirname, 'failed-files.ts')}`;
    const args = ['--disable-warning=ExperimentalWarning', '--test', reporter, join(folder, name)];
    const { stdout } = spawnSync(process.execPath, args, { env, encoding: 'utf8' });
    return [...new Set(stdout.split('\n').filter(Boolean))].map((file) => basename(file));
  };
  try {
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(folder, name), text);
    assert.deepEqual(failedOf('fails.test.ts'), ['fails.test.ts']);
    assert.deepEqual(failedOf('crashes.test.ts'), ['crashes.test.ts']);
    assert.deepEqual(failedOf('breaks.test.ts'), ['breaks.test.ts']);
    assert.notDeepEqual(failedOf('hook.test.ts'), []);
    assert.deepEqual(failedOf('passes.test.ts'), []);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
