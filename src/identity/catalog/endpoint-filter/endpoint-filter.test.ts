import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, onDatabase, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies, assertGuarded } from '../../../../test/support/guarded.ts';

const GROUPS = '/v3/OS-EP-FILTER/endpoint_groups';
const PROJECTS = '/v3/OS-EP-FILTER/projects';

onEachDatabase('The endpoint filter', (api) => {
  let service: { id: string };
  let region: { id: string };
  let publicOne: { id: string };
  let internalOne: { id: string };
  let elsewhere: { id: string };
  before(async () => {
    service = await api.make('service', { type: 'test', name: 'filtered' });
    region = await api.make('region', {});
    const make = (values: object) => api.make('endpoint', { service_id: service.id, url: 'http://x', ...values });
    publicOne = await make({ interface: 'public', region_id: region.id });
    internalOne = await make({ interface: 'internal', region_id: region.id });
    elsewhere = await make({ interface: 'public' });
  });
  const makeProject = () => api.make('project', { name: uniqueName('project') });
  const makeGroup = async (filters: object, more = {}) =>
    assertOk(await api.post(GROUPS, { endpoint_group: { name: uniqueName('group'), filters, ...more } }), 201).endpoint_group;
  const ids = (list: readonly { id: string }[]): string[] => list.map(({ id }) => id).sort();

  describe('has groups of endpoints that', () => {
    it('are created, shown, changed and deleted', async () => {
      const group = await makeGroup({ interface: 'public', service_id: service.id }, { description: 'open' });
      const path = `${GROUPS}/${group.id}`;
      assert.deepEqual(group, {
        id: group.id,
        name: group.name,
        description: 'open',
        filters: { interface: 'public', service_id: service.id },
        links: { self: `${api.url}${path}` },
      });
      assert.deepEqual(assertOk(await api.get(path)).endpoint_group, group);
      assert.deepEqual(assertOk(await api.get(`${GROUPS}?name=${group.name}`)).endpoint_groups, [group]);
      assert.deepEqual(ids(assertOk(await api.get(`${path}/endpoints`)).endpoints), ids([publicOne, elsewhere]));
      const filters = { region_id: region.id };
      const changed = assertOk(await api.patch(path, { endpoint_group: { filters, description: null } })).endpoint_group;
      assert.deepEqual(changed, { ...group, filters, description: null });
      assert.deepEqual(ids(assertOk(await api.get(`${path}/endpoints`)).endpoints), ids([publicOne, internalOne]));
      assertRefused(await api.patch(path, { endpoint_group: { id: 'other' } }), 400, /Cannot change endpoint group ID/);
      assertOk(await api.delete(path), 204);
      assertRefused(await api.get(path), 404, /Endpoint Group/);
    });

    it('are refused when they cannot be stored', async () => {
      await assertBadBodies(api, 'POST', GROUPS, [
        ['endpoint_group', {}],
        ['anything', { endpoint_group: { name: 'x', filters: { interface: 'public' }, anything: 'else' } }],
        ['name', { endpoint_group: { filters: { interface: 'public' } } }],
        ['name', { endpoint_group: { name: ' ', filters: { interface: 'public' } } }],
        ['filters', { endpoint_group: { name: 'x' } }],
        ['filters', { endpoint_group: { name: 'x', filters: {} } }],
        ['url', { endpoint_group: { name: 'x', filters: { url: 'http://x' } } }],
      ]);
    });

    it('are given to projects and taken from them', async () => {
      const [project, group] = [await makeProject(), await makeGroup({ interface: 'public', service_id: service.id })];
      const path = `${GROUPS}/${group.id}/projects/${project.id}`;
      assertRefused(await api.get(path), 404, /not found in project/);
      assertRefused(await api.delete(path), 404, /not found in project/);
      assertOk(await api.put(path), 204);
      assertRefused(await api.put(path), 409);
      assert.deepEqual(assertOk(await api.get(path)), {
        project_endpoint_group: { endpoint_group_id: group.id, project_id: project.id, links: { self: `${api.url}${path}` } },
      });
      assert.equal((await api.head(path)).status, 200);
      assert.deepEqual(ids(assertOk(await api.get(`${GROUPS}/${group.id}/projects`)).projects), [project.id]);
      assert.deepEqual(assertOk(await api.get(`${PROJECTS}/${project.id}/endpoint_groups`)).endpoint_groups, [group]);
      assert.deepEqual(
        ids(assertOk(await api.get(`${PROJECTS}/${project.id}/endpoints`)).endpoints),
        ids([publicOne, elsewhere]),
      );
      assertOk(await api.delete(path), 204);
      assert.deepEqual(assertOk(await api.get(`${GROUPS}/${group.id}/projects`)).projects, []);
      assertRefused(await api.put(`${GROUPS}/nothing/projects/${project.id}`), 404, /Endpoint Group: nothing/);
      assertRefused(await api.put(`${GROUPS}/${group.id}/projects/nothing`), 404, /project: nothing/);
    });
  });

  it('has endpoints that are given to projects and taken from them', async () => {
    const project = await makeProject();
    const path = `${PROJECTS}/${project.id}/endpoints/${internalOne.id}`;
    assertRefused(await api.get(path), 404, /not found in project/);
    assertOk(await api.put(path), 204);
    assertRefused(await api.put(path), 409);
    assertOk(await api.get(path), 204);
    assert.equal((await api.head(path)).status, 204);
    assert.deepEqual(ids(assertOk(await api.get(`/v3/OS-EP-FILTER/endpoints/${internalOne.id}/projects`)).projects), [
      project.id,
    ]);
    assert.deepEqual(ids(assertOk(await api.get(`${PROJECTS}/${project.id}/endpoints`)).endpoints), [internalOne.id]);
    assertOk(await api.delete(path), 204);
    assertRefused(await api.delete(path), 404);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      assertRefused(await api.request(method, `${PROJECTS}/${project.id}/endpoints/nothing`), 404, /endpoint: nothing/);
      assertRefused(await api.request(method, `${PROJECTS}/nothing/endpoints/${internalOne.id}`), 404, /project: nothing/);
    }
    assertOk(await api.put(path), 204);
    assertOk(await api.delete(`/v3/projects/${project.id}`), 204);
    assert.deepEqual(assertOk(await api.get(`/v3/OS-EP-FILTER/endpoints/${internalOne.id}/projects`)).projects, []);
  });

  it('is for administrators, and readers of the system see it', async () => {
    const [project, group] = [await makeProject(), await makeGroup({ interface: 'public' })];
    const reader = (await api.persona(['reader'], 'system')).token;
    for (const path of [`${GROUPS}/${group.id}/projects`, `${PROJECTS}/${project.id}/endpoints`])
      assertOk(await api.get(path, { token: reader }));
    assertRefused(await api.put(`${GROUPS}/${group.id}/projects/${project.id}`, undefined, { token: reader }), 403);
    const member = (await api.persona(['member'], { project: project.id })).token;
    const pair = `${GROUPS}/${group.id}/projects/${project.id}`;
    await assertGuarded(
      api,
      [member],
      [
        { method: 'PUT', path: pair, missing: `${GROUPS}/${group.id}/projects/nothing` },
        { method: 'GET', path: `${PROJECTS}/${project.id}/endpoints`, missing: `${PROJECTS}/nothing/endpoints` },
      ],
    );
  });

  describe('in the catalog of a token', () => {
    const catalogOf = async (token: string): Promise<string[]> => {
      const { catalog } = assertOk(await api.get('/v3/auth/catalog', { token }));
      const shown = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).token.catalog;
      assert.deepEqual(shown, catalog);
      return catalog.flatMap((entry: { endpoints: { id: string }[] }) => ids(entry.endpoints)).sort();
    };

    it('is in force at once, also for tokens that were issued before', async () => {
      const project = await makeProject();
      const { token } = await api.persona(['member'], { project: project.id });
      const everything = await catalogOf(token);
      for (const one of [publicOne, internalOne, elsewhere]) assert.ok(everything.includes(one.id));
      assert.ok(everything.length > 3);
      assertOk(await api.put(`${PROJECTS}/${project.id}/endpoints/${internalOne.id}`), 204);
      assert.deepEqual(await catalogOf(token), [internalOne.id]);
      const entries = assertOk(await api.get('/v3/auth/catalog', { token })).catalog;
      assert.deepEqual(ids(entries), [service.id], 'services without endpoints are left out');
      const group = await makeGroup({ interface: 'public', service_id: service.id });
      assertOk(await api.put(`${GROUPS}/${group.id}/projects/${project.id}`), 204);
      assert.deepEqual(await catalogOf(token), ids([publicOne, internalOne, elsewhere]));
      assertOk(
        await api.patch(`${GROUPS}/${group.id}`, {
          endpoint_group: { filters: { interface: 'public', region_id: region.id, service_id: service.id } },
        }),
      );
      assert.deepEqual(await catalogOf(token), ids([publicOne, internalOne]));
      assertOk(await api.delete(`${GROUPS}/${group.id}`), 204);
      assert.deepEqual(await catalogOf(token), [internalOne.id]);
      assertOk(await api.delete(`${PROJECTS}/${project.id}/endpoints/${internalOne.id}`), 204);
      assert.deepEqual(await catalogOf(token), everything);
    });

    it('does not show everything when the only endpoint of the project is disabled', async () => {
      const project = await makeProject();
      const { token } = await api.persona(['member'], { project: project.id });
      const endpoint = await api.make('endpoint', {
        service_id: service.id,
        interface: 'admin',
        url: 'http://x',
        enabled: false,
      });
      assertOk(await api.put(`${PROJECTS}/${project.id}/endpoints/${endpoint.id}`), 204);
      assert.deepEqual(await catalogOf(token), []);
      assertOk(await api.patch(`/v3/endpoints/${endpoint.id}`, { endpoint: { enabled: true } }));
      assert.deepEqual(await catalogOf(token), [endpoint.id]);
    });

    it('is for that project only', async () => {
      const [project, other] = [await makeProject(), await makeProject()];
      const { token } = await api.persona(['member'], { project: other.id });
      const before = await catalogOf(token);
      assertOk(await api.put(`${PROJECTS}/${project.id}/endpoints/${internalOne.id}`), 204);
      assert.deepEqual(await catalogOf(token), before);
    });
  });
});

onDatabase(
  'SQLite',
  'A catalog without a filter',
  { settings: { GATEHOUSE_IDENTITY_RETURN_ALL_ENDPOINTS_IF_NO_FILTER: 'false' } },
  (api) => {
    it('is empty, if the settings say so', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { token } = await api.persona(['member'], { project: project.id });
      assert.deepEqual(assertOk(await api.get('/v3/auth/catalog', { token })).catalog, []);
      const service = await api.make('service', { type: 'test' });
      const endpoint = await api.make('endpoint', { service_id: service.id, interface: 'public', url: 'http://x' });
      assertOk(await api.put(`${PROJECTS}/${project.id}/endpoints/${endpoint.id}`), 204);
      assert.equal(assertOk(await api.get('/v3/auth/catalog', { token })).catalog[0].endpoints[0].id, endpoint.id);
      const system = await api.authenticate({ name: 'admin', password: ADMIN_PASSWORD }, { system: { all: true } });
      assert.deepEqual(assertOk(system, 201).token.catalog, []);
    });
  },
);
