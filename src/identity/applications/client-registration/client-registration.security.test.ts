// Strangers who register applications: what they say, the tokens they bring, what they do with what they got. One thing is wrong at a time.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, underAttack, uniqueName, withApi } from '../../../../test/support/api.ts';
import { makeApi, READ } from '../../../../test/support/apis.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';
import { AUTHORIZE, basic, FORM, KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import {
  CLIENTS,
  errorOf,
  METADATA,
  makeToken,
  REGISTERED,
  registerClient,
  STRANGER_CALLBACK,
  Stranger,
  setPolicy,
} from '../../../../test/support/self-registration.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { actAt } from '../../ground/test-points.ts';

const OPEN = { mode: 'open' };
const uri = (one: string) => ({ redirect_uris: [one] });
const name = (one: string) => ({ client_name: one });

const PRIVATE_KEY = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });

/** By what is wrong: what differs from good metadata, and the error. */
const BAD: readonly (readonly [what: string, values: Record<string, unknown>, error: string])[] = [
  ['no redirect URI', { redirect_uris: undefined }, 'invalid_redirect_uri'],
  ['an empty list of redirect URIs', { redirect_uris: [] }, 'invalid_redirect_uri'],
  ['redirect URIs that are a text', { redirect_uris: STRANGER_CALLBACK }, 'invalid_client_metadata'],
  ['a redirect URI that is a number', { redirect_uris: [1] }, 'invalid_client_metadata'],
  [
    'more redirect URIs than anybody needs',
    { redirect_uris: Array.from({ length: 21 }, (_, i) => `${STRANGER_CALLBACK}/${i}`) },
    'invalid_client_metadata',
  ],
  ['a redirect URI without TLS', uri('http://stranger.example.org/callback'), 'invalid_redirect_uri'],
  ['a redirect URI that runs a script', uri('javascript:alert(1)//https://x.example.org'), 'invalid_redirect_uri'],
  ['a redirect URI that is a page', uri('data:text/html,hello'), 'invalid_redirect_uri'],
  ['a redirect URI of a private scheme, which any program can take', uri('com.example.app:/callback'), 'invalid_redirect_uri'],
  ['a redirect URI with a fragment', uri(`${STRANGER_CALLBACK}#x`), 'invalid_redirect_uri'],
  ['a redirect URI with a name before the host', uri('https://login.example.org@evil.example.com/'), 'invalid_redirect_uri'],
  ['a redirect URI with a backslash', uri('https://evil.example.com\\@login.example.org/'), 'invalid_redirect_uri'],
  ['a redirect URI with a line break', uri('https://stranger.example.org/\ncallback'), 'invalid_redirect_uri'],
  ['a redirect URI at an address', uri('https://10.0.0.1/callback'), 'invalid_redirect_uri'],
  ['a redirect URI at an address of six', uri('https://[::1]/callback'), 'invalid_redirect_uri'],
  ['a redirect URI in a local network', uri('https://intranet/callback'), 'invalid_redirect_uri'],
  ['a redirect URI that only begins like loopback', uri('http://127.0.0.1.example.org/callback'), 'invalid_redirect_uri'],
  ['a redirect URI at localhost with TLS', uri('https://localhost/callback'), 'invalid_redirect_uri'],
  ['a redirect URI that is too long', uri(`${STRANGER_CALLBACK}/${'x'.repeat(2100)}`), 'invalid_redirect_uri'],
  ['one good redirect URI and one bad', { redirect_uris: [STRANGER_CALLBACK, 'http://example.org/'] }, 'invalid_redirect_uri'],
  ['an address after logout elsewhere', { post_logout_redirect_uris: ['http://example.org/'] }, 'invalid_redirect_uri'],
  ['tokens of its own only', { grant_types: ['client_credentials'] }, 'invalid_client_metadata'],
  ['the password of people', { grant_types: ['password'] }, 'invalid_client_metadata'],
  ['tokens in an address', { grant_types: ['implicit'], response_types: ['token'] }, 'invalid_client_metadata'],
  ['credential offers', { grant_types: ['urn:ietf:params:oauth:grant-type:pre-authorized_code'] }, 'invalid_client_metadata'],
  [
    'a device, which the policy does not have',
    { grant_types: ['urn:ietf:params:oauth:grant-type:device_code'] },
    'invalid_client_metadata',
  ],
  ['refreshing without a way to begin', { grant_types: ['refresh_token'] }, 'invalid_client_metadata'],
  ['grant types that are an object', { grant_types: { length: 1 } }, 'invalid_client_metadata'],
  ['a response type that there is not', { response_types: ['code id_token'] }, 'invalid_client_metadata'],
  ['the scope that provisions accounts', { scope: 'scim' }, 'invalid_client_metadata'],
  ['nothing but roles', { scope: 'roles organizations all_info' }, 'invalid_client_metadata'],
  ['a scope that is a list', { scope: ['openid'] }, 'invalid_client_metadata'],
  ['an unknown way to prove itself', { token_endpoint_auth_method: 'client_secret_jwt' }, 'invalid_client_metadata'],
  ['a certificate that nobody checked', { token_endpoint_auth_method: 'tls_client_auth' }, 'invalid_client_metadata'],
  ['a key that it does not show', { token_endpoint_auth_method: 'private_key_jwt' }, 'invalid_client_metadata'],
  [
    'keys at an address',
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://stranger.example.org/keys' },
    'invalid_client_metadata',
  ],
  ['a private key', { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [PRIVATE_KEY] } }, 'invalid_client_metadata'],
  [
    'a key for everybody',
    { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ kty: 'oct', k: 'AAAA' }] } },
    'invalid_client_metadata',
  ],
  ['an empty name', name(''), 'invalid_client_metadata'],
  ['a name with a blank before it', name(' Assistant'), 'invalid_client_metadata'],
  ['a name with a line break', name('Assistant\nof us'), 'invalid_client_metadata'],
  ['a name written from right to left', name('Assistant \u202eknab'), 'invalid_client_metadata'],
  ['a name with characters of no width', name('Assist\u200bant'), 'invalid_client_metadata'],
  ['a name that mixes scripts', name('P\u0430yments'), 'invalid_client_metadata'],
  ['the name of this service', name('Gatehouse'), 'invalid_client_metadata'],
  ['the name of this service in other letters', name('GATEH0USE'), 'invalid_client_metadata'],
  ['the name of this service, lookalike', name('\u13c0atehouse'), 'invalid_client_metadata'],
  ['the name of an application that somebody registered', name('Payroll'), 'invalid_client_metadata'],
  ['nearly the name of an application that somebody registered', name('PayroII'), 'invalid_client_metadata'],
  ['a name as long as a page', name('x'.repeat(81)), 'invalid_client_metadata'],
  ['a name that is an object', { client_name: { toString: 'x' } }, 'invalid_client_metadata'],
  [
    'a place to begin a sign-in that anybody on the way reads',
    { initiate_login_uri: 'http://app.example.org/login' },
    'invalid_client_metadata',
  ],
  ['a home page that runs a script', { client_uri: 'javascript:alert(1)' }, 'invalid_client_metadata'],
  ['terms without TLS', { tos_uri: 'http://stranger.example.org/terms' }, 'invalid_client_metadata'],
  ['identifiers that differ', { subject_type: 'pairwise' }, 'invalid_client_metadata'],
  ['ID tokens that nobody signs', { id_token_signed_response_alg: 'none' }, 'invalid_client_metadata'],
  ['ID tokens signed with its secret', { id_token_signed_response_alg: 'HS256' }, 'invalid_client_metadata'],
  ['an unknown strength', { default_acr_values: ['x'] }, 'invalid_client_metadata'],
  ['a negative age', { default_max_age: -1 }, 'invalid_client_metadata'],
];

