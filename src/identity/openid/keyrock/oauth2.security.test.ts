// Known security holes of Keyrock's back-end: codes, tokens of others, the password grant, and the rights of an application.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';
import {
  ACCESS_TOKEN,
  AUTHORIZE,
  BAD,
  basic,
  GOOD,
  informationOf,
  KEYROCK_CALLBACK,
  KeyrockClient,
  listPath,
  logInByAccessToken,
  verdictsOn,
} from '../../../../test/support/keyrock-client.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';

/** The clock moves past the expiry of codes and tokens; logins stay valid. */
const options = { settings: { GATEHOUSE_IDENTITY_TOKEN_SECONDS: '31536000' } };

function defineAuthorize(api: TestApi): void {
  it('asks and is answered by nobody without a token', async () => {
    const client = await KeyrockClient.make(api);
    for (const token of [null, 'no-such-token']) {
      assertRefused(await client.ask(token), 401);
      assertRefused(await client.allow(token), 401);
    }
  });

  it('is not answered for another person, not even by an administrator', async () => {
    const client = await KeyrockClient.make(api);
    const [person, other] = [await makePerson(api), await makePerson(api)];
    await client.ask(person.token);
    assertRefused(await client.allow(person.token, { user_id: other.user.id }), 403);
    await client.ask(api.adminToken);
    assertRefused(await client.allow(api.adminToken, { user_id: person.user.id }), 403);
    assertRefused(await client.allow(other.token), 400, /no open authorization request/);
    assert.equal((await client.allow(person.token)).status, 302, 'the question is still the person’s');
  });

  it('is not answered with a login that is not enough any more, also if it was asked before', async () => {
    const [client, person] = [await KeyrockClient.make(api), await makePerson(api)];
    assert.equal((await client.ask(person.token)).status, 200);
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
    assert.equal((await api.patch(`/v3/users/${person.user.id}`, { user: { options } })).status, 200);
    const refused = await client.allow(person.token);
    assertRefused(refused, 401);
    assert.deepEqual(refused.body.error.identity, { methods: ['totp'] });
    const { token } = await makeTwoFactorPerson(api);
    assert.equal((await client.ask(token)).status, 200);
    assertRefused(await client.allow(token), 401);
  });

  it('sends nobody to an address that is not registered, letter by letter', async () => {
    const client = await KeyrockClient.make(api, { redirect_uris: [KEYROCK_CALLBACK, 'https://old.example.org/second'] });
    const person = await makePerson(api);
    for (const redirect_uri of [
      'https://evil.example.org/callback',
      'https://old.example.org/callback',
      `${KEYROCK_CALLBACK}&more`,
      'https://old.example.org/SECOND',
      'https://old.example.org/second/',
      'https://old.example.org@evil.example.org/second',
      'javascript:alert(1)',
      '',
    ])
      assertRefused(await client.ask(person.token, { redirect_uri }), 400, /redirect_uri/);
    const unsaid = await api.get(`${AUTHORIZE}?response_type=code&client_id=${client.id}`, { token: person.token });
    assertRefused(unsaid, 400, /redirect_uri/);
    assertRefused(await client.allow(person.token), 400, /no open authorization request/);
  });

  it('refuses applications that are unknown or public, and other kinds of answers', async () => {
    const client = await KeyrockClient.make(api);
    const open = await KeyrockClient.make(api, { client_type: 'public' });
    const person = await makePerson(api);
    assertRefused(await client.ask(person.token, { client_id: 'unknown' }), 400, /no such application/);
    assertRefused(await client.ask(person.token, { response_type: 'token' }), 400, /response_type/);
    assertRefused(await open.ask(person.token), 400, /public/);
    assertRefused(await open.allow(person.token), 400, /no open authorization request/);
  });

  it('refuses an application without a secret, whatever it calls itself', async () => {
    const client = await KeyrockClient.make(api, { token_endpoint_auth_method: 'none' });
    const person = await makePerson(api);
    const code = await client.code(person);
    const parameters = { grant_type: 'authorization_code', code, redirect_uri: KEYROCK_CALLBACK, client_id: client.id };
    const stolen = await api.post(ACCESS_TOKEN, parameters, { token: null });
    assert.deepEqual([stolen.status, stolen.body.error], [401, 'invalid_client']);
    assert.equal((await client.redeem(code)).status, 200);
  });

  it('drops a pending consent when the application becomes public or changes its redirect URI', async () => {
    for (const change of [{ client_type: 'public' }, { redirect_uris: ['https://moved.example.org/'] }]) {
      const client = await KeyrockClient.make(api);
      const person = await makePerson(api);
      assert.equal((await client.ask(person.token)).status, 200);
      const changed = await api.patch(`/v3/OS-OAUTH2/consumers/${client.id}`, { consumer: change });
      assert.equal(changed.status, 200, changed.text);
      assertRefused(await client.allow(person.token), 400);
    }
  });

  it('issues one code for one consent, within its lifetime', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    assertRefused(await client.allow(person.token), 400, /no open authorization request/);
    await client.ask(person.token);
    const both = await Promise.all([client.allow(person.token), client.allow(person.token)]);
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [302, 400]);
    assertRefused(await client.allow(person.token), 400, /no open authorization request/);
    await client.ask(person.token);
    api.clock.advance(601);
    assertRefused(await client.allow(person.token), 400, /no open authorization request/);
  });

  it('reads an answer strictly', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    await client.ask(person.token);
    for (const more of [{ scopes: [] }, { scopes: 'all_info' }, { client_id: '' }, { client_id: 7 }, { user_id: 7 }])
      assertRefused(await client.allow(person.token, more), 400);
    assertRefused(await api.post(AUTHORIZE, {}, { token: person.token }), 400, /user_auth/);
    assert.equal((await client.allow(person.token)).status, 302);
  });
}

