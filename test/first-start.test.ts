// The first start, and how to recover when it goes wrong: a port in use, a lost password, a mistyped command.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { inFullRun, itAtLength } from './support/extent.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { sharedPostgres } from './support/postgres.ts';
import { DEFAULT_ADDRESSES, type GatehouseProcess, type ProcessSettings, usesProcesses } from './support/process.ts';

/** Without a terminal the password is not shown: a line says where it is. */
const PASSWORD_LINE = /^First administrator: admin, password in (\S+) \(remove it when it was read\)$/m;

function passwordOf({ stderr }: GatehouseProcess): string {
  const file = PASSWORD_LINE.exec(stderr)?.[1];
  assert.ok(file, stderr);
  assert.equal(statSync(file).mode & 0o777, 0o600);
  return readFileSync(file, 'utf8').trim();
}

function authenticate(url: string, password: string): Promise<Response> {
  const user = { name: 'admin', domain: { id: 'default' }, password };
  const scope = { project: { name: 'admin', domain: { id: 'default' } } };
  return fetch(`${url}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ auth: { identity: { methods: ['password'], password: { user } }, scope } }),
  });
}

const loginStatus = async (url: string, password: string): Promise<number> => (await authenticate(url, password)).status;

async function tokenStatus(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/v3/auth/tokens`, { headers: { 'X-Auth-Token': token, 'X-Subject-Token': token } });
  await answer.arrayBuffer();
  return answer.status;
}

