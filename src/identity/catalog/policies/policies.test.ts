import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies, assertGuarded } from '../../../../test/support/guarded.ts';

onEachDatabase('Policies', (api) => {
  const make = async (blob = '{"default": false}', more = {}) =>
    assertOk(await api.post('/v3/policies', { policy: { blob, type: 'application/json', ...more } }), 201).policy;

  it('are kept as they are, with further attributes', async () => {
    const policy = await make('not "JSON" at all ✓', { owner: 'me' });
    assert.deepEqual(policy, {
      id: policy.id,
      blob: 'not "JSON" at all ✓',
      type: 'application/json',
      owner: 'me',
      links: { self: `${api.url}/v3/policies/${policy.id}` },
    });
    assert.deepEqual(assertOk(await api.get(`/v3/policies/${policy.id}`)).policy, policy);
  });

  it('change, but not their id', async () => {
    const policy = await make('a', { owner: 'me' });
    const path = `/v3/policies/${policy.id}`;
    assert.deepEqual(assertOk(await api.patch(path, { policy: { blob: 'b', owner: 'you' } })).policy, {
      ...policy,
      blob: 'b',
      owner: 'you',
    });
    assertRefused(await api.patch(path, { policy: { id: 'other' } }), 400, /Cannot change policy ID/);
    await assertBadBodies(api, 'PATCH', path, [['policy.blob', { policy: { blob: {} } }]]);
    await assertBadBodies(api, 'POST', '/v3/policies', [
      ['policy', {}],
      ['policy.blob', { policy: { blob: 7, type: 'x' } }],
      ['policy.type', { policy: { blob: 'x', type: 'x'.repeat(256) } }],
    ]);
    assertOk(await api.delete(path), 204);
    assertRefused(await api.get(path), 404, /Could not find policy/);
  });

  it('are listed by type', async () => {
    const type = uniqueName('type');
    const policy = await make('a', { type });
    assert.deepEqual(assertOk(await api.get(`/v3/policies?type=${type}`)).policies, [policy]);
  });

  it('are for endpoints that only administrators and readers of the system see', async () => {
    const project = await api.make('project', { name: uniqueName('project') });
    const outsider = (await api.persona(['member'], { project: project.id })).token;
    const endpointsOf = (id: string): string => `/v3/policies/${id}/OS-ENDPOINT-POLICY/endpoints`;
    const [path, missing] = [endpointsOf((await make()).id), endpointsOf('nothing')];
    assertOk(await api.get(path, { token: (await api.persona(['reader'], 'system')).token }));
    await assertGuarded(api, [outsider], [{ method: 'GET', path, missing }]);
  });

  describe('of endpoints', () => {
    let service: { id: string };
    let other: { id: string };
    let above: { id: string };
    let below: { id: string };
    const endpoints: Record<string, { id: string }> = {};
    before(async () => {
      service = await api.make('service', { type: 'test' });
      other = await api.make('service', { type: 'test' });
      above = await api.make('region', {});
      below = await api.make('region', { parent_region_id: above.id });
      const make = (region?: { id: string }, of = service) =>
        api.make('endpoint', {
          service_id: of.id,
          interface: 'public',
          url: 'http://x',
          ...(region ? { region_id: region.id } : {}),
        });
      endpoints.below = await make(below);
      endpoints.above = await make(above);
      endpoints.nowhere = await make();
      endpoints.other = await make(below, other);
    });
    const at = (policy: { id: string }, what: string) => `/v3/policies/${policy.id}/OS-ENDPOINT-POLICY/${what}`;
    const policyOf = async (name: string) => {
      const answer = await api.get(`/v3/endpoints/${endpoints[name]!.id}/OS-ENDPOINT-POLICY/policy`);
      return answer.status === 404 ? undefined : assertOk(answer).policy.id;
    };
    const endpointsOf = async (policy: { id: string }) => {
      const list = assertOk(await api.get(at(policy, 'endpoints'))).endpoints as { id: string }[];
      return Object.keys(endpoints).filter((name) => list.some(({ id }) => id === endpoints[name]!.id));
    };

    it('is the nearest: of the endpoint, of the region or one above, of the service', async () => {
      const [ofService, ofRegion, ofBelow, ofEndpoint] = [await make(), await make(), await make(), await make()];
      assert.equal(await policyOf('below'), undefined);
      assertOk(await api.put(at(ofService, `services/${service.id}`)), 204);
      assertOk(await api.put(at(ofRegion, `services/${service.id}/regions/${above.id}`)), 204);
      assert.deepEqual(
        [await policyOf('below'), await policyOf('above'), await policyOf('nowhere'), await policyOf('other')],
        [ofRegion.id, ofRegion.id, ofService.id, undefined],
      );
      assertOk(await api.put(at(ofBelow, `services/${service.id}/regions/${below.id}`)), 204);
      assert.equal(await policyOf('below'), ofBelow.id);
      assertOk(await api.put(at(ofEndpoint, `endpoints/${endpoints.below!.id}`)), 204);
      assert.equal(await policyOf('below'), ofEndpoint.id);
      assert.deepEqual(await endpointsOf(ofService), ['below', 'above', 'nowhere']);
      assert.deepEqual(await endpointsOf(ofRegion), ['below', 'above']);
      assert.deepEqual(await endpointsOf(ofBelow), ['below']);
      assert.deepEqual(await endpointsOf(ofEndpoint), ['below']);

      // Another policy for the same replaces it.
      const next = await make();
      assertOk(await api.put(at(next, `endpoints/${endpoints.below!.id}`)), 204);
      assert.equal(await policyOf('below'), next.id);
      assertRefused(await api.get(at(ofEndpoint, `endpoints/${endpoints.below!.id}`)), 404, /policy association/);
      assertOk(await api.delete(at(ofEndpoint, `endpoints/${endpoints.below!.id}`)), 204);
      assert.equal(await policyOf('below'), next.id, 'that of another policy is not deleted');

      // It goes with its policy.
      assertOk(await api.delete(`/v3/policies/${next.id}`), 204);
      assert.equal(await policyOf('below'), ofBelow.id);
    });

    it('can be checked and taken away', async () => {
      const policy = await make();
      for (const what of [
        `endpoints/${endpoints.other!.id}`,
        `services/${other.id}`,
        `services/${other.id}/regions/${below.id}`,
      ]) {
        assertRefused(await api.get(at(policy, what)), 404, /policy association/);
        assertOk(await api.put(at(policy, what)), 204);
        assertOk(await api.get(at(policy, what)), 204);
        assert.equal((await api.head(at(policy, what))).status, 204);
        assertOk(await api.delete(at(policy, what)), 204);
        assertOk(await api.delete(at(policy, what)), 204);
        assertRefused(await api.get(at(policy, what)), 404);
      }
      const missing = [
        [`endpoints/nothing`, /endpoint: nothing/],
        [`services/nothing`, /service: nothing/],
        [`services/${other.id}/regions/nothing`, /region: nothing/],
      ] as const;
      for (const method of ['PUT', 'GET', 'DELETE'])
        for (const [what, text] of missing) assertRefused(await api.request(method, at(policy, what)), 404, text);
      assertRefused(await api.put(at({ id: 'nothing' }, `services/${other.id}`)), 404, /policy: nothing/);
    });

    it('is stored once, however many ask at the same time', async () => {
      const policy = await make();
      const path = at(policy, `services/${other.id}`);
      const answers = await Promise.all(Array.from({ length: 4 }, () => api.put(path)));
      assert.deepEqual(
        answers.map(({ status }) => status),
        [204, 204, 204, 204],
      );
      assertOk(await api.delete(path), 204);
      assertRefused(await api.get(path), 404);
    });
  });
});