function defineCodes(api: TestApi): void {
  const refusal = (answer: { status: number; body: any }) => [answer.status, answer.body.error];

  it('ends a code after a minute', async () => {
    const client = await KeyrockClient.make(api);
    const code = await client.code(await makePerson(api));
    api.clock.advance(61);
    assert.deepEqual(refusal(await client.redeem(code)), [400, 'invalid_grant']);
  });

  it('takes back everything that came of a code when it is shown again', async () => {
    const client = await KeyrockClient.make(api);
    const code = await client.code(await makePerson(api));
    const { access_token: token, refresh_token: refresh } = (await client.redeem(code)).body;
    assert.deepEqual(await verdictsOn(api, client, token), GOOD);
    assert.deepEqual(refusal(await client.redeem(code)), [400, 'invalid_grant']);
    assert.deepEqual(await verdictsOn(api, client, token), BAD);
    assert.deepEqual(refusal(await client.refresh(refresh)), [400, 'invalid_grant']);
  });

  it('takes back everything when a refresh token is shown again', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: token, refresh_token: refresh } = await client.tokens(await makePerson(api));
    const renewed = (await client.refresh(refresh)).body;
    assert.deepEqual(await verdictsOn(api, client, renewed.access_token), GOOD);
    assert.deepEqual(refusal(await client.refresh(refresh)), [400, 'invalid_grant']);
    for (const one of [token, renewed.access_token]) assert.deepEqual(await verdictsOn(api, client, one), BAD);
  });

  it('redeems a code once, also in concurrent requests', async () => {
    const client = await KeyrockClient.make(api);
    const code = await client.code(await makePerson(api));
    const answers = await Promise.all(Array.from({ length: 5 }, () => client.redeem(code)));
    assert.ok(answers.filter(({ status }) => status === 200).length <= 1, answers.map(({ status }) => status).join());
    assert.ok(answers.every(({ status }) => status === 200 || status === 400));
  });

  it('redeems nothing for an application it was not given to, or one that cannot prove itself', async () => {
    const [client, thief] = [await KeyrockClient.make(api), await KeyrockClient.make(api)];
    const person = await makePerson(api);
    const code = await client.code(person);
    assert.deepEqual(refusal(await thief.redeem(code)), [400, 'invalid_grant']);
    for (const as of [
      { id: client.id, secret: thief.secret },
      { id: 'unknown', secret: 'x' },
    ])
      assert.deepEqual(refusal(await client.redeem(code, 'envelope', as)), [401, 'invalid_client']);
    assert.deepEqual(refusal(await client.redeem(code, 'envelope', { id: client.id })), [400, 'invalid_request'], 'no secret');
    const elsewhere = { grant_type: 'authorization_code', code, redirect_uri: 'https://old.example.org/other' };
    assert.deepEqual(refusal(await client.request(elsewhere)), [400, 'invalid_grant']);
    const { refresh_token: refresh } = await client.tokens(person);
    assert.deepEqual(refusal(await thief.refresh(refresh)), [400, 'invalid_grant']);
    assert.equal((await client.refresh(refresh)).status, 200, 'a thief’s try costs its owner nothing');
  });

  it('reads a token request strictly', async () => {
    const client = await KeyrockClient.make(api);
    const headers = { Authorization: basic(client), 'Content-Type': 'application/json' };
    for (const body of ['{', '[]', '"x"', 'null', '{"token_request":7}', '{"__proto__":{"grant_type":"password"}}'])
      assert.deepEqual(refusal(await api.post(ACCESS_TOKEN, body, { token: null, headers })), [400, 'invalid_request'], body);
    for (const body of ['', '{}', '{"token_request":{}}', '{"grant_type":["refresh_token"]}', '{"token_request":[]}'])
      assert.deepEqual(refusal(await api.post(ACCESS_TOKEN, body, { token: null, headers })), [400, 'invalid_request'], body);
    const large = JSON.stringify({ grant_type: 'refresh_token', refresh_token: 'x'.repeat(100_000) });
    assert.deepEqual(refusal(await api.post(ACCESS_TOKEN, large, { token: null, headers })), [413, 'invalid_request']);
  });
}