onUsualDatabase('What a stranger says of itself', (api) => {
  before(async () => {
    await setPolicy(api, OPEN);
    await makeApplication(api, { name: 'Payroll' });
  });

  for (const [what, values, error] of BAD)
    it(`is refused with ${what}`, async () => {
      const answer = await registerClient(api, values);
      assert.deepEqual([answer.status, answer.body.error], [400, error], answer.text);
      assert.ok(answer.body.error_description);
    });

  it('is refused if it is no object, no JSON, or as large as a book', async () => {
    const send = (body: string) => api.post(CLIENTS, body, { token: null, headers: { 'Content-Type': 'application/json' } });
    for (const [body, status] of [
      ['[]', 400],
      ['{', 400],
      ['"x"', 400],
      [JSON.stringify({ ...METADATA, more: 'x'.repeat(20_000) }), 413],
    ] as const)
      assert.equal((await send(body)).status, status, body.slice(0, 20));
  });

  it('gives it nothing that only administrators give, and no address that is called', async () => {
    const asked = {
      skip_consent: true,
      backchannel_logout_uri: 'https://stranger.example.org/logout',
      jwks_uri: 'https://stranger.example.org/keys',
      logo_uri: 'https://stranger.example.org/logo',
      allowed_scopes: ['scim'],
      allowed_grant_types: ['client_credentials'],
      id_token_claims: true,
      access_token_lifetime: 31_536_000,
      extra: { skip_consent: true },
      registered_by: 'token',
      client_id: 'chosen',
      client_secret: 'chosen',
    };
    const { client } = await Stranger.register(api, asked);
    assert.notEqual(client.client_id, 'chosen');
    assert.equal(client.client_secret, undefined);
    const { consumer } = assertOk(await api.get(`/v3/OS-OAUTH2/consumers/${client.client_id}`));
    for (const field of [
      'skip_consent',
      'backchannel_logout_uri',
      'jwks_uri',
      'logo_uri',
      'id_token_claims',
      'access_token_lifetime',
    ])
      assert.equal(consumer[field], undefined, field);
    assert.deepEqual(consumer.allowed_scopes, ['openid', 'profile', 'offline_access']);
    assert.deepEqual(consumer.allowed_grant_types, ['authorization_code', 'refresh_token']);
    const skips = await api.patch(`/v3/OS-OAUTH2/consumers/${client.client_id}`, { consumer: { skip_consent: true } });
    assert.equal(skips.status, 409, 'not even an administrator, until it is kept');
  });
});

