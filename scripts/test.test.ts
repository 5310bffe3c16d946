// What `npm test` checks before and after the tests.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { leftovers } from './leftovers.ts';
import { type Machine, missing, missingFor, NEEDS, type Need } from './needs.ts';

describe('npm test', () => {
  let folder: string;
  let file: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'gatehouse-needs-'));
    file = join(folder, 'some.test.ts');
    writeFileSync(file, "import '../support/chromium.ts'; import '../support/softhsm.ts';");
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  /** A machine without the needed programs. `canInstall`: whether its package manager can install them. */
  function bare(isRoot: boolean, canInstall = false): { needs: Need[]; machine: Machine; ran: string[] } {
    const ran: string[] = [];
    let there = false;
    const machine: Machine = {
      isRoot,
      run(command) {
        ran.push(command);
        if (command.includes('apt-get install')) there = canInstall;
        return true;
      },
    };
    return { needs: NEEDS.map((need) => ({ ...need, isThere: () => there })), machine, ran };
  }

  it('tells an ordinary user everything that is missing at once, with one command, and installs nothing', () => {
    const { needs, machine, ran } = bare(false);
    const said = missing([file], needs, machine).join('\n');
    assert.match(said, /a browser[\s\S]*softhsm2-util/);
    assert.match(
      said,
      /sudo sh -c 'apt-get update && apt-get install -y --no-install-recommends chromium-headless-shell softhsm2'/,
    );
    assert.ok(!ran.some((command) => command.includes('apt-get install')));
  });

  it('installs what is missing for root, and reports what is still missing', () => {
    const able = bare(true, true);
    assert.deepEqual(missing([file], able.needs, able.machine), []);
    assert.ok(able.ran.some((command) => command.includes('apt-get install')));
    const unable = bare(true);
    assert.match(missing([file], unable.needs, unable.machine).join(), /softhsm2/);
  });

  it('asks only for what the chosen files use', () => {
    const { needs } = bare(false);
    writeFileSync(join(folder, 'plain.test.ts'), "import '../support/api.ts';");
    assert.deepEqual(missingFor([join(folder, 'plain.test.ts')], needs), []);
    assert.equal(missingFor([file], needs).length, 2);
  });

  it('notices a folder and a process that are left behind', async () => {
    const run = mkdtempSync(join(tmpdir(), 'gatehouse-left-'));
    assert.deepEqual(await leftovers(run, 0), []);
    mkdirSync(join(run, 'gatehouse-test-x'));
    const child = spawn('sleep', ['60'], { env: { ...process.env, TMPDIR: run }, stdio: 'ignore' });
    await once(child, 'spawn');
    const left = await leftovers(run, 0);
    assert.deepEqual([left.length, /sleep 60/.test(left[0]!), left[1]], [2, true, 'folder or file: gatehouse-test-x']);
    child.kill('SIGKILL');
    await once(child, 'exit');
    rmSync(run, { recursive: true });
  });
});
