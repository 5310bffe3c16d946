// A backup or a restore that is interrupted leaves no secrets behind, and nothing half restored.
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { backup, restore } from '../src/backup.ts';
import { lockFolder } from '../src/platform/database/index.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { removeLeftovers, WorkFolder } from '../src/work-folder.ts';
import { inFullRun } from './support/extent.ts';

const START = fileURLToPath(new URL('../src/main.ts', import.meta.url));

describe('A backup or a restore that is interrupted', () => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-interrupted-'));
  const data = join(root, 'data');
  const out = join(root, 'out');
  const good = join(root, 'good.tar');
  before(async () => {
    for (const folder of [data, out]) mkdirSync(folder);
    // Large, so that there is time to interrupt it.
    const handle = new DatabaseSync(join(data, 'identity.sqlite'));
    handle.exec('create table filler (content blob); insert into filler values (randomblob(100000000))');
    handle.close();
    writeFileSync(join(data, 'master.key'), `${newMasterKey()}\n`, { mode: 0o600 });
    await backup(data, good);
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const workIn = (folder: string) => readdirSync(folder).filter((name) => /^(backup|restore)-/.test(name));

  /** With what the launcher sets: without the cache every start compiles all files. */
  const envOf = (folder: string) => ({
    PATH: process.env.PATH,
    NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    GATEHOUSE_DATA_DIR: folder,
  });

  function run(folder: string, ...args: string[]): ChildProcess {
    return spawn(process.execPath, ['--disable-warning=ExperimentalWarning', START, ...args], {
      env: envOf(folder),
      stdio: 'ignore',
    });
  }

  /** Ends it by the signal once the condition holds. */
  async function interrupt(child: ChildProcess, signal: NodeJS.Signals, when: () => boolean): Promise<void> {
    const ended = once(child, 'exit');
    while (!when()) {
      assert.equal(child.exitCode, null, 'it ended before it was interrupted');
      await sleep(1);
    }
    child.kill(signal);
    const [code, by] = (await ended) as [number | null, string | null];
    assert.ok(by === signal || (code ?? 0) > 128, `exit ${code} ${by}`);
  }
  const isWriting = () => readdirSync(out).some((name) => name.endsWith('.partial'));

  for (const signal of inFullRun(['SIGTERM', 'SIGINT'] as const, ['SIGTERM'] as const))
    it(`by ${signal} leaves nothing behind`, async () => {
      await interrupt(run(data, 'backup', join(out, 'monday.tar')), signal, isWriting);
      assert.deepEqual([readdirSync(out), workIn(data)], [[], []]);
      const target = mkdtempSync(join(root, 'target-'));
      await interrupt(run(target, 'restore', good), signal, () => workIn(target).length > 0);
      assert.deepEqual(workIn(target), []);
    });

  it('by kill -9 is cleaned up by the next command', async () => {
    await interrupt(run(data, 'backup', join(out, 'monday.tar')), 'SIGKILL', isWriting);
    assert.equal(workIn(data).length, 1);
    assert.equal(readdirSync(out).length, 1);
    await backup(data, join(out, 'monday.tar'));
    assert.deepEqual([readdirSync(out), workIn(data)], [['monday.tar'], []]);
    const killed = run(data, 'scheduled-backup', join(root, 'asked'), '--asked');
    await interrupt(killed, 'SIGKILL', () => workIn(data).length > 0);
    // It holds up nobody who asks for the next one.
    lockFolder(data, 'backup.lock').release();
    removeLeftovers(data);
    assert.deepEqual(workIn(data), []);
  });

  it('by a disk without room for its last block fails, and leaves nothing behind', async () => {
    const { size } = statSync(good);
    // The last write is only partly accepted, and that must be noticed.
    assert.equal(size % 1024, 512);
    const limited = `ulimit -f ${(size - 512) / 1024} && exec "$0" "$@"`;
    const args = [process.execPath, '--disable-warning=ExperimentalWarning', START, 'backup', join(out, 'cut.tar')];
    const child = spawn('bash', ['-c', limited, ...args], {
      env: envOf(data),
      stdio: 'ignore',
    });
    const [code] = (await once(child, 'exit')) as [number | null];
    assert.notEqual(code, 0);
    assert.deepEqual([readdirSync(out).filter((name) => name.startsWith('cut')), workIn(data)], [[], []]);
  });

  it('is left alone while it runs', () => {
    const work = new WorkFolder(data, 'backup');
    removeLeftovers(data);
    assert.ok(existsSync(work.path));
    work.remove();
    assert.deepEqual(workIn(data), []);
  });

  it('while it moves files into the data folder is finished by the next start', async () => {
    const target = mkdtempSync(join(root, 'target-'));
    const half = join(target, 'restore-killed');
    // The state between the first and the second file: one is already in place.
    await restore(target, good);
    mkdirSync(half);
    rmSync(join(target, 'master.key'));
    writeFileSync(join(half, 'master.key'), 'the key');
    writeFileSync(join(half, 'placing'), 'identity.sqlite\nmaster.key');
    removeLeftovers(target);
    assert.deepEqual(workIn(target), []);
    assert.ok(existsSync(join(target, 'master.key')) && existsSync(join(target, 'identity.sqlite')));
  });
});
