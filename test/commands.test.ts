// Commands as an operator types them, right or wrong, also while the service is running.
import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { commands } from '../src/commands/index.ts';
import { aShareOf, itAtLength } from './support/extent.ts';
import { type GatehouseProcess, gatehouse } from './support/process.ts';

const PASSWORD = 'the administrator of the tests';

describe('Commands', () => {
  let folder: string;
  let data: string;
  let service: GatehouseProcess;
  let url: string;
  let token: string;

  async function run(...args: string[]) {
    const ran = gatehouse(args, { GATEHOUSE_DATA_DIR: data }, folder);
    return { code: await ran.ended(), stdout: ran.stdout, stderr: ran.stderr };
  }
  const call = (method: string, path: string, body?: unknown) =>
    fetch(url + path, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token ? { 'X-Auth-Token': token } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-commands-'));
    data = join(folder, 'data');
    service = gatehouse(['identity'], { GATEHOUSE_DATA_DIR: data, GATEHOUSE_ADMIN_PASSWORD: PASSWORD });
    url = await service.listening();
    const user = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
    const scope = { project: { name: 'admin', domain: { id: 'default' } } };
    const login = await call('POST', '/v3/auth/tokens', {
      auth: { identity: { methods: ['password'], password: { user } }, scope },
    });
    token = login.headers.get('x-subject-token')!;
  });
  after(async () => {
    await service.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('with --help print help and write nothing, not even a back-up named --help', async () => {
    for (const { words } of aShareOf(commands, 8)) {
      const { code, stdout, stderr } = await run(...words.split(' '), '--help');
      assert.deepEqual([code, stderr], [0, ''], words);
      assert.ok(stdout.startsWith(`gatehouse ${words}`), stdout);
    }
    assert.deepEqual(await readdir(folder), ['data']);
  });

  it('that are mistyped say what was wrong in one line, write nothing and end with 2', async () => {
    const mistyped = [
      ['bakcup x.tar', /there is no command "bakcup x\.tar"; did you mean "backup"/],
      ['backup', /FILE is missing/],
      ['backup --frob', /--frob is not an option of this command/],
      ['backup one.tar two.tar', /"two\.tar" is one argument too many/],
      ['start now', /"now" is one argument too many/],
    ] as const;
    for (const [words, why] of aShareOf(mistyped, 2)) {
      const { code, stdout, stderr } = await run(...words.split(' '));
      assert.deepEqual([code, stdout, stderr.trimEnd().split('\n').length], [2, '', 1], words);
      assert.match(stderr, why);
    }
    assert.deepEqual(await readdir(folder), ['data']);
  });

  itAtLength('back up into an existing folder; a missing one is an error, and is not created', async () => {
    const missing = await run('backup', join(folder, 'none', 'monday.tar'));
    assert.equal(missing.code, 2);
    assert.match(missing.stderr, /^gatehouse: there is no folder \S+\/none; make it first/);
    await writeFile(join(folder, 'file'), '');
    assert.match((await run('backup', join(folder, 'file', 'monday.tar'))).stderr, /is not a folder/);
    await rm(join(folder, 'file'));
    const elsewhere = gatehouse(['backup', 'x.tar'], { GATEHOUSE_DATA_DIR: join(folder, 'other') }, folder);
    assert.equal(await elsewhere.ended(), 2);
    assert.match(elsewhere.stderr, /GATEHOUSE_DATA_DIR: there is no folder/);
    assert.deepEqual(await readdir(folder), ['data']);
    await mkdir(join(folder, 'backups'));
    assert.equal((await run('backup', join('backups', 'monday.tar'))).code, 0);
    await rm(join(folder, 'backups'), { recursive: true });
  });

  it('that only read work beside a running service', async () => {
    const none = await run('scim', 'token', 'list');
    assert.deepEqual([none.code, none.stdout], [0, 'there are none\n'], none.stderr);
    const made = await call('POST', '/v3/OS-SCIM/connections', { connection: { domain_id: 'default', name: 'from the API' } });
    assert.equal(made.status, 201);
    const { connection } = (await made.json()) as { connection: { id: string } };
    const one = await run('scim', 'token', 'list');
    assert.equal(one.code, 0, one.stderr);
    assert.ok(one.stdout.startsWith(`${connection.id}\tDefault\tfrom the API\tmade 20`), one.stdout);
    for (const words of [['config'], ['openapi', 'wallet'], ['master-key', 'new']]) assert.equal((await run(...words)).code, 0);
    assert.equal((await call('GET', '/v3/users')).status, 200);
  });

  it('that write are refused while the service is running, and name the API call instead', async () => {
    const writing = [
      ['scim token create --domain default', /POST \/v3\/OS-SCIM\/connections/],
      ['scim token revoke x', /DELETE \/v3\/OS-SCIM\/connections\/ID/],
      ['consumer rotate-secret x', /POST \/v3\/OS-OAUTH2\/consumers\/ID\/secret/],
      ['admin-password', /\/account/],
    ] as const;
    for (const [words, instead] of aShareOf(writing, 2)) {
      const { code, stderr } = await run(...words.split(' '));
      assert.equal(code, 2, words);
      assert.match(stderr, /is in use by another gatehouse process/);
      assert.match(stderr, instead);
    }
  });

  itAtLength('that find no database say so, and make none', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const ran = gatehouse(['scim', 'token', 'list'], { GATEHOUSE_DATA_DIR: empty }, folder);
    assert.equal(await ran.ended(), 2);
    assert.match(ran.stderr, /there is no database/);
    assert.deepEqual(await readdir(empty), []);
    await rm(empty, { recursive: true });
  });

  it('refuse a settings file with an invalid line', async () => {
    const file = join(folder, 'settings');
    await writeFile(file, 'GATEHOUSE_IDENTITY_PORT=0\nGATEHOUSE_WALLET_PORT 0\n');
    const ran = gatehouse(['config'], { GATEHOUSE_CONFIG_FILE: file }, folder);
    assert.equal(await ran.ended(), 2);
    assert.equal(
      ran.stderr,
      `gatehouse: GATEHOUSE_CONFIG_FILE: line 2 of ${file} is not of the form KEY=value; comments begin with #\n`,
    );
    await rm(file);
  });
});
