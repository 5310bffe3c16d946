// The endpoint filter: who may call it, and what a catalog must not show.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';

const FILTER = '/v3/OS-EP-FILTER';
const GROUPS = `${FILTER}/endpoint_groups`;

underAttack('Attacks on the endpoint filter', (api) => {
  let service: { id: string };
  let endpoint: { id: string };
  let hidden: { id: string };
  before(async () => {
    service = await api.make('service', { type: 'test' });
    const make = (interfaceName: string) =>
      api.make('endpoint', { service_id: service.id, interface: interfaceName, url: 'http://x' });
    endpoint = await make('public');
    hidden = await make('internal');
  });
  const makeProject = (values = {}) => api.make('project', { name: uniqueName('project'), ...values });
  const makeGroup = async (filters: object) =>
    assertOk(await api.post(GROUPS, { endpoint_group: { name: uniqueName('group'), filters } }), 201).endpoint_group;
  const give = async (project: { id: string }, one: { id: string }) =>
    assertOk(await api.put(`${FILTER}/projects/${project.id}/endpoints/${one.id}`), 204);
  const idsIn = (catalog: { endpoints: { id: string }[] }[]): string[] =>
    catalog.flatMap(({ endpoints }) => endpoints.map(({ id }) => id)).sort();
  const catalogOf = async (token: string): Promise<string[]> =>
    idsIn(assertOk(await api.get('/v3/auth/catalog', { token })).catalog);

  it('by everybody who does not administer the service', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const within = { domain_id: domain.id };
    const [project, group] = [await makeProject(within), await makeGroup({ interface: 'public' })];
    await give(project, endpoint);
    const reader = (await api.persona(['reader'], 'system')).token;
    const others = [
      (await api.persona(['member'], { project: project.id }, within)).token,
      (await api.persona(['owner'], { project: project.id }, within)).token,
      (await api.persona(['manager'], { domain: domain.id }, within)).token,
      (await api.persona(['reader'], { domain: domain.id }, within)).token,
      (await api.persona(['service'], { project: project.id }, within)).token,
    ];
    const reads = [
      GROUPS,
      `${GROUPS}/${group.id}`,
      `${GROUPS}/${group.id}/endpoints`,
      `${GROUPS}/${group.id}/projects`,
      `${FILTER}/projects/${project.id}/endpoints`,
      `${FILTER}/projects/${project.id}/endpoint_groups`,
      `${FILTER}/projects/${project.id}/endpoints/${endpoint.id}`,
      `${FILTER}/endpoints/${endpoint.id}/projects`,
    ];
    const writes: [method: string, path: string, body?: unknown][] = [
      ['POST', GROUPS, { endpoint_group: { name: 'x', filters: { interface: 'public' } } }],
      ['PATCH', `${GROUPS}/${group.id}`, { endpoint_group: { filters: { interface: 'internal' } } }],
      ['DELETE', `${GROUPS}/${group.id}`],
      ['PUT', `${GROUPS}/${group.id}/projects/${project.id}`],
      ['DELETE', `${GROUPS}/${group.id}/projects/${project.id}`],
      ['PUT', `${FILTER}/projects/${project.id}/endpoints/${hidden.id}`],
      ['DELETE', `${FILTER}/projects/${project.id}/endpoints/${endpoint.id}`],
    ];
    for (const path of reads) {
      await assertNeedsToken(api, 'GET', path);
      await assertForbidden(api, others, 'GET', path);
    }
    for (const [method, path, body] of writes) {
      await assertNeedsToken(api, method, path, body);
      await assertForbidden(api, [...others, reader], method, path, { body });
    }
    assert.deepEqual(await catalogOf(others[0]!), [endpoint.id]);
  });

  it('that would bring back endpoints of a disabled service, or disabled endpoints', async () => {
    const off = await api.make('service', { type: 'off' });
    const values = { service_id: off.id, interface: 'public', url: 'http://x' };
    const [ofOff, disabled] = [await api.make('endpoint', values), await api.make('endpoint', { ...values, enabled: false })];
    const project = await makeProject();
    const { token } = await api.persona(['member'], { project: project.id });
    for (const one of [endpoint, ofOff, disabled]) await give(project, one);
    const group = await makeGroup({ service_id: off.id });
    assertOk(await api.put(`${GROUPS}/${group.id}/projects/${project.id}`), 204);
    assert.deepEqual(await catalogOf(token), [endpoint.id, ofOff.id].sort());
    assertOk(await api.patch(`/v3/services/${off.id}`, { service: { enabled: false } }));
    assert.deepEqual(await catalogOf(token), [endpoint.id]);
    const shown = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).token.catalog;
    assert.deepEqual(idsIn(shown), [endpoint.id]);
    // Deleted with its service, although the project was given it.
    assertOk(await api.delete(`/v3/services/${off.id}`), 204);
    assert.deepEqual(await catalogOf(token), [endpoint.id]);
    assert.deepEqual(
      assertOk(await api.get(`${FILTER}/projects/${project.id}/endpoints`)).endpoints.map(({ id }: { id: string }) => id),
      [endpoint.id],
    );
  });

  it('that would show the catalog of another project', async () => {
    const [one, other] = [await makeProject(), await makeProject()];
    await give(one, endpoint);
    await give(other, hidden);
    const { token, user, password } = await api.persona(['member'], { project: one.id });
    assertOk(await api.put(`/v3/projects/${other.id}/users/${user.id}/roles/${await api.roleId('member')}`), 204);
    assert.deepEqual(await catalogOf(token), [endpoint.id]);
    // Whoever asks about a token sees the catalog of that token, not the own one.
    const asked = { headers: { 'X-Subject-Token': token } };
    const admin = await api.logIn({ id: user.id, password }, { project: { id: other.id } });
    assert.deepEqual(idsIn(assertOk(await api.get('/v3/auth/tokens', { ...asked, token: admin })).token.catalog), [endpoint.id]);
    assert.deepEqual(idsIn(assertOk(await api.get('/v3/auth/tokens', asked)).token.catalog), [endpoint.id]);
    // Another scope of the same person, from the same token.
    const identity = { methods: ['token'], token: { id: token } };
    const scoped = await api.post(
      '/v3/auth/tokens',
      { auth: { identity, scope: { project: { id: other.id } } } },
      { token: null },
    );
    assert.deepEqual(idsIn(assertOk(scoped, 201).token.catalog), [hidden.id]);
    assert.deepEqual(await catalogOf(scoped.headers.get('x-subject-token')!), [hidden.id]);
    assert.deepEqual(await catalogOf(token), [endpoint.id]);
  });

  it('that race: what is given and taken at once is in the catalog, or is not', async () => {
    const project = await makeProject();
    const { token } = await api.persona(['member'], { project: project.id });
    await give(project, endpoint);
    const path = `${FILTER}/projects/${project.id}/endpoints/${hidden.id}`;
    const answers = await Promise.all([api.put(path), api.put(path), api.delete(path), api.put(path), api.delete(path)]);
    for (const { status, text } of answers) assert.ok([204, 404, 409].includes(status), text);
    const isAssociated = (await api.get(path)).status === 204;
    assert.deepEqual(await catalogOf(token), (isAssociated ? [endpoint.id, hidden.id] : [endpoint.id]).sort());
  });

  it('with filters that are none', async () => {
    for (const filters of [
      '{"url":"http://x"}',
      '{"id":"x"}',
      '{"interface":{"not":"public"}}',
      '{"interface":["public"]}',
      '{"interface":"public","enabled":false}',
      '{"__proto__":{"interface":"public"}}',
      '{"constructor":"x"}',
      '[]',
      '"public"',
      'null',
    ]) {
      const body = `{"endpoint_group":{"name":"x","filters":${filters}}}`;
      const headers = { 'Content-Type': 'application/json' };
      assertRefused(await api.request('POST', GROUPS, { body, headers }), 400, /filters|key \w+ is not allowed/);
    }
  });
});
