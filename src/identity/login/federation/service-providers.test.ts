// /v3/OS-FEDERATION/service_providers through HTTP, and the service providers that tokens name.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';

const ALL = '/v3/OS-FEDERATION/service_providers';
const ADDRESSES = { auth_url: 'https://elsewhere.example.org/auth', sp_url: 'https://elsewhere.example.org/sp' };

onEachDatabase('Service providers', (api) => {
  const make = async (values: Record<string, unknown> = {}) => {
    const id = uniqueName('sp');
    return assertOk(await api.put(`${ALL}/${id}`, { service_provider: { ...ADDRESSES, ...values } }), 201).service_provider;
  };
  /** The token of the caller as validation shows it. */
  const shownToken = async (token: string) =>
    assertOk(await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } })).token;

  it('are created, shown, listed, changed and deleted as in Keystone', async () => {
    const made = await make({ description: 'elsewhere' });
    const path = `${ALL}/${made.id}`;
    assert.deepEqual(made, {
      id: made.id,
      enabled: false,
      description: 'elsewhere',
      ...ADDRESSES,
      relay_state_prefix: 'ss:mem:',
      links: { self: api.url + path },
    });
    assert.deepEqual(assertOk(await api.get(path)).service_provider, made);
    assert.deepEqual(assertOk(await api.get(`${ALL}?id=${made.id}`)).service_providers, [made]);
    assert.deepEqual(assertOk(await api.get(`${ALL}?id=${made.id}&enabled=true`)).service_providers, []);
    const changes = { description: null, relay_state_prefix: 'other:', sp_url: 'http://third.example.org/' };
    const { service_provider: changed } = assertOk(await api.patch(path, { service_provider: changes }));
    assert.deepEqual(changed, { ...made, ...changes });
    assertOk(await api.delete(path), 204);
    assertRefused(await api.get(path), 404);
    assertRefused(await api.patch(path, { service_provider: changes }), 404);
    assertRefused(await api.delete(path), 404);
  });

  it('are refused twice, with a bad address, an unknown field, or without a change', async () => {
    const { id } = await make();
    assertRefused(await api.put(`${ALL}/${id}`, { service_provider: ADDRESSES }), 409);
    for (const values of [{ auth_url: 'elsewhere' }, { sp_url: '' }, { unknown: 1 }, { sp_url: `https://a/${'x'.repeat(300)}` }])
      assertRefused(await api.put(`${ALL}/${uniqueName('sp')}`, { service_provider: { ...ADDRESSES, ...values } }), 400);
    assertRefused(await api.put(`${ALL}/${uniqueName('sp')}`, { service_provider: { auth_url: ADDRESSES.auth_url } }), 400);
    assertRefused(await api.put(`${ALL}/a%20b`, { service_provider: ADDRESSES }), 400);
    assertRefused(await api.patch(`${ALL}/${id}`, { service_provider: {} }), 400);
    assertRefused(await api.patch(`${ALL}/${id}`, { service_provider: { id: 'other' } }), 400);
  });

  it('are for administrators; readers of the system may look', async () => {
    const { id } = await make();
    const { token: reader } = await api.persona(['reader'], 'system');
    const { token: member } = await api.persona(['member'], { domain: 'default' });
    for (const path of [ALL, `${ALL}/${id}`]) {
      assertOk(await api.get(path, { token: reader }));
      assertRefused(await api.get(path, { token: member }), 403);
      assertRefused(await api.get(path, { token: null }), 401);
    }
    for (const token of [reader, member]) {
      assertRefused(await api.put(`${ALL}/x`, { service_provider: ADDRESSES }, { token }), 403);
      assertRefused(await api.patch(`${ALL}/${id}`, { service_provider: { enabled: true } }, { token }), 403);
      assertRefused(await api.delete(`${ALL}/${id}`, { token }), 403);
    }
  });

  it('are named in tokens at once, while they are enabled', async () => {
    const { token } = await api.persona(['member'], { domain: 'default' });
    const named = async (): Promise<readonly { id: string }[]> => (await shownToken(token)).service_providers ?? [];
    assert.ok(Array.isArray(await named()));
    const { id } = await make({ enabled: true });
    assert.deepEqual(
      (await named()).filter((one) => one.id === id),
      [{ id, ...ADDRESSES }],
    );
    assertOk(await api.patch(`${ALL}/${id}`, { service_provider: { enabled: false } }));
    assert.ok(!(await named()).some((one) => one.id === id));
    assertOk(await api.patch(`${ALL}/${id}`, { service_provider: { enabled: true } }));
    assert.ok((await named()).some((one) => one.id === id));
    assertOk(await api.delete(`${ALL}/${id}`), 204);
    assert.ok(!(await named()).some((one) => one.id === id));
  });
});
