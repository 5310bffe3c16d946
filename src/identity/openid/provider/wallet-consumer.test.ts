// The wallet node as a first-party application: registered at the first start, updated with its address, without consent.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, type DatabaseKind, onEachDatabase, TestApi } from '../../../../test/support/api.ts';
import { inFullRun, itAtLength } from '../../../../test/support/extent.ts';
import { basic, FORM, KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import { BOTH_DATABASES } from '../../../../test/support/migrated-database.ts';
import { sharedPostgres } from '../../../../test/support/postgres.ts';
import { type GatehouseProcess, gatehouse, type ProcessSettings } from '../../../../test/support/process.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { newMasterKey } from '../../../platform/seal/index.ts';

const ID = 'gatehouse_wallet';
const ONE = 'https://wallet.example.org';

function onProcesses(kind: DatabaseKind): void {
  describe(`The wallet node as an application (${kind})`, () => {
    let folder: string;
    let settings: ProcessSettings;
    const running: GatehouseProcess[] = [];

    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'gatehouse-test-'));
      settings = {
        GATEHOUSE_DATA_DIR: join(folder, 'data'),
        GATEHOUSE_MASTER_KEY: newMasterKey(),
        GATEHOUSE_ADMIN_PASSWORD: ADMIN_PASSWORD,
        GATEHOUSE_LOG_LEVEL: 'debug',
        ...(kind === 'PostgreSQL' ? { GATEHOUSE_IDENTITY_DATABASE_URL: await (await sharedPostgres()).createDatabase() } : {}),
      };
    });
    after(async () => {
      await Promise.all(running.map((service) => service.stop()));
      await rm(folder, { recursive: true, force: true });
    });

    function begin(more: ProcessSettings, command = 'start'): GatehouseProcess {
      const service = gatehouse([command], { ...settings, ...more });
      running.push(service);
      return service;
    }

    /** All applications as an administrator lists them, and the wallet's with its secret. */
    async function look(service: GatehouseProcess): Promise<{ count: number; wallet: any; api: TestApi }> {
      const api = new TestApi(kind);
      api.url = await service.listening();
      const scope = { project: { name: 'admin', domain: { id: 'default' } } };
      api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
      const { consumers } = (await api.get('/v3/OS-OAUTH2/consumers')).body;
      // The registration follows right after the service listens.
      for (let tries = 0; tries < 50; tries++) {
        const found = await api.get(`/v3/OS-OAUTH2/consumers/${ID}`);
        if (found.status === 200) return { count: consumers.length, wallet: found.body.consumer, api };
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      return { count: consumers.length, wallet: undefined, api };
    }

    async function run(more: ProcessSettings, command?: string) {
      const service = begin(more, command);
      const seen = await look(service);
      assert.equal(await service.stop(), 0);
      return { ...seen, output: `${service.stdout}${service.stderr}` };
    }

    itAtLength('is not there where no wallet node belongs to the service', async () => {
      assert.equal((await run({}, 'identity')).wallet, undefined);
      const elsewhere = { GATEHOUSE_WALLET_OIDC_ISSUER: 'https://id.example.com', GATEHOUSE_WALLET_OIDC_CLIENT_ID: 'wallet' };
      assert.equal((await run(elsewhere)).wallet, undefined);
    });

    it('is registered once, keeps its secret through restarts, and moves with its address', async () => {
      const first = await run({ GATEHOUSE_WALLET_URL: ONE });
      assert.deepEqual(first.wallet.redirect_uris, [`${ONE}/api/v1/auth/callback`]);
      assert.deepEqual(first.wallet.post_logout_redirect_uris, [`${ONE}/`]);
      assert.deepEqual([first.wallet.client_type, first.wallet.grant_type], ['confidential', 'authorization_code']);
      assert.ok(first.wallet.secret.length >= 32);

      const second = await run({ GATEHOUSE_WALLET_URL: ONE });
      assert.deepEqual(
        { ...second.wallet, links: undefined },
        { ...first.wallet, links: undefined },
        'the same in everything, the secret too',
      );

      const moved = await run({ GATEHOUSE_WALLET_URL: 'https://moved.example.org' });
      assert.deepEqual(moved.wallet.redirect_uris, ['https://moved.example.org/api/v1/auth/callback']);
      assert.deepEqual(moved.wallet.post_logout_redirect_uris, ['https://moved.example.org/']);
      assert.equal(moved.wallet.secret, first.wallet.secret);
      assert.equal(moved.count, second.count);

      const local = await run({ GATEHOUSE_WALLET_HOST: '::1', GATEHOUSE_WALLET_PORT: '8099' });
      assert.deepEqual(
        local.wallet.redirect_uris,
        ['https://moved.example.org/api/v1/auth/callback', 'http://[::1]:8099/api/v1/auth/callback'],
        'nobody said that it moved: another replica may be there',
      );
      const said = await run({ GATEHOUSE_WALLET_URL: ONE });
      assert.deepEqual(said.wallet.redirect_uris, [`${ONE}/api/v1/auth/callback`]);

      for (const { output } of [first, second, moved, local]) {
        assert.match(output, /identity service listens/);
        assert.ok(!output.includes(first.wallet.secret));
      }
    });

    it('is notified at a local address that a person was disabled, although no other calls may go there', async () => {
      const service = begin({});
      const { api } = await look(service);
      const wallet = await service.walletListening();
      const person = await makeUser(api);
      let sent = await fetch(`${wallet}/api/v1/auth/login`, { redirect: 'manual' });
      // 503 while the node does not know its provider, which takes long on a busy machine.
      for (let tries = 0; sent.status === 503 && tries < 100; tries++) {
        await new Promise((resolve) => setTimeout(resolve, 200));
        sent = await fetch(`${wallet}/api/v1/auth/login`, { redirect: 'manual' });
      }
      const flow = sent.headers.getSetCookie()[0]!.split(';', 1)[0]!;
      const back = redirectTargetOf(await new TestBrowser(api).signIn(sent.headers.get('location')!, person));
      const done = await fetch(back, { redirect: 'manual', headers: { Cookie: flow } });
      const cookie = done.headers.getSetCookie()[0]!.split(';', 1)[0]!;
      const status = async () => (await fetch(`${wallet}/api/v1/auth/userinfo`, { headers: { Cookie: cookie } })).status;
      assert.equal(await status(), 200);
      assert.equal((await api.patch(`/v3/users/${person.id}`, { user: { enabled: false } })).status, 200);
      for (let tries = 0; (await status()) !== 401; tries++) {
        assert.ok(tries < 300, `it was not told: ${service.stdout}`);
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      assert.match(service.stdout + service.stderr, /backchannel-logout/, 'it was told, and did not find out by asking');
      assert.equal(await service.stop(), 0);
    });

    itAtLength('has the role that manages the node, by the name in the settings', async () => {
      const rolesOf = async (more: ProcessSettings) => {
        const service = begin({ ...more, GATEHOUSE_WALLET_URL: ONE });
        const { api } = await look(service);
        await service.walletListening();
        const { roles } = (await api.get(`/v3/OS-ROLES/roles?application_id=${ID}`)).body;
        assert.equal(await service.stop(), 0);
        return roles.map(({ id, name, is_internal }: any) => ({ id, name, is_internal }));
      };
      const first = await rolesOf({});
      assert.deepEqual(first, [{ id: first[0].id, name: 'admin', is_internal: false }]);
      assert.deepEqual(await rolesOf({}), first);
      const named = await rolesOf({ GATEHOUSE_WALLET_ADMIN_ROLE: 'keeper' });
      assert.deepEqual(
        named.map(({ name }: any) => name),
        ['admin', 'keeper'],
      );
    });

    if (kind === 'PostgreSQL')
      itAtLength(
        'signs people in at every replica without a configured address, started at once or one after the other',
        async () => {
          const fresh = { GATEHOUSE_IDENTITY_DATABASE_URL: await (await sharedPostgres()).createDatabase() };
          const services = ['one', 'two'].map((name) => begin({ ...fresh, GATEHOUSE_DATA_DIR: join(folder, name) }));
          await Promise.all(services.map((service) => service.walletListening()));
          services.push(begin({ ...fresh, GATEHOUSE_DATA_DIR: join(folder, 'three') }));
          const addresses = await Promise.all(services.map((service) => service.walletListening()));
          const { wallet } = await look(services[0]!);
          assert.deepEqual(new Set(wallet.redirect_uris), new Set(addresses.map((address) => `${address}/api/v1/auth/callback`)));
          for (const address of addresses) {
            const sent = await fetch(`${address}/api/v1/auth/login`, { redirect: 'manual' });
            const answer = await fetch(sent.headers.get('location')!, { redirect: 'manual' });
            assert.match(answer.headers.get('location') ?? '', /^\/openid\/interaction\//, await answer.text());
          }
          assert.deepEqual(await Promise.all(services.map((service) => service.stop())), [0, 0, 0]);
        },
      );

    if (kind === 'PostgreSQL')
      it('is registered once when two services start at once', async () => {
        const fresh = {
          GATEHOUSE_IDENTITY_DATABASE_URL: await (await sharedPostgres()).createDatabase(),
          GATEHOUSE_WALLET_URL: ONE,
        };
        const pair = [begin(fresh), begin({ ...fresh, GATEHOUSE_DATA_DIR: join(folder, 'other') })];
        const seen = await Promise.all(pair.map(look));
        assert.deepEqual(await Promise.all(pair.map((service) => service.stop())), [0, 0]);
        assert.equal(seen[0]!.wallet.secret, seen[1]!.wallet.secret);
      });
  });
}

