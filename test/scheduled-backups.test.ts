// Backups on a schedule, and `gatehouse scheduled-backup`: each is restored for a try before it has its name.
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { backup } from '../src/backup.ts';
import { lockFolder } from '../src/platform/database/index.ts';
import { lastBackup, lastBackupFailure, noteBackup, noteBackupFailure } from '../src/platform/last-backup.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { checkBackupFolder, isBackupDue, runBackup } from '../src/scheduled-backups.ts';
import { itAtLength } from './support/extent.ts';
import { usesProcesses } from './support/process.ts';

const PASSWORD = 'the administrator of the tests';
interface Answer {
  readonly is_running: boolean;
  readonly asked: { readonly outcome: string; readonly reason: string };
  readonly kept: readonly {
    readonly file: string;
    readonly bytes: number;
    readonly verified: boolean;
    readonly on_schedule: boolean;
  }[];
}

/** Asks a service for a backup, twice. */
async function askedAt(url: string) {
  const user = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  const body = JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } });
  const json = { 'Content-Type': 'application/json' };
  const login = await fetch(`${url}/v3/auth/tokens`, { method: 'POST', headers: json, body });
  const headers = { 'X-Auth-Token': login.headers.get('x-subject-token')! };
  const ask = (method: string) => fetch(`${url}/v3/OS-SERVICE/backups`, { method, headers });
  const [first, second] = [await ask('POST'), await ask('POST')];
  return {
    first,
    second,
    async ended() {
      for (let tries = 0; tries < 1200; tries++) {
        const { backups } = (await (await ask('GET')).json()) as { backups: Answer };
        if (!backups.is_running) return { ...backups.asked, kept: backups.kept };
        await delay(100);
      }
      return assert.fail('it did not end');
    },
  };
}

const NAME = /^gatehouse-\d{8}T\d{6}Z\.tar$/;

