// Signing in to a dashboard: by our own sign-in, and through another provider.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { DASHBOARD_SETTINGS, dashboardSignIn, tokenForDashboard } from '../../../../test/support/dashboard.ts';
import { connectProvider, providerFor, signInAt } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

onUsualDatabase(
  'Signing in to a dashboard',
  (api) => {
    const id = uniqueName('idp');
    let provider: PlainProvider;
    before(async () => {
      provider = await providerFor(id);
      await connectProvider(api, provider, {
        id,
        settings: { button_name: null, email_domains: ['example.org'], trusts_email: true },
      });
    });
    after(() => provider.stop());

    const read = async (token: string) =>
      assertOk(await api.request('GET', '/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } })).token;
    const scoped = (token: string, scope: object) =>
      api.request('POST', '/v3/auth/tokens', {
        token: null,
        body: { auth: { identity: { methods: ['token'], token: { id: token } }, scope } },
      });

    it('brings a token of the person to the dashboard, as old as their sign-in, which the dashboard exchanges', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { user: member, password } = await api.persona(['member'], { project: project.id });
      const [person, browser] = [{ ...member, password }, new TestBrowser(api)];
      const token = tokenForDashboard(await browser.signIn(dashboardSignIn(), person));
      const { user, methods, expires_at, issued_at, project: none } = await read(token);
      assert.deepEqual([user.id, methods, none], [person.id, ['password'], undefined]);
      assert.ok(Math.abs(Date.parse(expires_at) - Date.parse(issued_at) - 3_600_000) < 2000, 'as long as other tokens');
      const { headers, body } = await scoped(token, { project: { id: project.id } });
      assert.equal(body.token.project.id, project.id);
      assert.equal(body.token.expires_at, expires_at);
      assert.equal((await read(headers.get('x-subject-token')!)).user.id, person.id);
      const events = assertOk(
        await api.get(`/v3/OS-AUDIT/events?action=session.dashboard_entered&target_id=${person.id}`),
      ).events;
      assert.deepEqual(
        events.map(({ detail }: { detail: { dashboard: string } }) => detail.dashboard),
        ['https://horizon.example.org'],
      );
    });

    it('asks nothing of somebody who is signed in, and sends a POST to the same page', async () => {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      await browser.signIn('/account', person);
      tokenForDashboard(await browser.go(dashboardSignIn()));
      tokenForDashboard(await browser.go(dashboardSignIn(), { method: 'POST', body: new URLSearchParams({ a: 'b' }) }));
      tokenForDashboard(await browser.go(dashboardSignIn().replace('openid?', 'openid/?')));
    });

    it('asks for the second factor', async () => {
      const { user: named, password, phone } = await makeTwoFactorPerson(api);
      const [person, browser] = [{ name: named.name, password }, new TestBrowser(api)];
      const token = tokenForDashboard(await browser.signIn(dashboardSignIn(), { ...person, code: () => phone.fresh() }));
      assert.deepEqual((await read(token)).methods.sort(), ['password', 'totp']);
    });

    it('leads to the provider that is named, and back to the dashboard', async () => {
      const [sub, browser] = [uniqueName('anna'), new TestBrowser(api)];
      const away = await browser.go(dashboardSignIn(id));
      const token = tokenForDashboard(await browser.go(await signInAt(provider, redirectTargetOf(away), sub)));
      const { user, methods } = await read(token);
      assert.equal(user.name, sub);
      assert.deepEqual(methods, ['mapped']);
    });

    it('lets somebody choose who comes back from that provider without success', async () => {
      const browser = new TestBrowser(api);
      const there = redirectTargetOf(await browser.go(dashboardSignIn(id)));
      const back = new URL(there.searchParams.get('redirect_uri')!);
      back.search = String(new URLSearchParams({ state: there.searchParams.get('state')!, error: 'access_denied' }));
      const refused = await browser.go(back);
      assert.equal(refused.status, 403);
      const interaction = new URL(refused.url);
      interaction.search = '';
      const page = await browser.go(interaction);
      assert.equal(stepOf(page), 'password', 'and is not sent there again');
      tokenForDashboard(await browser.answerForms(page, await makeUser(api)));
    });

    it('says so to somebody who leaves the sign-in', async () => {
      const browser = new TestBrowser(api);
      const left = await browser.submit(await browser.go(dashboardSignIn()), 'cancel');
      assert.ok(left.text.includes(LANGUAGES.en.notSignedInTitle), left.text);
      assert.match(left.text, /href="\/v3\/auth\/OS-FEDERATION\/websso\/openid\?origin=https%3A%2F%2Fhorizon/);
    });
  },
  { settings: DASHBOARD_SETTINGS },
);