// Replicas share a PostgreSQL; on SQLite there is less to go wrong.
for (const kind of inFullRun(BOTH_DATABASES, ['PostgreSQL'])) onProcesses(kind);

onEachDatabase('Signing in to the wallet node', (api) => {
  const asked = (clientId: string, redirectUri: string, scope: string, more: Record<string, string> = {}) =>
    `${api.url}/openid/authorize?${new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: redirectUri,
      scope,
      state: 'x',
      ...more,
    })}`;
  const callback = `${ONE}/api/v1/auth/callback`;
  const wasAsked = (pages: readonly BrowserPage[]) => pages.some((page) => stepOf(page) === 'allow');

  async function redeem(page: BrowserPage, client: { id: string; secret: string }) {
    const code = redirectTargetOf(page).searchParams.get('code')!;
    const body = new URLSearchParams({ grant_type: 'authorization_code', code, redirect_uri: callback }).toString();
    return api.post('/openid/token', body, { token: null, headers: { ...FORM, Authorization: basic(client) } });
  }

  it('asks for no consent, for whatever it needs and however often; other applications do', async () => {
    const { clientId, clientSecret } = await api.service.registerWallet(ONE);
    const wallet = { id: clientId, secret: clientSecret };
    assert.equal(clientId, ID);
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    for (const scope of ['openid', 'openid', 'openid profile email']) {
      const page = await browser.signIn(asked(clientId, callback, scope), person);
      const answer = await redeem(page, wallet);
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.scope, scope);
    }
    assert.equal(wasAsked(browser.seen), false);
    const other = await KeyrockClient.make(api, { redirect_uris: [callback] });
    await browser.signIn(asked(other.id, callback, 'openid'), person);
    assert.equal(wasAsked(browser.seen), true, 'this test would see the question');
  });

  it('is registered once by whoever registers it at the same time', async () => {
    const elsewhere = 'https://at-once.example.org';
    const made = await Promise.all([1, 2, 3].map(() => api.service.registerWallet(elsewhere)));
    assert.equal(new Set(made.map(({ clientSecret }) => clientSecret)).size, 1);
  });

  it('does not redirect to the former address of the wallet node', async () => {
    await api.service.registerWallet(ONE);
    const { clientSecret } = await api.service.registerWallet('https://moved.example.org');
    const person = await makeUser(api);
    const page = await new TestBrowser(api).signIn(asked(ID, callback, 'openid'), person);
    assert.deepEqual([page.status, page.redirectTarget], [400, undefined]);
    const back = await api.service.registerWallet(ONE);
    assert.equal(back.clientSecret, clientSecret);
    redirectTargetOf(await new TestBrowser(api).signIn(asked(ID, callback, 'openid'), person));
    assert.ok(!api.logged.some((line) => line.includes(clientSecret)));
  });

  it('is registered with the ten newest addresses when none is configured, and with one when it is', async () => {
    const at = (number: number) => `http://127.0.0.1:${9000 + number}`;
    const uris = async () => (await api.get(`/v3/OS-OAUTH2/consumers/${ID}`)).body.consumer;
    await api.service.registerWallet(at(0));
    for (const number of [1, 2, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
      await api.service.registerWallet(at(number), { keepOtherAddresses: true });
    const newest = [2, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(at);
    const many = await uris();
    assert.deepEqual(
      many.redirect_uris,
      newest.map((address) => `${address}/api/v1/auth/callback`),
    );
    assert.deepEqual(
      many.post_logout_redirect_uris,
      newest.map((address) => `${address}/`),
    );
    await api.service.registerWallet(at(12));
    assert.deepEqual((await uris()).redirect_uris, [`${at(12)}/api/v1/auth/callback`]);
  });

  it('has the role of its administrators at every start, also beside one that is named alike', async () => {
    const { clientId } = await api.service.registerWallet(ONE, { adminRole: 'keeper' });
    const roles = async (): Promise<{ id: string; name: string }[]> =>
      assertOk(await api.get(`/v3/OS-ROLES/roles?application_id=${clientId}`)).roles;
    const keeper = (await roles()).find(({ name }) => name === 'keeper')!;
    assertOk(await api.patch(`/v3/OS-ROLES/roles/${keeper.id}`, { role: { name: 'Keeper' } }));
    await api.service.registerWallet(ONE, { adminRole: 'keeper' });
    const names = (await roles()).map(({ name }) => name).filter((name) => /keeper/i.test(name));
    assert.deepEqual(names.sort(), ['Keeper', 'keeper']);
    assertRefused(await api.post('/v3/OS-ROLES/roles', { role: { name: 'KEEPER', application_id: clientId } }), 409);
  });

  it('has the role for its administrators again when it was deleted, and leaves one that is there alone', async () => {
    await api.service.registerWallet(ONE, { adminRole: 'admin' });
    const roles = async () => (await api.get(`/v3/OS-ROLES/roles?application_id=${ID}&name=admin`)).body.roles;
    const [role] = await roles();
    await api.service.registerWallet(ONE, { adminRole: 'admin' });
    assert.deepEqual(await roles(), [role]);
    assert.equal((await api.delete(`/v3/OS-ROLES/roles/${role.id}`)).status, 204);
    await api.service.registerWallet(ONE, { adminRole: 'admin' });
    assert.equal((await roles()).length, 1);

    const [admin] = (await api.get('/v3/users?name=admin')).body.users;
    const path = `/v3/OS-ROLES/users/${admin.id}/applications/${ID}/roles/${(await roles())[0].id}`;
    assert.equal((await api.put(path)).status, 200);
  });

  it('comes back with another secret when an administrator deleted it', async () => {
    const { clientSecret } = await api.service.registerWallet(ONE);
    assert.equal((await api.delete(`/v3/OS-OAUTH2/consumers/${ID}`)).status, 204);
    const again = await api.service.registerWallet(ONE);
    assert.equal(again.clientId, ID);
    assert.notEqual(again.clientSecret, clientSecret);
  });
});
