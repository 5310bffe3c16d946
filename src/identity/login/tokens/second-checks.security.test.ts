// Somebody ends a person's access after the person has proved who they are, and before the token of that login is made.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { ec2Person, exchange, signedV2 } from '../../../../test/support/ec2.ts';
import { connectProvider, providerFor, Traveller } from '../../../../test/support/federation.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { enable, logInWith, Phone } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const NAMED = [{ local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] }];

underAttack('A login that was right makes no token', (api) => {
  const id = uniqueName('idp');
  let provider: PlainProvider;
  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id, rules: NAMED, settings: { accepts_tokens: true } });
  });
  after(() => provider.stop());

  const meanwhile = <T>(act: () => Promise<unknown>, request: () => Promise<T>): Promise<T> =>
    whenAt('login.before-token', act, request);
  const changePassword = async (id: string): Promise<void> =>
    assertOk(await api.patch(`/v3/users/${id}`, { user: { password: 'another password' } }));
  const endTokens = async (id: string): Promise<void> => assertOk(await api.delete(`/v3/users/${id}/tokens`), 204);

  it('with a token of a provider, for somebody whose tokens ended since', async () => {
    const [tokens, sub] = [new ProviderTokens(api, provider, id), uniqueName('ann')];
    const { user } = assertOk(await tokens.logIn(sub), 201).token;
    const answer = await meanwhile(
      () => endTokens(user.id),
      () => tokens.logIn(sub),
    );
    assertRefused(answer, 401);
  });

  it('with a password that was changed since', async () => {
    const person = await makePerson(api);
    const answer = await meanwhile(
      () => changePassword(person.user.id),
      () => logInWith(api, person),
    );
    assertRefused(answer, 401);
  });

  it('with a token that ended since', async () => {
    const { user, token } = await makePerson(api);
    const body = { auth: { identity: { methods: ['token'], token: { id: token } } } };
    const answer = await meanwhile(
      () => endTokens(user.id),
      () => api.post('/v3/auth/tokens', body, { token: null }),
    );
    assertRefused(answer, 404);
  });

  it('with a key that was replaced since', async () => {
    const { user, key } = await ec2Person(api);
    const replace = async (): Promise<void> => {
      const [{ id }] = assertOk(await api.get(`/v3/credentials?user_id=${user.id}&type=ec2`)).credentials;
      const blob = JSON.stringify({ access: key.access, secret: 'another secret of the same key' });
      assertOk(await api.patch(`/v3/credentials/${id}`, { credential: { blob } }));
    };
    assertRefused(await meanwhile(replace, () => exchange(api, signedV2(key, api.clock.now()))), 401);
  });

  for (const point of ['session.before-state', 'session.before-user'] as const)
    it(`with an access token of an application that ended since (${point})`, async () => {
      const [person, client] = [await makePerson(api), await KeyrockClient.make(api)];
      const { access_token: token } = await client.tokens(person);
      const answer = await whenAt(
        point,
        () => endTokens(person.user.id),
        () => logInByAccessToken(api, token),
      );
      assertRefused(answer, 401);
    });

  describe('at a page', () => {
    for (const point of ['session.before-state', 'session.before-user'] as const)
      it(`nor shows an account whose sessions ended since (${point})`, async () => {
        const [person, browser] = [await makeUser(api), new TestBrowser(api)];
        assert.equal((await browser.signIn('/account/security', person)).status, 200);
        const page = await whenAt(
          point,
          () => changePassword(person.id),
          () => browser.go('/account/security'),
        );
        assert.equal(stepOf(page), 'password', page.text);
      });

    it('with a code, when the domain was closed and opened again since the password', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const [person, browser] = [await makeUser(api, { domain_id: domain.id }), new TestBrowser(api)];
      const { two_factor_key: key } = assertOk(await enable(api, person), 201).two_factor_auth;
      const { name, password } = person;
      const page = await browser.submit(await browser.go('/account'), 'password', { name, password, domain: domain.name });
      assert.equal(stepOf(page), 'code', page.text);
      for (const enabled of [false, true]) assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled } }));
      const answer = await browser.submit(page, 'code', { code: new Phone(api, key).fresh() });
      assert.deepEqual([answer.status, stepOf(answer)], [401, 'password']);
    });

    const ask = (browser: TestBrowser) => () =>
      browser.request('/console/session', { method: 'POST', headers: { Origin: new URL(api.url).origin } });

    it('for a session that ended since', async () => {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      await browser.signIn('/console', person);
      assert.equal((await ask(browser)()).status, 201);
      assert.equal((await meanwhile(() => endTokens(person.id), ask(browser))).status, 401);
    });

    it('for one that began through another provider, either', async () => {
      const traveller = new Traveller(api, await RelyingParty.make(api), provider, id);
      const { sub: userId } = (await traveller.signIn(uniqueName('bea'), 'provider-new')).claims()!;
      assert.equal((await ask(traveller.browser)()).status, 201);
      assert.equal((await meanwhile(() => endTokens(userId), ask(traveller.browser))).status, 401);
    });

    it('nor a session, with a password that was changed since', async () => {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      const { name, password } = person;
      const page = await browser.go('/account');
      const answer = await meanwhile(
        () => changePassword(person.id),
        () => browser.submit(page, 'password', { name, password }),
      );
      assert.equal(answer.status, 401, answer.text);
    });
  });
});
