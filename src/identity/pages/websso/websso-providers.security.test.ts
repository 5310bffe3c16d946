// Tokens of sessions that began through another provider: they end with what the provider let in.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, isAlive } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { DASHBOARD_SETTINGS, dashboardSignIn, tokenForDashboard } from '../../../../test/support/dashboard.ts';
import { connectProvider, providerFor, ROOT, signInAt } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

underAttack(
  'A dashboard, the console, and somebody who came through a provider',
  (api) => {
    const id = uniqueName('idp');
    let provider: PlainProvider;
    const path = `${ROOT}/identity_providers/${id}`;
    const settings = { button_name: id, email_domains: ['example.org'], trusts_email: true };
    const connect = () => connectProvider(api, provider, { id, settings });
    before(async () => {
      provider = await providerFor(id);
      await connect();
    });
    after(() => provider.stop());

    /** Signs in through the provider. Returns the tokens of a dashboard and of the console, and one that was made from the first. */
    async function travel(sub = uniqueName('anna')) {
      const browser = new TestBrowser(api);
      const away = await browser.go(dashboardSignIn(id));
      const ofDashboard = tokenForDashboard(await browser.go(await signInAt(provider, redirectTargetOf(away), sub)));
      const headers = { Origin: new URL(api.url).origin };
      const page = await browser.request('/console/session', { method: 'POST', headers });
      assert.equal(page.status, 201, page.text);
      const exchanged = await api.request('POST', '/v3/auth/tokens', {
        token: null,
        body: { auth: { identity: { methods: ['token'], token: { id: ofDashboard } }, scope: 'unscoped' } },
      });
      const tokens = [ofDashboard, JSON.parse(page.text).token, exchanged.headers.get('x-subject-token')!];
      const alive = () => Promise.all(tokens.map((one) => isAlive(api, one)));
      assert.deepEqual(await alive(), [true, true, true]);
      return { browser, tokens, alive, userId: exchanged.body.token.user.id as string };
    }

    const nameOf = async (userId: string) => assertOk(await api.get(`/v3/users/${userId}`)).user.name;

    it('names the provider in the token, as Keystone does', async () => {
      const { tokens } = await travel();
      const [token] = tokens as [string];
      const { user } = assertOk(await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } })).token;
      assert.equal(user['OS-FEDERATION'].identity_provider.id, id);
      assert.equal(user['OS-FEDERATION'].protocol.id, 'openid');
    });

    const ENDS: Readonly<Record<string, () => Promise<unknown>>> = {
      'is disabled': async () => {
        assertOk(await api.patch(path, { identity_provider: { enabled: false } }));
      },
      'is another one': async () => {
        const openid = { issuer: 'https://other.example.org', client_id: 'a', client_secret: 'another secret', ...settings };
        assertOk(await api.put(`${path}/openid`, { openid }));
      },
      'loses its protocol': async () => assertOk(await api.delete(`${path}/protocols/openid`), 204),
      'loses its settings': async () => assertOk(await api.delete(`${path}/openid`), 204),
      'is deleted': async () => assertOk(await api.delete(path), 204),
    };
    for (const [what, end] of Object.entries(ENDS))
      it(`ends the tokens at once when the provider ${what}, and for good`, async () => {
        const { browser, alive } = await travel();
        await end();
        assert.deepEqual(await alive(), [false, false, false]);
        assert.equal(stepOf(await browser.go(dashboardSignIn())), 'password');
        await api.delete(path);
        await api.delete(`${ROOT}/mappings/${id}`);
        await connect();
        assert.deepEqual(await alive(), [false, false, false]);
      });

    it('ends them when the person disconnects the account', async () => {
      const { browser, alive, userId } = await travel();
      // Another way in, so that this one can be given up. The new password ends what there was.
      const password = 'a password of a test';
      assertOk(await api.patch(`/v3/users/${userId}`, { user: { password } }));
      assert.deepEqual(await alive(), [false, false, false]);
      const name = await nameOf(userId);
      const again = await travel(name);
      const other = new TestBrowser(api);
      await other.submit(await other.signIn('/account/security', { name, password }), 'provider-unlink');
      assert.deepEqual(await again.alive(), [false, false, false]);
      assert.equal(stepOf(await browser.go(dashboardSignIn())), 'password');
    });

    it('ends them for somebody known by address only, who came to manage others', async () => {
      const person = await makeUser(api, { email: `${uniqueName('clara')}@example.org` });
      const { user } = assertOk(await api.get(`/v3/users/${person.id}`));
      const { alive, userId } = await travel(user.email.split('@')[0]);
      assert.equal(userId, person.id);
      const project = await api.make('project', { name: uniqueName('project') });
      const role = await api.roleId('admin');
      assertOk(await api.put(`/v3/projects/${project.id}/users/${userId}/roles/${role}`), 204);
      assert.deepEqual(await alive(), [false, false, false]);
    });

    it('does not replace the session of somebody by a link that names a provider', async () => {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      const application = await RelyingParty.make(api);
      await browser.signIn('/account', person);
      const { url } = await application.ask({ prompt: 'login', idp_hint: id });
      assert.equal(stepOf(await browser.go(url)), 'password');
      // A stranger goes there, as an application may want it.
      const stranger = new TestBrowser(api);
      assert.equal(redirectTargetOf(await stranger.go((await application.ask({ idp_hint: id })).url)).origin, provider.issuer);
      assert.equal(stepOf(await new TestBrowser(api).go((await application.ask({ idp_hint: 'no-such' })).url)), 'password');
      assert.equal(stepOf(await new TestBrowser(api).go((await application.ask({ idp_hint: '../x' })).url)), 'password');
    });
  },
  { settings: DASHBOARD_SETTINGS },
);
