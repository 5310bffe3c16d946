// Delivery of the first password: who gets it, and that it is never lost.
import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { deliverFirstPassword, recoverFirstPassword, removeFirstPassword } from './first-password.ts';
import { createLog } from './platform/log/index.ts';
import { removeHalfWritten } from './work-folder.ts';

describe('The first password', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-password-'));
  const terminal = process.stderr.isTTY;
  after(() => {
    process.stderr.isTTY = terminal;
    rmSync(folder, { recursive: true, force: true });
  });
  const said: string[] = [];
  const keep = (isGiven = false) =>
    deliverFirstPassword({ folder, isGiven, log: createLog('silent'), say: (line) => void said.push(line) });
  const text = () => said.splice(0).join('\n');

  it('is shown on a terminal, once it is stored, and then in no file', () => {
    process.stderr.isTTY = true;
    const kept = keep()('of a terminal');
    assert.equal(text(), '');
    kept.stored();
    assert.equal(text(), 'First administrator: admin, password of a terminal (shown only now)');
    assert.deepEqual(readdirSync(folder), []);
  });

  it('is never shown when it was given', () => {
    for (const isTerminal of [true, false]) {
      process.stderr.isTTY = isTerminal;
      keep(true)('given').stored();
      assert.equal(text(), 'First administrator: admin, with the password of GATEHOUSE_ADMIN_PASSWORD');
    }
    assert.deepEqual(readdirSync(folder), []);
  });

  it('is in a file for its owner before the account is stored, and in no file when another start was first', () => {
    process.stderr.isTTY = false;
    const lost = keep()('of the other');
    assert.equal(readdirSync(folder).length, 1);
    lost.discarded();
    assert.deepEqual(readdirSync(folder), []);

    // Two containers on one folder have the same process number.
    const [loser, winner] = [keep()('of the slower'), keep()('of the faster')];
    loser.discarded();
    winner.stored();
    assert.equal(readFileSync(join(folder, 'admin-password'), 'utf8'), 'of the faster\n');
    rmSync(join(folder, 'admin-password'));
    said.length = 0;

    const kept = keep()('of a file');
    const [early = ''] = readdirSync(folder);
    assert.equal(readFileSync(join(folder, early), 'utf8'), 'of a file\n');
    assert.equal(statSync(join(folder, early)).mode & 0o777, 0o600);
    kept.stored();
    assert.deepEqual(readdirSync(folder), ['admin-password']);
    assert.equal(readFileSync(join(folder, 'admin-password'), 'utf8'), 'of a file\n');
    assert.ok(!text().includes('of a file'));
  });

  it('and the master key do not stay in temporary files of a killed process', () => {
    const before = readdirSync(folder);
    const left = ['master.key.17-1.tmp', 'admin-password.new-17.17-1.tmp', 'admin-password.17-2.tmp'];
    for (const name of [...left, 'master.key']) writeFileSync(join(folder, name), 'secret');
    removeHalfWritten(folder, true);
    assert.deepEqual(readdirSync(folder), [...before, 'master.key']);
    rmSync(join(folder, 'master.key'));
  });

  it('that another process may be writing is not removed', () => {
    const before = readdirSync(folder);
    const [living, own] = [`admin-password.new-${process.ppid}.${process.ppid}-1.tmp`, `master.key.${process.pid}-1.tmp`];
    for (const name of [living, own]) writeFileSync(join(folder, name), 'secret');
    removeHalfWritten(folder, false);
    assert.deepEqual(readdirSync(folder), [...before, living]);
    removeHalfWritten(folder, true);
    assert.deepEqual(readdirSync(folder), before);
  });

  describe('of a start that was killed after it created the account', () => {
    const recover = (right: string, tried: string[] = []) =>
      recoverFirstPassword({ folder, log: createLog('silent'), say: (line) => void said.push(line) }, async (text) => {
        tried.push(text);
        return text === right;
      });
    const leave = (pid: number, password: string, mode = 0o600): void => {
      const path = join(folder, `admin-password.new-${pid}`);
      writeFileSync(path, `${password}\n`, { mode });
      utimesSync(path, pid, pid);
    };

    it('gets its final name, readable only by its owner, and one line says where it is', async () => {
      leave(17, 'right', 0o644);
      await recover('right');
      assert.deepEqual(readdirSync(folder), ['admin-password']);
      assert.equal(readFileSync(join(folder, 'admin-password'), 'utf8'), 'right\n');
      assert.equal(statSync(join(folder, 'admin-password')).mode & 0o777, 0o600);
      assert.equal(
        text(),
        `First administrator: admin, password in ${join(folder, 'admin-password')} (remove it when it was read)`,
      );
    });

    it('is removed if it is no longer the password; an existing file with the final name stays', async () => {
      leave(17, 'former');
      await recover('another');
      assert.deepEqual([readdirSync(folder), text()], [['admin-password'], '']);
      rmSync(join(folder, 'admin-password'));
      leave(17, 'former');
      await recover('another');
      assert.deepEqual([readdirSync(folder), text()], [[], '']);
    });

    it('is searched from the newest file, and only until it is found', async () => {
      for (const pid of [17, 18, 19, 20]) leave(pid, `of ${pid}`);
      const tried: string[] = [];
      await recover('of 19', tried);
      assert.deepEqual(tried, ['of 20', 'of 19']);
      assert.deepEqual(readdirSync(folder), ['admin-password']);
      assert.equal(readFileSync(join(folder, 'admin-password'), 'utf8'), 'of 19\n');
      text();
      rmSync(join(folder, 'admin-password'));
    });

    it('is not lost when another start handles the file of one that continues', async () => {
      process.stderr.isTTY = false;
      for (const right of ['of the first', 'unknown']) {
        const kept = keep()('of the first');
        await recover(right);
        kept.stored();
        assert.deepEqual(readdirSync(folder), ['admin-password']);
        assert.equal(readFileSync(join(folder, 'admin-password'), 'utf8'), 'of the first\n');
        rmSync(join(folder, 'admin-password'));
      }
      text();
    });
  });

  it('is removed from all files, also those of killed starts, when it is changed', () => {
    for (const name of ['admin-password', 'admin-password.new-17']) writeFileSync(join(folder, name), 'former');
    removeFirstPassword(folder);
    assert.deepEqual(readdirSync(folder), []);
  });
});
