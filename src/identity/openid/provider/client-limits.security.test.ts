// What an application may do is limited by its registration, at every way in; and nobody loosens it who may not.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as client from 'openid-client';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import { makeApi } from '../../../../test/support/apis.ts';
import { assign, makeApplication, makeOrganization, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { informationOf, KEYROCK_CALLBACK, KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import { CALLBACK, makeUser, RelyingParty, refusal } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const PATH = '/v3/OS-OAUTH2/consumers';
const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';

underAttack('The limits of an application', (api) => {
  const db = usesDatabaseOf(api);
  const change = (id: string, values: Record<string, unknown>, token?: string) =>
    api.patch(`${PATH}/${id}`, { consumer: values }, token === undefined ? {} : { token });
  const errorOf = async (party: RelyingParty, more: Record<string, string>): Promise<string | null> => {
    const { url } = await party.ask(more);
    return (await new TestBrowser(api).go(url)).redirectTarget?.searchParams.get('error') ?? null;
  };
  const devicePost = (party: RelyingParty, scope: string) => refusal(client.initiateDeviceAuthorization(party.config, { scope }));

  it('name the scopes, at every way to ask for one', async () => {
    const party = await RelyingParty.make(api, { grant_type: 'password', allowed_scopes: ['openid', 'email'] });
    const person = await makeUser(api);
    assert.equal(await errorOf(party, { scope: 'openid profile' }), 'invalid_scope');
    assert.equal(await devicePost(party, 'openid scim'), 'invalid_scope');
    assert.equal(await refusal(client.clientCredentialsGrant(party.config, { scope: 'all_info' })), 'invalid_scope');
    const { name: username, password } = person;
    const asked = { username, password, scope: 'openid email all_info' };
    assert.equal((await client.genericGrantRequest(party.config, 'password', asked)).scope, 'openid email');
    const { scope } = await party.tokensFor(person, { scope: 'openid email' });
    assert.equal(scope, 'openid email');
    const keyrock = await KeyrockClient.make(api, { allowed_scopes: ['openid'] });
    const tokens = (await keyrock.tokens(await makePerson(api))) as unknown as { scope?: string; access_token: string };
    assert.ok(!tokens.scope?.includes('all_info'), tokens.scope);
  });

  it('are kept by what was begun before: tokens and consents end, and an open sign-in is not finished', async () => {
    const party = await RelyingParty.make(api);
    const person = await makeUser(api);
    const { access_token: token } = await party.tokensFor(person, { scope: 'openid profile' });
    const browser = new TestBrowser(api);
    const page = await browser.go((await party.ask({ scope: 'openid profile' })).url);
    assert.equal(stepOf(page), 'password');
    assertOk(await change(party.application.id, { description: 'something else', allowed_scopes: null }));
    assert.ok(await party.isActive(token), 'nothing was taken away');
    assertOk(await change(party.application.id, { allowed_scopes: ['openid', 'email'] }));
    assert.ok(!(await party.isActive(token)));
    const after = await browser.submit(page, 'password', { name: person.name, password: person.password });
    assert.equal(after.redirectTarget?.searchParams.get('code') ?? null, null);
    assert.equal(after.redirectTarget?.searchParams.get('error'), 'invalid_scope');
    const { access_token: next } = await party.tokensFor(person, { scope: 'openid email' });
    assertOk(await change(party.application.id, { allowed_scopes: ['openid', 'email', 'profile'] }));
    assert.ok(await party.isActive(next), 'more is allowed than before');
  });

  it('name what is told of people by way of Keyrock, too', async () => {
    const email = 'ada@example.org';
    const [person, other] = [await makePerson(api), await makePerson(api)];
    assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { email } }));
    const keyrock = await KeyrockClient.make(api, { allowed_scopes: ['openid'] });
    const role = await makeRole(api, { id: keyrock.id });
    await assign(api, { user: person.user, organization: person.organization, application: { id: keyrock.id }, role });
    const told = async () => {
      const { access_token: token } = await keyrock.tokens(person);
      // Anybody with an account may ask, so whoever runs the application may.
      const { username, sub } = (await keyrock.introspect(token)).body;
      const information = assertOk(await api.get(`/v3/access-tokens/${token}`, { token: other.token }));
      assert.deepEqual([sub, username ?? ''], [person.user.id, information.username]);
      return information;
    };
    const without = await told();
    assert.deepEqual([without.id, without.app_id], [person.user.id, keyrock.id]);
    assert.deepEqual([without.email, without.username, without.displayName], ['', '', '']);
    assert.deepEqual([without.roles, without.organizations], [[], []]);
    assertOk(await change(keyrock.id, { allowed_scopes: ['openid', 'roles', 'email'] }));
    const more = await told();
    assert.deepEqual([more.email, more.username], [email, '']);
    assert.equal([...more.roles, ...more.organizations].length, 1);
    assertOk(await change(keyrock.id, { allowed_scopes: null }));
    assert.equal((await told()).username, person.user.name);
  });

  it('name the grants', async () => {
    const only = { allowed_grant_types: ['client_credentials'], grant_type: 'password' };
    const service = await RelyingParty.make(api, only);
    const { name: username, password } = await makeUser(api);
    assert.ok((await client.clientCredentialsGrant(service.config)).access_token);
    assert.notEqual(await errorOf(service, {}), null);
    assert.equal(await devicePost(service, 'openid'), 'invalid_request', 'the grant is not allowed');
    const asked = client.genericGrantRequest(service.config, 'password', { username, password });
    assert.equal(await refusal(asked), 'invalid_request');
    const keyrock = await KeyrockClient.make(api, { grant_type: 'implicit', allowed_grant_types: ['client_credentials'] });
    const person = await makePerson(api);
    for (const type of ['code', 'token'])
      assertRefused(await keyrock.ask(person.token, { response_type: type, redirect_uri: KEYROCK_CALLBACK }), 400);

    const page = await RelyingParty.make(api, { client_type: 'public', allowed_grant_types: ['client_credentials', DEVICE] });
    assert.equal(await refusal(client.clientCredentialsGrant(page.config)), 'invalid_request', 'it has no secret');
    assert.ok((await client.initiateDeviceAuthorization(page.config, { scope: 'openid' })).device_code);
  });

  it('end refresh tokens whose grant is taken away', async () => {
    const keyrock = await KeyrockClient.make(api);
    const tokens = await keyrock.tokens(await makePerson(api));
    assertOk(await change(keyrock.id, { allowed_grant_types: ['authorization_code'] }));
    assert.equal((await informationOf(api, tokens.access_token)).status, 404);
    assert.equal((await keyrock.refresh(tokens.refresh_token)).status, 400);
  });

  it('make tokens live shorter, never longer than the service has them', async () => {
    const [short, long] = [
      await RelyingParty.make(api, { access_token_lifetime: 60, refresh_token_lifetime: 3600 }),
      await RelyingParty.make(api, { access_token_lifetime: 31_536_000 }),
    ];
    const usual = (await client.clientCredentialsGrant((await RelyingParty.make(api)).config)).expires_in!;
    assert.equal((await client.clientCredentialsGrant(short.config)).expires_in, 60);
    assert.equal((await client.clientCredentialsGrant(long.config)).expires_in, usual);
    const tokens = await short.tokensFor(await makeUser(api), { scope: 'openid offline_access' });
    assert.equal(tokens.expires_in, 60);
    const { exp, iat } = await client.tokenIntrospection(short.config, tokens.refresh_token!);
    assert.equal(exp! - iat!, 3600);
  });

  it('ask for a stronger sign-in, if the application does not say so itself', async () => {
    const party = await RelyingParty.make(api, { default_acr_values: ['https://refeds.org/profile/mfa'] });
    const { url } = await party.ask();
    const page = await new TestBrowser(api).go(url);
    assert.equal(stepOf(page), 'password');
    // It is a wish: whoever cannot do more goes on, and the ID token says so.
    const tokens = await party.tokensFor(await makeUser(api));
    assert.equal(tokens.claims()!.acr, 'https://refeds.org/profile/sfa');
  });

  it('let only administrators say that people are not asked, and change where they are sent then', async () => {
    const manager = await makePerson(api);
    const organization = await makeOrganization(api, manager);
    const own = await RelyingParty.make(api);
    const { id } = own.application;
    await assign(api, { user: manager.user, organization, application: { id }, role: { id: 'provider' } });
    const refused = /not authorized to perform the requested action: trust_consumer/;
    for (const values of [{ skip_consent: true }, { extra: { skip_consent: true } }]) {
      assertRefused(await change(id, values, manager.token), 403, refused);
      const made = await api.post(PATH, { consumer: { name: 'own', ...values } }, { token: manager.token });
      assertRefused(made, 403, refused);
    }
    assertOk(await change(id, { skip_consent: false }, manager.token));

    assertOk(await change(id, { skip_consent: true }));
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    const { url, checks } = await own.ask({ scope: 'openid email' });
    const page = await browser.go(url);
    const tokens = await own.redeem(
      await browser.submit(page, 'password', { name: person.name, password: person.password }),
      checks,
    );
    assert.equal(tokens.scope, 'openid email', 'nobody was asked');
    for (const values of [
      { redirect_uris: [CALLBACK, 'https://elsewhere.example.org/'] },
      { allowed_scopes: ['openid'] },
      { client_type: 'public' },
      { allowed_grant_types: [DEVICE, 'refresh_token'] },
      { extra: { allowed_grant_types: ['authorization_code'] } },
      { grant_type: 'password' },
      { skip_consent: null },
      { skip_consent: false },
    ])
      assertRefused(await change(id, values, manager.token), 403, refused);
    assertOk(await change(id, { description: 'by the manager', skip_consent: true, redirect_uris: [CALLBACK] }, manager.token));
    assert.ok(await own.isActive(tokens.access_token));
    // An API is somebody else: people are asked all the same, unless it names the application.
    await makeApi(api, { identifier: 'https://api.example.org/' });
    const more = await browser.go((await own.ask({ scope: 'openid', resource: 'https://api.example.org/' })).url);
    assert.equal(more.redirectTarget, undefined);
    await makeApi(api, { identifier: 'urn:named', applications: [id] });
    const named = await browser.go((await own.ask({ scope: 'openid papers:read', resource: 'urn:named' })).url);
    assert.ok(named.redirectTarget, named.text);

    assertOk(await change(id, { skip_consent: null }));
    assert.ok(!(await own.isActive(tokens.access_token)), 'nobody has agreed to it');
    assert.equal((await browser.go((await own.ask({ scope: 'openid email' })).url)).redirectTarget, undefined);
  });

  it('skip no consent for a device, which somebody else may have begun', async () => {
    const own = await RelyingParty.make(api, { client_type: 'public', skip_consent: true });
    const [person, browser] = [await makeUser(api), new TestBrowser(api)];
    await browser.signIn((await own.ask({ scope: 'openid' })).url, person);
    // A stranger knows the id of the application, and sends the person a link.
    for (const scope of ['openid', 'openid scim all_info', 'openid scim all_info']) {
      const begun = await client.initiateDeviceAuthorization(own.config, { scope });
      const confirm = await browser.go(begun.verification_uri_complete!);
      const page = await browser.submit(await browser.submit(confirm, undefined), undefined);
      assert.equal(stepOf(page), 'allow', page.text);
      const redeemed = { device_code: begun.device_code };
      assert.equal(await refusal(client.genericGrantRequest(own.config, DEVICE, redeemed)), 'authorization_pending');
      await browser.submit(page, 'allow');
      const tokens = await client.genericGrantRequest(own.config, DEVICE, redeemed);
      assert.equal(tokens.scope, scope);
    }
  });

  it('do not have a consent that is skipped from before anybody checked it', async () => {
    const own = await RelyingParty.make(api);
    const { id } = own.application;
    // As versions stored it that did not know it, whoever managed the application.
    const extra = '{"skip_consent":true,"url":"https://a.example/"}';
    await db().write((tx) => tx.updateTable('consumers').set({ extra }).where('id', '=', id).execute());
    const shown = async () => assertOk(await api.get(`${PATH}/${id}`)).consumer;
    assert.equal((await shown()).skip_consent, undefined);
    const signsIn = async () => {
      const person = await makeUser(api);
      const browser = new TestBrowser(api);
      const page = await browser.go((await own.ask({ scope: 'openid email' })).url);
      return browser.submit(page, 'password', { name: person.name, password: person.password });
    };
    assert.equal((await signsIn()).redirectTarget, undefined, 'consent is asked for');
    assertOk(await change(id, { description: 'changed' }));
    assert.deepEqual((await shown()).extra, { url: 'https://a.example/' });
  });

  it('hold for a grant that is stored a moment after something was taken away', async () => {
    const granted = async (id: string) =>
      (await db().read.selectFrom('openid_records').where('consumer_id', '=', id).select('model').execute())
        .map(({ model }) => model)
        .filter((model) => model === 'Grant' || model === 'Consent');
    const own = await RelyingParty.make(api, { skip_consent: true });
    const [person, browser] = [await makeUser(api), new TestBrowser(api)];
    const { url, checks } = await own.ask({ scope: 'openid email' });
    const page = await browser.go(url);
    const answer = await whenAt(
      'application-grant.before-transaction',
      () => change(own.application.id, { skip_consent: null }),
      () => browser.submit(page, 'password', { name: person.name, password: person.password }),
    );
    if (answer.redirectTarget?.searchParams.has('code')) assert.equal(await refusal(own.redeem(answer, checks)), 'invalid_grant');
    assert.deepEqual(await granted(own.application.id), []);

    const party = await RelyingParty.make(api);
    const { id } = party.application;
    const other = new TestBrowser(api);
    const asked = async () => other.go((await party.ask({ scope: 'openid profile' })).url);
    const first = await other.submit(await asked(), 'password', { name: person.name, password: person.password });
    assert.equal(stepOf(first), 'allow');
    const takeAway = () => change(id, { allowed_scopes: ['openid'] });
    await whenAt('application-grant.before-transaction', takeAway, () => other.submit(first, 'allow'));
    assert.deepEqual(await granted(id), []);
    assertOk(await change(id, { allowed_scopes: null }));
    // While the person reads the page.
    const second = await asked();
    assert.equal(stepOf(second), 'allow');
    assertOk(await takeAway());
    assert.equal((await other.submit(second, 'allow')).redirectTarget?.searchParams.get('error'), 'invalid_scope');
    assertOk(await change(id, { allowed_scopes: null }));
    assert.equal(stepOf(await asked()), 'allow', 'nobody has agreed to the scope');
  });

  it('hold for a grant that is stored a moment after access was ended, or a consent withdrawn', async () => {
    const party = await RelyingParty.make(api);
    const { id } = party.application;
    const person = await makeUser(api);
    const first = new TestBrowser(api);
    const ask = async (browser: TestBrowser, scope: string) => {
      const { url, checks } = await party.ask({ scope });
      return { checks, page: await browser.go(url) };
    };
    const left = async () =>
      (await db().read.selectFrom('openid_records').where('consumer_id', '=', id).select('model').execute())
        .map(({ model }) => model)
        .filter((model) => model === 'Grant' || model === 'Consent');
    const allow = async () => {
      const { page } = await ask(first, 'openid profile');
      const next = stepOf(page) === 'password' ? await first.submit(page, 'password', person) : page;
      assert.equal(stepOf(next), 'allow');
      return first.submit(next, 'allow');
    };
    const account = new TestBrowser(api);
    const { form_token: token } = (await account.signIn('/account/security', person)).forms[0]!.fields;
    const withdrawal = { form_token: token!, step: 'revoke', application: id };
    for (const end of [
      async () => assertOk(await api.delete(`${PATH}/${id}/grants`), 204),
      async () => assertOk(await api.delete(`${PATH}/${id}/grants/${person.id}`), 204),
      async () => assert.equal((await account.send('/account/applications', withdrawal)).status, 200),
    ]) {
      await allow();
      const other = new TestBrowser(api);
      const { page, checks } = await ask(other, 'openid profile');
      const answer = await whenAt('application-grant.before-transaction', end, () => other.submit(page, 'password', person));
      assert.ok(answer.redirectTarget?.searchParams.has('code'), answer.text);
      assert.equal(await refusal(party.redeem(answer, checks)), 'invalid_grant');
      assert.deepEqual(await left(), []);
      // What was withdrawn does not come back with another scope that is allowed.
      await allow();
      const { page: more } = await ask(first, 'openid profile email');
      assert.equal(stepOf(more), 'allow');
      await whenAt('application-grant.before-transaction', end, () => first.submit(more, 'allow'));
      assert.deepEqual(await left(), []);
    }
  });

  it('do not skip consent for what a replica of a version before let somebody change', async () => {
    const own = await RelyingParty.make(api, { skip_consent: true });
    const { id } = own.application;
    const shown = async () => assertOk(await api.get(`${PATH}/${id}`)).consumer.skip_consent;
    const store = (values: { redirect_uris?: string; extra?: string; client_type?: string; grant_type?: string }) =>
      db().write((tx) => tx.updateTable('consumers').set(values).where('id', '=', id).execute());
    const { redirect_uris: uris, extra } = (await db()
      .read.selectFrom('consumers')
      .where('id', '=', id)
      .selectAll()
      .executeTakeFirst())!;
    assert.equal(await shown(), true);
    await store({ redirect_uris: JSON.stringify([...JSON.parse(uris), 'https://elsewhere.example.org/']) });
    assert.equal(await shown(), false);
    await store({ redirect_uris: uris, extra: JSON.stringify({ ...JSON.parse(extra), allowed_scopes: ['openid', 'scim'] }) });
    assert.equal(await shown(), false);
    await store({ extra: JSON.stringify({ ...JSON.parse(extra), allowed_grant_types: [DEVICE] }) });
    assert.equal(await shown(), false);
    for (const [changed, before] of [
      [{ client_type: 'public' }, { client_type: 'confidential' }],
      [{ grant_type: 'password' }, { grant_type: 'authorization_code' }],
    ]) {
      await store({ extra, ...changed });
      assert.equal(await shown(), false, JSON.stringify(changed));
      await store(before!);
    }
    assert.equal(await shown(), true);
    await store({ redirect_uris: '["https://elsewhere.example.org/"]' });
    // Kept only if an administrator says it again.
    assertOk(await change(id, { description: 'changed' }));
    await store({ redirect_uris: uris });
    assert.equal(await shown(), false);
    assertOk(await change(id, { skip_consent: true }));
    assert.equal(await shown(), true);
  });

  it('are changed, and access is ended for everybody, by those who manage the application only', async () => {
    const keyrock = await KeyrockClient.make(api);
    const [person, stranger] = [await makePerson(api), await makePerson(api)];
    const own = await makeApplication(api, {}, stranger.token);
    const { access_token: token } = await keyrock.tokens(person);
    const strangers = [stranger.token, person.token];
    await assertForbidden(api, strangers, 'DELETE', `${PATH}/${keyrock.id}/grants`);
    for (const values of [{ allowed_scopes: ['openid'] }, { dpop_bound_access_tokens: false }, { access_token_lifetime: 60 }])
      await assertForbidden(api, strangers, 'PATCH', `${PATH}/${keyrock.id}`, { body: { consumer: values } });
    assertRefused(await api.delete(`${PATH}/nothing/grants`), 404);
    assertOk(await api.delete(`${PATH}/${own.id}/grants`, { token: stranger.token }), 204);
    assert.equal((await informationOf(api, token)).status, 200, 'the other application keeps its own');
    assertOk(await api.delete(`${PATH}/${keyrock.id}/grants`), 204);
    assert.equal((await informationOf(api, token)).status, 404);
    assert.deepEqual(assertOk(await api.get(`${PATH}/${keyrock.id}/grants`)).grants, []);
  });
});
