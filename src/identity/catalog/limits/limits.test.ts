import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, onDatabase, onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies } from '../../../../test/support/guarded.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { load } from '../../../platform/config/index.ts';
import { createChanges } from '../../ground/audit/index.ts';
import { identitySettings } from '../../ground/settings/index.ts';
import { createLimits } from './index.ts';

const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id).sort();

const register = async (api: TestApi, values: object) =>
  assertOk(await api.post('/v3/registered_limits', { registered_limits: [values] }), 201).registered_limits[0];
const limit = async (api: TestApi, values: object) => assertOk(await api.post('/v3/limits', { limits: [values] }), 201).limits[0];
const ofSystem = (api: TestApi) => api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, { system: { all: true } });

onEachDatabase('Limits', (api) => {
  let service: { id: string };
  let region: { id: string };
  let project: { id: string; domain_id: string };
  let domain: { id: string };
  let system: string;
  before(async () => {
    service = await api.make('service', { type: 'test' });
    region = await api.make('region', {});
    domain = await api.make('domain', { name: uniqueName('domain') });
    project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
    system = await ofSystem(api);
  });
  const resource = (name: string) => ({ service_id: service.id, resource_name: name });

  describe('registered', () => {
    it('are created together, or none of them', async () => {
      const body = {
        registered_limits: [
          { ...resource('a'), region_id: region.id, default_limit: 10 },
          { ...resource('a'), default_limit: -1, description: 'all' },
        ],
      };
      const answer = assertOk(await api.post('/v3/registered_limits', body), 201);
      assert.deepEqual(Object.keys(answer), ['registered_limits']);
      const [first, second] = answer.registered_limits;
      assert.deepEqual(first, {
        id: first.id,
        ...resource('a'),
        region_id: region.id,
        default_limit: 10,
        description: null,
        links: { self: `${api.url}/v3/registered_limits/${first.id}` },
      });
      assert.deepEqual([second.region_id, second.default_limit, second.description], [null, -1, 'all']);
      assert.deepEqual(assertOk(await api.get(`/v3/registered_limits/${first.id}`)).registered_limit, first);
      const again = {
        registered_limits: [
          { ...resource('fresh'), default_limit: 1 },
          { ...resource('a'), default_limit: 1 },
        ],
      };
      assertRefused(
        await api.post('/v3/registered_limits', again),
        409,
        /Conflict occurred attempting to store registered limit/,
      );
      assert.deepEqual(assertOk(await api.get('/v3/registered_limits?resource_name=fresh')).registered_limits, []);
      const twice = { ...resource('twice'), default_limit: 1 };
      assertRefused(await api.post('/v3/registered_limits', { registered_limits: [twice, twice] }), 409);
    });

    it('are refused when they cannot be stored', async () => {
      await assertBadBodies(api, 'POST', '/v3/registered_limits', [
        ['registered_limits', {}],
        ['registered_limits', { registered_limits: [] }],
        ['default_limit', { registered_limits: [{ ...resource('x'), default_limit: -2 }] }],
        ['default_limit', { registered_limits: [{ ...resource('x'), default_limit: 2147483648 }] }],
        ['default_limit', { registered_limits: [{ ...resource('x'), default_limit: 'not_int' }] }],
        ['resource_name', { registered_limits: [{ service_id: service.id, resource_name: '', default_limit: 1 }] }],
        ['service_id', { registered_limits: [{ service_id: 'nowhere', resource_name: 'x', default_limit: 1 }] }],
        ['region_id', { registered_limits: [{ ...resource('x'), region_id: 'nowhere', default_limit: 1 }] }],
        ['more', { registered_limits: [{ ...resource('x'), default_limit: 1, more: 1 }] }],
      ]);
    });

    it('are listed for everybody, filtered and in pages', async () => {
      const other = await api.make('service', { type: 'test' });
      const made = [];
      for (const name of ['p', 'q', 'r'])
        made.push(await register(api, { service_id: other.id, resource_name: name, default_limit: 1 }));
      const user = await api.make('user', { name: uniqueName('user'), password: 'a password of a test' });
      const token = await api.logIn({ id: user.id, password: 'a password of a test' });
      const list = async (query: string) =>
        assertOk(await api.get(`/v3/registered_limits?${query}`, { token })).registered_limits;
      assert.deepEqual(ids(await list(`service_id=${other.id}`)), ids(made));
      assert.deepEqual(ids(await list(`service_id=${other.id}&resource_name=q`)), [made[1].id]);
      assert.deepEqual(await list(`service_id=${other.id}&region_id=${region.id}`), []);
      const first = assertOk(await api.get(`/v3/registered_limits?service_id=${other.id}&limit=2`));
      const rest = assertOk(await api.get(first.links.next.slice(api.url.length)));
      assert.deepEqual(ids([...first.registered_limits, ...rest.registered_limits]), ids(made));
      assertRefused(await api.get('/v3/registered_limits/nothing', { token }), 404, /registered limit for nothing/);
      assertRefused(
        await api.post('/v3/registered_limits', { registered_limits: [{ ...resource('z'), default_limit: 1 }] }, { token }),
        403,
      );
    });

    it('change, but not while a limit refers to them', async () => {
      const made = await register(api, { ...resource('changing'), default_limit: 1, description: 'before' });
      const path = `/v3/registered_limits/${made.id}`;
      const changed = assertOk(
        await api.patch(path, { registered_limit: { default_limit: 0, region_id: region.id } }),
      ).registered_limit;
      assert.deepEqual(changed, { ...made, default_limit: 0, region_id: region.id });
      assert.deepEqual(assertOk(await api.patch(path, { registered_limit: {} })).registered_limit, changed);
      const other = await register(api, { ...resource('changing'), default_limit: 1 });
      assertRefused(await api.patch(path, { registered_limit: { region_id: null } }), 409);
      assertOk(await api.delete(`/v3/registered_limits/${other.id}`), 204);
      assert.equal(assertOk(await api.patch(path, { registered_limit: { region_id: null } })).registered_limit.region_id, null);
      await assertBadBodies(api, 'PATCH', path, [
        ['service_id', { registered_limit: { service_id: 'nowhere' } }],
        ['default_limit', { registered_limit: { default_limit: 1.5 } }],
        ['id', { registered_limit: { id: made.id } }],
      ]);
      const using = await limit(api, { ...resource('changing'), project_id: project.id, resource_limit: 3 });
      assertRefused(await api.patch(path, { registered_limit: { default_limit: 9 } }), 403, /project limits associated/);
      assertRefused(await api.delete(path), 403, /project limits associated/);
      assertOk(await api.delete(`/v3/limits/${using.id}`), 204);
      assertOk(await api.delete(path), 204);
      assertRefused(await api.get(path), 404);
      assertRefused(await api.delete(path), 404);
    });
  });

  describe('of projects and domains', () => {
    it('are created together, and a domain may be named as a project', async () => {
      await register(api, { ...resource('b'), default_limit: 10 });
      const body = {
        limits: [
          { ...resource('b'), project_id: project.id, resource_limit: 5 },
          { ...resource('b'), project_id: domain.id, resource_limit: 0, description: 'none' },
        ],
      };
      const answer = assertOk(await api.post('/v3/limits', body), 201);
      assert.deepEqual(Object.keys(answer), ['limits']);
      const [first, second] = answer.limits;
      assert.deepEqual(first, {
        id: first.id,
        project_id: project.id,
        domain_id: null,
        ...resource('b'),
        region_id: null,
        resource_limit: 5,
        description: null,
        links: { self: `${api.url}/v3/limits/${first.id}` },
      });
      assert.deepEqual([second.project_id, second.domain_id, second.resource_limit], [null, domain.id, 0]);
      assert.deepEqual(assertOk(await api.get(`/v3/limits/${first.id}`)).limit, first);
      assertRefused(
        await api.post('/v3/limits', { limits: [{ ...resource('b'), domain_id: domain.id, resource_limit: 1 }] }),
        409,
        /store limit/,
      );
    });

    it('need a registered limit of the same resource', async () => {
      await register(api, { ...resource('c'), region_id: region.id, default_limit: 10 });
      const values = { ...resource('c'), project_id: project.id, resource_limit: 5 };
      assertRefused(await api.post('/v3/limits', { limits: [values] }), 403, /no corresponding registered limit/);
      assert.equal((await limit(api, { ...values, region_id: region.id })).region_id, region.id);
    });

    it('are refused when they cannot be stored', async () => {
      const values = { ...resource('b'), resource_limit: 5 };
      await assertBadBodies(api, 'POST', '/v3/limits', [
        ['limits', { limits: [] }],
        ['limits', { limits: [values] }],
        ['limits', { limits: [{ ...values, project_id: project.id, domain_id: domain.id }] }],
        ['project_id', { limits: [{ ...values, project_id: 'nowhere' }] }],
        ['domain_id', { limits: [{ ...values, domain_id: project.id }] }],
        ['service_id', { limits: [{ ...values, service_id: 'nowhere', project_id: project.id }] }],
        ['region_id', { limits: [{ ...values, region_id: 'nowhere', project_id: project.id }] }],
        ['resource_limit', { limits: [{ ...values, project_id: project.id, resource_limit: -2 }] }],
      ]);
    });

    it('change in amount and description only', async () => {
      await register(api, { ...resource('d'), default_limit: 10 });
      const made = await limit(api, { ...resource('d'), project_id: project.id, resource_limit: 5, description: 'before' });
      const path = `/v3/limits/${made.id}`;
      assert.deepEqual(assertOk(await api.patch(path, { limit: { resource_limit: 0 } })).limit, { ...made, resource_limit: 0 });
      assert.equal(assertOk(await api.patch(path, { limit: { description: null } })).limit.description, null);
      await assertBadBodies(api, 'PATCH', path, [
        ['resource_limit', { limit: { resource_limit: 'x' } }],
        ['resource_name', { limit: { resource_name: 'x' } }],
        ['project_id', { limit: { project_id: project.id } }],
      ]);
      assertOk(await api.delete(path), 204);
      for (const method of ['GET', 'DELETE'] as const) assertRefused(await api.request(method, path), 404, /limit for/);
      assertRefused(await api.patch(path, { limit: { resource_limit: 1 } }), 404);
    });

    it('are listed as far as the token reaches', async () => {
      await register(api, { ...resource('e'), default_limit: 10 });
      const elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
      const [own, ofDomain, foreign] = [
        await limit(api, { ...resource('e'), project_id: project.id, resource_limit: 1 }),
        await limit(api, { ...resource('e'), domain_id: domain.id, resource_limit: 2 }),
        await limit(api, { ...resource('e'), domain_id: elsewhere.id, resource_limit: 3 }),
      ];
      const list = async (token: string, query = '') =>
        ids(assertOk(await api.get(`/v3/limits?resource_name=e${query}`, { token })).limits);
      const member = await api.persona(['member'], { project: project.id });
      const reader = await api.persona(['reader'], { domain: domain.id });
      assert.deepEqual(await list(member.token), [own.id]);
      assert.deepEqual(await list(reader.token), ids([own, ofDomain]));
      assert.deepEqual(await list(system), ids([own, ofDomain, foreign]));
      assert.deepEqual(await list(await api.logIn({ id: member.user.id, password: member.password })), []);
      assert.deepEqual(await list(system, `&domain_id=${elsewhere.id}`), [foreign.id]);
      assert.deepEqual(await list(reader.token, `&domain_id=${elsewhere.id}`), []);
      assert.deepEqual(await list(system, `&project_id=${project.id}&service_id=${service.id}`), [own.id]);
      const first = assertOk(await api.get('/v3/limits?resource_name=e&limit=2', { token: system }));
      const rest = assertOk(await api.get(first.links.next.slice(api.url.length), { token: system }));
      assert.equal(first.limits.length + rest.limits.length, 3);
      for (const [token, seen] of [
        [member.token, [own]],
        [reader.token, [own, ofDomain]],
      ] as const)
        for (const one of [own, ofDomain, foreign]) {
          const { status } = await api.get(`/v3/limits/${one.id}`, { token });
          assert.equal(status, seen.includes(one) ? 200 : 403);
        }
    });

    it('go with their project, their service and their region', async () => {
      const there = await api.make('region', {});
      const other = await api.make('service', { type: 'test' });
      const gone = await api.make('project', { name: uniqueName('gone') });
      const named = { service_id: other.id, resource_name: 'x' };
      await register(api, { ...named, default_limit: 1 });
      const inRegion = await register(api, { ...named, region_id: there.id, default_limit: 1 });
      const one = await limit(api, { ...named, project_id: gone.id, resource_limit: 1 });
      const two = await limit(api, { ...named, project_id: project.id, resource_limit: 1 });
      assertOk(await api.delete(`/v3/projects/${gone.id}`), 204);
      assertRefused(await api.get(`/v3/limits/${one.id}`), 404);
      assertOk(await api.delete(`/v3/regions/${there.id}`), 204);
      assertRefused(await api.get(`/v3/registered_limits/${inRegion.id}`), 404);
      assertOk(await api.delete(`/v3/services/${other.id}`), 204);
      assertRefused(await api.get(`/v3/limits/${two.id}`), 404);
      assert.deepEqual(assertOk(await api.get(`/v3/registered_limits?service_id=${other.id}`)).registered_limits, []);
    });

    it('that went with their service or region can be deleted once more, as by clients of Keystone', async () => {
      const there = await api.make('region', {});
      const other = await api.make('service', { type: 'test' });
      const named = { service_id: other.id, resource_name: 'x' };
      const inRegion = await register(api, { ...named, region_id: there.id, default_limit: 1 });
      const ofService = await register(api, { ...named, default_limit: 1 });
      const ofProject = await limit(api, { ...named, project_id: project.id, resource_limit: 1 });
      assertOk(await api.delete(`/v3/regions/${there.id}`), 204);
      assertOk(await api.delete(`/v3/services/${other.id}`), 204);
      const { token } = await api.persona(['member'], { project: project.id });
      for (const path of [`registered_limits/${inRegion.id}`, `limits/${ofProject.id}`, `registered_limits/${ofService.id}`]) {
        assertRefused(await api.get(`/v3/${path}`), 404);
        assertRefused(await api.delete(`/v3/${path}`, { token }), 403);
        assertOk(await api.delete(`/v3/${path}`), 204);
        assertRefused(await api.delete(`/v3/${path}`), 404);
      }
    });
  });

  it('are flat, unless the settings say otherwise', async () => {
    assert.equal(assertOk(await api.get('/v3/limits/model')).model.name, 'flat');
    assert.equal((await api.head('/v3/limits/model')).status, 200);
    await register(api, { ...resource('flat'), default_limit: 1 });
    await limit(api, { ...resource('flat'), domain_id: domain.id, resource_limit: 1 });
    await limit(api, { ...resource('flat'), project_id: project.id, resource_limit: 100 });
  });
});

