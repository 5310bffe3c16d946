import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';

const SOURCE = `// Ünïcödé before the code.
export function mayEnter(age: number, isInvited: boolean): boolean {
  if (!isInvited) return false;
  return age >= 18;
}
export function unused(list: string[]): void {
  list.push('never reached');
}
`;
const TEST = `import assert from 'node:assert/strict';
import { it } from 'node:test';
import { mayEnter } from './door.ts';
it('cannot run twice in a process', () => {
  assert.ok(!('ran' in globalThis));
  Object.assign(globalThis, { ran: true });
});
it('lets in who is invited and old enough', () => {
  assert.equal(mayEnter(30, true), true);
  assert.equal(mayEnter(10, true), false);
  assert.equal(mayEnter(30, false), false);
});
`;

const project = mkdtempSync(join(tmpdir(), 'gatehouse-mutants-test-'));
after(() => rmSync(project, { recursive: true }));

it('says which changes of the code no test notices, and which code no test reaches, and continues an earlier run', () => {
  mkdirSync(join(project, 'src/door'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{"type": "module"}');
  writeFileSync(join(project, 'src/door/door.ts'), SOURCE);
  writeFileSync(join(project, 'src/door/door.test.ts'), TEST);
  const run = (...more: string[]): string[] => {
    const main = join(import.meta.dirname, 'mutants.ts');
    const words = ['--disable-warning=ExperimentalWarning', main, 'src/door', '--out', 'out', ...more];
    const { stdout, stderr } = spawnSync(process.execPath, words, { cwd: project, encoding: 'utf8' });
    assert.equal(stderr, '');
    return stdout.trim().split('\n').slice(-3);
  };
  const expected = [
    'survived: src/door/door.ts:4:10 age >= 18 -> age > 18',
    "not reached: src/door/door.ts:7:3 list.push('never reached'); -> removed",
    '6 mutants: 4 killed, 1 survived, 1 not reached',
  ];
  assert.deepEqual(run('--minutes', '0').slice(-1), ['6 mutants: 0 killed, 0 survived, 0 not reached, 6 not tried']);
  assert.deepEqual(run(), expected);
  const results = readFileSync(join(project, 'out'), 'utf8');
  assert.equal(results.trim().split('\n').length, 6);
  assert.deepEqual(run(), expected);
  assert.equal(readFileSync(join(project, 'out'), 'utf8'), results);
});
