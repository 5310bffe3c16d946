// OPTIONS: as in Keystone, the methods of a path. It needs no token, so it must tell no more than the list of routes.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onDatabase, uniqueName } from '../../../../test/support/api.ts';
import { identityRoutes } from '../../../../test/support/routes.ts';

onDatabase('SQLite', 'OPTIONS', {}, (api) => {
  const ask = (path: string, headers: Record<string, string> = {}) => api.request('OPTIONS', path, { token: null, headers });

  it('is answered for every path with its methods, whoever asks', async () => {
    // The OpenID provider answers for its own paths (below).
    const routes = identityRoutes().filter(({ path }) => !path.startsWith('/openid/'));
    for (const path of new Set(routes.map((route) => route.path))) {
      const answer = await ask(path.replace(/:\w+/g, 'some'));
      assert.equal(answer.status, 200, `${path}: ${answer.text}`);
      assert.equal(answer.text, '');
      const allow = answer.headers.get('allow')!.split(', ');
      for (const { method } of routes.filter((route) => route.path === path)) assert.ok(allow.includes(method), path);
      assert.ok(allow.includes('OPTIONS'));
    }
  });

  it('tells nothing about what exists, nor about the caller', async () => {
    const user = await api.make('user', { name: uniqueName('user') });
    const told = async (path: string, headers?: Record<string, string>) => {
      const answer = await ask(path, headers);
      const ignored = ['date', 'x-openstack-request-id'];
      return [answer.status, answer.text, [...answer.headers].filter(([name]) => !ignored.includes(name))];
    };
    const known = await told(`/v3/users/${user.id}`);
    assert.deepEqual(await told('/v3/users/no-such-user'), known);
    for (const token of [api.adminToken, 'nothing'])
      assert.deepEqual(await told(`/v3/users/${user.id}`, { 'X-Auth-Token': token }), known);
    assert.equal((await ask('/v3/no-such-thing')).status, 404);
  });

  it('lets no page of another origin in', async () => {
    const preflight = {
      Origin: 'https://evil.example.org',
      'Access-Control-Request-Method': 'DELETE',
      'Access-Control-Request-Headers': 'x-auth-token',
    };
    for (const path of ['/', '/v3', '/v3/users', '/v3/auth/tokens', '/scim/v2/Users']) {
      const { headers } = await ask(path, preflight);
      assert.deepEqual(
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
        [],
        path,
      );
    }
  });

  it('leaves the endpoints of OpenID to their own rules', async () => {
    const origin = 'https://app.example.org';
    const open = await ask('/openid/jwks', { Origin: origin, 'Access-Control-Request-Method': 'GET' });
    assert.ok(open.status === 200 || open.status === 204);
    assert.ok(open.headers.get('access-control-allow-origin'));
    const plain = await ask('/openid/token');
    assert.deepEqual([plain.status, plain.headers.get('allow')], [204, 'OPTIONS, POST']);
    assert.equal((await ask('/openid/authorize')).status, 405);
  });

  it('reads no body, and the connection goes on', async () => {
    const headers = { 'Content-Type': 'application/json' };
    for (const body of ['{', 'x'.repeat(1000)])
      assert.equal((await api.request('OPTIONS', '/v3/users', { token: null, body, headers })).status, 200);
    assert.equal((await api.get('/v3')).status, 200);
  });
});
