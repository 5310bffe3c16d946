// Guesses at the secrets of applications, and at passwords through the pages of one: neither stops the other, nor tells who exists.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type Answer, onEachDatabase, uniqueName } from '../../../test/support/api.ts';
import { makeApplication } from '../../../test/support/applications.ts';
import { Browser } from '../../../test/support/browser-less.ts';
import { makeUser, RelyingParty } from '../../../test/support/relying-party.ts';

let addresses = 0;
const newAddress = (): string => `203.0.113.${++addresses}`;

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

    for (const domain of ['Default', 'default', ''])
      it(`counts of the page (domain "${domain}") and of the API do not tell who exists`, async () => {
        const probe = async (name: string, step: 'password' | 'new-password', address: string) => {
          const [party, browser] = [await RelyingParty.make(api), new Browser(api)];
          const { action, fields } = (await browser.go((await party.ask()).url)).forms.find((f) => f.fields.step === 'password')!;
          const typed = { ...fields, step, name, domain, password: 'wrong', new_password: 'x', new_password_again: 'x' };
          for (let i = 0; i < 10; i++) await browser.send(action, typed, { 'X-Forwarded-For': address });
          return (await logIn({ name, domain: { id: 'default' }, password: 'wrong' }, address)).status;
        };
        for (const step of ['password', 'new-password'] as const) {
          const { name } = await makeUser(api);
          assert.equal(await probe(name, step, newAddress()), 429);
          assert.equal(await probe(uniqueName('nobody'), step, newAddress()), 429);
        }
      });
  },
  { rateLimits: true, trustedProxies: ['127.0.0.1'] },
);
