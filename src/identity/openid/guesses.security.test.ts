// Guesses at the secrets of applications, and at passwords through the pages of one: neither stops the other, nor tells who exists.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, onEachDatabase, uniqueName } from '../../../test/support/api.ts';
import { makeApplication } from '../../../test/support/applications.ts';

onEachDatabase(
  'Guesses around applications',
  (api) => {
    api.clock.hold();

    const logIn = (user: Record<string, unknown>, address: string): Promise<Answer> =>
      api.post(
        '/v3/auth/tokens',
        { auth: { identity: { methods: ['password'], password: { user } } } },
        { token: null, headers: { 'X-Forwarded-For': address } },
      );

    it('strangers who type wrong passwords at a portal do not stop what the portal asks with its secret', async () => {
      const portal = '198.51.100.7';
      const { id, secret } = await makeApplication(api);
      const basic = { Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` };
      const ask = async (path: string, body: Record<string, string>, headers: Record<string, string>) =>
        (
          await fetch(`${api.url}${path}`, {
            method: 'POST',
            headers: { ...headers, 'X-Forwarded-For': portal },
            body: new URLSearchParams(body),
          })
        ).status;
      const refresh = { grant_type: 'refresh_token', refresh_token: 'x' };
      for (let i = 0; i < 100; i++)
        await logIn({ name: uniqueName('nobody'), domain: { id: 'default' }, password: 'wrong' }, portal);
      const person = { name: uniqueName('nobody'), domain: { id: 'default' }, password: 'wrong' };
      assert.equal((await logIn(person, portal)).status, 429);
      assert.equal(await ask('/openid/token', refresh, basic), 400);
      assert.equal(await ask('/openid/introspect', { token: 'x' }, basic), 200);
      const inBody = { client_id: id, client_secret: secret };
      assert.notEqual(await ask('/openid/token', { ...refresh, ...inBody }, {}), 429);
      assert.equal(await ask('/openid/introspect', { token: 'x', ...inBody }, {}), 200);
    });
  },
  { rateLimits: true, trustedProxies: ['127.0.0.1'] },
);
