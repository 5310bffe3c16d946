// A long run with everything that people and programs do all day: memory, descriptors and tables stay flat, and expired rows are deleted.
// SOAK_SECONDS sets how long, SOAK_REST_MS how much at once. Tokens and sessions live for a minute here, so that many expire. The short
// form is too short for the sweepers, and checks that everything works together and leaves no row behind that it deletes itself.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { PlainProvider } from '../support/plain-provider.ts';
import { SCIM_JSON, USER } from '../support/scim.ts';
import { ToyIssuer } from '../support/toy-issuer.ts';
import { BothServices, SERVICES, type ServiceName } from './both-services.ts';
import { amount, percentile, report, slopeOf } from './report.ts';
import { holdersOf } from './world.ts';

const SECONDS = amount('SOAK_SECONDS', 6);
/** Long enough that what lives for a minute is created and deleted many times, and each quarter has samples after a sweep. */
const IS_LONG = SECONDS >= 600;
const LIFE_SECONDS = 60;
const SAMPLES = IS_LONG ? 120 : 12;
/** Bounds the load: a worker rests this long between two cycles. */
const REST_MS = amount('SOAK_REST_MS', 100);
/** How much memory may grow after the first quarter, until the end. It goes up and down by more than that in between. */
const MAX_GROWTH = 0.05;

/** Tables that keep history, or names for ever. All others must be as large at the end as they were. */
const GROWS: Readonly<Record<ServiceName, readonly string[]>> = {
  // Wrong passwords are remembered for longer than this test runs.
  identity: ['audit_events', 'wrong_passwords'],
  // Keys that were purged are never accepted again; the exchanges of a person are their history for some days.
  wallet: ['audit_events', 'spent_kids', 'exchanges'],
};

interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  /** Resident, in bytes. */
  readonly memory: number;
  /** Of it, what is not the content of files: of the database, too, which grows. */
  readonly own: number;
  readonly descriptors: number;
  readonly rows: ReadonlyMap<string, number>;
}

const PASSWORD_OF_SOMEBODY = 'a password of somebody';

