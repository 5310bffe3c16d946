import assert from 'node:assert/strict';
import { chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { after, afterEach, describe, it, mock } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { createDataBackups } from './data-backups.ts';
import { createLog } from './platform/log/index.ts';
import { createMetrics } from './platform/metrics/index.ts';
import { backupInto, besideData, checkBesideData, type runBackup } from './scheduled-backups.ts';
import type { SharedConfig } from './settings.ts';

describe('Backups that the service makes', () => {
  const root = mkdtempSync(join(tmpdir(), 'gatehouse-backups-'));
  after(() => rmSync(root, { recursive: true, force: true }));
  afterEach(() => mock.timers.reset());

  /** Each run waits until it is ended. */
  function make(to: string | null = join(root, 'to')) {
    const runs: {
      readonly isAsked: boolean;
      readonly to: string | undefined;
      readonly end: (error?: Error) => Promise<void>;
      readonly stopping: AbortSignal;
    }[] = [];
    const lines: string[] = [];
    const run = ((_folder, { backupFolder }, stopping, options) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const end = (error?: Error) => {
        if (error) reject(error);
        else resolve();
        return setImmediate();
      };
      stopping.addEventListener('abort', () => reject(new Error('stopped')));
      runs.push({ isAsked: options?.isAsked ?? false, to: backupFolder, end, stopping });
      return promise;
    }) as typeof runBackup;
    const shared = { backupFolder: to ?? undefined, backupKeep: 3, backupHours: 24, backupAt: 0 } as SharedConfig;
    const log = createLog('info', { write: (line: string) => void lines.push(line) });
    return { backups: createDataBackups({ shared, folder: root, log, metrics: createMetrics(), run }), runs, lines };
  }

  it('are one at a time: nobody gets one while one of the schedule is made, and the schedule waits for one that was asked for', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const { backups, runs } = make();
    backups.start();
    assert.equal(backups.begin(), true);
    assert.equal(backups.begin(), false);
    mock.timers.tick(10_000);
    await setImmediate();
    assert.deepEqual(
      runs.map(({ isAsked }) => isAsked),
      [true],
    );
    await runs[0]!.end();
    assert.equal(backups.state().asked!.outcome, 'made');
    mock.timers.tick(10_000);
    await setImmediate();
    assert.deepEqual(
      runs.map(({ isAsked }) => isAsked),
      [true, false],
      'none was noted, so one of the schedule is due',
    );
    assert.equal(backups.state().isRunning, true);
    assert.equal(backups.begin(), false);
    await runs[1]!.end();
    assert.equal(backups.begin(), true);
    await backups.stop();
    assert.equal(runs[2]!.stopping.aborted, true);
    assert.equal(backups.begin(), false, 'not while the service stops');
  });

  it('that fail on a full disk say so, and can be asked for again', async () => {
    const { backups, runs, lines } = make();
    assert.equal(backups.begin(), true);
    await runs[0]!.end(new Error('ENOSPC: no space left on device'));
    assert.deepEqual(backups.state().asked!.outcome, 'failed');
    assert.equal(backups.state().isRunning, false);
    assert.ok(lines.some((line) => line.includes('ENOSPC')));
    assert.equal(backups.begin(), true);
    await runs[1]!.end();
    assert.equal(backups.state().asked!.outcome, 'made');
  });

  it('of the schedule do not wait because one that was asked for failed', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const { backups, runs } = make();
    backups.start();
    assert.equal(backups.begin(), true);
    await runs[0]!.end(new Error('ENOSPC: no space left on device'));
    mock.timers.tick(10_000);
    await setImmediate();
    assert.deepEqual(
      runs.map(({ isAsked }) => isAsked),
      [true, false],
    );
    await runs[1]!.end(new Error('ENOSPC: no space left on device'));
    mock.timers.tick(10_000);
    await setImmediate();
    assert.equal(runs.length, 2, 'its own failure does');
    await backups.stop();
  });

  it('are listed by their names, and nothing else that is in the folder', async () => {
    const to = join(root, 'listed');
    mkdirSync(to);
    const { backups } = make(to);
    const [scheduled, asked] = ['gatehouse-20261117T020000Z.tar', 'gatehouse-20261117T030000Z-asked.tar'];
    for (const file of [scheduled, asked, 'mine.tar', 'gatehouse-20261317T020000Z.tar', `${scheduled}.0a.partial`])
      writeFileSync(join(to, file), 'four');
    symlinkSync('/etc/passwd', join(to, 'gatehouse-20261117T040000Z.tar'));
    mkdirSync(join(to, 'gatehouse-20261117T050000Z.tar'));
    assert.deepEqual(await backups.kept(), [
      { file: asked, madeAt: '2026-11-17T03:00:00Z', bytes: 4, isAsked: true },
      { file: scheduled, madeAt: '2026-11-17T02:00:00Z', bytes: 4, isAsked: false },
    ]);
    assert.deepEqual(await make(join(root, 'not yet')).backups.kept(), []);
  });

  it('go into no folder beside the data that somebody else may have put there, or that ends with a container', async () => {
    const data = join(root, 'whose');
    const [to, elsewhere] = [`${data}-backups`, join(root, 'elsewhere')];
    for (const folder of [data, elsewhere]) mkdirSync(folder, { mode: 0o700 });
    const shared = { backupKeep: 1 } as SharedConfig;
    const isRefused = (why: RegExp) => assert.rejects(backupInto(data, to, { keep: 1, isAsked: true }, shared), why);
    symlinkSync(elsewhere, to);
    await isRefused(/is a link.*GATEHOUSE_BACKUP_FOLDER/);
    rmSync(to);
    mkdirSync(to, { mode: 0o700 });
    await isRefused(/there is no database/);
    if (process.getuid?.() === 0) {
      chownSync(to, 65_534, 65_534);
      await isRefused(/somebody else's.*GATEHOUSE_BACKUP_FOLDER/);
    }
    for (const folder of ['/', '/dev'])
      assert.throws(() => checkBesideData(folder), /a disk of its own.*GATEHOUSE_BACKUP_FOLDER/);
  });

  it('that are made without settings where the service is built are in no repository and no image', () => {
    const folder = basename(besideData('data'));
    for (const [file, line] of [
      ['.gitignore', `/${folder}/`],
      ['.dockerignore', folder],
    ] as const)
      assert.ok(
        readFileSync(join(import.meta.dirname, '..', file), 'utf8')
          .split('\n')
          .includes(line),
        file,
      );
  });

  it('are made beside the data folder when somebody asks, and none on a schedule, where the operator has named no folder', async () => {
    mock.timers.enable({ apis: ['setInterval'] });
    const { backups, runs } = make(null);
    backups.start();
    mock.timers.tick(10_000);
    await setImmediate();
    assert.deepEqual([backups.isScheduled, runs.length, await backups.kept()], [false, 0, []]);
    assert.equal(backups.begin(), true);
    assert.equal(runs[0]!.to, `${root}-backups`);
    await runs[0]!.end();
    assert.equal(backups.state().asked!.outcome, 'made');
    await backups.stop();
  });
});
