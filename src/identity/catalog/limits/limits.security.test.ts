// Limits: numbers that are none, others' limits, and writers that race.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { Client } from 'pg';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import {
  ADMIN_PASSWORD,
  type ApiAnswer,
  onDatabase,
  type TestApi,
  underAttack,
  uniqueName,
} from '../../../../test/support/api.ts';

const STRICT = { settings: { GATEHOUSE_IDENTITY_LIMIT_MODEL: 'strict_two_level' } };
const MOST = 2_147_483_647;

const register = async (api: TestApi, values: object) =>
  assertOk(await api.post('/v3/registered_limits', { registered_limits: [values] }), 201).registered_limits[0];
const limit = async (api: TestApi, values: object) => assertOk(await api.post('/v3/limits', { limits: [values] }), 201).limits[0];

underAttack('Attacks on limits', (api) => {
  let service: { id: string };
  const domains: { id: string }[] = [];
  const projects: { id: string }[] = [];
  before(async () => {
    service = await api.make('service', { type: 'test' });
    for (const _ of [0, 1]) {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      domains.push(domain);
      projects.push(await api.make('project', { name: uniqueName('project'), domain_id: domain.id }));
    }
  });
  const resource = (name: string) => ({ service_id: service.id, resource_name: name });

  it('with numbers that no limit can be', async () => {
    const registered = await register(api, { ...resource('numbers'), default_limit: MOST });
    const made = await limit(api, { ...resource('numbers'), project_id: projects[0]!.id, resource_limit: MOST });
    assert.deepEqual([registered.default_limit, made.resource_limit], [MOST, MOST]);
    const numbers = [
      '-2',
      `${-MOST}`,
      `${MOST + 1}`,
      '9007199254740993',
      '1e400',
      '-1e400',
      '0.5',
      '"5"',
      'true',
      'null',
      '[5]',
      '{}',
    ];
    for (const number of numbers) {
      const bodies: [method: string, path: string, body: string][] = [
        [
          'POST',
          '/v3/registered_limits',
          `{"registered_limits":[{"service_id":"${service.id}","resource_name":"x","default_limit":${number}}]}`,
        ],
        ['PATCH', `/v3/registered_limits/${registered.id}`, `{"registered_limit":{"default_limit":${number}}}`],
        [
          'POST',
          '/v3/limits',
          `{"limits":[{"service_id":"${service.id}","resource_name":"numbers","project_id":"${projects[1]!.id}","resource_limit":${number}}]}`,
        ],
        ['PATCH', `/v3/limits/${made.id}`, `{"limit":{"resource_limit":${number}}}`],
      ];
      for (const [method, path, body] of bodies) {
        const headers = { 'Content-Type': 'application/json' };
        assertRefused(await api.request(method, path, { body, headers }), 400, /_limit'/);
      }
    }
    assert.equal(assertOk(await api.get(`/v3/limits/${made.id}`)).limit.resource_limit, MOST);
    assert.deepEqual(assertOk(await api.get('/v3/registered_limits?resource_name=x')).registered_limits, []);
  });

  it('by those who manage another domain, or only read or use their own', async () => {
    const [own, other] = domains;
    const registered = await register(api, { ...resource('mine'), default_limit: 1 });
    const ofOwn = await limit(api, { ...resource('mine'), domain_id: own!.id, resource_limit: 1 });
    const ofProject = await limit(api, { ...resource('mine'), project_id: projects[0]!.id, resource_limit: 1 });
    const ofOther = await limit(api, { ...resource('mine'), domain_id: other!.id, resource_limit: 1 });
    const within = { domain_id: own!.id };
    const tokens = [
      (await api.persona(['manager'], { domain: own!.id }, within)).token,
      (await api.persona(['reader'], { domain: own!.id }, within)).token,
      (await api.persona(['member'], { project: projects[0]!.id }, within)).token,
      (await api.persona(['service'], { project: projects[0]!.id }, within)).token,
    ];
    const reader = (await api.persona(['reader'], 'system')).token;
    const writes: [method: string, path: string, body?: unknown][] = [
      ['POST', '/v3/registered_limits', { registered_limits: [{ ...resource('theirs'), default_limit: 5 }] }],
      ['PATCH', `/v3/registered_limits/${registered.id}`, { registered_limit: { default_limit: 5 } }],
      ['DELETE', `/v3/registered_limits/${registered.id}`],
      ['POST', '/v3/limits', { limits: [{ ...resource('mine'), project_id: projects[1]!.id, resource_limit: 5 }] }],
      ...[ofOwn, ofProject, ofOther].flatMap(({ id }): [method: string, path: string, body?: unknown][] => [
        ['PATCH', `/v3/limits/${id}`, { limit: { resource_limit: 5 } }],
        ['DELETE', `/v3/limits/${id}`],
      ]),
    ];
    for (const [method, path, body] of writes) await assertForbidden(api, [...tokens, reader], method, path, { body });
    await assertForbidden(api, tokens, 'GET', `/v3/limits/${ofOther.id}`);
    for (const token of tokens)
      for (const query of [`domain_id=${other!.id}`, `project_id=${projects[1]!.id}`, `marker=${ofOther.id}`]) {
        const { status, body } = await api.get(`/v3/limits?${query}`, { token });
        assert.ok(status === 400 || !body.limits.some(({ id }: { id: string }) => id === ofOther.id), query);
      }
    for (const { id } of [ofOwn, ofProject, ofOther])
      assert.equal(assertOk(await api.get(`/v3/limits/${id}`)).limit.resource_limit, 1);
  });

  it('by naming the same owner twice, as a project and as a domain', async () => {
    await register(api, { ...resource('twice'), default_limit: 1 });
    const one = { ...resource('twice'), domain_id: domains[0]!.id, resource_limit: 1 };
    const again = { ...resource('twice'), project_id: domains[0]!.id, resource_limit: 9 };
    assertRefused(await api.post('/v3/limits', { limits: [one, again] }), 409);
    const answers = await Promise.all([one, again, one, again].map((values) => api.post('/v3/limits', { limits: [values] })));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
  });
});

underAttack(
  'Writers of limits in the strict model',
  (api) => {
    let service: { id: string };
    let domain: { id: string };
    let projects: { id: string }[];
    before(async () => {
      service = await api.make('service', { type: 'test' });
      domain = await api.make('domain', { name: uniqueName('domain') });
      projects = await Promise.all(
        [0, 1, 2].map(() => api.make('project', { name: uniqueName('project'), domain_id: domain.id })),
      );
    });

    /** Whatever was stored, no project has more than its domain. */
    async function assertModel(resource: object, defaultLimit: number): Promise<void> {
      const name = (resource as { resource_name: string }).resource_name;
      const system = await api.persona(['reader'], 'system');
      const { limits } = assertOk(await api.get(`/v3/limits?resource_name=${name}`, { token: system.token }));
      const ofDomain = limits.find(({ domain_id }: any) => domain_id)?.resource_limit ?? defaultLimit;
      for (const { project_id, resource_limit } of limits) assert.ok(!project_id || resource_limit <= ofDomain);
    }

    it('that race: a domain gets less while its projects get more', async () => {
      for (let round = 0; round < 6; round++) {
        const resource = { service_id: service.id, resource_name: uniqueName('race') };
        await register(api, { ...resource, default_limit: 10 });
        const ofDomain = await limit(api, { ...resource, domain_id: domain.id, resource_limit: 10 });
        const ofProject = await limit(api, { ...resource, project_id: projects[0]!.id, resource_limit: 1 });
        const change = (id: string, amount: number) => api.patch(`/v3/limits/${id}`, { limit: { resource_limit: amount } });
        const answers = await Promise.all([
          change(ofDomain.id, 5),
          change(ofProject.id, 8),
          api.post('/v3/limits', { limits: [{ ...resource, project_id: projects[1]!.id, resource_limit: 7 }] }),
          change(ofDomain.id, 6),
          api.post('/v3/limits', { limits: [{ ...resource, project_id: projects[2]!.id, resource_limit: 6 }] }),
        ]);
        for (const { status, text } of answers) assert.ok([200, 201, 403].includes(status), text);
        await assertModel(resource, 10);
      }
    });

    it('that race with a change of the default', async () => {
      for (let round = 0; round < 6; round++) {
        const resource = { service_id: service.id, resource_name: uniqueName('default') };
        const registered = await register(api, { ...resource, default_limit: 10 });
        const [made, changed] = await Promise.all([
          api.post('/v3/limits', { limits: [{ ...resource, project_id: projects[0]!.id, resource_limit: 8 }] }),
          api.patch(`/v3/registered_limits/${registered.id}`, { registered_limit: { default_limit: 5 } }),
        ]);
        assert.equal([made.status === 201, changed.status === 200].filter(Boolean).length, 1, `${made.text} ${changed.text}`);
        await assertModel(resource, changed.status === 200 ? 5 : 10);
      }
    });
  },
  STRICT,
);

onDatabase('PostgreSQL', 'A registered limit', {}, (api) => {
  /** Whether the request waits for the lock of a writer of limits, who then does `meanwhile`. */
  async function whileLimitsAreWritten(request: () => Promise<ApiAnswer>, meanwhile: (writer: Client) => Promise<unknown>) {
    const writer = new Client({ connectionString: api.databaseUrl! });
    await writer.connect();
    try {
      await writer.query('begin');
      await writer.query(`select pg_advisory_xact_lock(hashtext('gatehouse limits'))`);
      let answered = false;
      const answer = request().finally(() => {
        answered = true;
      });
      const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())`;
      while (!answered && (await writer.query(waiting)).rows.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
      const waited = !answered;
      await meanwhile(writer);
      await writer.query('commit');
      return { waited, answer: await answer };
    } finally {
      await writer.end();
    }
  }

  it('does not become another resource while a limit of it is stored', async () => {
    const service = await api.make('service', { type: 'test' });
    const project = await api.make('project', { name: uniqueName('project') });
    const registered = await register(api, { service_id: service.id, resource_name: 'servers', default_limit: 1 });
    const { waited, answer } = await whileLimitsAreWritten(
      () => api.patch(`/v3/registered_limits/${registered.id}`, { registered_limit: { resource_name: 'volumes' } }),
      (writer) =>
        writer.query('insert into limits (id, registered_limit_id, project_id, resource_limit) values ($1, $2, $3, 5)', [
          'a'.repeat(32),
          registered.id,
          project.id,
        ]),
    );
    assert.ok(waited);
    assertRefused(answer, 403, /project limits associated/);
    assert.equal(assertOk(await api.get(`/v3/limits/${'a'.repeat(32)}`)).limit.resource_name, 'servers');
  });
});

onDatabase(
  'SQLite',
  'Limits, policies and the endpoint filter, when the scope is enforced',
  { settings: { GATEHOUSE_IDENTITY_ENFORCE_SCOPE: 'on' } },
  (api) => {
    it('are not for the administrator of a domain or a project, not even for the own one', async () => {
      api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, { system: { all: true } });
      const service = await api.make('service', { type: 'test' });
      const endpoint = await api.make('endpoint', { service_id: service.id, interface: 'public', url: 'http://x' });
      const domains = [];
      for (const name of ['own', 'other']) domains.push(await api.make('domain', { name: uniqueName(name) }));
      const [own, other] = domains;
      const project = await api.make('project', { name: uniqueName('project'), domain_id: own.id });
      const resource = { service_id: service.id, resource_name: 'scoped' };
      const registered = await register(api, { ...resource, default_limit: 1 });
      const ofOwn = await limit(api, { ...resource, domain_id: own.id, resource_limit: 1 });
      const ofOther = await limit(api, { ...resource, domain_id: other.id, resource_limit: 1 });
      const { policy } = assertOk(await api.post('/v3/policies', { policy: { blob: 'x', type: 'x' } }), 201);
      const tokens = [
        (await api.persona(['admin'], { domain: own.id }, { domain_id: own.id })).token,
        (await api.persona(['admin'], { project: project.id }, { domain_id: own.id })).token,
      ];
      const writes: [method: string, path: string, body?: unknown][] = [
        ['POST', '/v3/registered_limits', { registered_limits: [{ ...resource, default_limit: 5 }] }],
        ['PATCH', `/v3/registered_limits/${registered.id}`, { registered_limit: { description: 'x' } }],
        ['POST', '/v3/limits', { limits: [{ ...resource, project_id: project.id, resource_limit: 5 }] }],
        ['PATCH', `/v3/limits/${ofOwn.id}`, { limit: { resource_limit: 5 } }],
        ['PATCH', `/v3/limits/${ofOther.id}`, { limit: { resource_limit: 5 } }],
        ['DELETE', `/v3/limits/${ofOther.id}`],
        ['GET', `/v3/limits/${ofOther.id}`],
        ['GET', `/v3/policies/${policy.id}`],
        ['PATCH', `/v3/policies/${policy.id}`, { policy: { blob: 'y' } }],
        ['PUT', `/v3/policies/${policy.id}/OS-ENDPOINT-POLICY/services/${service.id}`],
        ['PUT', `/v3/OS-EP-FILTER/projects/${project.id}/endpoints/${endpoint.id}`],
        ['GET', `/v3/OS-EP-FILTER/projects/${project.id}/endpoints`],
      ];
      for (const [method, path, body] of writes) await assertForbidden(api, tokens, method, path, { body });
    });
  },
);