underAttack('The tokens of strangers', (api) => {
  const db = usesDatabaseOf(api);
  before(() => setPolicy(api, OPEN));

  for (const [what, authorization] of [
    ['that nobody made', 'Bearer ghr_unknown'],
    ['that is empty', 'Bearer '],
    ['of another scheme', 'Basic eDp5'],
    ['that is two', 'Bearer a b'],
    ['that is as long as a book', `Bearer ${'x'.repeat(5000)}`],
  ] as const)
    it(`register nothing ${what}, not even where everybody may`, async () => {
      const { status, body } = await registerClient(api, {}, { headers: { Authorization: authorization } });
      assert.deepEqual([status, body.error], [401, 'invalid_token']);
    });

  it('that are good once are good once, also at the same moment', async () => {
    const { token } = await makeToken(api);
    const others = Array.from({ length: 5 }, () => registerClient(api, {}, { token }));
    const statuses = (await Promise.all(others)).map(({ status }) => status);
    assert.deepEqual(statuses.toSorted(), [201, 401, 401, 401, 401]);
  });

  it('that end while they are used register nothing', async () => {
    const { id, token } = await makeToken(api);
    actAt(
      'change.before-transaction',
      async () => void assertOk(await api.delete(`/v3/OS-OAUTH2/registration_tokens/${id}`), 204),
    );
    assert.equal((await registerClient(api, {}, { token })).status, 401);
  });

  it('fill no domain beyond its limit, also at the same moment', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, { mode: 'token', limit: '2' }, domain.id);
    const { token } = await makeToken(api, { domain_id: domain.id, uses: 10 });
    const answers = await Promise.all(Array.from({ length: 6 }, () => registerClient(api, {}, { token })));
    assert.equal(answers.filter(({ status }) => status === 201).length, 2);
    const [left] = assertOk(await api.get(`/v3/OS-OAUTH2/registration_tokens?domain_id=${domain.id}`)).registration_tokens;
    assert.equal(left.uses_left, 8, 'who was refused has used nothing up');
  });

  it('of a domain that is disabled, or does not want them any more, register nothing', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, OPEN, domain.id);
    const { token } = await makeToken(api, { domain_id: domain.id, uses: 10 });
    await setPolicy(api, { mode: 'off' }, domain.id);
    assert.equal((await registerClient(api, {}, { token })).status, 403);
    await setPolicy(api, OPEN, domain.id);
    assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
    assert.equal((await registerClient(api, {}, { token })).status, 401);
    assert.equal((await registerClient(api, {}, { query: `?domain_id=${domain.id}` })).status, 403);
    assert.equal((await registerClient(api, {}, { query: '?domain_id=nowhere' })).status, 403);
  });

  it('are stored as hashes, and are in no log, audit event or list', async () => {
    const { token } = await makeToken(api);
    const { client } = await Stranger.register(api, { token_endpoint_auth_method: 'client_secret_basic' }, { token });
    const secrets = [token, client.registration_access_token, client.client_secret];
    const rows = await db().read.selectFrom('consumers').where('id', '=', client.client_id).selectAll().execute();
    const tokens = await db().read.selectFrom('registration_tokens').selectAll().execute();
    const events = await api.get('/v3/OS-AUDIT/events?limit=50');
    const lists = [(await api.get(REGISTERED)).text, (await api.get('/v3/OS-OAUTH2/registration_tokens')).text];
    const everything = [JSON.stringify(rows), JSON.stringify(tokens), events.text, ...lists, api.logged.join('')];
    for (const secret of secrets) for (const text of everything) assert.ok(!text.includes(secret));
    assert.match(events.text, /consumer\.registered_itself/);
  });
});