describe('A soak', () => {
  const provider = new PlainProvider();
  const issuer = new ToyIssuer();
  let services: BothServices;
  let [bearer, somebody, client, clientSecret] = ['', '', '', ''];
  const tables: Record<ServiceName, string[]> = { identity: [], wallet: [] };

  before(async () => {
    await Promise.all([provider.start(), issuer.start()]);
    services = new BothServices('SQLite', {
      GATEHOUSE_TRUSTED_PROXIES: '127.0.0.1',
      GATEHOUSE_IDENTITY_TOKEN_SECONDS: String(LIFE_SECONDS),
      GATEHOUSE_IDENTITY_ALLOW_EXPIRED_SECONDS: '0',
      GATEHOUSE_IDENTITY_ACCESS_TOKEN_SECONDS: String(LIFE_SECONDS),
      GATEHOUSE_WALLET_SESSION_SECONDS: String(LIFE_SECONDS),
      GATEHOUSE_WALLET_SESSION_IDLE_SECONDS: String(LIFE_SECONDS),
      GATEHOUSE_WALLET_OIDC_ISSUER: provider.issuer,
      GATEHOUSE_WALLET_OIDC_CLIENT_ID: provider.clientId,
      GATEHOUSE_WALLET_OIDC_CLIENT_SECRET: provider.clientSecret,
    });
    await services.open();
    const connection = { domain_id: 'default', name: 'provisioning' };
    bearer = (await services.must(201, 'POST', '/v3/OS-SCIM/connections', { body: { connection } })).body.connection.token;
    const user = { name: 'somebody', password: PASSWORD_OF_SOMEBODY };
    somebody = (await services.must(201, 'POST', '/v3/users', { body: { user } })).body.user.id;
    const consumer = { name: 'program', client_type: 'confidential', grant_type: 'client_credentials' };
    ({ id: client, secret: clientSecret } = (
      await services.must(200, 'POST', '/v3/OS-OAUTH2/consumers', { body: { consumer } })
    ).body.consumer);
    for (const service of SERVICES) {
      const rows = await services.query(
        service,
        "select name from sqlite_master where type = 'table' and name not like 'sqlite%'",
      );
      tables[service] = rows.map(({ name }) => String(name)).filter((name) => !name.startsWith('kysely'));
    }
  });
  after(async () => {
    await services.close();
    await Promise.all([provider.stop(), issuer.stop()]);
  });

  /** The node limits the logins of an address, and a machine with other work has more logins waiting than it takes: as a client, tries again. */
  async function patiently<T>(logIn: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await logIn();
      } catch (error) {
        if (!/^cannot log in: 429|"code":503/.test((error as Error).message)) throw error;
        await sleep(1_000);
      }
    }
  }

  /** Each cycle removes what it creates, or leaves it to expire. */
  const cycles: readonly ((number: number) => Promise<void>)[] = [
    async function tokens() {
      const token = await patiently(() => services.logIn({ id: somebody, password: PASSWORD_OF_SOMEBODY }));
      const headers = { 'X-Subject-Token': token };
      await services.must(200, 'GET', '/v3/auth/tokens', { token, headers });
      await services.must(204, 'DELETE', '/v3/auth/tokens', { token, headers });
      assert.equal((await services.ask('identity', 'GET', '/v3/auth/tokens', { token, headers })).status, 401);
    },
    async function wrongPasswords(number) {
      const user = { name: `nobody-${number % 50}`, domain: { id: 'default' }, password: 'a wrong password' };
      const body = { auth: { identity: { methods: ['password'], password: { user } } } };
      // From other addresses than the rest: the limit of an address counts for everybody there.
      const headers = { 'X-Forwarded-For': `10.0.0.${number % 250}` };
      const { status } = await services.ask('identity', 'POST', '/v3/auth/tokens', { body, token: null, headers });
      assert.ok([401, 429, 503].includes(status), String(status));
    },
    async function people(number) {
      const user = { name: `person-${number}`, password: PASSWORD_OF_SOMEBODY, email: `person-${number}@example.org` };
      const { id } = (await services.must(201, 'POST', '/v3/users', { body: { user } })).body.user;
      const project = { name: `project-${number}` };
      const made = (await services.must(201, 'POST', '/v3/projects', { body: { project } })).body.project;
      const member = (await services.must(200, 'GET', '/v3/roles?name=member')).body.roles[0].id;
      await services.must(204, 'PUT', `/v3/projects/${made.id}/users/${id}/roles/${member}`);
      await patiently(() => services.logIn({ id, password: PASSWORD_OF_SOMEBODY }));
      await services.must(200, 'PATCH', `/v3/users/${id}`, { body: { user: { description: 'changed' } } });
      await services.must(204, 'DELETE', `/v3/users/${id}`);
      await services.must(204, 'DELETE', `/v3/projects/${made.id}`);
    },
    async function provisioning(number) {
      const headers = { Authorization: `Bearer ${bearer}`, 'Content-Type': SCIM_JSON };
      const body = { schemas: [USER], userName: `scim-${number}` };
      const { id } = (await services.must(201, 'POST', '/scim/v2/Users', { token: null, headers, body })).body;
      await services.must(204, 'DELETE', `/scim/v2/Users/${id}`, { token: null, headers });
    },
    async function programs() {
      const headers = { Authorization: `Basic ${btoa(`${client}:${clientSecret}`)}` };
      const form = async (path: string, values: Record<string, string>) => {
        const answer = await fetch(services.urls.identity + path, { method: 'POST', headers, body: new URLSearchParams(values) });
        const text = await answer.text();
        assert.equal(answer.status, 200, text);
        return JSON.parse(text);
      };
      const { access_token: token } = await form('/openid/token', { grant_type: 'client_credentials' });
      assert.equal((await form('/openid/introspect', { token })).active, true);
    },
    async function wallets(number) {
      const holder = await patiently(async () => (await holdersOf(services, provider, [`holder-${number % 5}`]))[0]);
      const key = (await holder!.must(201, 'POST', '/api/v1/wallet/keys', { algorithm: 'EdDSA' })).body;
      const { body } = await holder!.must(201, 'POST', '/api/v1/wallet/oid4vci', { uri: issuer.offer() });
      const [credential] = body.credentials ?? (await holder!.must(200, 'GET', '/api/v1/wallet/credentials')).body;
      await holder!.must(204, 'DELETE', `/api/v1/wallet/credentials/${credential.id ?? credential}`);
      await holder!.must(204, 'DELETE', `/api/v1/wallet/keys/${key.id}?force=true`);
    },
  ];

  const memoryOf = (field: 'VmRSS' | 'RssAnon'): number => {
    const status = readFileSync(`/proc/${services.running!.serving}/status`, 'utf8');
    return Number(new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(status)![1]) * 1024;
  };

  async function sample(at: number): Promise<Sample> {
    const rows = new Map<string, number>();
    for (const service of SERVICES) {
      const counts = tables[service].map((table) => `select '${table}' as name, count(*) as n from "${table}"`);
      for (const { name, n } of await services.query(service, counts.join(' union all ')))
        if (!GROWS[service].includes(String(name))) rows.set(`${service} ${name}`, Number(n));
    }
    const descriptors = await services.metric('process_open_fds');
    return { at, memory: memoryOf('VmRSS'), own: memoryOf('RssAnon'), descriptors, rows };
  }

  it(`of ${SECONDS} s keeps memory, descriptors and tables flat`, { timeout: SECONDS * 1000 + 300_000 }, async () => {
    const began = Date.now();
    const end = began + SECONDS * 1000;
    const samples: Sample[] = [];
    let done = 0;
    const worker = async (cycle: (typeof cycles)[number]): Promise<void> => {
      for (let number = 0; Date.now() < end || number === 0; number++) {
        await cycle(number);
        done++;
        await sleep(REST_MS);
      }
    };
    /** The administrator logs in again before the token ends. */
    const administrator = async (): Promise<void> => {
      while (Date.now() < end) {
        services.token = await patiently(() => services.logIn(services.administrator, true));
        await sleep(Math.min((LIFE_SECONDS * 1000) / 4, Math.max(0, end - Date.now())));
      }
    };
    const watcher = async (): Promise<void> => {
      while (Date.now() < end) {
        samples.push(await sample((Date.now() - began) / 1000));
        await sleep((SECONDS * 1000) / SAMPLES);
      }
    };
    await Promise.all([administrator(), watcher(), ...cycles.map(worker)]);
    samples.push(await sample((Date.now() - began) / 1000));

    // The first quarter fills caches and tables. The second and the last are compared.
    const quarter = Math.floor(samples.length / 4);
    const [early, late] = [samples.slice(quarter, 2 * quarter), samples.slice(-quarter)];
    const median = (of: readonly Sample[], what: 'memory' | 'own' | 'descriptors') =>
      percentile(
        of.map((one) => one[what]),
        0.5,
      );
    const mb = (bytes: number) => Math.round(bytes / 1e6);
    const warm = samples.slice(quarter);
    /** By how much it grew from the end of the first quarter on, as a share of what it was. */
    const growthOf = (what: 'memory' | 'own') =>
      (slopeOf(warm.map((one) => ({ x: one.at, y: one[what] }))) * (warm.at(-1)!.at - warm[0]!.at)) / median(early, what);
    const growth = { memory: growthOf('memory'), own: growthOf('own') };
    const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
    const memory = [median(early, 'memory'), median(late, 'memory')] as const;
    const descriptors = [median(early, 'descriptors'), median(late, 'descriptors')] as const;
    const most = (of: readonly Sample[], name: string) => Math.max(...of.map(({ rows }) => rows.get(name)!));
    const changed = [...late[0]!.rows.keys()]
      .map((name) => ({ name, before: most(early, name), after: most(late, name) }))
      .filter(({ before, after }) => before > 0 && before !== after);
    report(
      'soak',
      `${SECONDS} s, ${done} cycles; second and last quarter: memory ${mb(memory[0])} and ${mb(memory[1])} MB (a trend of ${percent(growth.memory)}, without files ${percent(growth.own)}), descriptors ${descriptors.join(' and ')}, most rows: ${changed.map(({ name, before, after }) => `${name} ${before} and ${after}`).join(', ') || 'the same'}`,
    );
    assert.ok(descriptors[1] <= descriptors[0] + 20, `${descriptors.join(', then ')} descriptors`);
    if (!IS_LONG) return;
    assert.ok(growth.memory <= MAX_GROWTH, `memory grew by ${percent(growth.memory)}`);
    assert.ok(growth.own <= MAX_GROWTH, `memory without files grew by ${percent(growth.own)}`);
    // The load differs a little from quarter to quarter, as other work on the machine does.
    for (const { name, before, after } of changed)
      assert.ok(after <= before * 1.5 + 50, `${name}: ${before} rows, then ${after}`);
    const lag = await services.metric('gatehouse_sweep_lag_seconds');
    assert.ok(lag < 2 * LIFE_SECONDS + 60, `the sweeper last succeeded ${lag} s ago`);
  });

  it('leaves no row behind that was deleted', async () => {
    const count = async (service: ServiceName, sql: string) => Number((await services.query(service, sql))[0]!.n);
    assert.equal(await count('identity', "select count(*) as n from users where name like 'person-%' or name like 'scim-%'"), 0);
    assert.equal(await count('identity', "select count(*) as n from projects where name like 'project-%'"), 0);
    assert.equal(await count('wallet', 'select count(*) as n from credentials'), 0);
  });
});