describe('A first start', () => {
  const { run, newFolder } = usesProcesses();
  let taken: Server;
  let port: string;
  before(async () => {
    taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    port = String((taken.address() as AddressInfo).port);
  });
  after(() => void taken.close());

  async function start(settings: ProcessSettings): Promise<{ url: string; service: GatehouseProcess }> {
    const service = run(['start'], settings);
    return { url: await service.listening(), service };
  }

  // The other two are refused further below, with workers and at localhost.
  for (const service of inFullRun(['IDENTITY', 'WALLET', 'METRICS'], ['METRICS']))
    it(`names the setting of a port that is taken (${service.toLowerCase()}), and makes no database and no password`, async () => {
      const folder = { GATEHOUSE_DATA_DIR: join(await newFolder(), 'data') };
      const failed = run(['start'], { ...folder, [`GATEHOUSE_${service}_PORT`]: port });
      assert.equal(await failed.ended(), 2);
      const refusal = `gatehouse: GATEHOUSE_${service}_PORT: another program listens on port ${port} of 127.0.0.1; `;
      const said = failed.stderr.split('\n').filter((line) => line.startsWith('gatehouse: '));
      assert.equal(said.length, 1, failed.stderr);
      assert.ok(said[0]!.startsWith(refusal), failed.stderr);

      assert.ok(!/First administrator/.test(failed.stderr), failed.stderr);
      assert.deepEqual(
        readdirSync(folder.GATEHOUSE_DATA_DIR).filter((name) => /sqlite|master|password/.test(name)),
        [],
      );
      const { url, service: second } = await start(folder);
      assert.equal(await loginStatus(url, passwordOf(second)), 201);
      assert.equal(await second.stop(), 0);
      const { service: third } = await start(folder);
      assert.equal(await third.stop(), 0);
      assert.ok(!/First administrator/.test(third.stderr));
    });

  for (const database of inFullRun(['SQLite', 'PostgreSQL'], ['SQLite']))
    itAtLength(`that was killed leaves no secret half written, and its password to the next one (${database})`, async () => {
      const folder = join(await newFolder(), 'data');
      const settings: ProcessSettings = {
        GATEHOUSE_DATA_DIR: folder,
        ...(database === 'PostgreSQL' && {
          GATEHOUSE_IDENTITY_DATABASE_URL: await (await sharedPostgres()).createDatabase(),
          GATEHOUSE_MASTER_KEY: newMasterKey(),
        }),
      };
      const identity = async () => {
        const service = run(['identity'], settings);
        return { url: await service.listening(), service };
      };
      const secrets = () => readdirSync(folder).filter((name) => /password|tmp/.test(name));
      const first = await identity();
      const [password, dead] = [passwordOf(first.service), first.service.serving];
      await first.service.killNow();
      // As if it had been killed a moment earlier: the account is stored, but the file does not have its final name yet.
      await rename(join(folder, 'admin-password'), join(folder, `admin-password.new-${dead}`));
      for (const name of ['master.key', 'admin-password', `admin-password.new-${dead}`])
        await writeFile(join(folder, `${name}.${dead}-1.tmp`), 'half', { mode: 0o600 });

      const second = await identity();
      assert.deepEqual(secrets(), ['admin-password']);
      assert.equal(passwordOf(second.service), password);
      assert.match(second.service.stdout, /"file":"[^"]*\/admin-password","msg":"the password of the first administrator is in/);
      assert.ok(!`${second.service.stdout}${second.service.stderr}`.includes(password));
      assert.equal(await loginStatus(second.url, password), 201);
      assert.equal(await second.service.stop(), 0);

      // A file with a wrong password must not replace one with the right password.
      await writeFile(join(folder, 'admin-password.new-17'), 'not the password\n', { mode: 0o600 });
      const third = await identity();
      assert.deepEqual(secrets(), ['admin-password']);
      assert.ok(!/First administrator/.test(third.service.stderr), third.service.stderr);
      assert.equal(await loginStatus(third.url, password), 201);
      assert.equal(await third.service.stop(), 0);
    });

  itAtLength('lets early clients wait until it can serve', async () => {
    const folder = join(await newFolder(), 'data');
    const free = createServer().listen(0, '127.0.0.1');
    await once(free, 'listening');
    const { port: chosen } = free.address() as AddressInfo;
    await new Promise((resolve) => free.close(resolve));
    const service = run(['start'], { GATEHOUSE_DATA_DIR: folder, GATEHOUSE_IDENTITY_PORT: String(chosen) });
    let status: number | undefined;
    while (status === undefined) {
      assert.equal(service.child.exitCode, null, service.stderr);
      status = await fetch(`http://127.0.0.1:${chosen}/healthz`).then(
        (answer) => answer.status,
        (error: { cause?: { code?: string } }) => {
          assert.equal(error.cause?.code, 'ECONNREFUSED');
          return undefined;
        },
      );
    }
    assert.equal(status, 200);
    await service.listening();
    assert.equal(await service.stop(), 0);
  });

  it('names the setting of an address this machine does not have', async () => {
    const settings = { GATEHOUSE_DATA_DIR: join(await newFolder(), 'data'), GATEHOUSE_IDENTITY_HOST: '192.0.2.1' };
    const failed = run(['start'], settings);
    assert.equal(await failed.ended(), 2);
    assert.match(failed.stderr, /^gatehouse: GATEHOUSE_IDENTITY_HOST: 192\.0\.2\.1 is not an address of this machine/m);
  });

  it('refuses a port that another program has on one of the two addresses of localhost: browsers would find that one', async () => {
    const other = createServer().listen(0, '::1');
    await once(other, 'listening');
    const { port: chosen } = other.address() as AddressInfo;
    try {
      for (const service of inFullRun(['IDENTITY', 'WALLET'], ['WALLET'])) {
        const folder = join(await newFolder(), 'data');
        const failed = run(['start'], {
          ...DEFAULT_ADDRESSES,
          GATEHOUSE_DATA_DIR: folder,
          [`GATEHOUSE_${service}_PORT`]: String(chosen),
        });
        assert.equal(await failed.ended(), 2);
        const refusal = `^gatehouse: GATEHOUSE_${service}_PORT: another program listens on port ${chosen} of ::1; `;
        assert.match(failed.stderr, new RegExp(refusal, 'm'));
        assert.ok(!readdirSync(folder).some((name) => /sqlite|password/.test(name)));
      }
    } finally {
      other.close();
    }
  });

  itAtLength('names the setting of a taken port with several workers, too, and ends', async () => {
    const postgres = await sharedPostgres();
    const settings = {
      GATEHOUSE_DATA_DIR: join(await newFolder(), 'data'),
      GATEHOUSE_IDENTITY_DATABASE_URL: await postgres.createDatabase(),
      GATEHOUSE_MASTER_KEY: newMasterKey(),
      GATEHOUSE_WORKERS: '2',
    };
    for (const service of inFullRun(['IDENTITY', 'METRICS'], ['IDENTITY'])) {
      const failed = run(['identity'], { ...settings, [`GATEHOUSE_${service}_PORT`]: port });
      assert.equal(await failed.ended(), 2, failed.stderr);
      assert.match(
        failed.stderr,
        new RegExp(`^gatehouse: GATEHOUSE_${service}_PORT: another program listens on port ${port}`, 'm'),
      );
      assert.ok(!/First administrator/.test(failed.stderr), failed.stderr);
    }
  });

  describe('and its password', () => {
    let settings: ProcessSettings;
    let first: { url: string; service: GatehouseProcess };
    before(async () => {
      settings = { GATEHOUSE_DATA_DIR: join(await newFolder(), 'data') };
      first = await start(settings);
    });

    it('is written to a file for its owner where no terminal is, and where is said, but not what', async () => {
      const { url, service } = first;
      const password = passwordOf(service);
      assert.equal(await loginStatus(url, password), 201);
      assert.match(
        service.stdout,
        /"file":"[^"]*\/admin-password","msg":"the password of the first administrator is in this file/,
      );
      assert.ok(!`${service.stdout}${service.stderr}`.includes(password));
      assert.deepEqual(
        readdirSync(settings.GATEHOUSE_DATA_DIR!).filter((name) => name.startsWith('admin-password')),
        ['admin-password'],
      );
    });

    it('is replaced by a new one, which ends tokens of the old one', async () => {
      const old = passwordOf(first.service);
      const token = (await authenticate(first.url, old)).headers.get('x-subject-token')!;

      const refused = run(['admin-password'], settings);
      assert.equal(await refused.ended(), 2);
      assert.match(refused.stderr, /^gatehouse: .*\/data is in use by another gatehouse process; .*\n$/);
      assert.equal(await loginStatus(first.url, old), 201);
      assert.equal(await first.service.stop(), 0);

      const reset = run(['admin-password'], settings);
      assert.equal(await reset.ended(), 0, reset.stderr);
      const fresh = reset.stdout.trim();
      assert.match(fresh, /^[\w-]{20,}$/);
      assert.ok(!existsSync(join(settings.GATEHOUSE_DATA_DIR!, 'admin-password')), 'the file of the old one is gone');

      const second = await start(settings);
      assert.equal(await loginStatus(second.url, old), 401);
      assert.equal(await loginStatus(second.url, fresh), 201);
      assert.equal(await tokenStatus(second.url, token), 401);
      assert.equal(await second.service.stop(), 0);
    });

    itAtLength('is replaced by the one of the settings, which is not printed', async () => {
      const file = join(await newFolder(), 'password');
      await writeFile(file, 'a password of my own\n');
      const reset = run(['admin-password'], { ...settings, GATEHOUSE_ADMIN_PASSWORD_FILE: file });
      assert.equal(await reset.ended(), 0, reset.stderr);
      assert.equal(reset.stdout, 'the password of admin is that of GATEHOUSE_ADMIN_PASSWORD now\n');
      const { url, service } = await start(settings);
      assert.equal(await loginStatus(url, 'a password of my own'), 201);
      assert.equal(await service.stop(), 0);
    });

    it('cannot be replaced if the service was never started', async () => {
      const reset = run(['admin-password'], { GATEHOUSE_DATA_DIR: join(await newFolder(), 'data') });
      assert.equal(await reset.ended(), 1);
      assert.equal(reset.stderr, 'gatehouse: Could not find user: admin.\n');
    });

    itAtLength('is replaced on PostgreSQL while the service runs, which refuses the old one within a second', async () => {
      const shared = {
        GATEHOUSE_DATA_DIR: join(await newFolder(), 'data'),
        GATEHOUSE_IDENTITY_DATABASE_URL: await migratedPostgres('identity'),
        GATEHOUSE_MASTER_KEY: newMasterKey(),
      };
      const service = run(['identity'], shared);
      const url = await service.listening();
      const old = passwordOf(service);
      const token = (await authenticate(url, old)).headers.get('x-subject-token')!;
      const reset = run(['admin-password'], shared);
      assert.equal(await reset.ended(), 0, reset.stderr);
      // A second on an idle machine; more on a busy one.
      for (const end = Date.now() + 20_000; (await tokenStatus(url, token)) !== 401 && Date.now() < end; );
      assert.equal(await tokenStatus(url, token), 401);
      assert.equal(await loginStatus(url, old), 401);
      assert.equal(await loginStatus(url, reset.stdout.trim()), 201);
      assert.equal(await service.stop(), 0);
    });
  });

  itAtLength('is not mentioned by a command that fails because something does not exist', async () => {
    const settings = { GATEHOUSE_DATA_DIR: join(await newFolder(), 'data') };
    const rotation = run(['consumer', 'rotate-secret', 'nope'], settings);
    assert.equal(await rotation.ended(), 1);
    assert.equal(rotation.stderr, 'gatehouse: Could not find consumer: nope.\n');
  });

  itAtLength('is described by --help, and not triggered by --help or --version', async () => {
    for (const [word, said] of [
      ['--help', /gatehouse admin-password +set/],
      ['-h', /gatehouse start +run both services/],
      ['--version', /^\d+\.\d+\.\d+/],
    ] as const) {
      const asked = run([word], {});
      assert.equal(await asked.ended(), 0, word);
      assert.match(asked.stdout, said);
      assert.equal(asked.stderr, '');
    }
    const wrong = run(['halp'], {});
    assert.equal(await wrong.ended(), 2);
  });
});
