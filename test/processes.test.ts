// Real processes: replicas and workers on PostgreSQL, one process on SQLite, starting, stopping, refusing.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { itAtLength } from './support/extent.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { freePort } from './support/ports.ts';
import { type GatehouseProcess, gatehouse, type ProcessSettings } from './support/process.ts';

const PASSWORD = 'the administrator of the tests';

async function logIn(url: string, password = PASSWORD): Promise<string> {
  const user = { name: 'admin', domain: { id: 'default' }, password };
  const body = {
    auth: {
      identity: { methods: ['password'], password: { user } },
      scope: { project: { name: 'admin', domain: { id: 'default' } } },
    },
  };
  const answer = await fetch(`${url}/v3/auth/tokens`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.equal(answer.status, 201, await answer.text());
  return answer.headers.get('x-subject-token')!;
}

async function validate(url: string, token: string): Promise<number> {
  const answer = await fetch(`${url}/v3/auth/tokens`, { headers: { 'X-Auth-Token': token, 'X-Subject-Token': token } });
  await answer.arrayBuffer();
  return answer.status;
}

async function revoke(url: string, token: string): Promise<void> {
  const answer = await fetch(`${url}/v3/auth/tokens`, {
    method: 'DELETE',
    headers: { 'X-Auth-Token': token, 'X-Subject-Token': token },
  });
  assert.equal(answer.status, 204);
}

/** A second on an idle machine; more on a busy one. */
const PATIENCE_MS = 20_000;

async function isRefusedSoon(url: string, token: string): Promise<boolean> {
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) if ((await validate(url, token)) === 401) return true;
  return false;
}

