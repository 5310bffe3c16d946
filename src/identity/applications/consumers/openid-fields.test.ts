// Invalid OpenID attributes of a consumer are refused at registration, not when users sign in.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { CALLBACK, makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const PATH = '/v3/OS-OAUTH2/consumers';

const NO_ADDRESSES = [
  'reports.example.org',
  '/logo.png',
  'javascript:alert(1)',
  'ftp://example.org/',
  'https://',
  '',
  7,
  true,
  {},
  [],
];
const NO_FLAGS = ['true', 'yes', 1, 0, {}, []];
const BAD: Readonly<Record<string, readonly unknown[]>> = {
  client_uri: NO_ADDRESSES,
  logo_uri: NO_ADDRESSES,
  policy_uri: NO_ADDRESSES,
  tos_uri: NO_ADDRESSES,
  backchannel_logout_uri: [...NO_ADDRESSES, 'https://app.example.org/#there'],
  frontchannel_logout_uri: [...NO_ADDRESSES, 'https://app.example.org/#there', 'https://u:p@app.example.org/out'],
  frontchannel_logout_session_required: NO_FLAGS,
  initiate_login_uri: [...NO_ADDRESSES, 'http://app.example.org/login'],
  post_logout_redirect_uris: [
    'https://app.example.org/',
    {},
    true,
    [7],
    [null],
    ['/bye'],
    ['javascript:x'],
    ['https://a.example/#b'],
  ],
  backchannel_logout_session_required: NO_FLAGS,
  require_auth_time: NO_FLAGS,
  require_pushed_authorization_requests: NO_FLAGS,
  dpop_bound_access_tokens: NO_FLAGS,
  default_max_age: [-1, 1.5, '60', true, 2 ** 53, [], {}],
  id_token_signed_response_alg: ['HS256', 'none', 'rs256', '', 7, true, ['RS256']],
  token_endpoint_auth_method: ['private_key_jwt', '', 7, ['client_secret_basic']],
  default_acr_values: ['phr', [], ['phr', 'phr'], ['https://attacker.example'], [7], {}],
  allowed_grant_types: ['authorization_code', [], ['token'], ['password', 'password'], [null], {}],
  allowed_scopes: ['openid', [], ['openid profile'], ['admin'], ['openid', 'openid'], [7], {}],
  access_token_lifetime: [0, 59, -1, 1.5, '60', 2 ** 53, 31_536_001, [], {}],
  refresh_token_lifetime: [0, 59, '3600', 31_536_001],
  skip_consent: NO_FLAGS,
};
const GOOD: Readonly<Record<string, unknown>> = {
  client_uri: 'https://app.example.org',
  logo_uri: 'https://app.example.org/logo.png?size=2',
  policy_uri: 'http://app.example.org/policy',
  tos_uri: 'https://app.example.org/terms#short',
  backchannel_logout_uri: 'https://app.example.org/out',
  frontchannel_logout_uri: 'https://app.example.org/out?from=gate',
  frontchannel_logout_session_required: true,
  initiate_login_uri: 'https://app.example.org/login',
  post_logout_redirect_uris: ['https://app.example.org/', 'http://localhost:3000/bye'],
  backchannel_logout_session_required: true,
  require_auth_time: true,
  require_pushed_authorization_requests: false,
  dpop_bound_access_tokens: false,
  default_max_age: 3600,
  id_token_signed_response_alg: 'ES256',
  token_endpoint_auth_method: 'client_secret_post',
  default_acr_values: ['https://refeds.org/profile/mfa', 'phr'],
  allowed_grant_types: ['authorization_code', 'refresh_token'],
  allowed_scopes: ['openid', 'profile'],
  access_token_lifetime: 600,
  refresh_token_lifetime: 86_400,
  skip_consent: false,
};

function authorization(api: TestApi, id: string, redirectUri = CALLBACK): string {
  const asked = { client_id: id, response_type: 'code', scope: 'openid', redirect_uri: redirectUri, state: 'x' };
  return `${api.url}/openid/authorize?${new URLSearchParams(asked)}`;
}

