// Attacks on the sign-in to dashboards: other addresses, other pages, and tokens that should have ended.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, isAlive } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { DASHBOARD, DASHBOARD_SETTINGS, dashboardSignIn, tokenForDashboard } from '../../../../test/support/dashboard.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { enable, QUESTION } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

onUsualDatabase(
  'The sign-in to a dashboard',
  (api) => {
    async function signedIn() {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      const token = tokenForDashboard(await browser.signIn(dashboardSignIn(), person));
      const exchanged = await api.request('POST', '/v3/auth/tokens', {
        token: null,
        body: { auth: { identity: { methods: ['token'], token: { id: token } }, scope: 'unscoped' } },
      });
      const made = exchanged.headers.get('x-subject-token')!;
      const alive = () => Promise.all([token, made].map((one) => isAlive(api, one)));
      assert.deepEqual(await alive(), [true, true]);
      return { person, browser, alive };
    }

    it('gives tokens to the listed addresses only', async () => {
      const { browser } = await signedIn();
      for (const origin of [
        'https://evil.example/',
        'https://horizon.example.org/auth/websso',
        'https://horizon.example.org/',
        `${DASHBOARD}?next=https://evil.example`,
        `${DASHBOARD}#x`,
        `${DASHBOARD}../../`,
        'http://horizon.example.org/auth/websso/',
        'https://horizon.example.org:8443/auth/websso/',
        'https://horizon.example.org.evil.example/auth/websso/',
        'https://horizon.example.org@evil.example/auth/websso/',
        'https://person@horizon.example.org/auth/websso/',
        'javascript:alert(1)',
        '/auth/websso/',
        '',
      ]) {
        const page = await browser.go(dashboardSignIn(undefined, origin));
        assert.equal(page.status, 401, origin);
        assert.match(page.headers.get('content-type')!, /^text\/html/, 'the person sees a page');
        assert.ok(page.forms.every(({ fields }) => !('token' in fields)));
      }
      const path = dashboardSignIn();
      for (const query of [
        '',
        '?origin=',
        `${path.slice(path.indexOf('?'))}&origin=https://evil.example/`,
        `${path.slice(path.indexOf('?'))}&state=https://evil.example/`,
      ])
        assert.ok([400, 401].includes((await browser.go(`/v3/auth/OS-FEDERATION/websso/openid${query}`)).status), query);
    });

    it('knows the protocol openid and the providers that there are', async () => {
      const { browser } = await signedIn();
      assert.equal((await browser.go(dashboardSignIn(undefined, DASHBOARD, 'saml2'))).status, 404);
      assert.equal((await browser.go(dashboardSignIn('no-such-provider'))).status, 404);
      assert.equal((await browser.go(dashboardSignIn('a%2f..'))).status, 404);
      assert.equal((await browser.request(dashboardSignIn(), { method: 'DELETE' })).status, 405);
    });

    it('shows the token to the browser alone: not stored, not framed, and sent to no other place', async () => {
      const { browser } = await signedIn();
      const { headers, text } = await browser.go(dashboardSignIn());
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-frame-options'), 'DENY');
      const policy = headers.get('content-security-policy')!;
      assert.match(policy, /(?:^|; )form-action https:\/\/horizon\.example\.org$/);
      assert.doesNotMatch(policy, /unsafe|\*/);
      assert.equal(headers.get('access-control-allow-origin'), null);
      assert.doesNotMatch(text, /<script>/);
    });

    it('ends its tokens with the session, also those that were made from them', async () => {
      const out = await signedIn();
      const headers = { Origin: new URL(api.url).origin };
      assert.equal((await out.browser.request('/console/session', { method: 'DELETE', headers })).status, 200);
      assert.deepEqual(await out.alive(), [false, false]);
      assert.equal(stepOf(await out.browser.go(dashboardSignIn())), 'password');
      // Longer than tokens of the console live.
      api.clock.advance(1800);
      assert.deepEqual(await out.alive(), [false, false]);

      const ended = await signedIn();
      assert.equal((await api.delete(`/v3/users/${ended.person.id}/OS-SESSIONS/sessions`)).status, 204);
      assert.deepEqual(await ended.alive(), [false, false]);

      const disabled = await signedIn();
      assert.equal((await api.patch(`/v3/users/${disabled.person.id}`, { user: { enabled: false } })).status, 200);
      assert.deepEqual(await disabled.alive(), [false, false]);
    });

    it('gives no token to a session from before a second factor was turned on, or with less than an administrator wants', async () => {
      const rules = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
      for (const strengthen of [
        async (id: string) => assertOk(await enable(api, { id }), 201),
        // Unlike a second factor that is turned on, rules do not end the session.
        async (id: string) => assertOk(await api.patch(`/v3/users/${id}`, { user: { options: rules } })),
      ]) {
        const { person, browser } = await signedIn();
        await strengthen(person.id);
        const page = await browser.go(dashboardSignIn());
        assert.ok(
          page.forms.every(({ fields }) => !('token' in fields)),
          page.text,
        );
        assert.equal(stepOf(page), 'password');
      }
    });

    it('gives nothing to requests that no person makes', async () => {
      const { person, browser } = await signedIn();
      const entered = async () =>
        assertOk(await api.get(`/v3/OS-AUDIT/events?action=session.dashboard_entered&target_id=${person.id}`)).events.length;
      const before = await entered();
      for (const headers of [
        { 'Sec-Fetch-Dest': 'iframe' },
        { 'Sec-Fetch-Dest': 'image' },
        { 'Sec-Fetch-Dest': 'empty' },
        { 'Sec-Purpose': 'prefetch' },
      ] as Record<string, string>[])
        assert.equal((await browser.request(dashboardSignIn(), { headers })).status, 403, JSON.stringify(headers));
      assert.notEqual((await browser.request(dashboardSignIn(), { method: 'HEAD' })).status, 200);
      assert.equal((await browser.request(dashboardSignIn(), { method: 'OPTIONS' })).status, 200);
      assert.equal(await entered(), before);
      tokenForDashboard(await browser.request(dashboardSignIn(), { headers: { 'Sec-Fetch-Dest': 'document' } }));
    });

    it('does not send somebody to the sign-in again who left it with a session that is not enough', async () => {
      const { person, browser } = await signedIn();
      assert.equal((await enable(api, person)).status, 201);
      const left = await browser.submit(await browser.go(dashboardSignIn()), 'cancel');
      assert.ok(left.text.includes(LANGUAGES.en.notSignedInTitle), left.text);
    });

    it('makes no new login of an old session', async () => {
      const { person, browser } = await signedIn();
      api.clock.advance(1000);
      const token = tokenForDashboard(await browser.go(dashboardSignIn()));
      const enabling = await api.request('POST', `/v3/users/${person.id}/OS-TWO-FACTOR/two_factor_auth`, {
        token,
        body: { two_factor_auth: QUESTION },
      });
      assert.equal(enabling.status, 401, enabling.text);
    });
  },
  { settings: DASHBOARD_SETTINGS },
);

onDatabase('SQLite', 'A service without dashboards', {}, (api) => {
  it('gives its tokens to nobody', async () => {
    const [person, browser] = [await makeUser(api), new TestBrowser(api)];
    assert.equal((await browser.go(dashboardSignIn())).status, 401);
    await browser.signIn('/account', person);
    assert.equal((await browser.go(dashboardSignIn())).status, 401);
  });
});