describe('On PostgreSQL', () => {
  let settings: ProcessSettings;
  const folders: string[] = [];
  before(async () => {
    settings = {
      GATEHOUSE_IDENTITY_DATABASE_URL: await migratedPostgres('identity'),
      GATEHOUSE_MASTER_KEY: newMasterKey(),
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_DATA_DIR: await mkdtemp(join(tmpdir(), 'gatehouse-test-')),
    };
    folders.push(settings.GATEHOUSE_DATA_DIR!);
  });
  after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  describe('with two replicas', () => {
    let replicas: readonly GatehouseProcess[] = [];
    let [first, second] = ['', ''];
    before(async () => {
      replicas = [gatehouse(['identity'], settings), gatehouse(['identity'], settings)];
      [first, second] = (await Promise.all(replicas.map((one) => one.listening()))) as [string, string];
    });
    after(async () => assert.deepEqual(await Promise.all(replicas.map((one) => one.stop())), [0, 0]));

    it('refuses on one replica within a second what was revoked on another', async () => {
      const token = await logIn(first);
      assert.equal(await validate(second, token), 200);
      await revoke(first, token);
      assert.ok(await isRefusedSoon(second, token));
    });

    itAtLength('shows a user as another replica changed them, within a second', async () => {
      const headers = { 'X-Auth-Token': await logIn(first), 'Content-Type': 'application/json' };
      const send = async (url: string, method: string, user?: object): Promise<any> => {
        const answer = await fetch(url, { method, headers, ...(user ? { body: JSON.stringify({ user }) } : {}) });
        return ((await answer.json()) as { user: unknown }).user;
      };
      const { id } = await send(`${first}/v3/users`, 'POST', { name: 'mover', description: 'before' });
      assert.equal((await send(`${second}/v3/users/${id}`, 'GET')).description, 'before');
      await send(`${first}/v3/users/${id}`, 'PATCH', { description: 'after' });
      const started = performance.now();
      let seen: string;
      do seen = (await send(`${second}/v3/users/${id}`, 'GET')).description;
      while (seen !== 'after' && performance.now() - started < PATIENCE_MS);
      assert.equal(seen, 'after');
    });

    it('ends a user’s tokens on every replica within a second of a password change', async () => {
      const admin = await logIn(first);
      const made = await fetch(`${first}/v3/users`, {
        method: 'POST',
        headers: { 'X-Auth-Token': admin, 'Content-Type': 'application/json' },
        body: JSON.stringify({ user: { name: 'roamer', password: 'the first one' } }),
      });
      const { user } = (await made.json()) as { user: { id: string } };
      const login = await fetch(`${second}/v3/auth/tokens`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          auth: { identity: { methods: ['password'], password: { user: { id: user.id, password: 'the first one' } } } },
        }),
      });
      const token = login.headers.get('x-subject-token')!;
      assert.equal(await validate(second, token), 200);
      const changed = await fetch(`${first}/v3/users/${user.id}/password`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ user: { original_password: 'the first one', password: 'the second one' } }),
      });
      assert.equal(changed.status, 204);
      assert.ok(await isRefusedSoon(second, token));
    });
  });

  describe('with three workers', () => {
    let service: GatehouseProcess;
    let [url, port] = ['', ''];
    before(async () => {
      port = String(await freePort());
      service = gatehouse(['start'], {
        ...settings,
        GATEHOUSE_IDENTITY_DATABASE_URL: await migratedPostgres('identity'),
        GATEHOUSE_WALLET_DATABASE_URL: await migratedPostgres('wallet'),
        GATEHOUSE_METRICS_PORT: port,
        GATEHOUSE_WORKERS: '3',
      });
      url = await service.listening(3);
    });
    after(async () => assert.equal(await service.stop(), 0));

    it('shows the metrics of all workers as one: what each counts added up, what they share once', async () => {
      const tokens = [await logIn(url), await logIn(url)];
      for (const token of tokens) await revoke(url, token);
      // New connections go to the workers in turn, so each of them counts some of these. Repeated until all have.
      const statuses: number[] = [];
      const areAllRefused = () => statuses.length >= 12 && statuses.slice(-12).every((status) => status === 401);
      for (const end = Date.now() + PATIENCE_MS; !areAllRefused() && Date.now() < end; )
        statuses.push(await freshStatus(url, tokens[0]!));
      assert.ok(areAllRefused(), statuses.join());
      const metrics = await metricsAt(port);
      assert.equal(metrics.get('gatehouse_feed_live'), 1, 'live in all, not three times');
      assert.equal(metrics.get('gatehouse_revoked_tokens'), 2, 'the same two in each');
      assert.equal(metrics.get('wallet_keys{state="active"}'), 1, 'the key of the node');
      assert.equal(metrics.get('wallet_sessions_active'), 0);
      const refused = 'http_request_duration_seconds_count{service="identity",method="GET",route="/v3/auth/tokens",status="401"}';
      assert.equal(metrics.get(refused), statuses.filter((status) => status === 401).length);
      assert.ok(metrics.get('gatehouse_sweep_lag_seconds')! < 60);
    });

    itAtLength('lists all workers of the machine by their numbers', async () => {
      const headers = { 'X-Auth-Token': await logIn(url) };
      const workers = async (): Promise<number[]> => {
        const answer = await fetch(`${url}/v3/OS-SERVICE/replicas`, { headers });
        const { replicas } = (await answer.json()) as { replicas: { worker: number }[] };
        return replicas.map(({ worker }) => worker);
      };
      for (const end = Date.now() + PATIENCE_MS; (await workers()).length < 3 && Date.now() < end; );
      assert.deepEqual(await workers(), [1, 2, 3]);
    });

    it('refuses in every worker within a second what was revoked in one', async () => {
      const token = await logIn(url);
      await revoke(url, token);
      // New connections go to the workers in turn, so all of them are asked.
      const statuses = async () => new Set(await Promise.all(Array.from({ length: 12 }, () => freshStatus(url, token))));
      for (const end = Date.now() + PATIENCE_MS; (await statuses()).has(200) && Date.now() < end; );
      assert.deepEqual(await statuses(), new Set([401]));
    });
  });

  it('asks for the master key instead of making one', async () => {
    const { GATEHOUSE_MASTER_KEY: _, ...without } = settings;
    const refused = gatehouse(['start'], without);
    assert.equal(await refused.ended(), 2);
    assert.match(refused.stderr, /^gatehouse: GATEHOUSE_MASTER_KEY must be set with PostgreSQL/);
  });
});

/** Values by name and labels. */
async function metricsAt(port: string): Promise<Map<string, number>> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await answer.text();
  assert.equal(answer.status, 200, text);
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ') + 1))]));
}

/** A request on a connection of its own. */
function freshStatus(url: string, token: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const socket = createConnection({ host: hostname, port: Number(port) });
    socket.on('error', reject);
    socket.once('data', (data) => {
      resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(data.toString())?.[1]));
      socket.destroy();
    });
    socket.write(
      `GET /v3/auth/tokens HTTP/1.1\r\nHost: x\r\nX-Auth-Token: ${token}\r\nX-Subject-Token: ${token}\r\nConnection: close\r\n\r\n`,
    );
  });
}