onUsualDatabase('What the OpenID provider reads of a consumer', (api) => {
  const asks = async (id: string) => stepOf(await new TestBrowser(api).go(authorization(api, id)));

  for (const [field, values] of Object.entries(BAD))
    it(`is refused when ${field} is not what it takes, at registration and later, and people still sign in`, async () => {
      const { id } = await makeApplication(api, { redirect_uris: [CALLBACK] });
      for (const value of values) {
        for (const sent of [{ [field]: value }, { extra: { [field]: value } }]) {
          const answers = [
            await api.post(PATH, { consumer: { name: uniqueName('bad'), redirect_uris: [CALLBACK], ...sent } }),
            await api.patch(`${PATH}/${id}`, { consumer: sent }),
          ];
          for (const answer of answers) {
            assert.equal(answer.status, 400, `${JSON.stringify(sent)} ${answer.text}`);
            assert.ok(answer.body.error.message.includes(`'${field}`), answer.text);
          }
        }
      }
      assert.equal((await api.get(`${PATH}/${id}`)).body.consumer[field], undefined);
      assert.equal(await asks(id), 'password');
    });

  it('may be null, which is the same as nothing', async () => {
    const nothing = Object.fromEntries(Object.keys(BAD).map((field) => [field, null]));
    const made = await makeApplication(api, { redirect_uris: [CALLBACK], ...nothing, extra: { ...nothing, url: null } });
    assert.deepEqual(made.extra, { url: null }, 'what is not of the provider stays as it was sent');
    const person = await makeUser(api);
    redirectTargetOf(await new TestBrowser(api).signIn(authorization(api, made.id), person));

    const full = await makeApplication(api, { redirect_uris: [CALLBACK], ...GOOD });
    assert.deepEqual(full.extra, GOOD);
    const changed = await api.patch(`${PATH}/${full.id}`, { consumer: nothing });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(changed.body.consumer.extra, {});
    redirectTargetOf(await new TestBrowser(api).signIn(authorization(api, full.id), person));
  });

  it('is taken when it is right, and works', async () => {
    const { id } = await makeApplication(api, { redirect_uris: [CALLBACK], ...GOOD });
    redirectTargetOf(await new TestBrowser(api).signIn(authorization(api, id), await makeUser(api)));
  });

  it('must fit together: an application of somebody’s machine has no plain address elsewhere', async () => {
    const refused: [Record<string, unknown>, string][] = [
      [{ redirect_uris: ['myapp:/cb', 'http://app.example.org/cb'] }, 'redirect_uris.1'],
      [{ redirect_uris: ['https://localhost/cb', 'myapp:/cb'] }, 'redirect_uris.0'],
      [{ redirect_uris: [CALLBACK], post_logout_redirect_uris: ['myapp:/bye'] }, 'post_logout_redirect_uris.0'],
    ];
    const { id } = await makeApplication(api, { redirect_uris: ['myapp:/cb'], post_logout_redirect_uris: ['myapp:/bye'] });
    for (const [values, field] of refused) {
      for (const answer of [
        await api.post(PATH, { consumer: { name: uniqueName('bad'), ...values } }),
        await api.patch(`${PATH}/${id}`, { consumer: values }),
      ]) {
        assert.equal(answer.status, 400, JSON.stringify(values));
        assert.ok(answer.body.error.message.includes(`'${field}'`), answer.text);
      }
    }
    const half = await api.patch(`${PATH}/${id}`, { consumer: { redirect_uris: [CALLBACK] } });
    assert.equal(half.status, 400, 'the other list stays as it is, and does not fit');
    assert.equal((await new TestBrowser(api).go(authorization(api, id, 'myapp:/cb'))).status, 200);
  });

  it('is left out when it was stored before the check existed', async () => {
    const { id } = await makeApplication(api, { redirect_uris: [CALLBACK] });
    const db = await databaseOf(api);
    const store = (values: { extra?: string; redirect_uris?: string }) =>
      db.write((tx) => tx.updateTable('consumers').set(values).where('id', '=', id).execute());
    for (const [field, values] of Object.entries(BAD))
      for (const value of values) {
        await store({ extra: JSON.stringify({ [field]: value }) });
        assert.equal(await asks(id), 'password', `${field} ${JSON.stringify(value)}`);
      }
    await store({ redirect_uris: JSON.stringify([CALLBACK, 'myapp:/cb', 'http://app.example.org/cb']) });
    await db.close();
    redirectTargetOf(await new TestBrowser(api).signIn(authorization(api, id), await makeUser(api)));
    const named = await api.patch(`${PATH}/${id}`, { consumer: { name: 'still changed' } });
    assert.equal(named.status, 200, named.text);
  });

  describe('Whatever is taken', () => {
    const uri = fc.oneof(
      fc.webUrl({ withFragments: true, withQueryParameters: true, validSchemes: ['http', 'https', 'ftp'] }),
      fc.constantFrom(
        'myapp:/cb',
        'com.example:/x',
        'http://localhost:3000/',
        'https://[::1]/cb',
        'https://app.example.org/#x',
        '',
      ),
      fc.constantFrom(
        'http://app.example.org/cb',
        'https://localhost/',
        'urn:x:y',
        'HTTPS://APP.example.org',
        'https:app',
        'http:/x',
      ),
      fc.string(),
    );
    const anything = fc.oneof(uri, fc.boolean(), fc.integer(), fc.double(), fc.constant(null), fc.jsonValue());
    const lists = ['redirect_uris', 'post_logout_redirect_uris'];
    /** Some of which the provider would read, if it were let. */
    const others = ['application_type', 'response_types', 'jwks', 'scope', 'contacts', 'sector_identifier_uri', 'subject_type'];
    const valuesFor = (field: string): fc.Arbitrary<unknown> => {
      const samples = GOOD[field] === undefined ? [] : [fc.constant(GOOD[field]), fc.constantFrom(...BAD[field]!)];
      return lists.includes(field) ? fc.array(uri, { maxLength: 3 }) : fc.oneof(...samples, anything);
    };
    const some = fc
      .subarray([...lists, ...Object.keys(GOOD), ...others], { maxLength: 3 })
      .chain((fields) => fc.record(Object.fromEntries(fields.map((field) => [field, valuesFor(field)]))));
    const kinds = fc.record({
      client_type: fc.constantFrom('confidential', 'public', null),
      grant_type: fc.constantFrom('authorization_code', 'password', 'client_credentials', 'refresh_token', 'implicit', null),
    });
    const consumer = fc.tuple(kinds, some).map(([kind, values]) => ({ redirect_uris: [CALLBACK], ...kind, ...values }));

    it('can be signed in to', async () => {
      let taken = 0;
      await fc.assert(
        fc.asyncProperty(consumer, async (values) => {
          const answer = await api.post(PATH, { consumer: { name: uniqueName('any'), ...values } });
          assert.ok(answer.status === 200 || answer.status === 400, answer.text);
          if (answer.status === 400) return;
          taken++;
          const { id, redirect_uris: uris } = answer.body.consumer;
          const page = await new TestBrowser(api).request(authorization(api, id, uris[0] ?? CALLBACK));
          assert.ok(!/invalid_client/.test(`${page.text}${page.redirectTarget ?? ''}`), `${JSON.stringify(values)} ${page.text}`);
        }),
        { numRuns: 300 },
      );
      assert.ok(taken > 20, `${taken} were taken`);
    });
  });
});