onEachDatabase(
  'Limits of the strict model',
  (api) => {
    let service: { id: string };
    let domain: { id: string };
    let projects: { id: string }[];
    before(async () => {
      service = await api.make('service', { type: 'test' });
      domain = await api.make('domain', { name: uniqueName('domain') });
      projects = await Promise.all([0, 1].map(() => api.make('project', { name: uniqueName('project'), domain_id: domain.id })));
    });
    const resource = (name: string) => ({ service_id: service.id, resource_name: name });
    const post = (...limits: object[]) => api.post('/v3/limits', { limits });
    const BROKEN = /doesn't satisfy the current hierarchy model/;

    it('are at most what the domain has, or by default may use', async () => {
      await register(api, { ...resource('a'), default_limit: 10 });
      const [one, two] = projects;
      assertRefused(await post({ ...resource('a'), project_id: one!.id, resource_limit: 11 }), 403, BROKEN);
      assertRefused(await post({ ...resource('a'), project_id: one!.id, resource_limit: -1 }), 403, BROKEN);
      const small = assertOk(await post({ ...resource('a'), project_id: one!.id, resource_limit: 10 }), 201).limits[0];
      assertRefused(await post({ ...resource('a'), domain_id: domain.id, resource_limit: 9 }), 403, BROKEN);
      const ofDomain = assertOk(await post({ ...resource('a'), domain_id: domain.id, resource_limit: 12 }), 201).limits[0];
      assertRefused(await post({ ...resource('a'), project_id: two!.id, resource_limit: 13 }), 403, BROKEN);
      assertRefused(await api.patch(`/v3/limits/${small.id}`, { limit: { resource_limit: 13 } }), 403, BROKEN);
      assertOk(await api.patch(`/v3/limits/${small.id}`, { limit: { resource_limit: 12 } }));
      assertRefused(await api.patch(`/v3/limits/${ofDomain.id}`, { limit: { resource_limit: 11 } }), 403, BROKEN);
      assertOk(await api.patch(`/v3/limits/${ofDomain.id}`, { limit: { resource_limit: -1 } }));
      assertOk(await api.patch(`/v3/limits/${small.id}`, { limit: { resource_limit: -1 } }));
    });

    it('hold when the limit of a domain is deleted while projects get more', async () => {
      for (let round = 0; round < 8; round++) {
        const name = `e${round}`;
        await register(api, { ...resource(name), default_limit: 10 });
        const ofDomain = assertOk(await post({ ...resource(name), domain_id: domain.id, resource_limit: 20 }), 201).limits[0];
        const [made, gone] = await Promise.all([
          post({ ...resource(name), project_id: projects[0]!.id, resource_limit: 20 }),
          api.delete(`/v3/limits/${ofDomain.id}`),
        ]);
        assert.deepEqual([made.status, gone.status].sort(), made.status === 201 ? [201, 403] : [204, 403]);
      }
    });

    it('are compared with those of the same request', async () => {
      await register(api, { ...resource('b'), default_limit: 1 });
      const [one, two] = projects;
      const ofDomain = { ...resource('b'), domain_id: domain.id, resource_limit: 20 };
      const big = { ...resource('b'), project_id: one!.id, resource_limit: 21 };
      assertRefused(await post(ofDomain, big), 403, BROKEN);
      assertRefused(await post(big, ofDomain), 403, BROKEN);
      assertOk(await post({ ...big, resource_limit: 20 }, ofDomain, { ...big, project_id: two!.id, resource_limit: 2 }), 201);
    });

    it('of a domain stay while a project has more than the default', async () => {
      await register(api, { ...resource('d'), default_limit: 10 });
      const [ofDomain, ofProject] = assertOk(
        await post(
          { ...resource('d'), domain_id: domain.id, resource_limit: 50 },
          { ...resource('d'), project_id: projects[0]!.id, resource_limit: 11 },
        ),
        201,
      ).limits;
      assertRefused(await api.delete(`/v3/limits/${ofDomain.id}`), 403, BROKEN);
      assertOk(await api.patch(`/v3/limits/${ofProject.id}`, { limit: { resource_limit: 10 } }));
      assertOk(await api.delete(`/v3/limits/${ofDomain.id}`), 204);
    });

    it('hold when many are set at once', async () => {
      await register(api, { ...resource('c'), default_limit: 10 });
      const answers = await Promise.all([
        post({ ...resource('c'), project_id: projects[0]!.id, resource_limit: 10 }),
        post({ ...resource('c'), domain_id: domain.id, resource_limit: 5 }),
        post({ ...resource('c'), project_id: projects[1]!.id, resource_limit: 10 }),
      ]);
      const stored = answers.filter(({ status }) => status === 201).map(({ body }) => body.limits[0]);
      const ofDomain = stored.find(({ domain_id }) => domain_id);
      assert.ok(stored.length > 0 && (!ofDomain || stored.every(({ resource_limit }) => resource_limit <= 5)));
    });

    it('know no projects below projects', async () => {
      assert.equal(assertOk(await api.get('/v3/limits/model')).model.name, 'strict_two_level');
      const below = { name: uniqueName('below'), domain_id: domain.id, parent_id: projects[0]!.id };
      assertRefused(await api.post('/v3/projects', { project: below }), 403, /depth/);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_LIMIT_MODEL: 'strict_two_level' } },
);

onDatabase('SQLite', 'A service with projects below projects', {}, (api) => {
  const db = usesDatabaseOf(api);
  it('does not start with the strict model', async () => {
    const parent = await api.make('project', { name: uniqueName('parent') });
    const below = await api.make('project', { name: uniqueName('below'), parent_id: parent.id });
    const config = load(identitySettings, { GATEHOUSE_IDENTITY_LIMIT_MODEL: 'strict_two_level' });
    const limits = createLimits({ db: db(), config, change: createChanges(db(), api.clock) });
    await assert.rejects(limits.checkProjectTree(), new RegExp(below.id));
  });
});