function defineStandIn(api: TestApi): void {
  it('lets no application become an administrator, whenever the person became one', async () => {
    const client = await KeyrockClient.make(api);
    const boss = await api.persona(['admin'], 'system');
    assert.equal((await logInByAccessToken(api, (await client.tokens(boss)).access_token)).status, 401);

    const person = await makePerson(api);
    const { access_token: token } = await client.tokens(person);
    const scope = { project: { id: person.organization.id } };
    const [unscoped, scoped] = [await logInByAccessToken(api, token), await logInByAccessToken(api, token, scope)];
    const [loose, bound] = [unscoped, scoped].map(({ headers }) => headers.get('x-subject-token')!);
    await api.put(`/v3/projects/${person.organization.id}/users/${person.user.id}/roles/${await api.roleId('admin')}`);
    assert.equal((await logInByAccessToken(api, token)).status, 401);
    const identity = { methods: ['token'], token: { id: loose } };
    const risen = await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
    assert.equal(risen.status, 401, risen.text);
    assertRefused(await api.get('/v3/users', { token: bound! }), 403);
    const own = await api.logIn({ id: person.user.id, password: person.password }, scope);
    assert.equal((await api.get('/v3/users', { token: own })).status, 200, 'the person is one');
  });

  it('does not log in without the scope all_info, nor with a token of the application itself', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: narrow } = await client.tokens(await makePerson(api), ['email', 'profile']);
    assert.equal((await informationOf(api, narrow)).status, 200);
    assertRefused(await logInByAccessToken(api, narrow), 401);
    const own = (await client.request({ grant_type: 'client_credentials', scope: 'all_info' })).body.access_token;
    assert.equal(typeof own, 'string');
    assert.equal((await client.introspect(own)).body.active, true);
    assertRefused(await logInByAccessToken(api, own), 401);
    assertRefused(await informationOf(api, own), 404);
    for (const text of ['', 'unknown', 'x'.repeat(3000)])
      assert.ok([400, 401].includes((await logInByAccessToken(api, text)).status));
  });

  it('keeps applications that act for a person away from what guards the account', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makeTwoFactorPerson(api);
    const inPerson = await api.authenticate({
      id: person.user.id,
      password: person.password,
      verification_code: person.phone.fresh(),
    } as never);
    const token = inPerson.headers.get('x-subject-token')!;
    const { access_token: held } = await client.tokens({ token });
    const acting = (await logInByAccessToken(api, held)).headers.get('x-subject-token')!;
    const identity = { methods: ['token'], token: { id: acting } };
    const scope = { project: { id: person.organization.id } };
    const again = await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
    const [{ id }] = (await api.get(listPath(person.user), { token })).body.access_tokens;
    const factor = `/v3/users/${person.user.id}/OS-TWO-FACTOR`;
    const blob = JSON.stringify({ access: 'a', secret: 'b' });
    const credential = { type: 'ec2', blob, user_id: person.user.id, project_id: person.organization.id };
    const kept = (await api.post('/v3/credentials', { credential }, { token })).body.credential;
    const query = `response_type=code&client_id=${client.id}&scope=all_info`;
    for (const by of [acting, again.headers.get('x-subject-token')!]) {
      assert.equal((await api.get(`/v3/users/${person.user.id}`, { token: by })).status, 200, 'it is the person elsewhere');
      for (const [method, path, body] of [
        ['POST', `${factor}/two_factor_auth`, { two_factor_auth: {} }],
        ['DELETE', `${factor}/two_factor_auth`],
        ['POST', `${factor}/recovery_codes`, {}],
        ['POST', '/v3/credentials', { credential }],
        ['GET', '/v3/credentials'],
        ['GET', `/v3/credentials/${kept.id}`],
        ['DELETE', `/v3/credentials/${kept.id}`],
        ['GET', `${factor}/two_factor_data`],
        ['DELETE', `${factor}/devices`],
        ['GET', `${AUTHORIZE}?${query}`],
        ['POST', AUTHORIZE, { user_auth: { client_id: client.id, scopes: ['all_info'] } }],
        ['GET', listPath(person.user)],
        ['GET', `${listPath(person.user)}/${id}`],
        ['DELETE', `${listPath(person.user)}/${id}`],
      ] as const)
        assertRefused(await api.request(method, path, { token: by, ...(body ? { body } : {}) }), 403);
    }
    assert.deepEqual(await verdictsOn(api, client, held), GOOD, 'nothing happened');
  });

  it('shows and takes back access tokens for their person and administrators only', async () => {
    const client = await KeyrockClient.make(api);
    const [person, other] = [await makePerson(api), await makePerson(api)];
    const { access_token: token } = await client.tokens(person);
    const [{ id }] = (await api.get(listPath(person.user))).body.access_tokens;
    for (const path of [listPath(person.user), `${listPath(person.user)}/${id}`, listPath({ id: 'nobody' })]) {
      assertRefused(await api.get(path, { token: null }), 401);
      assertRefused(await api.get(path, { token: other.token }), 403);
    }
    assertRefused(await api.delete(`${listPath(person.user)}/${id}`, { token: other.token }), 403);
    assertRefused(await api.delete(`${listPath(other.user)}/${id}`, { token: other.token }), 404);
    assert.deepEqual(await verdictsOn(api, client, token), GOOD);
    assert.equal((await api.delete(`${listPath(person.user)}/${id}`)).status, 204);
    assert.deepEqual(await verdictsOn(api, client, token), BAD);
  });

  it('takes passwords only for applications registered for that', async () => {
    const person = await makePerson(api);
    for (const grant_type of ['authorization_code', 'client_credentials', 'refresh_token', 'implicit']) {
      const answer = await (await KeyrockClient.make(api, { grant_type })).byPassword(person);
      assert.equal(answer.status, 400, grant_type);
      assert.match(answer.body.error_description, /grant type is not allowed for this client/);
    }
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const thief = await client.request(
      { grant_type: 'password', username: person.user.name, password: person.password },
      'envelope',
      { id: client.id, secret: 'wrong' },
    );
    assert.deepEqual([thief.status, thief.body.error], [401, 'invalid_client']);
  });

  it('answers the same for a wrong name, a wrong password and a disabled account', async () => {
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const person = await makePerson(api);
    const closed = await makePerson(api);
    await api.patch(`/v3/users/${closed.user.id}`, { user: { enabled: false } });
    const answers = [
      await client.byPassword({ ...person, password: 'wrong' }),
      await client.byPassword({ user: { name: uniqueName('nobody') }, password: 'wrong' }),
      await client.byPassword(closed),
      await client.byPassword({ ...person, password: '' }),
      await client.request({ grant_type: 'password' }),
    ];
    for (const { status, body } of answers) assert.deepEqual([status, body], [400, answers[0]!.body]);
    assert.equal(answers[0]!.body.error, 'invalid_grant');
  });

  it('never skips the second factor with a password', async () => {
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const person = await makeTwoFactorPerson(api);
    const code = person.phone.fresh();
    const tries: Record<string, string>[] = [
      {},
      { verification_code: '' },
      { verification_code: person.phone.wrong() },
      { recovery_code: 'wrong' },
      { verification_code: person.phone.wrong(), recovery_code: 'wrong' },
      { totp: code, passcode: code },
    ];
    for (const more of tries) {
      const answer = await client.byPassword(person, more);
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_grant'], JSON.stringify(more));
    }
    assert.equal((await client.byPassword({ ...person, password: 'wrong' }, { verification_code: code })).status, 400);
    assert.equal((await client.byPassword(person, { verification_code: code })).status, 200, 'a wrong password spends no code');
    assert.equal((await client.byPassword(person, { verification_code: code })).status, 400, 'a code is good once');
  });
}

function defineLimits(api: TestApi): void {
  it('counts what is tried by the password grant with every other login', async () => {
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const person = await makePerson(api);
    const statuses = new Set<string>();
    for (let tries = 0; tries < 40 && !statuses.has('slow_down'); tries++)
      statuses.add((await client.byPassword({ ...person, password: 'wrong' })).body.error);
    assert.deepEqual([...statuses], ['invalid_grant', 'slow_down']);
    assert.equal((await client.byPassword(person)).body.error, 'slow_down', 'the right one, too');
    assert.equal((await api.authenticate({ id: person.user.id, password: person.password })).status, 429);
    assert.equal((await makeApplication(api)).client_type, 'confidential', 'nothing else is held up');
  });
}

onUsualDatabase("Keyrock's authorization", defineAuthorize, options);
onUsualDatabase("Codes and refresh tokens at Keyrock's address", defineCodes, options);
onUsualDatabase('Access tokens that stand in for a person', defineStandIn, options);
onUsualDatabase('The password grant with rate limits', defineLimits, { ...options, rateLimits: true });
