import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies, assertGuarded } from '../../../../test/support/guarded.ts';

const ids = (list: { id: string }[]): string[] => list.map(({ id }) => id);

onEachDatabase('The catalog', (api) => {
  describe('regions', () => {
    const list = async (query = ''): Promise<any[]> => assertOk(await api.get(`/v3/regions${query}`)).regions;

    it('creates a region with an id of its own or of the client, and shows it', async () => {
      const id = uniqueName('Région One');
      const { region } = assertOk(await api.post('/v3/regions', { region: { id, description: 'first', colour: 'green' } }), 201);
      const self = `${api.url}/v3/regions/${encodeURIComponent(id)}`;
      assert.deepEqual(region, { id, description: 'first', parent_region_id: null, colour: 'green', links: { self } });
      assert.deepEqual(assertOk(await api.get(self.slice(api.url.length))).region, region);

      for (const body of [{}, { id: '' }, { id: null, description: null, parent_region_id: null }]) {
        const made = assertOk(await api.post('/v3/regions', { region: body }), 201).region;
        assert.match(made.id, /^[0-9a-f]{32}$/);
        assert.equal(made.description, '');
      }
    });

    it('creates a region at its address', async () => {
      const id = uniqueName('region');
      const path = `/v3/regions/${id}`;
      assert.equal(assertOk(await api.put(path, { region: { description: 'here' } }), 201).region.id, id);
      assertRefused(await api.put(path, { region: {} }), 409, /store region - Duplicate Entry/);
      const other = uniqueName('region');
      assertRefused(await api.put(`/v3/regions/${other}`, { region: { id } }), 400, /'id'/);
      assertRefused(await api.put(`/v3/regions/${'x'.repeat(256)}`, { region: {} }), 400, /'id'/);
      assertRefused(await api.put('/v3/regions/a%2Fb', { region: {} }), 400, /'id'/);
      assert.equal(assertOk(await api.put(`/v3/regions/${other}`, { region: { id: other } }), 201).region.id, other);
    });

    it('refuses an id that is taken', async () => {
      const id = uniqueName('region');
      const answers = await Promise.all(Array.from({ length: 4 }, () => api.post('/v3/regions', { region: { id } })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409]);
    });

    it('refuses what is no region, naming the field, and stores nothing', async () => {
      const before = (await list()).length;
      await assertBadBodies(api, 'POST', '/v3/regions', [
        ['region', {}],
        ['region', { region: [] }],
        ['region.id', { region: { id: 7 } }],
        ['region.id', { region: { id: 'x'.repeat(256) } }],
        ['region.id', { region: { id: 'a/b' } }],
        ['region.description', { region: { description: 7 } }],
        ['region.parent_region_id', { region: { parent_region_id: 7 } }],
      ]);
      assertRefused(await api.post('/v3/regions', { region: { parent_region_id: 'nowhere' } }), 404, /region: nowhere/);
      assert.equal((await list()).length, before);
    });

    it('changes what is named and keeps the rest', async () => {
      const region = await api.make('region', { description: 'before', colour: 'green' });
      const path = `/v3/regions/${region.id}`;
      const changed = assertOk(await api.patch(path, { region: { description: 'after' } })).region;
      assert.deepEqual(changed, { ...region, description: 'after' });
      assert.equal(assertOk(await api.patch(path, { region: { description: null } })).region.description, '');
      assertRefused(await api.patch(path, { region: { id: 'other' } }), 400, /Cannot change region ID/);
      assertRefused(await api.patch(path, { region: { parent_region_id: 'nowhere' } }), 404, /region: nowhere/);
      await assertBadBodies(api, 'PATCH', path, [['region.description', { region: { description: {} } }]]);
    });

    it('stands below a parent, and is never its own ancestor', async () => {
      const a = await api.make('region', {});
      const b = await api.make('region', { parent_region_id: a.id });
      const c = await api.make('region', { parent_region_id: b.id });
      assert.deepEqual(ids(await list(`?parent_region_id=${a.id}`)), [b.id]);
      for (const parent of [a, b, c])
        assertRefused(await api.patch(`/v3/regions/${a.id}`, { region: { parent_region_id: parent.id } }), 400, /ancestor/);
      const own = uniqueName('region');
      assertRefused(await api.post('/v3/regions', { region: { id: own, parent_region_id: own } }), 404);
      assertOk(await api.patch(`/v3/regions/${c.id}`, { region: { parent_region_id: a.id } }));
      assert.deepEqual(ids(await list(`?parent_region_id=${a.id}`)), [b.id, c.id].sort());
      assertOk(await api.patch(`/v3/regions/${c.id}`, { region: { parent_region_id: null } }));
      assert.deepEqual(ids(await list(`?parent_region_id=${a.id}`)), [b.id]);
    });

    it('makes no circle of regions that are moved at once', async () => {
      for (let round = 0; round < 5; round++) {
        const [a, b] = [await api.make('region', {}), await api.make('region', {})];
        const answers = await Promise.all([
          api.patch(`/v3/regions/${a.id}`, { region: { parent_region_id: b.id } }),
          api.patch(`/v3/regions/${b.id}`, { region: { parent_region_id: a.id } }),
        ]);
        assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400]);
      }
    });

    it('is either there with its parent or not at all, when the parent is deleted meanwhile', async () => {
      for (let round = 0; round < 5; round++) {
        const parent = await api.make('region', {});
        const [made, deleted] = await Promise.all([
          api.post('/v3/regions', { region: { parent_region_id: parent.id } }),
          api.delete(`/v3/regions/${parent.id}`),
        ]);
        assert.ok([204, 403].includes(deleted.status), deleted.text);
        if (made.status !== 201) assertRefused(made, 404, /Could not find region/);
      }
    });

    it('is deleted once, and the audit log says so once, and what was changed', async () => {
      const { id } = await api.make('region', {});
      assertOk(await api.patch(`/v3/regions/${id}`, { region: { description: 'x', colour: 'green' } }));
      const answers = await Promise.all([1, 2, 3].map(() => api.delete(`/v3/regions/${id}`)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404, 404]);
      const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${id}`));
      const said = (events as { action: string; detail?: { fields?: string[] } }[]).map(({ action, detail }) => [
        action,
        detail?.fields,
      ]);
      assert.deepEqual(said.sort(), [
        ['region.created', undefined],
        ['region.deleted', undefined],
        ['region.updated', ['description', 'colour']],
      ]);
    });

    it('takes those below it along when it is deleted, unless endpoints are there', async () => {
      const a = await api.make('region', {});
      const b = await api.make('region', { parent_region_id: a.id });
      const c = await api.make('region', { parent_region_id: b.id });
      const service = await api.make('service', { type: 'test' });
      const endpoint = await api.make('endpoint', {
        service_id: service.id,
        interface: 'public',
        url: 'http://test',
        region_id: c.id,
      });
      for (const region of [a, b, c])
        assertRefused(await api.delete(`/v3/regions/${region.id}`), 403, /Unable to delete region .* associated endpoints/);
      assertOk(await api.delete(`/v3/endpoints/${endpoint.id}`), 204);
      assertOk(await api.delete(`/v3/regions/${b.id}`), 204);
      assertOk(await api.get(`/v3/regions/${a.id}`));
      for (const region of [b, c]) assertRefused(await api.get(`/v3/regions/${region.id}`), 404);
      assertRefused(await api.delete(`/v3/regions/${b.id}`), 404);
    });

    it('lists page by page', async () => {
      const parent = await api.make('region', {});
      const made = [];
      for (let i = 0; i < 3; i++) made.push(await api.make('region', { parent_region_id: parent.id }));
      const first = assertOk(await api.get(`/v3/regions?parent_region_id=${parent.id}&limit=2`));
      const second = assertOk(await api.get(first.links.next.slice(api.url.length)));
      assert.deepEqual(ids([...first.regions, ...second.regions]), ids(made).sort());
      assertRefused(await api.get('/v3/regions?marker=nowhere'), 400, /marker/);
    });

    it('is created at its address by administrators only', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { token } = await api.persona(['member'], { project: project.id });
      const path = `/v3/regions/${uniqueName('region')}`;
      await assertGuarded(api, [token], [{ method: 'PUT', path, body: { region: {} } }]);
      assertRefused(await api.get(path), 404);
    });
  });

  describe('services and endpoints', () => {
    let service: any;
    before(async () => {
      service = await api.make('service', { type: 'compute', name: 'nova' });
    });
    const countOf = async (kind: 'service' | 'endpoint'): Promise<number> =>
      assertOk(await api.get(`/v3/${kind}s`))[`${kind}s`].length;

    describe('a service', () => {
      it('is created with what Keystone would fill in, and shown', async () => {
        const { service: bare } = assertOk(await api.post('/v3/services', { service: { type: 'image' } }), 201);
        const self = `${api.url}/v3/services/${bare.id}`;
        assert.deepEqual(bare, { id: bare.id, type: 'image', name: '', enabled: true, links: { self } });
        const values = { type: 'image', name: 'glance', enabled: false, description: 'pictures', colour: 'green' };
        const { service: full } = assertOk(await api.post('/v3/services', { service: values }), 201);
        assert.deepEqual(full, { ...values, id: full.id, links: { self: `${api.url}/v3/services/${full.id}` } });
        assert.deepEqual(assertOk(await api.get(`/v3/services/${full.id}`)).service, full);
      });

      it('may have no name and no description', async () => {
        const made = await api.make('service', { type: 'image', description: null });
        assert.equal(made.name, '');
        assert.equal(made.description, null);
      });

      it('is listed by type, name and whether it is enabled, page by page', async () => {
        const type = uniqueName('type');
        const made = [];
        for (const name of ['a', 'b', 'c']) made.push(await api.make('service', { type, name, enabled: name !== 'c' }));
        const list = async (query: string) => assertOk(await api.get(`/v3/services?type=${type}&${query}`)).services;
        assert.deepEqual(ids(await list('')).sort(), ids(made).sort());
        assert.deepEqual(ids(await list('name=b')), [made[1].id]);
        assert.deepEqual(ids(await list('enabled=false')), [made[2].id]);
        const first = assertOk(await api.get(`/v3/services?type=${type}&limit=2`));
        const second = assertOk(await api.get(first.links.next.slice(api.url.length)));
        assert.deepEqual(ids([...first.services, ...second.services]), ids(made).sort());
        assertRefused(await api.get('/v3/services?enabled=perhaps'), 400, /enabled/);
      });

      it('refuses what is no service, naming the field, and stores nothing', async () => {
        const before = await countOf('service');
        await assertBadBodies(api, 'POST', '/v3/services', [
          ['service', {}],
          ['service.type', { service: {} }],
          ['service.type', { service: { type: '' } }],
          ['service.type', { service: { type: 'x'.repeat(256) } }],
          ['service.name', { service: { type: 'image', name: 7 } }],
          ['service.name', { service: { type: 'image', name: '' } }],
          ['service.name', { service: { type: 'image', name: null } }],
          ['service.name', { service: { type: 'image', name: 'x'.repeat(256) } }],
          ['service.enabled', { service: { type: 'image', enabled: 'yes' } }],
          ['service.description', { service: { type: 'image', description: 7 } }],
        ]);
        assert.equal(await countOf('service'), before);
      });

      it('changes what is named and keeps the rest', async () => {
        const made = await api.make('service', { type: 'image', name: 'glance', colour: 'green' });
        const path = `/v3/services/${made.id}`;
        const changed = assertOk(await api.patch(path, { service: { name: 'other', enabled: false } })).service;
        assert.deepEqual(changed, { ...made, name: 'other', enabled: false });
        assertRefused(await api.patch(path, { service: { id: 'other' } }), 400, /Cannot change service ID/);
        await assertBadBodies(api, 'PATCH', path, [
          ['service.type', { service: { type: null } }],
          ['service.name', { service: { name: null } }],
          ['service.enabled', { service: { enabled: null } }],
        ]);
        assert.deepEqual(assertOk(await api.get(path)).service, changed);
      });

      it('takes its endpoints along', async () => {
        const made = await api.make('service', { type: 'image' });
        const endpoint = await api.make('endpoint', { service_id: made.id, interface: 'public', url: 'http://test' });
        assertOk(await api.delete(`/v3/services/${made.id}`), 204);
        assertRefused(await api.get(`/v3/services/${made.id}`), 404, new RegExp(`Could not find service: ${made.id}`));
        assertRefused(await api.get(`/v3/endpoints/${endpoint.id}`), 404, new RegExp(`Could not find endpoint: ${endpoint.id}`));
      });
    });

    describe('an endpoint', () => {
      const make = (values: object = {}) =>
        api.make('endpoint', { service_id: service.id, interface: 'public', url: 'http://compute.example.org', ...values });

      it('is created with what Keystone would fill in, and shown', async () => {
        const region = await api.make('region', {});
        const values = { service_id: service.id, interface: 'internal', url: 'https://compute.example.org:8774/v2.1' };
        const { endpoint } = assertOk(await api.post('/v3/endpoints', { endpoint: { ...values, region_id: region.id } }), 201);
        const expected = {
          ...values,
          id: endpoint.id,
          enabled: true,
          region_id: region.id,
          region: region.id,
          links: { self: `${api.url}/v3/endpoints/${endpoint.id}` },
        };
        assert.deepEqual(endpoint, expected);
        assert.deepEqual(assertOk(await api.get(`/v3/endpoints/${endpoint.id}`)).endpoint, expected);
      });

      it('may be in no region, and keeps what else a client says of it', async () => {
        const endpoint = await make({ enabled: false, name: 'main', description: null });
        assert.equal(endpoint.region_id, null);
        assert.equal(endpoint.region, null);
        assert.equal(endpoint.enabled, false);
        assert.equal(endpoint.name, 'main');
      });

      it('makes its region on the fly when it is named the old way', async () => {
        const name = uniqueName('region');
        const answers = await Promise.all([
          make({ region: name }),
          make({ region: name }),
          make({ region: name, region_id: null }),
        ]);
        for (const endpoint of answers) assert.equal(endpoint.region_id, name);
        assert.equal(assertOk(await api.get(`/v3/regions/${name}`)).region.id, name);
        const moved = uniqueName('region');
        const path = `/v3/endpoints/${answers[0].id}`;
        assert.equal(assertOk(await api.patch(path, { endpoint: { region: moved } })).endpoint.region, moved);
        assert.equal(assertOk(await api.patch(path, { endpoint: { region_id: name } })).endpoint.region, name);
        assert.equal(assertOk(await api.patch(path, { endpoint: { region_id: null } })).endpoint.region, null);
      });

      it('needs a region that is there when it is named the new way', async () => {
        const body = { endpoint: { service_id: service.id, interface: 'public', url: 'http://test', region_id: 'nowhere' } };
        assertRefused(await api.post('/v3/endpoints', body), 400, /'region_id'.*nowhere/);
        assertRefused(await api.get('/v3/regions/nowhere'), 404);
        const endpoint = await make();
        assertRefused(
          await api.patch(`/v3/endpoints/${endpoint.id}`, { endpoint: { region_id: 'nowhere' } }),
          400,
          /'region_id'.*nowhere/,
        );
      });

      it('refuses what is no endpoint, naming the field, and stores nothing', async () => {
        const before = await countOf('endpoint');
        const good = { service_id: service.id, interface: 'public', url: 'http://test' };
        const without = (field: string) => Object.fromEntries(Object.entries(good).filter(([key]) => key !== field));
        await assertBadBodies(api, 'POST', '/v3/endpoints', [
          ['endpoint', {}],
          ['endpoint.service_id', { endpoint: without('service_id') }],
          ['endpoint.interface', { endpoint: without('interface') }],
          ['endpoint.url', { endpoint: without('url') }],
          ['service_id', { endpoint: { ...good, service_id: 'nothing' } }],
          ['endpoint.interface', { endpoint: { ...good, interface: 'private' } }],
          ['endpoint.url', { endpoint: { ...good, url: 'no address' } }],
          ['endpoint.url', { endpoint: { ...good, url: '' } }],
          ['url', { endpoint: { ...good, url: 'http://test/$(password)s' } }],
          ['url', { endpoint: { ...good, url: 'http://test/%(project_id)' } }],
          ['endpoint.enabled', { endpoint: { ...good, enabled: 1 } }],
          ['endpoint.region', { endpoint: { ...good, region: 'a/b' } }],
          ['endpoint.region_id', { endpoint: { ...good, region_id: 7 } }],
        ]);
        assert.equal(await countOf('endpoint'), before);
      });

      it('is listed by service, region, interface and whether it is enabled', async () => {
        const own = await api.make('service', { type: 'list' });
        const region = await api.make('region', {});
        const one = await make({ service_id: own.id, region_id: region.id });
        const two = await make({ service_id: own.id, interface: 'admin', enabled: false });
        const list = async (query: string) =>
          ids(assertOk(await api.get(`/v3/endpoints?service_id=${own.id}&${query}`)).endpoints).sort();
        assert.deepEqual(await list(''), [one.id, two.id].sort());
        assert.deepEqual(await list(`region_id=${region.id}`), [one.id]);
        assert.deepEqual(await list('interface=admin'), [two.id]);
        assert.deepEqual(await list('enabled=0'), [two.id]);
        assert.deepEqual(await list('limit=1'), [[one.id, two.id].sort()[0]]);
      });

      it('changes what is named and keeps the rest', async () => {
        const endpoint = await make({ colour: 'green' });
        const path = `/v3/endpoints/${endpoint.id}`;
        const changed = assertOk(await api.patch(path, { endpoint: { url: 'http://other', interface: 'admin' } })).endpoint;
        assert.deepEqual(changed, { ...endpoint, url: 'http://other', interface: 'admin' });
        await assertBadBodies(api, 'PATCH', path, [
          ['ID', { endpoint: { id: 'other' } }],
          ['service_id', { endpoint: { service_id: 'nothing' } }],
          ['endpoint.interface', { endpoint: { interface: 'private' } }],
          ['url', { endpoint: { url: 'http://test/$(password)s' } }],
        ]);
        assert.deepEqual(assertOk(await api.get(path)).endpoint, changed);
        assertOk(await api.delete(path), 204);
        assertRefused(await api.delete(path), 404);
      });
    });
  });

  describe('the catalog of a token', () => {
    let project: any;
    let persona: Awaited<ReturnType<TestApi['persona']>>;
    before(async () => {
      project = await api.make('project', { name: uniqueName('project') });
      persona = await api.persona(['member'], { project: project.id });
    });

    const catalogOf = async (token: string): Promise<any[]> =>
      assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).token.catalog;
    const entryOf = async (token: string, { id }: { id: string }) => (await catalogOf(token)).find((entry) => entry.id === id);

    it('shows services with their endpoints, and the same at /v3/auth/catalog', async () => {
      const service = await api.make('service', { type: 'volume', name: 'cinder' });
      const region = await api.make('region', {});
      const endpoint = await api.make('endpoint', {
        service_id: service.id,
        interface: 'public',
        url: 'http://volume',
        region_id: region.id,
      });
      assert.deepEqual(await entryOf(persona.token, service), {
        id: service.id,
        type: 'volume',
        name: 'cinder',
        endpoints: [{ id: endpoint.id, interface: 'public', region: region.id, region_id: region.id, url: 'http://volume' }],
      });
      const answer = assertOk(await api.get('/v3/auth/catalog', { token: persona.token }));
      assert.deepEqual(answer.catalog, await catalogOf(persona.token));
      assert.deepEqual(answer.links, { self: `${api.url}/v3/auth/catalog` });
      assert.equal((await api.head('/v3/auth/catalog', { token: persona.token })).status, 200);
    });

    it('is shown at /v3/auth/catalog to tokens of a project only', async () => {
      assertRefused(await api.get('/v3/auth/catalog', { token: null }), 401);
      for (const scope of ['unscoped', { domain: { id: 'default' } }, { system: { all: true } }]) {
        const token = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
        assertRefused(await api.get('/v3/auth/catalog', { token }), 403, /project-scoped token is required/);
      }
    });

    it('writes the project and the user of the token into addresses', async () => {
      const service = await api.make('service', { type: 'object-store' });
      const template = 'http://store/$(project_id)s/$(tenant_id)s/%(project_id)s/%(tenant_id)s/$(user_id)s';
      await api.make('endpoint', { service_id: service.id, interface: 'public', url: template });
      await api.make('endpoint', { service_id: service.id, interface: 'internal', url: 'http://store/$(user_id)s' });
      await api.make('endpoint', { service_id: service.id, interface: 'admin', url: 'http://store' });
      const urls = async (token: string) =>
        Object.fromEntries((await entryOf(token, service)).endpoints.map((one: any) => [one.interface, one.url]));
      const user = persona.user.id;
      assert.deepEqual(await urls(persona.token), {
        public: `http://store/${project.id}/${project.id}/${project.id}/${project.id}/${user}`,
        internal: `http://store/${user}`,
        admin: 'http://store',
      });

      // Without a project such an address would have a hole in it.
      const onDomain = await api.persona(['member'], { domain: 'default' });
      assert.deepEqual(await urls(onDomain.token), { internal: `http://store/${onDomain.user.id}`, admin: 'http://store' });
      assert.equal(assertOk(await api.get(`/v3/services/${service.id}`)).service.id, service.id);
    });

    it('follows every change at once, also in tokens that are there', async () => {
      const service = await api.make('service', { type: 'network', name: 'neutron' });
      assert.deepEqual((await entryOf(persona.token, service)).endpoints, []);
      const endpoint = await api.make('endpoint', { service_id: service.id, interface: 'public', url: 'http://network' });
      const shown = async () => (await entryOf(persona.token, service))?.endpoints.map((one: any) => one.url);
      assert.deepEqual(await shown(), ['http://network']);
      assertOk(await api.patch(`/v3/endpoints/${endpoint.id}`, { endpoint: { url: 'http://moved' } }));
      assert.deepEqual(await shown(), ['http://moved']);
      assertOk(await api.patch(`/v3/endpoints/${endpoint.id}`, { endpoint: { enabled: false } }));
      assert.deepEqual(await shown(), []);
      assertOk(await api.patch(`/v3/endpoints/${endpoint.id}`, { endpoint: { enabled: true } }));
      assert.deepEqual(await shown(), ['http://moved']);
      assertOk(await api.patch(`/v3/services/${service.id}`, { service: { enabled: false } }));
      assert.equal(await shown(), undefined);
      assertOk(await api.patch(`/v3/services/${service.id}`, { service: { enabled: true, name: 'renamed' } }));
      assert.equal((await entryOf(persona.token, service)).name, 'renamed');
      assertOk(await api.delete(`/v3/endpoints/${endpoint.id}`), 204);
      assert.deepEqual(await shown(), []);
      assertOk(await api.delete(`/v3/services/${service.id}`), 204);
      assert.equal(await shown(), undefined);
    });
  });
});
