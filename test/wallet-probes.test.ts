// Probes and metrics of the wallet node, and its behaviour while the provider or the database is unreachable.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { ApiAnswer } from './support/api.ts';
import { Cable } from './support/cable.ts';
import { PlainProvider } from './support/plain-provider.ts';
import { freePort } from './support/ports.ts';
import { type GatehouseProcess, gatehouse, type ProcessSettings } from './support/process.ts';
import { onEachWallet, TestWallet } from './support/wallet.ts';

const LOGIN = '/api/v1/auth/login';
const USERINFO = '/api/v1/auth/userinfo';
const KEYS = '/api/v1/wallet/keys';

async function until<T>(ask: () => Promise<T>, isDone: (value: T) => boolean, what: string): Promise<T> {
  const end = Date.now() + 30_000;
  for (;;) {
    const value = await ask();
    if (isDone(value)) return value;
    assert.ok(Date.now() < end, `${what} did not come about`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const isProvided = ({ body }: ApiAnswer): boolean => body.checks.identityProvider.status === 'ok';

onEachWallet('The probes', (wallet) => {
  it('say that the server answers and that it is alive', async () => {
    for (const path of ['/healthz', '/livez']) {
      const { status, body } = await wallet.get(path);
      assert.deepEqual([status, body], [200, { status: 'ok' }], path);
    }
  });

  it('say whether it can serve, and name no internals', async () => {
    const { status, body } = await wallet.get('/readyz');
    assert.equal(status, 200);
    assert.deepEqual([Object.keys(body), body.status], [['status', 'checks'], 'ok']);
    assert.deepEqual(Object.keys(body.checks), ['database', 'wallet', 'identityProvider']);
    for (const check of Object.values(body.checks) as { status: string; latencyMs: number }[]) {
      assert.equal(check.status, 'ok');
      assert.ok(Number.isInteger(check.latencyMs));
    }
  });

  it('are asked without a session, and there are no metrics beside them', async () => {
    for (const path of ['/metrics', '/metrics/', '/api/v1/metrics']) {
      const answer = await wallet.get(path);
      assert.deepEqual([answer.status, answer.body.code], [404, 'not-found'], path);
    }
  });
});

onEachWallet(
  'While the identity provider is away',
  (wallet) => {
    it('the node starts, serves documents, keys and sessions, and says so', async () => {
      const anna = await wallet.logIn('anna');
      const key = await anna.make('keys');
      await wallet.provider.stop();
      await wallet.service.stop(1000);
      await wallet.open();
      assert.equal((await wallet.get('/.well-known/did.json')).status, 200);
      assert.deepEqual((await anna.get(KEYS)).body, [key]);
      assert.equal((await anna.post(KEYS, {})).status, 201);
      assert.equal((await anna.get(USERINFO)).body.sub, 'anna');
      const ready = await wallet.get('/readyz');
      assert.deepEqual([ready.status, ready.body.status], [200, 'ok'], 'it can serve without it');
      assert.deepEqual(ready.body.checks.identityProvider, { status: 'unavailable' });
      assert.equal(ready.body.checks.database.status, 'ok');
      const login = await wallet.get(LOGIN);
      assert.deepEqual([login.status, login.body.code], [503, 'identity-provider-unavailable']);
      assert.ok(!login.text.includes(new URL(wallet.provider.issuer).port), 'no addresses in errors');
    });

    it('it recovers by itself when the provider comes back', async () => {
      await wallet.provider.start();
      const { body } = await until(() => wallet.get('/readyz'), isProvided, 'the provider');
      assert.equal(body.status, 'ok');
      assert.equal((await (await wallet.logIn('bert')).get(USERINFO)).body.sub, 'bert');
    });

    it('it notices also when the provider goes away after it was there', async () => {
      await wallet.provider.stop();
      await until(
        () => wallet.get('/readyz'),
        (answer) => !isProvided(answer),
        'the absence',
      );
      assert.equal((await wallet.get('/readyz')).status, 200);
      await wallet.provider.start();
      await until(() => wallet.get('/readyz'), isProvided, 'the provider');
    });
  },
  { provider: {} },
);

class CabledWallet extends TestWallet {
  cable!: Cable;

  override async open(): Promise<void> {
    const through = new URL(this.databaseUrl!);
    this.cable = new Cable(through.hostname, Number(through.port));
    through.port = String(await this.cable.listen());
    this.databaseUrl = through.href;
    await super.open();
  }
}

describe('An outage of PostgreSQL', () => {
  const wallet = new CabledWallet('PostgreSQL');
  before(() => wallet.start());
  after(async () => {
    wallet.cable.mend();
    await wallet.stop();
    wallet.cable.close();
  });

  it('is 503 on /readyz within two seconds, and on everything that needs the database; then it heals', async () => {
    const anna = await wallet.logIn('anna');
    assert.equal((await anna.get(KEYS)).status, 200);
    wallet.cable.break();
    // Within two seconds on an idle machine; waiting for the database would take longer.
    const started = performance.now();
    const ready = await wallet.get('/readyz');
    assert.ok(performance.now() - started < 20_000);
    assert.deepEqual(
      [ready.status, ready.body.status, ready.body.checks.database],
      [503, 'unavailable', { status: 'unavailable' }],
    );
    for (const path of [KEYS, USERINFO]) {
      const answer = await anna.get(path);
      assert.deepEqual([answer.status, answer.body.code, answer.headers.get('retry-after')], [503, 'not-ready', '1'], path);
      assert.equal(answer.headers.getSetCookie().length, 0, 'a session is not lost for that');
    }
    assert.equal((await anna.post(KEYS, {})).status, 503);
    for (const path of ['/healthz', '/livez']) assert.equal((await wallet.get(path)).status, 200, path);
    wallet.cable.mend();
    await until(
      () => wallet.get('/readyz'),
      ({ status }) => status === 200,
      'the database',
    );
    assert.equal((await anna.get(KEYS)).status, 200);
    assert.equal((await anna.post(KEYS, {})).status, 201);
  });
});

describe('A real process', () => {
  const running: GatehouseProcess[] = [];
  const provider = new PlainProvider();
  let folder: string;
  const start = (command: string, settings: ProcessSettings = {}): GatehouseProcess => {
    const service = gatehouse([command], { GATEHOUSE_DATA_DIR: join(folder, String(running.length)), ...settings });
    running.push(service);
    return service;
  };
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
    await provider.start();
  });
  after(async () => {
    await Promise.all(running.map((service) => service.stop()));
    await provider.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('serves metrics on their own port, with nobody’s name in them', async () => {
    const port = await freePort();
    const service = start('start', { GATEHOUSE_METRICS_PORT: String(port) });
    const [url, identity] = [await service.walletListening(), await service.listening()];
    await until(
      async () => (await fetch(`${url}/readyz`)).json() as Promise<any>,
      (body) => isProvided({ body } as ApiAnswer),
      'the identity service beside it',
    );
    const login = await fetch(url + LOGIN, { redirect: 'manual' });
    assert.ok(login.headers.get('location')!.startsWith(`${identity}/openid/`));
    const did = ((await (await fetch(`${url}/.well-known/did.json`)).json()) as { id: string }).id;
    await fetch(`${url}/dids/somebody/did.json`);
    for (const public_ of [url, identity]) assert.equal((await fetch(`${public_}/metrics`)).status, 404);
    const refused = await fetch(`http://127.0.0.1:${port}/metrics`, { method: 'POST' });
    assert.deepEqual([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD']);
    const answer = await fetch(`http://127.0.0.1:${port}/metrics`);
    assert.equal(answer.status, 200);
    assert.match(answer.headers.get('content-type')!, /^text\/plain; version=0\.0\.4/);
    const text = await answer.text();
    assert.match(text, /^wallet_keys\{state="active"\} 1$/m);
    assert.match(text, /^wallet_dids\{state="published"\} 1$/m);
    assert.match(text, /^wallet_sessions_active 0$/m);
    assert.match(text, /^# TYPE wallet_credentials gauge$/m);
    assert.match(text, /^wallet_outbound_requests_total\{kind="identity-provider",outcome="ok"\} \d+$/m);
    assert.match(text, /^http_request_duration_seconds_count\{.*route="\/dids\/:name\/did\.json".*\} 1$/m);
    assert.match(text, /^process_cpu_seconds_total /m);
    for (const name of [did, 'did:web', 'somebody', identity, new URL(identity).host]) assert.ok(!text.includes(name), name);
    assert.equal(await service.stop(), 0);
  });

  it('that is a wallet node alone wants to know its provider', async () => {
    const service = start('wallet');
    assert.equal(await service.ended(), 2);
    assert.match(service.stderr, /^gatehouse: GATEHOUSE_WALLET_OIDC_ISSUER must be set/);
    const half = start('wallet', { GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer });
    assert.equal(await half.ended(), 2);
    assert.match(half.stderr, /^gatehouse: GATEHOUSE_WALLET_OIDC_CLIENT_ID must be set/);
  });

  it('that is a wallet node alone logs people in through that provider', async () => {
    const service = start('wallet', {
      GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer,
      GATEHOUSE_WALLET_OIDC_CLIENT_ID: provider.clientId,
      GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: provider.clientSecret,
    });
    const url = await service.walletListening();
    const wallet = Object.assign(new TestWallet('SQLite', { provider }), { url });
    const anna = await wallet.logIn('anna');
    const { status, body } = await anna.get(USERINFO);
    assert.deepEqual([status, body.sub, body.iss], [200, 'anna', provider.issuer]);
    assert.equal((await anna.post(KEYS, {})).status, 201);
    assert.equal(await service.stop(), 0);
    assert.ok(!`${service.stdout}${service.stderr}`.includes(provider.clientSecret));
  });
});