underAttack('Whoever manages a registration that is not theirs, or more than they may', (api) => {
  before(() => setPolicy(api, OPEN));
  const put = (stranger: Stranger, values: Record<string, unknown> = {}, token?: string) =>
    stranger.manage('PUT', { ...METADATA, client_id: stranger.client.client_id, ...values }, token);

  it('gets the same answer without a token, with that of another, and where there is nothing', async () => {
    const [stranger, other] = [await Stranger.register(api), await Stranger.register(api)];
    const { token } = await makeToken(api);
    const answers = [];
    for (const wrong of ['', 'gha_unknown', other.client.registration_access_token, token])
      for (const method of ['GET', 'DELETE']) answers.push(await stranger.manage(method, undefined, wrong));
    answers.push(await put(stranger, {}, other.client.registration_access_token));
    answers.push(await api.get(`${CLIENTS}/nothing`, { token: null, headers: { Authorization: `Bearer ${token}` } }));
    const application = await makeApplication(api);
    answers.push(await api.get(`${CLIENTS}/${application.id}`, { token: null }));
    for (const { status, body } of answers) assert.deepEqual([status, body.error], [401, 'invalid_token']);
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    assert.equal((await stranger.manage('GET')).status, 200);
  });

  for (const [what, values] of [
    ['without its id', { client_id: undefined }],
    ['with the id of another', { client_id: 'other' }],
    ['with a secret that is not its own', { client_secret: 'chosen' }],
    ['with a token of its choice', { registration_access_token: 'chosen' }],
    ['with an end of its choice', { client_secret_expires_at: 0 }],
    ['with a name that is not its own', { client_name: 'Gatehouse' }],
  ] as const)
    it(`changes nothing ${what}`, async () => {
      const stranger = await Stranger.register(api);
      const answer = await put(stranger, values);
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_client_metadata'], answer.text);
      assert.equal((await stranger.manage('GET')).status, 200);
    });

  it('goes nowhere beyond the policy of today', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, OPEN, domain.id);
    const stranger = await Stranger.register(api, {}, { query: `?domain_id=${domain.id}` });
    await setPolicy(api, { mode: 'open', scopes: 'openid', grants: 'authorization_code', redirects: 'loopback' }, domain.id);
    const elsewhere = await put(stranger);
    assert.deepEqual([elsewhere.status, elsewhere.body.error], [400, 'invalid_redirect_uri']);
    const { body } = await put(stranger, { redirect_uris: ['http://127.0.0.1/cb'], scope: 'openid scim profile' });
    assert.deepEqual([body.scope, body.grant_types], ['openid', ['authorization_code']]);
    await setPolicy(api, { mode: 'token' }, domain.id);
    assert.equal((await stranger.manage('GET', undefined, body.registration_access_token)).status, 401);
    assert.equal((await put(stranger, {}, body.registration_access_token)).status, 403);
  });

  it('uses a token once for a change, also at the same moment', async () => {
    const stranger = await Stranger.register(api);
    const answers = await Promise.all(['One', 'Two', 'Three'].map((one) => put(stranger, { client_name: one })));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 401, 401]);
  });

  it('changes nothing that was kept meanwhile', async () => {
    const stranger = await Stranger.register(api);
    const keep = async () => void assertOk(await api.post(`${REGISTERED}/${stranger.client.client_id}/keep`, {}));
    actAt('change.before-transaction', keep);
    assert.equal((await put(stranger, uri('https://evil.example.com/'))).status, 401);
    assert.equal((await stranger.manage('DELETE')).status, 401);
  });

  it('ends what people allowed when it goes elsewhere, and when it goes', async () => {
    const stranger = await Stranger.register(api);
    const person = await makeUser(api);
    const first = await stranger.tokensFor(person);
    const { body } = await put(stranger, uri('https://stranger.example.org/other'));
    const refresh = (token: string) => stranger.token({ grant_type: 'refresh_token', refresh_token: token });
    assert.equal((await refresh(first.refresh_token)).body.error, 'invalid_grant');
    const next = new Stranger(api, body);
    const second = await next.tokensFor(person);
    const verified = await api.get(`/v3/access-tokens/${second.access_token}`);
    assert.equal((await next.manage('DELETE')).status, 204);
    assert.equal((await refresh(second.refresh_token)).body.error, 'invalid_client');
    assert.equal((await api.get(`/v3/access-tokens/${second.access_token}`)).status, 404, String(verified.status));
  });
});