describe('Backups on a schedule', () => {
  const { newFolder, run } = usesProcesses();
  let root: string;
  let data: string;
  const settings = (more = {}) => ({ GATEHOUSE_DATA_DIR: data, GATEHOUSE_ADMIN_PASSWORD: PASSWORD, ...more });
  const into = async (to: string, ...more: string[]) => {
    const command = run(['scheduled-backup', to, ...more], settings());
    return { code: await command.ended(), text: command.stdout + command.stderr };
  };

  before(async () => {
    root = await newFolder();
    data = join(root, 'data');
  });

  it('are made by the service itself, checked, for their owner only, and can be restored', async () => {
    const to = join(root, 'scheduled');
    const service = run(['start'], settings({ GATEHOUSE_BACKUP_FOLDER: to }));
    const url = await service.listening();
    await service.walletListening();
    for (let tries = 0; lastBackup(data) === undefined && tries < 1200; tries++) await delay(100);
    const [file, ...others] = readdirSync(to);
    assert.match(file!, NAME);
    assert.deepEqual(others, []);
    const asked = await askedAt(url);
    assert.equal(asked.first.status, 202);
    assert.equal(asked.second.status, 409, 'one at a time');
    const { outcome, kept } = await asked.ended();
    assert.equal(outcome, 'made');
    assert.deepEqual(
      kept.map((one) => [one.on_schedule, one.verified, statSync(join(to, one.file)).size === one.bytes]),
      [
        [false, true, true],
        [true, true, true],
      ],
    );
    assert.match(kept[0]!.file, /^gatehouse-\d{8}T\d{6}Z-asked\.tar$/);
    chmodSync(to, 0o755);
    const refused = await (await askedAt(url)).ended();
    assert.deepEqual([refused.outcome, refused.kept.length], ['failed', 2]);
    assert.match(refused.reason, /others may enter/);
    chmodSync(to, 0o700);
    assert.equal((await (await askedAt(url)).ended()).outcome, 'made', 'after a failure it is asked for again');
    assert.equal(statSync(to).mode & 0o777, 0o700);
    assert.equal(statSync(join(to, file!)).mode & 0o777, 0o600);
    assert.ok(lastBackup(data)!.verifiedAt);
    assert.equal(lastBackupFailure(data), undefined);
    assert.equal(await service.stop(), 0);
    const restored = run(['restore', join(to, file!)], settings({ GATEHOUSE_DATA_DIR: join(root, 'restored') }));
    assert.equal(await restored.ended(), 0, restored.stderr);
    assert.ok(existsSync(join(root, 'restored', 'master.key')));
  });

  it('are due once in each interval, counted from a time of the day, and again some time after a failure', async () => {
    const folder = await newFolder();
    const daily = { backupHours: 24, backupAt: 120 };
    const at = (text: string): number => Date.parse(`2026-11-17T${text}:00Z`);
    assert.equal(isBackupDue(folder, daily, at('12:00')), true, 'there is none');
    noteBackup(folder, { madeAt: '2026-11-17T02:00:10Z', files: [], verifiedAt: '2026-11-17T02:00:10Z' });
    assert.equal(isBackupDue(folder, daily, at('12:00')), false);
    assert.equal(isBackupDue(folder, daily, at('01:00') + 86_400_000), false);
    assert.equal(isBackupDue(folder, daily, at('02:00') + 86_400_000), true);
    assert.equal(isBackupDue(folder, { backupHours: 6, backupAt: 120 }, at('08:00')), true);
    noteBackup(folder, { madeAt: '2026-11-17T11:00:00Z', files: [] });
    assert.equal(isBackupDue(folder, daily, at('12:00')), false, 'one that was not checked takes nothing from the one that was');
    assert.equal(isBackupDue(folder, { backupHours: 6, backupAt: 120 }, at('12:00')), true, 'nor does it count');
    noteBackup(folder, { madeAt: '2026-11-16T03:00:00Z', files: [], verifiedAt: '2026-11-16T03:00:00Z' });
    noteBackupFailure(folder, { at: '2026-11-17T11:50:00Z', reason: 'ENOSPC' });
    assert.equal(isBackupDue(folder, daily, at('12:00')), false);
    assert.equal(isBackupDue(folder, daily, at('12:06')), true);
    noteBackup(folder, { madeAt: '2026-11-16T04:00:00Z', files: [] });
    assert.equal(lastBackupFailure(folder)?.reason, 'ENOSPC', 'one that was not checked does not end the report');
    const checkedAt = '2026-11-16T03:00:00Z';
    assert.deepEqual(lastBackup(folder), {
      madeAt: '2026-11-16T04:00:00Z',
      files: [],
      verifiedAt: checkedAt,
      scheduledAt: checkedAt,
    });
  });

  it('are neither left out nor put off because of those that somebody asks for, made or failed', async () => {
    const folder = await newFolder();
    const daily = { backupHours: 24, backupAt: 120 };
    const at = (text: string): number => Date.parse(`2026-11-17T${text}:00Z`);
    const made = (time: string) => ({ madeAt: time, files: [], verifiedAt: time });
    noteBackup(folder, { ...made('2026-11-17T01:00:00Z'), isAsked: true });
    assert.equal(isBackupDue(folder, daily, at('01:10')), true, 'there is none of the schedule');
    noteBackup(folder, made('2026-11-17T01:20:00Z'));
    assert.equal(isBackupDue(folder, daily, at('01:30')), false);
    // It began before the time of the schedule, and was there after that.
    noteBackup(folder, { ...made('2026-11-17T02:00:30Z'), isAsked: true });
    assert.equal(isBackupDue(folder, daily, at('02:01')), true);
    noteBackupFailure(folder, { at: '2026-11-17T02:00:40Z', reason: 'ENOSPC', isAsked: true });
    assert.equal(isBackupDue(folder, daily, at('02:01')), true);
    noteBackupFailure(folder, { at: '2026-11-17T02:00:50Z', reason: 'ENOSPC' });
    assert.equal(isBackupDue(folder, daily, at('02:01')), false);
    // As an earlier version has noted it.
    writeFileSync(join(folder, 'last-backup.json'), JSON.stringify(made('2026-11-17T02:00:30Z')));
    assert.equal(isBackupDue(folder, daily, at('03:00')), false);
  });

  it('are made although the clock was wrong once', async () => {
    const folder = await newFolder();
    const later = new Date(Date.now() + 365 * 86_400_000).toISOString();
    noteBackup(folder, { madeAt: later, files: [], verifiedAt: later });
    assert.equal(lastBackup(folder), undefined);
    noteBackupFailure(folder, { at: later, reason: 'ENOSPC' });
    assert.equal(isBackupDue(folder, { backupHours: 24, backupAt: 120 }, Date.now()), true);
    assert.equal(isBackupDue(folder, { backupHours: 24, backupAt: 120 }, Date.parse(later) + 60_000), false);
  });

  it('that end without a word are noted as failed, but for those that the end of the service ends', async () => {
    const folder = await newFolder();
    const shared = { backupFolder: join(root, 'never'), backupKeep: 1 };
    const run = (program: string, stopping = new AbortController()) => {
      const ended = runBackup(folder, shared, stopping.signal, { program: ['-e', program, '--'] });
      return { ended, stopping };
    };
    const stopped = run('setInterval(() => undefined, 1000)');
    stopped.stopping.abort();
    await assert.rejects(stopped.ended);
    assert.equal(lastBackupFailure(folder), undefined);
    await assert.rejects(run('process.kill(process.pid, "SIGKILL")').ended);
    assert.match(lastBackupFailure(folder)!.reason, /ended by SIGKILL/);
    assert.equal(isBackupDue(folder, { backupHours: 24, backupAt: 120 }, Date.now()), false, 'not at once again');
    await assert.rejects(run('console.error("a secret"); process.exit(3)').ended, /a secret/);
    assert.match(lastBackupFailure(folder)!.reason, /exit status 3/);
    const { ended } = run('process.exit(2)');
    noteBackupFailure(folder, { at: new Date().toISOString(), reason: 'its own' });
    await assert.rejects(ended);
    assert.equal(lastBackupFailure(folder)!.reason, 'its own');
  });

  itAtLength('keep the newest, and no other file is removed', async () => {
    const to = join(root, 'kept');
    mkdirSync(to);
    chmodSync(to, 0o755);
    const old = ['gatehouse-20200101T000000Z.tar', 'gatehouse-20200102T000000Z.tar', 'gatehouse-20200103T000000Z.tar'];
    for (const name of [...old, 'mine.tar']) writeFileSync(join(to, name), '');
    const open = await into(to, '--keep', '2');
    assert.equal(open.code, 2, open.text);
    assert.match(open.text, /others may enter .*chmod 700 /);
    assert.equal(statSync(to).mode & 0o777, 0o755, 'it is not ours to close');
    assert.equal(readdirSync(to).length, 4);
    chmodSync(to, 0o700);
    const { code, text } = await into(to, '--keep', '2');
    assert.equal(code, 0, text);
    assert.match(text, /test-restored: users 1, projects 2, .*secrets open/);
    const left = readdirSync(to).sort();
    assert.deepEqual(
      left.filter((name) => /2020|mine/.test(name)),
      ['gatehouse-20200103T000000Z.tar', 'mine.tar'],
    );
    assert.equal(left.length, 3);
    for (const name of ['gatehouse-29990101T000000Z.tar', 'gatehouse-29990102T000000Z.tar']) writeFileSync(join(to, name), '');
    // Names have seconds.
    await delay(1000);
    const again = await into(to, '--keep', '1');
    assert.equal(again.code, 0, again.text);
    const made = again.text.match(/gatehouse-\d+T\d+Z\.tar/)![0];
    assert.deepEqual(readdirSync(to).sort(), [made, 'mine.tar'], 'the one just made stays, whatever the names of others say');
    const asked = await into(to, '--keep', '1', '--asked');
    assert.equal(asked.code, 0, asked.text);
    const beside = asked.text.match(/gatehouse-\d+T\d+Z-asked\.tar/)![0];
    assert.deepEqual(readdirSync(to).sort(), [made, beside, 'mine.tar'].sort(), 'who asks pushes out none of the schedule');
    const lock = lockFolder(data, 'backup.lock');
    const second = await into(to, '--keep', '1');
    lock.release();
    assert.equal(second.code, 2, second.text);
    assert.match(second.text, /another backup is being made/);
    assert.equal(readdirSync(to).length, 3);
  });

  itAtLength('that get the same name at the same time do not overwrite each other', async () => {
    const file = join(root, 'same.tar');
    const results = await Promise.allSettled([1, 2].map(() => backup(data, file)));
    const [refused, ...others] = results.filter((result) => result.status === 'rejected');
    assert.match(String(refused?.reason), /same\.tar exists already/);
    assert.deepEqual(others, []);
    assert.deepEqual(
      readdirSync(root).filter((name) => name.startsWith('same')),
      ['same.tar'],
    );
    assert.equal(statSync(file).nlink, 1);
  });

  itAtLength('that cannot be used get no name, and the failure is told', async () => {
    const to = join(root, 'failed');
    const key = readFileSync(join(data, 'master.key'), 'utf8');
    writeFileSync(join(data, 'master.key'), `${newMasterKey()}\n`);
    const wrong = await into(to);
    assert.equal(wrong.code, 2, wrong.text);
    assert.match(wrong.text, /encrypted with another master key/);
    assert.deepEqual(readdirSync(to), []);
    assert.match(lastBackupFailure(data)!.reason, /another master key/);
    writeFileSync(join(data, 'master.key'), key);

    const db = new DatabaseSync(join(data, 'identity.sqlite'));
    db.exec("pragma foreign_keys = off; insert into group_members (group_id, user_id) values ('nobody', 'nobody')");
    const orphan = await into(to);
    assert.equal(orphan.code, 2, orphan.text);
    assert.match(orphan.text, /rows refer to rows that are missing/);
    db.exec("pragma foreign_keys = off; delete from group_members where group_id = 'nobody'");
    db.close();
    assert.deepEqual(
      readdirSync(data).filter((name) => name.startsWith('backup-') && !name.endsWith('.json')),
      [],
      'nothing is left behind',
    );

    writeFileSync(join(root, 'a file'), '');
    const nowhere = await into(join(root, 'a file', 'folder'));
    assert.equal(nowhere.code, 1);
    assert.match(nowhere.text, /^gatehouse: scheduled-backup failed: ENOTDIR: /m, 'not: cannot start');
    assert.equal(lastBackupFailure(data)!.reason, 'ENOTDIR');

    const good = await into(to);
    assert.equal(good.code, 0, good.text);
    assert.equal(lastBackupFailure(data), undefined);
  });

  itAtLength('are refused inside the data folder, and for PostgreSQL', async () => {
    const inside = run(['start'], settings({ GATEHOUSE_BACKUP_FOLDER: join(data, 'backups') }));
    assert.equal(await inside.ended(), 2);
    assert.match(inside.stderr, /GATEHOUSE_BACKUP_FOLDER must be outside the data folder/);
    // The start and the command ask the same function.
    const check = (identity?: string, wallet?: string) => (): void =>
      checkBackupFolder({ backupFolder: join(root, 'x') }, data, {
        identity: { databaseUrl: identity },
        wallet: { databaseUrl: wallet },
      });
    assert.doesNotThrow(check());
    assert.throws(check('postgres://nowhere/a', 'postgres://nowhere/b'), /GATEHOUSE_BACKUP_FOLDER is for SQLite/);
    assert.throws(
      check('postgres://nowhere/a'),
      /GATEHOUSE_BACKUP_FOLDER is not for an identity service on PostgreSQL beside a wallet node/,
    );
  });
});
