// Introspection: who may call it, for which tokens, in which format; and that the log contains no tokens.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiAnswer, onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import {
  basic,
  FORM,
  informationOf,
  KEYROCK_CALLBACK,
  KeyrockClient,
  listPath,
  logInByAccessToken,
} from '../../../../test/support/keyrock-client.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';

const INTROSPECT = '/openid/introspect';

/** 401 in the OAuth error format, with WWW-Authenticate. */
function assertNoClient(answer: ApiAnswer): void {
  assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], answer.text);
  assert.match(answer.headers.get('www-authenticate') ?? '', /^Basic realm=/);
  assert.equal(answer.body.active, undefined);
}

function assertBadRequest(answer: ApiAnswer, status = 400): void {
  assert.deepEqual([answer.status, answer.body.error], [status, 'invalid_request'], answer.text);
}

function define(api: TestApi): void {
  const send = (body: string | Buffer, headers: Record<string, string> = {}) =>
    fetch(`${api.url}${INTROSPECT}`, { method: 'POST', headers: { ...FORM, ...headers }, body: body as never }).then(
      async (response): Promise<ApiAnswer> => {
        const text = await response.text();
        return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
      },
    );
  const form = (parameters: Record<string, string>) => new URLSearchParams(parameters).toString();

  it('tells an application about a token, in the words of the standard', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token, refresh_token: refresh } = await client.tokens(person, ['email', 'all_info']);
    const answer = await client.introspect(token);
    const { iat, exp, ...rest } = answer.body;
    assert.deepEqual(rest, {
      active: true,
      client_id: client.id,
      scope: 'email all_info',
      sub: person.user.id,
      username: person.user.name,
      iss: api.url,
      token_type: 'Bearer',
    });
    assert.equal(exp - iat, 3600);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    const posted = await send(form({ token, client_id: client.id, client_secret: client.secret, token_type_hint: 'anything' }));
    assert.deepEqual(posted.body, answer.body);
    for (const other of ['unknown', token.toUpperCase(), `${token} `])
      assert.deepEqual((await client.introspect(other)).body, { active: false });
    assert.equal((await client.introspect(refresh)).body.active, true);
  });

  it('knows a valid refresh token, for the application it was issued to only', async () => {
    const [client, other] = [await KeyrockClient.make(api), await KeyrockClient.make(api)];
    const person = await makePerson(api);
    const { refresh_token: refresh } = await client.tokens(person);
    const { iat, exp, ...rest } = (await client.introspect(refresh)).body;
    assert.deepEqual(rest, {
      active: true,
      client_id: client.id,
      scope: 'all_info',
      sub: person.user.id,
      username: person.user.name,
      iss: api.url,
    });
    assert.ok(exp > iat);
    assert.deepEqual((await other.introspect(refresh)).body, { active: false });
    const { refresh_token: next } = (await client.refresh(refresh)).body;
    assert.deepEqual((await client.introspect(refresh)).body, { active: false }, 'it was used');
    assert.equal((await client.introspect(next)).body.active, true);
    assert.equal((await informationOf(api, next)).status, 404, 'and it is no access token');
    assert.equal((await api.patch(`/v3/users/${person.user.id}`, { user: { enabled: false } })).status, 200);
    assert.deepEqual((await client.introspect(next)).body, { active: false });
  });

  it('refuses callers that are not authenticated as an application', async () => {
    const [client, other] = [await KeyrockClient.make(api), await KeyrockClient.make(api)];
    const { access_token: token } = await client.tokens(await makePerson(api));
    assert.equal((await other.introspect(token)).body.active, true, 'any application with a secret may ask: it guards something');
    for (const as of [
      { id: client.id, secret: 'wrong' },
      { id: client.id, secret: '' },
      { id: client.id, secret: other.secret },
      { id: client.id, secret: `${client.secret} ` },
      { id: client.id, secret: client.secret.slice(0, -1) },
      { id: 'unknown', secret: client.secret },
      { id: '', secret: '' },
      { id: 'gatehouse_account', secret: '' },
    ]) {
      assertNoClient(await client.introspect(token, as));
      assertNoClient(await send(form({ token, client_id: as.id, client_secret: as.secret })));
    }
    assertNoClient(await send(form({ token })));
    assertNoClient(await send(form({ token, client_id: client.id })));
    assertNoClient(await send(form({ token, client_secret: client.secret })));
    for (const authorization of [
      'Basic',
      'Basic !',
      'Basic eA==',
      `Basic ${Buffer.from('%zz:%').toString('base64')}`,
      `Bearer ${token}`,
    ])
      assertNoClient(await send(form({ token }), { Authorization: authorization }));
  });

  it('does not fall back to a good secret in the body when the header has a wrong one', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: token } = await client.tokens(await makePerson(api));
    const body = form({ token, client_id: client.id, client_secret: client.secret });
    assertNoClient(await send(body, { Authorization: basic({ id: client.id, secret: 'wrong' }) }));
  });

  it('does not cache a client by a header that was not checked', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: token } = await client.tokens(await makePerson(api));
    const good = form({ token, client_id: client.id, client_secret: client.secret });
    const wrong = form({ token, client_id: client.id, client_secret: 'wrong' });
    for (const authorization of [`Bearer ${token}`, 'Digest x', 'x', 'Basically eDp5']) {
      const headers = { Authorization: authorization };
      assert.equal((await send(good, headers)).body.active, true, 'the body has the credentials');
      for (const body of [form({ token }), wrong, form({ token, client_id: client.id })])
        assertNoClient(await send(body, headers));
    }
    for (const authorization of ['Basic', 'Basic !', 'basic x']) {
      assertNoClient(await send(good, { Authorization: authorization }));
      assertNoClient(await send(form({ token }), { Authorization: authorization }));
    }
  });

  it('tells a public application of its own tokens only', async () => {
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const open = await KeyrockClient.make(api, { client_type: 'public', grant_type: 'password' });
    const person = await makePerson(api);
    const { access_token: foreign } = (await client.byPassword(person)).body;
    const grant = form({
      grant_type: 'password',
      client_id: open.id,
      username: person.user.name,
      password: person.password,
      scope: 'all_info',
    });
    const own = (await api.post('/openid/token', grant, { token: null, headers: FORM })).body.access_token;
    assert.equal((await send(form({ token: own, client_id: open.id }))).body.active, true);
    assert.deepEqual((await send(form({ token: foreign, client_id: open.id }))).body, { active: false });
    assert.equal((await client.introspect(own)).body.active, true);
    assertNoClient(await send(form({ token: own, client_id: open.id, client_secret: open.secret ?? 'any' })));
  });

  it('refuses hostile forms', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: token } = await client.tokens(await makePerson(api));
    const as = { Authorization: basic(client) };
    assert.equal((await send(form({ token }), as)).body.active, true);
    for (const body of [
      '',
      'token=',
      `token=${token}&token=unknown`,
      `token=${token}&client_id=a&client_id=b`,
      `token=${token}&__proto__=x`,
      `token=${token}&__proto__[active]=true`.replace('[active]', ''),
      `token=${token}&constructor=x`,
      `token=${token}%00`,
      `token[]=${token}`,
      `token=${'x'.repeat(5000)}`,
    ])
      assertBadRequest(await send(body, as));
    assertBadRequest(await send(Buffer.concat([Buffer.from(`token=${token}&x=`), Buffer.from([0xff, 0xfe])]), as));
    assertBadRequest(await send(`token=${token}&x=${'x'.repeat(2_000_000)}`, as), 413);
    const many = Array.from({ length: 2000 }, (_, n) => `n${n}=1`).join('&');
    assert.ok([200, 400].includes((await send(`token=${token}&${many}`, as)).status));
    // No token contains a broken percent-encoding.
    assert.deepEqual((await send('token=%ff%fe', as)).body, { active: false });
  });

  it('takes JSON by the same rules, and nothing else', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: token } = await client.tokens(await makePerson(api));
    const json = (body: string) => send(body, { Authorization: basic(client), 'Content-Type': 'application/json' });
    assert.equal((await json(JSON.stringify({ token }))).body.active, true);
    for (const body of ['{', '[]', '{}', '{"token":7}', '{"token":[]}', `{"token":"${token}","__proto__":{}}`])
      assertBadRequest(await json(body));
    assertBadRequest(await send(`<token>${token}</token>`, { Authorization: basic(client), 'Content-Type': 'text/xml' }), 415);
    const foreign = await api.post('/v3/users', 'user=x', { headers: FORM });
    assert.equal(foreign.status, 415, 'forms are for this address only');
  });

  it('leaves no token, code, secret or password in the log', async () => {
    const client = await KeyrockClient.make(api, { grant_type: 'password' });
    const person = await makeTwoFactorPerson(api);
    const plain = await makePerson(api);
    const code = await client.code(plain);
    const tokens = (await client.redeem(code)).body;
    await client.redeem('a-code-nobody-has');
    const renewed = (await client.refresh(tokens.refresh_token)).body;
    const passcode = person.phone.fresh();
    const direct = (await client.byPassword(person, { verification_code: passcode })).body;
    await client.byPassword({ ...person, password: 'a-wrong-password' }, { recovery_code: 'a-recovery-code' });
    for (const token of [tokens.access_token, renewed.access_token, 'an-unknown-token']) {
      await informationOf(api, token);
      await client.introspect(token);
      await client.introspect(token, { id: client.id, secret: 'a-wrong-secret' });
    }
    const acting = (await logInByAccessToken(api, renewed.access_token)).headers.get('x-subject-token')!;
    await logInByAccessToken(api, 'an-unknown-token');
    await api.get(listPath(plain.user), { token: acting });
    await client.redeem(code);
    const secrets = [code, passcode, acting, client.secret, person.password, plain.token, KEYROCK_CALLBACK];
    for (const { access_token: access, refresh_token: refresh } of [tokens, renewed, direct]) secrets.push(access, refresh);
    secrets.push('a-code-nobody-has', 'a-wrong-password', 'a-recovery-code', 'an-unknown-token', 'a-wrong-secret');
    assert.ok(
      api.logged.some((line) => line.includes('/v3/access-tokens/:token')),
      'requests are in the log',
    );
    for (const secret of secrets) {
      assert.ok(typeof secret === 'string' && secret.length > 5);
      // Six digits may also be part of a duration or an id: only a separate value counts.
      const found = api.logged.find((line) => (secret === passcode ? line.includes(`"${secret}"`) : line.includes(secret)));
      assert.equal(found, undefined);
    }
  });
}

onUsualDatabase('Introspection', define);
