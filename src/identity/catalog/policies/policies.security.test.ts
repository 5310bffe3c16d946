// Policies are texts of other services: they decide nothing here, and only administrators store them.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';

underAttack('Attacks on policies', (api) => {
  let service: { id: string };
  let region: { id: string };
  let endpoint: { id: string };
  before(async () => {
    service = await api.make('service', { type: 'test' });
    region = await api.make('region', {});
    endpoint = await api.make('endpoint', {
      service_id: service.id,
      interface: 'public',
      url: 'http://x',
      region_id: region.id,
    });
  });
  const make = async (blob = '{}', more = {}) =>
    assertOk(await api.post('/v3/policies', { policy: { blob, type: 'application/json', ...more } }), 201).policy;
  const at = (policy: { id: string }, what: string) => `/v3/policies/${policy.id}/OS-ENDPOINT-POLICY/${what}`;
  const associations = () => [
    `endpoints/${endpoint.id}`,
    `services/${service.id}`,
    `services/${service.id}/regions/${region.id}`,
  ];

  it('by everybody who does not administer the service', async () => {
    const policy = await make('secret rules');
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
    const within = { domain_id: domain.id };
    const reader = (await api.persona(['reader'], 'system')).token;
    const others = [
      (await api.persona(['member'], { project: project.id }, within)).token,
      (await api.persona(['owner'], { project: project.id }, within)).token,
      (await api.persona(['manager'], { domain: domain.id }, within)).token,
      (await api.persona(['reader'], { domain: domain.id }, within)).token,
      (await api.persona(['service'], { project: project.id }, within)).token,
    ];
    const reads = ['/v3/policies', `/v3/policies/${policy.id}`, `/v3/endpoints/${endpoint.id}/OS-ENDPOINT-POLICY/policy`];
    for (const path of [...reads, at(policy, 'endpoints'), ...associations().map((what) => at(policy, what))]) {
      await assertNeedsToken(api, 'GET', path);
      await assertForbidden(api, others, 'GET', path);
    }
    const writes: [method: string, path: string, body?: unknown][] = [
      ['POST', '/v3/policies', { policy: { blob: 'x', type: 'x' } }],
      ['PATCH', `/v3/policies/${policy.id}`, { policy: { blob: 'x' } }],
      ['DELETE', `/v3/policies/${policy.id}`],
      ...associations().flatMap((what): [method: string, path: string][] => [
        ['PUT', at(policy, what)],
        ['DELETE', at(policy, what)],
      ]),
    ];
    for (const [method, path, body] of writes) {
      await assertNeedsToken(api, method, path, body);
      await assertForbidden(api, [...others, reader], method, path, { body });
    }
    assert.equal(assertOk(await api.get(`/v3/policies/${policy.id}`)).policy.blob, 'secret rules');
    for (const what of associations()) assertRefused(await api.get(at(policy, what)), 404);
  });

  it('that would change what may be done here', async () => {
    const rules = { 'identity:list_users': '@', 'identity:delete_user': 'rule:anybody', admin_required: '@' };
    const identity = assertOk(await api.get('/v3/services?type=identity')).services[0];
    const policy = await make(JSON.stringify(rules));
    assertOk(await api.put(at(policy, `services/${identity.id}`)), 204);
    const project = await api.make('project', { name: uniqueName('project') });
    const { token, user } = await api.persona(['member'], { project: project.id });
    await assertForbidden(api, [token], 'GET', '/v3/users');
    await assertForbidden(api, [token], 'DELETE', `/v3/users/${user.id}`);
    assertOk(await api.delete(at(policy, `services/${identity.id}`)), 204);
  });

  it('with attributes that stand for others', async () => {
    const policy = await make('kept', { links: { self: 'http://evil.example.org' }, id: 'chosen' });
    assert.notEqual(policy.id, 'chosen');
    assert.equal(policy.links.self, `${api.url}/v3/policies/${policy.id}`);
    const body = `{"policy":{"__proto__":{"blob":"evil"},"constructor":"x"}}`;
    const changed = await api.patch(`/v3/policies/${policy.id}`, body, { headers: { 'Content-Type': 'application/json' } });
    assert.ok([200, 400].includes(changed.status), changed.text);
    assert.equal(assertOk(await api.get(`/v3/policies/${policy.id}`)).policy.blob, 'kept');
    assert.equal(({} as { blob?: string }).blob, undefined);
  });

  it('that race: an endpoint has one policy at most, and one that exists', async () => {
    const what = `services/${service.id}/regions/${region.id}`;
    const policies = [await make('a'), await make('b'), await make('c')];
    const answers = await Promise.all([
      ...policies.map((policy) => api.put(at(policy, what))),
      api.delete(`/v3/policies/${policies[0]!.id}`),
      api.delete(at(policies[1]!, what)),
    ]);
    for (const { status, text } of answers) assert.ok([204, 404].includes(status), text);
    const found = await Promise.all(policies.map((policy) => api.get(at(policy, what))));
    assert.ok(found.filter(({ status }) => status === 204).length <= 1);
    const shown = await api.get(`/v3/endpoints/${endpoint.id}/OS-ENDPOINT-POLICY/policy`);
    if (shown.status !== 404) assert.ok(['b', 'c'].includes(assertOk(shown).policy.blob));
  });
});
