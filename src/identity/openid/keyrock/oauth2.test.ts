// The OAuth2 flow of an application with Keyrock's client library, from the consent to the use of access tokens.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { assign, makeOrganization, makePerson, makeRole } from '../../../../test/support/applications.ts';
import {
  informationOf,
  KEYROCK_CALLBACK,
  KeyrockClient,
  listPath,
  logInByAccessToken,
} from '../../../../test/support/keyrock-client.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';

/** The clock moves past the expiry of access tokens; logins stay valid. */
const options = { settings: { GATEHOUSE_IDENTITY_TOKEN_SECONDS: '31536000' } };

function define(api: TestApi): void {
  it('gets the question to show, with what the application registered where the request says nothing', async () => {
    const client = await KeyrockClient.make(api, { name: 'Reports', description: 'Monthly', scopes: ['email', 'all_info'] });
    const person = await makePerson(api);
    const asked = await client.ask(person.token, { scope: 'profile email', state: 'x' });
    assert.equal(asked.status, 200, asked.text);
    const data = {
      consumer: { id: client.id, name: 'Reports', description: 'Monthly' },
      redirect_uri: KEYROCK_CALLBACK,
      requested_scopes: ['profile', 'email'],
    };
    assert.deepEqual(asked.body, { data });
    const without = await client.ask(person.token, { scope: '' });
    assert.deepEqual(without.body.data.requested_scopes, ['email', 'all_info']);
    const short = await api.get(`/v3/OS-OAUTH2/authorize?response_type=code&client_id=${client.id}`, { token: person.token });
    assert.deepEqual([short.status, short.body.data.redirect_uri], [200, KEYROCK_CALLBACK]);
  });

  it('is sent the code and its state, at the address it registered', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    await client.ask(person.token, { state: 'ä & = #' });
    const allowed = await client.allow(person.token, { user_id: person.user.id });
    assert.equal(allowed.status, 302, allowed.text);
    const location = new URL(allowed.headers.get('location')!);
    assert.equal(`${location.origin}${location.pathname}`, 'https://old.example.org/callback');
    assert.deepEqual([...location.searchParams.keys()], ['from', 'code', 'state']);
    assert.equal(location.searchParams.get('from'), 'us');
    assert.equal(location.searchParams.get('state'), 'ä & = #');
    await client.ask(person.token);
    const stateless = new URL((await client.allow(person.token)).headers.get('location')!);
    assert.equal(stateless.searchParams.has('state'), false);
    assert.equal((await client.redeem(stateless.searchParams.get('code')!)).status, 200);
  });

  for (const client_type of ['confidential', 'public'])
    it(`is sent a token after the address, if it is ${client_type} and registered with implicit`, async () => {
      const client = await KeyrockClient.make(api, { grant_type: 'implicit', client_type });
      const person = await makePerson(api);
      const asked = await client.ask(person.token, { response_type: 'token', state: 'ä & = #' });
      assert.equal(asked.status, 200, asked.text);
      const allowed = await client.allow(person.token);
      assert.equal(allowed.status, 302, allowed.text);
      const location = new URL(allowed.headers.get('location')!);
      assert.equal(location.href.split('#')[0], KEYROCK_CALLBACK);
      const answer = new URLSearchParams(location.hash.slice(1));
      const { access_token: token = '', expires_in: seconds, ...others } = Object.fromEntries(answer);
      assert.deepEqual(others, { token_type: 'Bearer', scope: 'all_info', state: 'ä & = #' });
      assert.ok(Number(seconds) > 0);
      const information = await informationOf(api, token);
      assert.equal(information.status, 200, information.text);
      assert.deepEqual([information.body.id, information.body.app_id], [person.user.id, client.id]);
    });

  for (const written of ['envelope', 'json', 'form'] as const) {
    it(`redeems a code and refreshes, written as ${written}`, async () => {
      const client = await KeyrockClient.make(api);
      const person = await makePerson(api);
      const redeemed = await client.redeem(await client.code(person), written);
      assert.equal(redeemed.status, 200, redeemed.text);
      const { access_token: token, refresh_token: refresh, expires_in: seconds, token_type: type, scope } = redeemed.body;
      assert.deepEqual([seconds, type, scope], [3600, 'Bearer', 'all_info']);
      assert.equal(redeemed.headers.get('cache-control'), 'no-store');
      assert.equal((await informationOf(api, token)).body.id, person.user.id);
      const refreshed = await client.refresh(refresh, written);
      assert.equal(refreshed.status, 200, refreshed.text);
      assert.notEqual(refreshed.body.access_token, token);
      assert.notEqual(refreshed.body.refresh_token, refresh);
      assert.equal((await informationOf(api, refreshed.body.access_token)).body.id, person.user.id);
      assert.equal((await informationOf(api, token)).status, 200, 'a refresh takes nothing away');
    });
  }

  it('takes the address of the code as given when it has only one', async () => {
    const client = await KeyrockClient.make(api);
    const code = await client.code(await makePerson(api));
    const answer = await client.request({ grant_type: 'authorization_code', code });
    assert.equal(answer.status, 200, answer.text);
  });

  it('learns who the person is, and their roles in it: those of their own organization apart from the others', async () => {
    const client = await KeyrockClient.make(api);
    const [first, second, third] = await Promise.all([1, 2, 3].map(() => makeRole(api, client)));
    const elsewhere = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const organization = await makeOrganization(api, person);
    const left = await makeOrganization(api);
    await api.patch(`/v3/users/${person.user.id}`, { user: { email: 'ada@example.org' } });
    const { user } = person;
    await assign(api, { user, organization: person.organization, application: client, role: first });
    await assign(api, { user, organization, application: client, role: second });
    await assign(api, { user, organization: left, application: client, role: third });
    await assign(api, {
      user,
      organization: person.organization,
      application: elsewhere,
      role: await makeRole(api, elsewhere),
    });
    const token = (await client.tokens({ token: await api.logIn({ id: user.id, password: person.password }) })).access_token;
    const information = await informationOf(api, token);
    assert.equal(information.status, 200, information.text);
    assert.deepEqual(information.body, {
      id: user.id,
      email: 'ada@example.org',
      displayName: user.name,
      roles: [{ id: first.id, name: first.name }],
      organizations: [{ id: organization.id, name: organization.name, roles: [{ id: second.id, name: second.name }] }],
      app_id: client.id,
      isGravatarEnabled: false,
      username: user.name,
    });
    assert.deepEqual((await informationOf(api, token)).body, information.body, 'and the same from memory');
    assert.equal(information.headers.get('content-type'), 'application/json');
  });

  it('is asked about by anyone with a token of their own, and nobody else', async () => {
    const client = await KeyrockClient.make(api);
    const proxy = await makePerson(api);
    const { access_token: token } = await client.tokens(await makePerson(api));
    assert.equal((await api.get(`/v3/access-tokens/${token}`, { token: proxy.token })).status, 200);
    assertRefused(await api.get(`/v3/access-tokens/${token}`, { token: null }), 401);
    assertRefused(await api.get('/v3/access-tokens/unknown'), 404, /^Could not find the access token/);
  });

  it('lists the access tokens of a person by ids that cannot be used as tokens', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const [one, two] = [await client.tokens(person), await client.tokens(person, ['email', 'all_info'])];
    const list = await api.get(listPath(person.user), { token: person.token });
    assert.equal(list.status, 200, list.text);
    assert.equal(list.body.access_tokens.length, 2);
    for (const { access_token: token, refresh_token: refresh } of [one, two])
      for (const secret of [token, refresh]) assert.ok(!list.text.includes(secret), list.text);
    const entry = list.body.access_tokens.find(({ scopes }: { scopes: string[] }) => scopes.length === 2);
    const { id, expires_at: expires, ...rest } = entry;
    assert.deepEqual(rest, {
      authorizing_user_id: person.user.id,
      consumer_id: client.id,
      scopes: ['email', 'all_info'],
      valid: true,
      links: { self: `${api.url}${listPath(person.user)}/${id}` },
    });
    assert.ok(Math.abs(Date.parse(expires) - api.clock.now() - 3_600_000) < 60_000, expires);
    assert.deepEqual((await api.get(`${listPath(person.user)}/${id}`, { token: person.token })).body, { access_token: entry });
    assert.deepEqual((await api.get(listPath(person.user))).body.access_tokens, list.body.access_tokens, 'as an administrator');
    assert.equal((await informationOf(api, id)).status, 404, 'a name is no token');
  });

  it('loses exactly the access token that is taken back', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const one = await client.tokens(person);
    const [{ id }] = (await api.get(listPath(person.user), { token: person.token })).body.access_tokens;
    const two = await client.tokens(person);
    const gone = await api.delete(`${listPath(person.user)}/${id}`, { token: person.token });
    assert.deepEqual([gone.status, gone.text], [204, '']);
    assert.equal((await informationOf(api, one.access_token)).status, 404);
    assert.equal((await informationOf(api, two.access_token)).status, 200);
    assert.equal((await api.get(listPath(person.user))).body.access_tokens.length, 1);
    for (const method of ['GET', 'DELETE'])
      assertRefused(await api.request(method, `${listPath(person.user)}/${id}`, { token: person.token }), 404, /access token/);
  });

  it('takes name and password where it is registered for that', async () => {
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const person = await makePerson(api);
    const answer = await client.byPassword(person);
    assert.equal(answer.status, 200, answer.text);
    const { access_token: token, refresh_token: refresh, ...rest } = answer.body;
    assert.deepEqual(rest, { expires_in: 3600, scope: 'all_info', token_type: 'Bearer' });
    assert.equal((await informationOf(api, token)).body.id, person.user.id);
    assert.equal((await logInByAccessToken(api, token)).status, 201);
    assert.equal((await client.refresh(refresh)).status, 200);
    const [{ consumer_id: consumer }] = (await api.get(listPath(person.user))).body.access_tokens;
    assert.equal(consumer, client.id);
    const other = await api.make('domain', { name: `domain of ${client.id}` });
    const namesake = await api.make('user', { name: person.user.name, domain_id: other.id, password: 'of the namesake' });
    const there = await client.byPassword({ user: namesake, password: 'of the namesake' }, { domain: other.name });
    assert.equal((await informationOf(api, there.body.access_token)).body.id, namesake.id);
  });

  it('brings the second factor with the password: a code, or a recovery code', async () => {
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const person = await makeTwoFactorPerson(api);
    const without = await client.byPassword(person);
    assert.deepEqual([without.status, without.body.error], [400, 'invalid_grant']);
    assert.match(without.body.error_description, /second factor/);
    const code = await client.byPassword(person, { verification_code: person.phone.fresh() });
    assert.equal(code.status, 200, code.text);
    assert.equal((await logInByAccessToken(api, code.body.access_token)).status, 201, 'asked for once, not again');
    const made = await api.post(`/v3/users/${person.user.id}/OS-TWO-FACTOR/recovery_codes`, {});
    const [recovery] = made.body.two_factor_auth.recovery_codes;
    const recovered = await client.byPassword(person, { recovery_code: recovery });
    assert.equal(recovered.status, 200, recovered.text);
    assert.equal((await informationOf(api, recovered.body.access_token)).body.id, person.user.id);
    assert.equal((await client.byPassword(person, { recovery_code: recovery })).status, 400, 'each is good once');
  });

  // Must be the last test: the library has its own clock, so what it creates afterwards is already expired.
  it('acts for the person with a token of the base API that lasts ten minutes and no longer than the access token', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token } = await client.tokens(person);
    const { exp } = (await client.introspect(token)).body;
    const brief = await logInByAccessToken(api, token);
    assert.ok(Math.abs(Date.parse(brief.body.token.expires_at) - (api.clock.now() + 600_000)) < 5000);
    // Five minutes before the access token ends.
    api.clock.advance(exp - api.clock.now() / 1000 - 300);
    const login = await logInByAccessToken(api, token);
    assert.equal(login.status, 201, login.text);
    const { user, methods, expires_at: expires } = login.body.token;
    assert.deepEqual([user.id, methods], [person.user.id, ['oauth2']]);
    assert.equal(Date.parse(expires), exp * 1000);
    const scope = { project: { id: person.organization.id } };
    const scoped = await logInByAccessToken(api, token, scope);
    assert.deepEqual([scoped.status, scoped.body.token.project.id], [201, person.organization.id]);
    const identity = { methods: ['token'], token: { id: login.headers.get('x-subject-token')! } };
    const rescoped = await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
    assert.equal(rescoped.status, 201, rescoped.text);
    assert.deepEqual(rescoped.body.token.methods.toSorted(), ['oauth2', 'token']);
    assert.equal(Date.parse(rescoped.body.token.expires_at), exp * 1000);
    const acting = { token: rescoped.headers.get('x-subject-token')! };
    assert.equal((await api.get(`/v3/users/${person.user.id}`, acting)).status, 200);
    assert.equal((await api.get(`/v3/projects/${person.organization.id}`, acting)).status, 200);
    api.clock.advance(301);
    assert.equal((await api.get(`/v3/users/${person.user.id}`, acting)).status, 401);
  });
}

onUsualDatabase("An application on Keyrock's client library", define, options);
