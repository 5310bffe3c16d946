// The thread that generates RSA keys has a lower priority than the rest of the process.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { getPriority } from 'node:os';
import { it } from 'node:test';
import { promisify } from 'node:util';

const RSA = new URL('./rsa.ts', import.meta.url).href;

/** The niceness of every thread of a process that was begun with this one, while it has made a key. */
async function threadsAt(niceness: number): Promise<number[]> {
  const script = `
    import { readdirSync, readFileSync } from 'node:fs';
    import { setPriority } from 'node:os';
    import { generateRsa } from ${JSON.stringify(RSA)};
    setPriority(${niceness});
    await generateRsa(2048);
    const of = (task) => readFileSync('/proc/self/task/' + task + '/stat', 'utf8').split(') ').at(-1).split(' ')[16];
    console.log(JSON.stringify(readdirSync('/proc/self/task').map(of).map(Number)));
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script]);
  return JSON.parse(stdout) as number[];
}

// Only root may raise a priority: for anybody else the thread would end instead.
it('RSA keys are made with less priority than the rest, also where that is low or the lowest', async () => {
  // From where the tests themselves are, which may be low already.
  for (const niceness of [getPriority(), Math.min(getPriority() + 7, 19), 19]) {
    const threads = await threadsAt(niceness);
    assert.equal(Math.max(...threads), Math.min(niceness + 5, 19), `${threads}`);
  }
});
