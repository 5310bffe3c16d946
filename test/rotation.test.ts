// The master key and the token key are replaced while requests are served: none fails, and no token, secret or session is lost.
// ROTATION_REQUESTS: how many rounds of each kind of request are made in each step (5).
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { examine } from '../src/doctor/index.ts';
import { tokenKeyId } from '../src/identity/login/tokens/token-format.ts';
import { newMasterKey } from '../src/platform/seal/index.ts';
import { ADMIN_PASSWORD, uniqueName } from './support/api.ts';
import { itAtLength } from './support/extent.ts';
import { Load } from './support/load.ts';
import { freePort } from './support/ports.ts';
import { type GatehouseProcess, gatehouse } from './support/process.ts';
import { RestartableApi } from './support/restartable-api.ts';
import { TestWallet, WalletUser } from './support/wallet.ts';

const ROUNDS = Number(process.env.ROTATION_REQUESTS ?? 5);
const ADMIN = { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD };
const SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };
const KEYS = '/v3/OS-SERVICE/keys';

/** Fails on any answer but this. */
async function call(url: string, method: string, path: string, status: number, token: string, body?: unknown) {
  const response = await fetch(url + path, {
    method,
    headers: { 'Content-Type': 'application/json', 'X-Auth-Token': token, 'X-Subject-Token': token },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return { headers: response.headers, body: text === '' ? undefined : JSON.parse(text) };
}

const logIn = async (url: string): Promise<string> => {
  const auth = { identity: { methods: ['password'], password: { user: ADMIN } }, scope: SCOPE };
  return (await call(url, 'POST', '/v3/auth/tokens', 201, '', { auth })).headers.get('x-subject-token')!;
};

/** Requests of each kind that seals or opens something. `urls` gives the addresses at the moment of each request. */
function loadIdentity(load: Load, urls: () => readonly [string, string], oldToken: string) {
  const tokens: string[] = [oldToken];
  const secrets = new Map<string, string>();
  load.add(
    'validates an old token',
    async (round) => void (await call(urls()[round % 2]!, 'GET', '/v3/auth/tokens', 200, oldToken)),
  );
  load.add('logs in, and validates elsewhere', async (round) => {
    const token = await logIn(urls()[round % 2]!);
    tokens.push(token);
    await call(urls()[(round + 1) % 2]!, 'GET', '/v3/auth/tokens', 200, token);
  });
  load.add('makes an application, and reads its secret elsewhere', async (round) => {
    const made = await call(urls()[round % 2]!, 'POST', '/v3/OS-OAUTH2/consumers', 200, oldToken, {
      consumer: { name: uniqueName('app'), redirect_uris: ['https://app.example/'] },
    });
    const { id, secret } = made.body.consumer;
    secrets.set(id, secret);
    const read = await call(urls()[(round + 1) % 2]!, 'GET', `/v3/OS-OAUTH2/consumers/${id}`, 200, oldToken);
    if (read.body.consumer.secret !== secret) throw new Error('another secret');
  });
  load.add('changes an application', async (round) => {
    const id = [...secrets.keys()].at(-1);
    if (id === undefined) return;
    const { body } = await call(urls()[round % 2]!, 'PATCH', `/v3/OS-OAUTH2/consumers/${id}`, 200, oldToken, {
      consumer: { description: String(round) },
    });
    assert.equal(body.consumer.id, id);
  });
  return {
    /** Afterwards: every token is valid, and every secret is the same. */
    async check(url: string): Promise<void> {
      for (const token of tokens) await call(url, 'GET', '/v3/auth/tokens', 200, token);
      for (const [id, secret] of secrets)
        assert.equal((await call(url, 'GET', `/v3/OS-OAUTH2/consumers/${id}`, 200, oldToken)).body.consumer.secret, secret);
    },
    tokens,
  };
}

function loadWallet(load: Load, people: () => readonly [WalletUser, WalletUser]) {
  const made: string[] = [];
  load.add('makes a key, and signs elsewhere', async (round) => {
    const [one, other] = [people()[round % 2]!, people()[(round + 1) % 2]!];
    const key = await one.make('keys', { algorithm: 'ES256' });
    made.push(key.id);
    const read = await other.get(`/api/v1/wallet/keys/${key.id}`);
    if (read.status !== 200) throw new Error(`read: ${read.status} ${read.text}`);
  });
  load.add('asks who it is', async (round) => {
    const answer = await people()[round % 2]!.get('/api/v1/auth/userinfo');
    if (answer.status !== 200) throw new Error(`session: ${answer.status} ${answer.text}`);
  });
  return made;
}

describe('Keys of a service on SQLite', () => {
  const wallet = new TestWallet('SQLite');
  let service: GatehouseProcess;
  let url: string;
  let settings: Record<string, string>;
  before(async () => {
    await wallet.provider.start();
    const { provider } = wallet;
    settings = {
      GATEHOUSE_DATA_DIR: await mkdtemp(join(tmpdir(), 'gatehouse-rotation-')),
      GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
      GATEHOUSE_RATE_LIMITS: 'off',
      GATEHOUSE_WALLET_PORT: String(await freePort()),
      GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer,
      GATEHOUSE_WALLET_OIDC_CLIENT_ID: provider.clientId,
      GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: provider.clientSecret,
      GATEHOUSE_OUTBOUND_ALLOW: '127.0.0.1',
    };
    await start();
  });
  async function start(): Promise<void> {
    service = gatehouse(['start'], settings);
    url = await service.listening();
    wallet.url = await service.walletListening();
  }
  after(async () => {
    await service.stop();
    await wallet.provider.stop();
    await rm(settings.GATEHOUSE_DATA_DIR!, { recursive: true, force: true });
  });

  itAtLength('are replaced while it runs', async () => {
    const [token, person] = [await logIn(url), await wallet.logIn()];
    const load = new Load();
    const identity = loadIdentity(load, () => [url, url], token);
    const keys = loadWallet(load, () => [person, person]);
    await load.more(ROUNDS);
    const file = join(settings.GATEHOUSE_DATA_DIR!, 'master.key');
    const before = readFileSync(file, 'utf8').trim();
    await call(url, 'POST', `${KEYS}/token/rotate`, 200, token);
    const { body } = await call(url, 'POST', `${KEYS}/master/rotate`, 200, token);
    assert.equal(body.key_set.kind, 'master');
    await load.more(ROUNDS);
    await load.stop();
    assert.deepEqual(load.failures, []);
    const stored = () => readFileSync(file, 'utf8').trim().split('\n');
    assert.equal(stored().length, 2, 'the new key, and the one before for sessions');
    assert.equal(stored()[1], before);
    assert.ok(await isSealedAnew(), 'nothing is left under the former key');
    await identity.check(url);
    // The same after a restart, and the session is still good.
    assert.equal(await service.stop(), 0);
    await start();
    await identity.check(url);
    assert.equal((await person.get(`/api/v1/wallet/keys/${keys.at(-1)}`)).status, 200);
    await call(url, 'POST', `${KEYS}/master/rotate`, 200, token);
    assert.ok(!stored().includes(before), 'the next rotation removes it');
    await identity.check(url);
  });

  async function isSealedAnew(): Promise<boolean> {
    const machine = { now: () => Date.now(), freeBytes: async () => 1e12, isClockSynchronized: async () => true };
    const findings = await examine({ env: settings, machine });
    return findings.find(({ check }) => check === 'master-key')?.status === 'ok';
  }

  it('are not replaced if master.key was moved away or exchanged: the key in use is never lost', async () => {
    const token = await logIn(url);
    const folder = settings.GATEHOUSE_DATA_DIR!;
    const [file, away] = [join(folder, 'master.key'), join(folder, 'master.key.away')];
    const rotate = async () => (await call(url, 'POST', `${KEYS}/master/rotate`, 409, token)).body.error.message;
    renameSync(file, away);
    assert.match(await rotate(), /Nothing was changed: master\.key/);
    assert.ok(!readdirSync(folder).includes('master.key'));
    for (const other of [`${newMasterKey()}\n${readFileSync(away, 'utf8')}`, 'no key\n', '']) {
      writeFileSync(file, other);
      assert.match(await rotate(), /Nothing was changed: master\.key/);
      assert.equal(readFileSync(file, 'utf8'), other);
    }
    rmSync(file);
    renameSync(away, file);
    await call(url, 'POST', `${KEYS}/master/rotate`, 200, token);
  });

  it('are replaced by administrators only, and the command says how while it runs', async () => {
    const refused = await fetch(`${url}${KEYS}/master/rotate`, { method: 'POST' });
    assert.equal(refused.status, 401);
    const command = gatehouse(['master-key', 'rotate'], settings);
    assert.equal(await command.ended(), 2);
    assert.match(command.stderr, /POST \/v3\/OS-SERVICE\/keys\/master\/rotate/);
  });
});

describe('Keys of two replicas on PostgreSQL', () => {
  const replicas = [new RestartableApi('PostgreSQL'), new RestartableApi('PostgreSQL')] as const;
  const [one, two] = replicas;
  const settings = { GATEHOUSE_WALLET_URL: 'http://127.0.0.1:9999' };
  const firstNode = new TestWallet('PostgreSQL', { settings });
  const secondNode = new TestWallet('PostgreSQL', { settings, provider: firstNode.provider });
  const nodes = [firstNode, secondNode] as const;
  const [oldKey, newKey] = [newMasterKey(), newMasterKey()];
  const SETTINGS = { GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD };

  before(async () => {
    for (const api of replicas) api.masterKeys = [oldKey];
    await one.begin(SETTINGS);
    two.folder = await mkdtemp(join(tmpdir(), 'gatehouse-rotation-'));
    two.databaseUrl = one.databaseUrl;
    await two.begin(SETTINGS);
    await firstNode.start();
    await firstNode.service.stop(1000);
    secondNode.folder = await mkdtemp(join(tmpdir(), 'gatehouse-rotation-'));
    secondNode.databaseUrl = firstNode.databaseUrl;
  });
  after(async () => {
    for (const node of nodes) await node.service?.stop(1000);
    await firstNode.provider.stop();
    for (const { folder } of nodes) await rm(folder, { recursive: true, force: true });
    for (const api of replicas) await api.remove();
  });

  /** One after the other, as a rolling restart does: the new process serves before the old one ends. */
  async function restartAll(keys: readonly string[]): Promise<void> {
    const settle = () => delay(250);
    for (const api of replicas) {
      const former = api.service;
      api.masterKeys = [...keys];
      await api.begin(SETTINGS);
      await settle();
      await former.stop(5000);
    }
    for (const node of nodes) {
      const former = node.service;
      await node.open(keys);
      await settle();
      await former.stop(5000);
    }
  }

  it('are replaced in four steps while they run', async () => {
    // The node of the first start was sealed under its own key; it begins anew here.
    for (const node of nodes) await node.open([oldKey, firstNode.masterKey]);
    await firstNode.service.reseal();
    const person = await firstNode.logIn();
    const people = (): [WalletUser, WalletUser] => [
      new WalletUser(firstNode, person.name, person.cookie),
      new WalletUser(secondNode, person.name, person.cookie),
    ];
    const urls = (): [string, string] => [one.url, two.url];
    const token = await logIn(one.url);
    const load = new Load();
    const identity = loadIdentity(load, urls, token);
    loadWallet(load, people);
    await load.more(ROUNDS);

    // A token key: announced by one replica, used by both after a minute.
    await call(one.url, 'POST', `${KEYS}/token/rotate`, 200, token);
    for (const api of replicas) api.clock.advance(61);
    await load.more(ROUNDS);
    assert.notEqual(tokenKeyId(identity.tokens.at(-1)!), tokenKeyId(token));

    const refused = await fetch(`${one.url}${KEYS}/master/rotate`, { method: 'POST', headers: { 'X-Auth-Token': token } });
    assert.equal(refused.status, 409, 'the key is given by a setting');
    await restartAll([oldKey, newKey]);
    await load.more(ROUNDS);
    await restartAll([newKey, oldKey]);
    await load.more(ROUNDS);
    await Promise.all([one.service.reseal(), firstNode.service.reseal(), load.more(ROUNDS)]);
    await load.more(ROUNDS);
    await load.stop();
    assert.deepEqual(load.failures, []);
    // The cookie of the person is sealed under the old key, so the wallet keeps it for as long as sessions last.
    for (const api of replicas) {
      const former = api.service;
      api.masterKeys = [newKey];
      await api.begin(SETTINGS);
      await former.stop(5000);
    }
    for (const api of replicas) await identity.check(api.url);
  });
});
