// While a replica does not receive the changes of others, it must not answer from memory.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { identitySettings } from '../src/identity/ground/settings/index.ts';
import { createIdentityService, type IdentityService } from '../src/identity/service.ts';
import { systemClock } from '../src/platform/clock.ts';
import { load } from '../src/platform/config/index.ts';
import { createLog } from '../src/platform/log/index.ts';
import { createSeal, newMasterKey } from '../src/platform/seal/index.ts';
import { migratedPostgres } from './support/migrated-database.ts';
import { sharedPostgres } from './support/postgres.ts';

const PASSWORD = 'the administrator of the tests';

describe('A replica whose feed of changes is down', () => {
  const services: IdentityService[] = [];
  const urls: string[] = [];
  let control: pg.Client;
  let database: string;

  before(async () => {
    const server = await sharedPostgres();
    const url = await migratedPostgres('identity');
    database = new URL(url).pathname.slice(1);
    control = new pg.Client(server.url);
    await control.connect();
    const seal = createSeal([newMasterKey()]);
    const env = {
      GATEHOUSE_IDENTITY_HOST: '127.0.0.1',
      GATEHOUSE_IDENTITY_PORT: '0',
      GATEHOUSE_IDENTITY_DATABASE_URL: url,
      GATEHOUSE_ADMIN_PASSWORD: PASSWORD,
      GATEHOUSE_IDENTITY_ARGON2_MEMORY: '64',
      GATEHOUSE_IDENTITY_ARGON2_PASSES: '1',
    };
    for (let i = 0; i < 2; i++) {
      const service = await createIdentityService({
        config: load(identitySettings, env),
        dataDir: '',
        seal,
        log: createLog('silent'),
        clock: systemClock,
        rateLimits: false,
        trustedProxies: [],
        outboundAllow: [],
      });
      services.push(service);
      urls.push((await service.start()).address);
    }
  });
  after(async () => {
    await control.query(`alter database ${database} allow_connections true`);
    await control.end();
    await Promise.all(services.map((service) => service.stop(1000)));
  });

  const logIn = async (url: string): Promise<string> => {
    const user = { name: 'admin', domain: { id: 'default' }, password: PASSWORD };
    const body = { auth: { identity: { methods: ['password'], password: { user } }, scope: { system: { all: true } } } };
    const answer = await fetch(`${url}/v3/auth/tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    return answer.headers.get('x-subject-token')!;
  };
  const ask = async (url: string, token: string, method = 'GET'): Promise<number> =>
    (await fetch(`${url}/v3/auth/tokens`, { method, headers: { 'X-Auth-Token': token, 'X-Subject-Token': token } })).status;

  it('reads the database, so that a revocation elsewhere takes effect immediately', async () => {
    const [here, there] = urls as [string, string];
    const [revoked, kept] = await Promise.all([logIn(here), logIn(here)]);
    assert.equal(await ask(here, revoked), 200);
    assert.equal(await ask(there, kept), 200);
    const [feed] = (
      await control.query(
        `select pid from pg_stat_activity where datname = $1 and application_name = 'gatehouse changes' order by backend_start`,
        [database],
      )
    ).rows;
    // Existing connections continue. A new one, which the feed would need, is refused.
    await control.query(`alter database ${database} allow_connections false`);
    await control.query('select pg_terminate_backend($1)', [feed.pid]);
    const until = Date.now() + 20_000;
    const liveness = async () => /^gatehouse_feed_live (\d)$/m.exec(await services[0]!.metrics.registry.metrics())?.[1];
    while ((await liveness()) === '1' && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await liveness(), '0');

    assert.equal(await ask(there, revoked, 'DELETE'), 204);
    assert.equal(await ask(here, revoked), 401, 'refused at once, though no news of it can arrive');
    assert.equal(await ask(here, kept), 200, 'what is good still works');
  });

  it('keeps the requests of provisioning connections all the same, in their order, also those that are refused', async () => {
    interface Answers {
      readonly domain: { readonly id: string };
      readonly connection: { readonly id: string; readonly token: string };
      readonly requests: readonly { readonly path: string; readonly status: number; readonly detail: string }[];
    }
    const [here] = urls as [string];
    const token = await logIn(here);
    const send = async (method: string, path: string, headers: Record<string, string>, body?: object) => {
      const answer = await fetch(here + path, {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return { status: answer.status, body: (await answer.json()) as Answers };
    };
    const asAdmin = (method: string, path: string, body?: object) => send(method, path, { 'X-Auth-Token': token }, body);
    const { domain } = (await asAdmin('POST', '/v3/domains', { domain: { name: 'provisioned' } })).body;
    const { connection } = (await asAdmin('POST', '/v3/OS-SCIM/connections', { connection: { domain_id: domain.id } })).body;
    const provision = async (path: string) =>
      (await send('GET', `/scim/v2/${path}`, { Authorization: `Bearer ${connection.token}` })).status;
    assert.deepEqual([await provision('Users'), await provision('Users/nobody'), await provision('Nothing')], [200, 404, 404]);
    assert.equal((await asAdmin('PATCH', `/v3/domains/${domain.id}`, { domain: { enabled: false } })).status, 200);
    assert.equal(await provision('Users'), 401);
    const { requests } = (await asAdmin('GET', `/v3/OS-SCIM/connections/${connection.id}/requests`)).body;
    assert.deepEqual(
      requests.map(({ path, status }) => `${status} ${path}`),
      ['401 /scim/v2/Users', '404 /scim/v2/…', '404 /scim/v2/Users/{id}', '200 /scim/v2/Users'],
    );
    assert.equal(requests[0]?.detail, 'The domain of this connection is disabled.');
  });

  it('answers from memory again when the feed is back', async () => {
    await control.query(`alter database ${database} allow_connections true`);
    const until = Date.now() + 20_000;
    const live = async () => (await services[0]!.metrics.registry.metrics()).includes('\ngatehouse_feed_live 1');
    while (!(await live()) && Date.now() < until) await new Promise((resolve) => setTimeout(resolve, 50));
    assert.ok(await live());
  });
});