underAttack('An application that registered itself', (api) => {
  before(() => setPolicy(api, OPEN));
  /** In a domain of its own. */
  const world = async (policy: Record<string, string> = OPEN, values: Record<string, unknown> = {}) => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, policy, domain.id);
    const stranger = await Stranger.register(api, values, { query: `?domain_id=${domain.id}` });
    const person = { ...(await makeUser(api, { domain_id: domain.id })), domain: domain.name as string };
    return { domain, stranger, person };
  };

  it('is not for the people of another domain, not even when it is kept', async () => {
    const { stranger } = await world();
    const outside = await makeUser(api);
    assert.equal(errorOf((await stranger.signIn(outside)).page), 'access_denied');
    assertOk(await api.post(`${REGISTERED}/${stranger.client.client_id}/keep`, {}));
    assert.equal(errorOf((await stranger.signIn(outside)).page), 'access_denied');
  });

  it('ends while the policy does not let it in: at the sign-in, the code and the refresh token', async () => {
    const { domain, stranger, person } = await world();
    const tokens = await stranger.tokensFor(person);
    const { page, verifier } = await stranger.signIn(person);
    const code = page.redirectTarget!.searchParams.get('code')!;
    await setPolicy(api, { mode: 'token' }, domain.id);
    assert.equal((await stranger.redeem(code, verifier)).body.error, 'invalid_client');
    const refreshed = await stranger.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    assert.equal(refreshed.body.error, 'invalid_client');
    assert.match((await new TestBrowser(api).go(stranger.ask().url)).text, /invalid_client/);
    await setPolicy(api, OPEN, domain.id);
    const again = await stranger.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token });
    assert.equal(again.status, 200, again.text);
  });

  it('ends while the policy does not let it in: its tokens, for whoever asks about them', async () => {
    const { domain, stranger, person } = await world();
    const application = await makeApplication(api);
    const made = await makeApi(api, { application_id: application.id });
    const resource = { resource: made.identifier, scope: `openid ${READ.name}` };
    const tokens = [await stranger.tokensFor(person), await stranger.tokensFor(person, resource)];
    const headers = { Authorization: basic(application), ...FORM };
    const areActive = async () => {
      const asked = tokens.map(({ access_token: token }) =>
        api.post('/openid/introspect', `token=${token}`, { token: null, headers }),
      );
      return (await Promise.all(asked)).map(({ body }) => body.active);
    };
    assert.deepEqual(await areActive(), [true, true]);
    await setPolicy(api, { mode: 'token' }, domain.id);
    assert.deepEqual(await areActive(), [false, false]);
    assert.equal((await api.get(`/v3/access-tokens/${tokens[0].access_token}`)).status, 404);
    await setPolicy(api, OPEN, domain.id);
    assert.deepEqual(await areActive(), [true, true]);
  });

  it('asks for nothing that the domain does not allow any more', async () => {
    const { domain, stranger, person } = await world();
    await setPolicy(api, { mode: 'open', scopes: 'openid' }, domain.id);
    assert.equal(errorOf((await stranger.signIn(person, { scope: 'openid profile' })).page), 'access_denied');
    await setPolicy(api, { mode: 'open', redirects: 'loopback' }, domain.id);
    assert.equal(errorOf((await stranger.signIn(person, { scope: 'openid' })).page), 'access_denied');
  });

  it('gets no more than it registered for', async () => {
    const { stranger, person } = await world(OPEN, { token_endpoint_auth_method: 'client_secret_post' });
    for (const scope of ['openid roles', 'openid scim', 'openid all_info'])
      assert.equal(errorOf(await new TestBrowser(api).go(stranger.ask({ scope }).url)), 'invalid_scope', scope);
    const { name: username, password } = person;
    for (const request of [
      { grant_type: 'client_credentials' },
      { grant_type: 'password', username, password, scope: 'openid' },
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
    ])
      assert.match(
        (await stranger.token(request as never)).body.error,
        /^(unauthorized_client|unsupported_grant_type|invalid_request)$/,
      );
    const device = new URLSearchParams({ client_id: stranger.client.client_id, client_secret: stranger.client.client_secret });
    const begun = await api.post('/openid/device/authorize', device.toString(), { token: null, headers: FORM });
    assert.equal(begun.status, 400, begun.text);
    const details = JSON.stringify([{ type: 'openid_credential', credential_configuration_id: 'x' }]);
    const credentials = await new TestBrowser(api).signIn(stranger.ask({ authorization_details: details }).url, person);
    assert.ok(errorOf(credentials), 'no credentials about roles');
  });

  it('sends nobody elsewhere, except to another port of their own machine', async () => {
    const { stranger, person } = await world(OPEN, { redirect_uris: ['http://127.0.0.1/callback'] });
    const tokens = await stranger.tokensFor(person, { redirect_uri: 'http://127.0.0.1:49152/callback' });
    assert.ok(tokens.access_token);
    for (const wrong of [
      'http://127.0.0.1/other',
      'http://localhost/callback',
      'https://127.0.0.1/callback',
      'http://127.0.0.1.example.org/callback',
      'http://user@127.0.0.1/callback',
    ]) {
      const page = await new TestBrowser(api).go(stranger.ask({ redirect_uri: wrong }).url);
      assert.match(page.text, /invalid_redirect_uri|invalid_request/, wrong);
      assert.equal(page.redirectTarget, undefined);
    }
  });

  it('needs PKCE without a secret, and its secret if it has one', async () => {
    const { stranger, person } = await world();
    const { url } = stranger.ask();
    const bare = url.replace(/&code_challenge=[^&]+&code_challenge_method=S256/, '');
    assert.equal(errorOf(await new TestBrowser(api).go(bare)), 'invalid_request');
    const { page } = await stranger.signIn(person);
    const code = page.redirectTarget!.searchParams.get('code')!;
    assert.equal(
      (await stranger.redeem(code, 'another-verifier-that-is-long-enough-to-be-one-1234')).body.error,
      'invalid_grant',
    );
    const other = await world(OPEN, { token_endpoint_auth_method: 'client_secret_post' });
    const second = await other.stranger.signIn(other.person);
    const secondCode = second.page.redirectTarget!.searchParams.get('code')!;
    const without = await other.stranger.redeem(secondCode, second.verifier, { client_secret: 'wrong' });
    assert.equal(without.body.error, 'invalid_client');
  });

  it('learns nothing of the tokens of others', async () => {
    const { stranger } = await world(OPEN, { token_endpoint_auth_method: 'client_secret_basic' });
    const keyrock = await KeyrockClient.make(api);
    const { access_token: token } = await keyrock.tokens(await makePerson(api));
    const { client_id: id, client_secret: secret } = stranger.client;
    const headers = { Authorization: basic({ id, secret }), ...FORM };
    const introspect = () => api.post('/openid/introspect', `token=${token}`, { token: null, headers });
    assert.deepEqual((await introspect()).body, { active: false });
    assertOk(await api.post(`${REGISTERED}/${id}/keep`, {}));
    assert.equal((await introspect()).body.active, true, 'somebody vouches for it');
  });

  it("asks nobody through a page of others, as Keyrock's clients do", async () => {
    const { stranger } = await world(OPEN, { token_endpoint_auth_method: 'client_secret_basic' });
    const person = await makePerson(api);
    const query = new URLSearchParams({ response_type: 'code', client_id: stranger.client.client_id, scope: 'openid' });
    assert.equal((await api.get(`${AUTHORIZE}?${query}`, { token: person.token })).status, 400);
  });

  it('shows its name as text, and where people go', async () => {
    const { stranger, person } = await world(OPEN, name('<b>Assistant</b> & "co"'));
    const browser = new TestBrowser(api);
    const page = await browser.signIn(stranger.ask().url, { ...person, consent: false });
    const asked = browser.seen.find((one) => stepOf(one) === 'allow')!;
    assert.ok(!asked.text.includes('<b>Assistant'), asked.text);
    assert.match(asked.text, /its name may be false/);
    assert.match(asked.text, /stranger\.example\.org/);
    assert.equal(errorOf(page), 'access_denied');
  });

  it('shows links to its own pages only where people go anyway, and that nobody checked them', async () => {
    const { domain, person } = await world();
    const query = { query: `?domain_id=${domain.id}` };
    /** The links of the consent page. */
    const linksAt = async (stranger: Stranger, isKnown = false): Promise<string[]> => {
      const browser = new TestBrowser(api);
      await browser.signIn(stranger.ask().url, { ...person, consent: false });
      const { text } = browser.seen.find((one) => stepOf(one) === 'allow')!;
      const links = [...text.matchAll(/<a href="(https:[^"]*)" target="_blank" rel="noopener noreferrer">/g)].map(
        ([, href]) => href!,
      );
      assert.equal(text.includes('Nobody here checked it'), links.length > 0 && !isKnown);
      assert.doesNotMatch(text, /<img src="https:/);
      return links;
    };
    const linksOf = async (values: Record<string, unknown>): Promise<string[]> =>
      linksAt(await Stranger.register(api, values, query));
    const own = { policy_uri: 'https://stranger.example.org/privacy?a=1&b=2', tos_uri: 'https://stranger.example.org/terms' };
    assert.deepEqual(await linksOf(own), ['https://stranger.example.org/privacy?a=1&amp;b=2', own.tos_uri]);
    for (const policy_uri of [
      'https://evil.example.com/privacy',
      'https://stranger.example.org.evil.example.com/',
      'https://stranger.example.org:8443/privacy',
    ])
      assert.deepEqual(await linksOf({ policy_uri }), [], policy_uri);
    const named = await registerClient(api, { policy_uri: 'https://stranger.example.org@evil.example.com/' }, query);
    assert.equal(named.status, 400, named.text);
    assert.deepEqual(await linksOf({ ...own, redirect_uris: ['http://127.0.0.1/callback'] }), []);
    const elsewhere = 'https://example.com/privacy';
    const kept = await Stranger.register(api, { policy_uri: elsewhere }, query);
    assertOk(await api.post(`${REGISTERED}/${kept.client.client_id}/keep`, {}));
    assert.deepEqual(await linksAt(kept, true), [elsewhere], 'an administrator vouches for it');
  });
});

describe('Strangers from one address', () => {
  it('register so many applications in an hour, and no more', () =>
    withApi({ rateLimits: true }, async (api) => {
      await setPolicy(api, OPEN);
      api.clock.hold();
      for (let at = 0; at < 20; at++) assert.equal((await registerClient(api)).status, 201);
      const refused = await registerClient(api);
      assert.equal(refused.status, 429);
      assert.ok(Number(refused.headers.get('retry-after')) > 0);
      const { token } = await makeToken(api);
      assert.equal((await registerClient(api, {}, { token })).status, 201, 'who was let in is not counted');
    }));

  it('guess no tokens for long', () =>
    withApi({ rateLimits: true }, async (api) => {
      await setPolicy(api, OPEN);
      api.clock.hold();
      const { client } = await Stranger.register(api);
      const guess = (at: number) =>
        api.get(`${CLIENTS}/${client.client_id}`, { token: null, headers: { Authorization: `Bearer gha_${at}` } });
      let status = 401;
      let guesses = 0;
      for (; status === 401 && guesses < 200; guesses++) status = (await guess(guesses)).status;
      assert.equal(status, 429);
      assert.ok(guesses <= 101, String(guesses));
    }));
});
