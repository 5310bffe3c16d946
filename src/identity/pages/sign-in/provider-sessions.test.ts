// Sessions that began through another provider: they end when the provider says so. Linked accounts on /account.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk, isAlive } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT, Traveller } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { makeUser, RelyingParty, refusal, type TokenSet } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { Asked, Asker } from '../../../../test/support/sign-in-requests.ts';
import { stepOf } from '../../../../test/support/test-browser.ts';

const OFFLINE = { scope: 'openid offline_access' };
const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

onUsualDatabase('Sessions through another provider', (api) => {
  const id = uniqueName('idp');
  const settings = {
    email_domains: ['example.org'],
    trusts_email: true,
    scopes: ['openid', 'profile', 'email', 'offline_access'],
  };
  let provider: PlainProvider;
  let application: RelyingParty;
  const traveller = (): Traveller => new Traveller(api, application, provider, id);
  const db = usesDatabaseOf(api);
  const confirmEmailOf = (userId: string) =>
    db().write(async (tx) => {
      const { profile } = await tx.selectFrom('users').where('id', '=', userId).select('profile').executeTakeFirstOrThrow();
      const confirmed_email = JSON.parse(profile).emails[0].value;
      await tx.updateTable('users').set({ confirmed_email }).where('id', '=', userId).execute();
    });
  const refresh = (tokens: TokenSet) => client.refreshTokenGrant(application.config, tokens.refresh_token!);

  before(async () => {
    provider = await providerFor(id, { accessTokenSeconds: 600 });
    application = await RelyingParty.make(api);
    await connectProvider(api, provider, { id, settings });
  });
  after(() => provider.stop());

  const hasSession = async ({ browser }: Traveller): Promise<boolean> =>
    (await browser.go((await application.ask()).url)).redirectTarget !== undefined;

  // First: later the clock of the service is ahead of the provider's, so that no sign-in is fresh.
  describe('linked accounts', () => {
    it('are disconnected on /account, which ends the sessions through them', async () => {
      const sub = uniqueName('fred');
      const known = await makeUser(api, { email: `${sub}@example.org` });
      const person = traveller();
      await person.signIn(sub);
      const old = await person.browser.go(`${api.url}/account/security`);
      const again = await person.browser.submit(old, 'provider-unlink');
      assert.equal(stepOf(again), 'password', 'the provider did not say when they authenticated, so they do it again');
      const tokens = await person.signIn(sub, undefined, { ...OFFLINE, prompt: 'login consent' });
      assert.equal(tokens.claims()!.sub, known.id);
      const page = await person.browser.go(`${api.url}/account/security`);
      await person.browser.submit(page, 'provider-unlink');
      assert.equal(await hasSession(person), false);
      assert.equal(await refusal(refresh(tokens)), 'invalid_grant');
    });

    it('end what was allowed somewhere else in a session through them, which is renewed until then', async () => {
      const [sub, person, asker] = [uniqueName('ines'), traveller(), await Asker.make(api)];
      const known = await makeUser(api, { email: `${sub}@example.org` });
      await person.signIn(sub, undefined, { prompt: 'login' });
      const asked = new Asked(known, person.browser);
      const request = await asker.begin({ login_hint: known.name, ...OFFLINE });
      await asked.see();
      assert.match((await asked.answer('allow-request')).text, /You have allowed it/);
      let { refresh_token } = (await asker.poll(request)).body;
      const renew = () => asker.send('/openid/token', { grant_type: 'refresh_token', refresh_token });
      const renewed = await renew();
      assert.equal(renewed.status, 200, renewed.text);
      refresh_token = renewed.body.refresh_token ?? refresh_token;
      await person.browser.submit(await person.browser.go(`${api.url}/account/security`), 'provider-unlink');
      assert.equal((await renew()).body.error, 'invalid_grant');
    });

    it('stay when they are the last way in', async () => {
      const person = traveller();
      await person.signIn(uniqueName('gina'), undefined, { prompt: 'login' });
      const page = await person.browser.go(`${api.url}/account/security`);
      const refused = await person.browser.submit(page, 'provider-unlink');
      assert.equal(refused.status, 400);
      assert.match(refused.text, /only way to sign in/);
      assert.ok(await hasSession(person));
    });
  });

  describe('end', () => {
    it('when the provider refuses its refresh token, asked when it is due', async () => {
      const [sub, person] = [uniqueName('anna'), traveller()];
      let tokens = await person.signIn(sub, undefined, OFFLINE);
      const before = await provider.granted('refresh_token');
      tokens = await refresh(tokens);
      assert.equal(await provider.granted('refresh_token'), before, 'not due yet');
      api.clock.advance(560);
      tokens = await refresh(tokens);
      assert.equal(await provider.granted('refresh_token'), before + 1);
      await provider.close(sub);
      tokens = await refresh(tokens);
      assert.ok(await hasSession(person), 'not due yet');
      api.clock.advance(560);
      assert.equal(await refusal(refresh(tokens)), 'invalid_grant');
      assert.equal(await hasSession(person), false);
      assert.equal(await application.isActive(tokens.access_token), false);
    });

    it('not while the provider does not answer', async () => {
      const [sub, person] = [uniqueName('bert'), traveller()];
      let tokens = await person.signIn(sub, undefined, OFFLINE);
      api.clock.advance(560);
      await provider.stop();
      try {
        tokens = await refresh(tokens);
        assert.ok(await hasSession(person));
      } finally {
        await provider.start();
      }
    });

    it('when the provider sends a logout token, with their tokens, and only once', async () => {
      const [sub, person, stranger] = [uniqueName('clara'), traveller(), traveller()];
      const tokens = await person.signIn(sub, undefined, OFFLINE);
      await stranger.signIn(uniqueName('dora'));
      const headers = { Origin: new URL(api.url).origin };
      const response = await person.browser.request(`${api.url}/console/session`, { method: 'POST', headers });
      const consoleToken = JSON.parse(response.text).token;
      assert.ok(await isAlive(api, consoleToken));
      const claims = { iss: provider.issuer, aud: provider.clientId, iat: Math.floor(Date.now() / 1000), sub };
      const token = await provider.mint({ typ: 'logout+jwt' }, { ...claims, jti: uniqueName('jti'), events: { [EVENT]: {} } });
      const send = () =>
        fetch(`${api.url}/openid/providers/${id}/logout`, {
          method: 'POST',
          body: new URLSearchParams({ logout_token: token }),
        });
      const answer = await send();
      assert.equal(answer.status, 200);
      assert.equal(await isAlive(api, consoleToken), false);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.equal(await hasSession(person), false);
      assert.equal(await refusal(refresh(tokens)), 'invalid_grant');
      assert.equal(await application.isActive(tokens.access_token), false);
      assert.ok(await hasSession(stranger));
      const again = await send();
      assert.equal(again.status, 400);
      assert.equal(((await again.json()) as { error: string }).error, 'invalid_request');
    });

    it('when the provider is for fewer people, or may give less', async () => {
      const { issuer, clientId: client_id } = provider;
      const put = async (more: object) => {
        const openid = { issuer, client_id, button_name: id, ...settings, ...more };
        assertOk(await api.put(`${ROOT}/identity_providers/${id}/openid`, { openid }));
      };
      for (const more of [{ whole_service: true }, { may_give_admin: true }]) {
        await put(more);
        const person = traveller();
        await person.signIn(uniqueName('nora'));
        await put(more);
        assert.ok(await hasSession(person), 'nothing changed');
        await put({});
        assert.equal(await hasSession(person), false);
      }
    });

    it('when the domain of the provider is disabled', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const abroad = uniqueName('abroad');
      const own = await providerFor(abroad);
      try {
        const options = { id: abroad, domainId: domain.id, settings: { ...settings, whole_service: true } };
        await connectProvider(api, own, options);
        const sub = uniqueName('vera');
        // The person is of another domain, which stays enabled.
        const known = await makeUser(api, { email: `${sub}@example.org` });
        await confirmEmailOf(known.id);
        const person = new Traveller(api, application, own, abroad);
        assert.equal((await person.signIn(sub)).claims()!.sub, known.id);
        assert.ok(await hasSession(person));
        assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
        assert.equal(await hasSession(person), false);
      } finally {
        await own.stop();
      }
    });

    it('and are not listed any more', async () => {
      const [sub, person] = [uniqueName('paul'), traveller()];
      const tokens = await person.signIn(sub);
      const path = `/v3/users/${tokens.claims()!.sub}/OS-SESSIONS/sessions`;
      const listed = async (): Promise<number> => assertOk(await api.get(path)).sessions.length;
      assert.equal(await listed(), 1);
      assertOk(await api.patch(`${ROOT}/identity_providers/${id}`, { identity_provider: { enabled: false } }));
      assert.equal(await listed(), 0);
      assertOk(await api.patch(`${ROOT}/identity_providers/${id}`, { identity_provider: { enabled: true } }));
      assert.equal(await listed(), 0);
      const again = traveller();
      await again.signIn(sub);
      const page = await again.browser.go(`${api.url}/account/sessions`);
      assert.equal(page.text.split('Unknown browser').length - 1, 1, 'that of now');
    });

    it('for the account page, too', async () => {
      const [sub, person] = [uniqueName('emil'), traveller()];
      await person.signIn(sub);
      const page = await person.browser.go(`${api.url}/account/security`);
      assert.match(page.text, new RegExp(`${id}: ${sub}@example.org`));
      assertOk(await api.patch(`${ROOT}/identity_providers/${id}`, { identity_provider: { enabled: false } }));
      assertOk(await api.patch(`${ROOT}/identity_providers/${id}`, { identity_provider: { enabled: true } }));
      assert.equal(stepOf(await person.browser.go(`${api.url}/account/security`)), 'password');
    });
  });
});
