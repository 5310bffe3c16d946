// gatehouse backup and gatehouse restore, as an operator runs them.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { packTar, type TarHeader } from 'modern-tar';
import { restore } from '../src/backup.ts';
import { aShareOf, itAtLength } from './support/extent.ts';
import { gatehouse } from './support/process.ts';

const PASSWORD = 'the administrator of the tests';

/** Exactly the bytes that version 0.1.0 wrote. */
function tarOfFirstVersion(files: readonly (readonly [name: string, content: Buffer])[]): Buffer {
  const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`;
  const blocks = files.flatMap(([name, content]) => {
    const header = Buffer.alloc(512);
    header.write(name, 0, 100);
    header.write(octal(0o600, 8), 100);
    header.write(octal(0, 8), 108);
    header.write(octal(0, 8), 116);
    header.write(octal(content.length, 12), 124);
    header.write(octal(1_700_000_000, 12), 136);
    header.write('0', 156);
    header.write('ustar\x0000', 257);
    header.fill(' ', 148, 156);
    const sum = header.reduce((all, byte) => all + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    return [header, content, Buffer.alloc(-content.length & 511)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(1024)]);
}

describe('A backup', () => {
  let root: string;
  let file: string;
  let token: string;
  /** What it answers while the service runs. */
  let busy: { code: number | null; stderr: string };
  const dataIn = (name: string) => ({ GATEHOUSE_DATA_DIR: join(root, name), GATEHOUSE_ADMIN_PASSWORD: PASSWORD });

  async function run(args: readonly string[], folder: string, more = {}) {
    const process = gatehouse(args, { ...dataIn(folder), ...more });
    return { code: await process.ended(), stdout: process.stdout, stderr: process.stderr };
  }

  const request = (url: string, path: string, body?: unknown, auth = token): Promise<Response> =>
    fetch(url + path, {
      method: body ? 'POST' : 'GET',
      headers: { 'Content-Type': 'application/json', 'X-Auth-Token': auth },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  before(async () => {
    root = await mkdtemp(join(tmpdir(), 'gatehouse-backup-'));
    file = join(root, 'monday.tar');
    const service = gatehouse(['start'], dataIn('first'));
    const url = await service.listening();
    const user = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const login = await request(
      url,
      '/v3/auth/tokens',
      { auth: { identity: { methods: ['password'], password: { user } }, scope } },
      '',
    );
    token = login.headers.get('x-subject-token')!;
    assert.equal((await request(url, '/v3/users', { user: { name: 'ann' } })).status, 201);
    const database = new DatabaseSync(join(root, 'first', 'identity.sqlite'));
    database.exec("insert into status_lists (id, size, version, is_full, created_at) values ('a list', 131072, 3, 0, 0)");
    database.close();
    const { code, stdout, stderr } = await run(['backup', file], 'first');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /monday\.tar: identity\.sqlite, wallet\.sqlite, master\.key/);
    busy = await run(['restore', file], 'first');
    await service.stop();
  });
  after(() => rm(root, { recursive: true, force: true }));

  it('is made while the service runs, for its owner only, and leaves nothing else behind', async () => {
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    assert.deepEqual(
      (await readdir(root)).filter((name) => name.includes('partial')),
      [],
    );
    assert.deepEqual(
      (await readdir(join(root, 'first'))).filter((name) => name.startsWith('backup-')),
      [],
    );
  });

  it('is a tar that every tar reads', () => {
    const names = execFileSync('tar', ['-tf', file], { encoding: 'utf8' }).trim().split('\n');
    assert.deepEqual(names, ['gatehouse-backup.json', 'identity.sqlite', 'wallet.sqlite', 'master.key']);
  });

  it('restores accounts, and tokens that were good stay good', async () => {
    const { code, stdout, stderr } = await run(['restore', file], 'second');
    assert.equal(code, 0, stderr);
    assert.match(stdout, /restored: identity\.sqlite, wallet\.sqlite, master\.key/);
    const database = new DatabaseSync(join(root, 'second', 'identity.sqlite'), { readOnly: true });
    const lists = database.prepare('select version, is_full from status_lists').all();
    database.close();
    assert.deepEqual(
      lists.map(({ version, is_full: isFull }) => [version, isFull]),
      [[4, 2]],
      'entries of credentials that were issued since then are revoked',
    );
    const service = gatehouse(['start'], dataIn('second'));
    const url = await service.listening();
    const { users } = (await (await request(url, '/v3/users?name=ann')).json()) as { users: { name: string }[] };
    assert.deepEqual(
      users.map(({ name }) => name),
      ['ann'],
    );
    await service.stop();
    for (const name of ['identity.sqlite', 'master.key'])
      assert.equal((await stat(join(root, 'second', name))).mode & 0o777, 0o600);
  });

  it('never overwrites anything', async () => {
    const before = await readFile(join(root, 'first', 'master.key'), 'utf8');
    const there = await run(['restore', file], 'first');
    assert.deepEqual([there.code, /already/.test(there.stderr)], [2, true]);
    assert.equal(await readFile(join(root, 'first', 'master.key'), 'utf8'), before);
    const again = await run(['backup', file], 'first');
    assert.deepEqual([again.code, /exists already/.test(again.stderr)], [2, true]);
  });

  it('is not restored into a folder that is in use', () => {
    assert.deepEqual([busy.code, /in use/.test(busy.stderr)], [2, true]);
  });

  it('that is damaged, truncated or not a backup is refused, and restores nothing', async () => {
    const damaged = join(root, 'damaged.tar');
    await copyFile(file, damaged);
    const handle = await open(damaged, 'r+');
    await handle.write(Buffer.from('damaged'), 0, 7, 40_000);
    await handle.close();
    const short = join(root, 'short.tar');
    await writeFile(short, (await readFile(file)).subarray(0, 20_000));
    const other = join(root, 'other.tar');
    await writeFile(other, 'x'.repeat(4096));
    const files = Object.entries({ damaged, short, other, missing: join(root, 'missing.tar') });
    for (const [name, path] of aShareOf(files, 2)) {
      const { code, stderr } = await run(['restore', path], `into-${name}`);
      assert.equal(code, 2, stderr);
      assert.equal(stderr.trim().split('\n').length, 1, stderr);
      assert.deepEqual(
        (await readdir(join(root, `into-${name}`))).filter((left) => left !== 'gatehouse.lock'),
        [],
      );
    }
  });

  itAtLength('holds each file once', async () => {
    const twice = join(root, 'twice.tar');
    const header = { name: 'master.key', size: 3 };
    await writeFile(
      twice,
      await packTar([
        { header, body: 'one' },
        { header, body: 'two' },
      ]),
    );
    const { code, stderr } = await run(['restore', twice], 'twice');
    assert.deepEqual([code, /cannot be restored/.test(stderr)], [2, true], stderr);
  });

  it('of the first version is restored', async () => {
    const old = join(root, 'old.tar');
    const names = ['gatehouse-backup.json', 'identity.sqlite', 'wallet.sqlite', 'master.key'];
    const contents = names.map((name) => [name, execFileSync('tar', ['-xOf', file, name], { maxBuffer: 1e8 })] as const);
    await writeFile(old, tarOfFirstVersion(contents));
    const { code, stderr } = await run(['restore', old], 'from-old');
    assert.equal(code, 0, stderr);
    assert.deepEqual(await readFile(join(root, 'from-old', 'wallet.sqlite')), contents[2]![1]);
  });

  itAtLength('that names files elsewhere, or is more than files, is refused', async () => {
    const hostile = join(root, 'hostile.tar');
    const elsewhere = join(root, 'escaped');
    const headers: TarHeader[] = [
      ...[
        '../escaped',
        '/tmp/escaped',
        'identity.sqlite/../../escaped',
        'gatehouse.lock',
        'identity.sqlite/',
        './master.key',
      ].map((name) => ({ name, size: 3 })),
      // The last given name counts.
      { name: 'master.key', size: 3, pax: { path: '../escaped' } },
      { name: 'master.key', size: 0, type: 'symlink', linkname: elsewhere },
      { name: 'master.key', size: 0, type: 'link', linkname: elsewhere },
      { name: 'identity.sqlite', size: 0, type: 'directory' },
      { name: 'identity.sqlite', size: 0, type: 'fifo' },
    ];
    for (const header of headers) {
      await writeFile(hostile, await packTar([{ header, ...(header.size > 0 ? { body: 'bad' } : {}) }]));
      await mkdir(join(root, 'hostile'), { recursive: true });
      await assert.rejects(restore(join(root, 'hostile'), hostile), /which no backup has/);
    }
    const { code, stderr } = await run(['restore', hostile], 'hostile');
    assert.deepEqual([code, /which no backup has/.test(stderr)], [2, true], stderr);
    assert.ok(!(await readdir(root)).includes('escaped'));
  });

  it('is not offered for PostgreSQL, which has tools of its own', async () => {
    const more = { GATEHOUSE_IDENTITY_DATABASE_URL: 'postgres://nowhere/none' };
    const { code, stderr } = await run(['backup', join(root, 'x.tar')], 'first', more);
    assert.deepEqual([code, /pg_dump/.test(stderr)], [2, true]);
  });
});