describe('On SQLite', () => {
  let folder: string;
  let settings: ProcessSettings;
  const running: GatehouseProcess[] = [];
  /** The one that runs on the data folder from one test to the next. */
  let service: GatehouseProcess;
  let password = '';
  const start = (more: ProcessSettings = {}): GatehouseProcess => {
    const service = gatehouse(['start'], { ...settings, ...more });
    running.push(service);
    return service;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    settings = { GATEHOUSE_DATA_DIR: join(folder, 'data') };
  });
  after(async () => {
    await Promise.all(running.map((service) => service.stop()));
    await rm(folder, { recursive: true, force: true });
  });

  it('keeps the administrator’s password in a file, and finds its data again', async () => {
    const first = start();
    const url = await first.listening();
    const file = /password in (\S+) \(/.exec(first.stderr)?.[1];
    assert.ok(file, first.stderr);
    password = (await readFile(file, 'utf8')).trim();
    const token = await logIn(url, password);
    assert.equal(await first.stop(), 0);

    const second = start();
    const again = await second.listening();
    assert.equal(await validate(again, token), 200);
    await logIn(again, password);
    assert.ok(!`${second.stderr}${second.stdout}`.includes('password'), second.stderr);
    assert.ok(!`${first.stdout}${second.stdout}${second.stderr}`.includes(password));
    service = second;
  });

  it('keeps its data to its owner', async () => {
    const modes = await Promise.all(['', 'master.key', 'identity.sqlite'].map((name) => stat(join(folder, 'data', name))));
    assert.deepEqual(
      modes.map(({ mode }) => mode & 0o777),
      [0o700, 0o600, 0o600],
    );
  });

  it('refuses a second process on the same data folder, in one line', async () => {
    const other = start();
    assert.equal(await other.ended(), 2);
    assert.match(other.stderr, /^gatehouse: .*\/data is in use by another gatehouse process; .*\n$/);
  });

  it('takes over the folder of a killed process', async () => {
    await service.killNow();
    service = start();
    await service.listening();
  });

  itAtLength('refuses more than one worker', async () => {
    const refused = start({ GATEHOUSE_WORKERS: '2' });
    assert.equal(await refused.ended(), 2);
    assert.match(refused.stderr, /^gatehouse: GATEHOUSE_WORKERS: more than one process needs PostgreSQL/);
  });

  it('refuses a misspelled setting and names the right one', async () => {
    const refused = start({ GATEHOUSE_IDENTITY_PROT: '5000' });
    assert.equal(await refused.ended(), 2);
    assert.equal(refused.stderr, 'gatehouse: GATEHOUSE_IDENTITY_PROT is not a setting; did you mean GATEHOUSE_IDENTITY_PORT?\n');
  });

  it('shows its settings with secrets masked', async () => {
    const shown = gatehouse(['config'], {
      ...settings,
      GATEHOUSE_ADMIN_PASSWORD: 'do not show this',
      GATEHOUSE_IDENTITY_URL: 'https://id.example.org/',
    });
    assert.equal(await shown.ended(), 0);
    assert.ok(!shown.stdout.includes('do not show this'));
    assert.match(shown.stdout, /^GATEHOUSE_ADMIN_PASSWORD=\*{8}$/m);
    assert.match(shown.stdout, /^GATEHOUSE_IDENTITY_URL=https:\/\/id\.example\.org$/m);
  });

  itAtLength('keeps tokens valid through a rotation of the master key and of the token key', async () => {
    const token = await logIn(await service.listening(), password);
    assert.equal(await service.stop(), 0);
    assert.ok(!`${service.stdout}${service.stderr}`.includes(password));
    const keyFile = join(folder, 'data', 'master.key');
    const before = await readFile(keyFile, 'utf8');
    for (const command of ['master-key', 'token-key']) {
      const rotation = gatehouse([command, 'rotate'], settings);
      assert.equal(await rotation.ended(), 0, rotation.stderr);
    }
    assert.notEqual(await readFile(keyFile, 'utf8'), before);
    const next = start();
    assert.equal(await validate(await next.listening(), token), 200);
    assert.equal(await next.stop(), 0);
  });

  it('finishes what is running when it is told to stop, and exits 0', async () => {
    const metricsPort = await freePort();
    const busy = start({
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_DATA_DIR: join(folder, 'graceful'),
      GATEHOUSE_IDENTITY_ARGON2_MEMORY: '262144',
      GATEHOUSE_METRICS_PORT: String(metricsPort),
    });
    const url = await busy.listening();
    const hashes = async (): Promise<number> => {
      const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return Number(/^gatehouse_password_hashes_total (\d+)$/m.exec(text)?.[1]);
    };
    const before = await hashes();
    const login = logIn(url);
    // The request is running while its password is hashed, which takes long here.
    while ((await hashes()) === before) await new Promise((resolve) => setTimeout(resolve, 5));
    const code = busy.stop();
    assert.ok(await login);
    assert.equal(await code, 0);
  });
});
