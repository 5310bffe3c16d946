// Assertions of clients with one thing wrong at a time, at every endpoint at which clients authenticate.
import assert from 'node:assert/strict';
import { createPublicKey, randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { SignJWT, UnsecuredJWT } from 'jose';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, type TestApi, underAttack } from '../../../../test/support/api.ts';
import { makeApi } from '../../../../test/support/apis.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import {
  ASSERTION_TYPE,
  type Assertion,
  type ClientKeyPair,
  KeyedClient,
  keyAddress,
  makeKey,
} from '../../../../test/support/keyed-client.ts';
import { basic } from '../../../../test/support/keyrock-client.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const CONSUMERS = '/v3/OS-OAUTH2/consumers';

/** Where clients authenticate: what is sent there, and the status when they do. */
const ENDPOINTS: readonly (readonly [path: string, parameters: Record<string, string>, status: number])[] = [
  ['/openid/token', { grant_type: 'client_credentials' }, 200],
  ['/v3/OS-OAUTH2/access_token', { grant_type: 'client_credentials' }, 200],
  ['/openid/introspect', { token: 'unknown' }, 200],
  ['/openid/revoke', { token: 'unknown' }, 200],
  ['/openid/par', { response_type: 'code', scope: 'openid', redirect_uri: 'https://app.example.org/callback' }, 201],
  ['/openid/device/authorize', { scope: 'openid' }, 200],
  // Known, and not registered for it.
  ['/openid/backchannel', { scope: 'openid', login_hint: 'nobody' }, 400],
];

/** What is wrong with an assertion, by its name. */
const WRONG: Readonly<Record<string, (client: KeyedClient, other: KeyedClient) => Assertion>> = {
  'no exp': () => ({ claims: { exp: undefined } }),
  'an exp that is no number': () => ({ claims: { exp: String(now() + 60) } }),
  'an exp in the past': () => ({ claims: { exp: now() - 60 } }),
  'an exp tomorrow': () => ({ claims: { exp: now() + 86_400 } }),
  'an iat in the future': () => ({ claims: { iat: now() + 90 } }),
  'an iat that is no time': () => ({ claims: { iat: 'now' } }),
  'an nbf in the future': () => ({ claims: { nbf: now() + 90 } }),
  'no aud': () => ({ claims: { aud: undefined } }),
  'an empty list as aud': () => ({ claims: { aud: [] } }),
  'the aud of another service': () => ({ claims: { aud: 'https://other.example.org' } }),
  'an aud that begins like ours': ({ api }) => ({ claims: { aud: `${api.url}.example.org` } }),
  'an aud with a slash': ({ api }) => ({ claims: { aud: `${api.url}/` } }),
  'the aud of another service beside ours': ({ api }) => ({ claims: { aud: [api.url, 'https://other.example.org'] } }),
  'an aud that is no text': () => ({ claims: { aud: { '0': 'x' } } }),
  'no iss': () => ({ claims: { iss: undefined } }),
  'the iss of another client': (_client, other) => ({ claims: { iss: other.id } }),
  'no sub': () => ({ claims: { sub: undefined } }),
  'the sub of another client': (_client, other) => ({ claims: { sub: other.id } }),
  'the names of another client': (_client, other) => ({ claims: { iss: other.id, sub: other.id } }),
  'names of nobody': () => ({ claims: { iss: 'nobody', sub: 'nobody' } }),
  'the names of our account page': () => ({ claims: { iss: 'gatehouse_account', sub: 'gatehouse_account' } }),
  'no jti': () => ({ claims: { jti: undefined } }),
  'an empty jti': () => ({ claims: { jti: '' } }),
  'a jti that is no text': () => ({ claims: { jti: 7 } }),
  'a jti without end': () => ({ claims: { jti: 'x'.repeat(300) } }),
  'the key of another client': (_client, other) => ({ key: other.key }),
  'the key of another client under the name of its own': ({ key }, other) => ({ key: other.key, header: { kid: key.jwk.kid } }),
  'the name of another key': () => ({ header: { kid: 'another' } }),
  'the type of an access token': () => ({ header: { typ: 'at+jwt' } }),
  'the type of a request object': () => ({ header: { typ: 'oauth-authz-req+jwt' } }),
  'the type of a proof': () => ({ header: { typ: 'dpop+jwt' } }),
};

const assertNoClient = (answer: ApiAnswer, what: string): void => {
  assert.deepEqual([answer.status, answer.body.error], [401, 'invalid_client'], `${what}: ${answer.text}`);
  // Which part is wrong is for the log.
  assert.doesNotMatch(answer.text, /exp|aud|jti|kid|key|sub/, what);
};

function define(api: TestApi): void {
  it('prove a client, at every endpoint', async () => {
    const client = await KeyedClient.make(api);
    for (const [path, parameters, status] of ENDPOINTS)
      for (const aud of [api.url, `${api.url}/openid/token`, `${api.url}${path}`, [api.url]]) {
        // A pushed request names its client itself.
        const named = path === '/openid/par' ? { client_id: client.id } : {};
        const answer = await client.send(path, { ...parameters, ...named, ...(await client.proof({ claims: { aud } })) });
        assert.equal(answer.status, status, `${path} ${aud}: ${answer.text}`);
      }
  });

  it('prove a client with each algorithm', async () => {
    for (const alg of ['PS256', 'ES256', 'EdDSA', 'ES384', 'RS256']) {
      const client = await KeyedClient.make(api, {}, alg);
      assertOk(await client.token());
      assertOk(await client.token({ header: { kid: undefined } }));
    }
  });

  for (const [what, wrong] of Object.entries(WRONG))
    it(`prove nobody with ${what}`, async () => {
      const [client, other] = [await KeyedClient.make(api), await KeyedClient.make(api)];
      for (const [path, parameters] of ENDPOINTS) {
        const proof = await client.proof(wrong(client, other));
        assertNoClient(await client.send(path, { ...parameters, ...proof }), `${what} at ${path}`);
      }
    });

  it('prove nobody if they are not signed, or by a secret that everybody knows', async () => {
    const client = await KeyedClient.make(api, {}, 'RS256');
    const claims = { iss: client.id, sub: client.id, aud: api.url, exp: now() + 60, jti: randomUUID() };
    const pem = createPublicKey({ key: client.key.jwk as never, format: 'jwk' }).export({ type: 'spki', format: 'pem' });
    const by = (secret: string) => new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(secret));
    const good = await client.assertion();
    const [head, body, signature] = good.split('.') as [string, string, string];
    for (const [what, assertion] of Object.entries({
      unsigned: new UnsecuredJWT(claims).encode(),
      'signed with the public key as a secret': await by(String(pem)),
      'signed with its secret': await by(client.secret.padEnd(32, ' ')),
      'without its signature': `${head}.${body}.`,
      'of two parts': `${head}.${body}`,
      'with other claims': `${head}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`,
      'too long': `${good}${'A'.repeat(9000)}`,
      'no JWT': 'x',
      empty: '',
    }))
      for (const [path, parameters] of ENDPOINTS) {
        const sent = { client_assertion: assertion, client_assertion_type: ASSERTION_TYPE };
        assertNoClient(await client.send(path, { ...parameters, ...sent }), `${what} at ${path}`);
      }
  });

  it('prove nobody with an algorithm that is not the one of the key, or not the registered one', async () => {
    const key = await makeKey('PS256');
    const only = await KeyedClient.make(api, { jwks: { keys: [key.jwk] }, token_endpoint_auth_signing_alg: 'PS256' });
    assertOk(await only.token({ key }));
    const { alg: _, ...open } = key.jwk;
    const narrow = await KeyedClient.make(api, { jwks: { keys: [open] }, token_endpoint_auth_signing_alg: 'ES256' });
    assertNoClient(await narrow.token({ key }), 'another one is registered');
  });

  it('are one way among one: not beside a secret, and not for who is registered with another', async () => {
    const client = await KeyedClient.make(api);
    for (const [path, parameters] of ENDPOINTS) {
      const both = [
        await client.send(path, { ...parameters, ...(await client.proof()), client_id: client.id, client_secret: client.secret }),
        await client.send(path, { ...parameters, ...(await client.proof()) }, { Authorization: basic(client) }),
      ];
      for (const answer of both) assert.ok([400, 401].includes(answer.status), `${path}: ${answer.text}`);
      const twice = `${new URLSearchParams({ ...parameters, ...(await client.proof()) })}&client_assertion=${await client.assertion()}`;
      const repeated = await api.post(path, twice, {
        token: null,
        headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      });
      assert.ok([400, 401].includes(repeated.status), `${path}: ${repeated.text}`);
      assertNoClient(
        await client.send(path, { ...parameters, ...(await client.proof()), client_id: 'another' }),
        'another client_id',
      );
      assertNoClient(
        await client.send(path, { ...parameters, ...(await client.proof()), client_assertion_type: `${ASSERTION_TYPE}x` }),
        'another type',
      );
      for (const headers of [{ Authorization: basic(client) }, {}]) {
        const secret = headers.Authorization ? {} : { client_id: client.id, client_secret: client.secret };
        const answer = await client.send(path, { ...parameters, ...secret }, headers as Record<string, string>);
        assertNoClient(answer, 'its secret is no proof any more');
      }
      assertNoClient(await client.send(path, { ...parameters, client_id: client.id }), 'no proof at all');
    }
    for (const values of [{}, { client_type: 'public' }, { token_endpoint_auth_method: 'client_secret_post' }]) {
      const application = await makeApplication(api, { jwks: { keys: [client.key.jwk] }, ...values });
      const other = new KeyedClient(api, application, client.key);
      for (const [path, parameters] of ENDPOINTS)
        assertNoClient(
          await other.send(path, { ...parameters, ...(await other.proof()) }),
          `registered as ${JSON.stringify(values)}`,
        );
    }
  });

  it('need keys that are registered as they should be', async () => {
    const { jwk } = await makeKey();
    const method = { token_endpoint_auth_method: 'private_key_jwt' };
    const secret = { kty: 'oct', k: Buffer.alloc(32).toString('base64url') };
    const refused: Record<string, unknown>[] = [
      method,
      { ...method, jwks: { keys: [] } },
      { ...method, jwks: [jwk] },
      { ...method, jwks: { keys: [secret] } },
      { ...method, jwks: { keys: [{ ...jwk, d: 'AAAA' }] } },
      { ...method, jwks: { keys: [jwk, jwk] } },
      { ...method, jwks: { keys: [{ ...jwk, use: 'enc' }] } },
      { ...method, jwks: { keys: [{ ...jwk, alg: 'HS256' }] } },
      { ...method, jwks: { keys: [{ ...jwk, x: jwk.y }] } },
      { ...method, jwks: { keys: Array.from({ length: 21 }, (_, at) => ({ ...jwk, kid: String(at) })) } },
      { ...method, jwks: { keys: [jwk] }, jwks_uri: 'https://app.example.org/keys' },
      { ...method, jwks: { keys: [jwk] }, client_type: 'public' },
      { ...method, jwks_uri: 'file:///etc/passwd' },
      { ...method, jwks_uri: 'https://user:password@app.example.org/keys' },
      { token_endpoint_auth_method: 'client_secret_jwt' },
      { token_endpoint_auth_signing_alg: 'HS256' },
      { token_endpoint_auth_signing_alg: 'none' },
    ];
    for (const values of refused) assertRefused(await api.post(CONSUMERS, { consumer: { name: 'refused', ...values } }), 400);
    const client = await KeyedClient.make(api);
    const change = (values: unknown) => api.patch(`${CONSUMERS}/${client.id}`, { consumer: values });
    for (const values of [{ jwks: null }, { client_type: 'public' }, { jwks_uri: 'https://app.example.org/keys' }])
      assertRefused(await change(values), 400);
    assertOk(await change({ jwks: null, jwks_uri: 'https://app.example.org/keys' }));
    assertOk(await change({ token_endpoint_auth_method: null, jwks_uri: null }));
    assertOk(await client.send('/openid/token', { grant_type: 'client_credentials' }, { Authorization: basic(client) }));
  });

  it('are good until the key is taken away', async () => {
    const client = await KeyedClient.make(api);
    const next = await makeKey();
    assertOk(await client.token());
    assertOk(await api.patch(`${CONSUMERS}/${client.id}`, { consumer: { jwks: { keys: [next.jwk] } } }));
    assertNoClient(await client.token(), 'the key of before');
    assertOk(await client.token({ key: next }));
  });
}

onUsualDatabase('Assertions of clients', define);

onUsualDatabase('Keys of clients at an address', (api) => {
  it('are not fetched from where the service may not call', async () => {
    for (const uri of [
      'http://169.254.169.254/keys',
      'http://localhost:1/keys',
      'http://[::1]:1/keys',
      'https://10.0.0.1/keys',
    ]) {
      const client = await KeyedClient.make(api, { jwks_uri: uri });
      assertNoClient(await client.token(), uri);
    }
  });

  it('are read once, and again for a key that is new there, but not for each stranger', async () => {
    const [key, next] = [await makeKey(), await makeKey()];
    const address = await keyAddress([key.jwk]);
    try {
      const client = await KeyedClient.make(api, { jwks_uri: address.url });
      assertOk(await client.token({ key }));
      assertOk(await client.token({ key }));
      assert.equal(address.asked.times, 1);
      for (let at = 0; at < 5; at++) assertNoClient(await client.token({ key: next }), 'not there yet');
      assert.equal(address.asked.times, 1, 'it was read just now');
      address.answer.keys = [next.jwk];
      api.clock.advance(61);
      const soon = { iat: now() + 61, exp: now() + 121 };
      assertOk(await client.token({ key: next, claims: soon }));
      assert.equal(address.asked.times, 2);
      assertNoClient(await client.token({ key, claims: soon }), 'the key of before is gone');
    } finally {
      await address.close();
    }
  });

  it('are kept for an hour while the address does not answer, and what it says must be keys', async () => {
    const key = await makeKey();
    const address = await keyAddress([key.jwk]);
    try {
      const client = await KeyedClient.make(api, { jwks_uri: address.url });
      const at = (): Assertion => {
        const time = Math.floor(api.clock.now() / 1000);
        return { key, claims: { iat: time, exp: time + 60 } };
      };
      assertOk(await client.token(at()));
      for (const [status, text] of [
        [500, undefined],
        [302, undefined],
        [200, 'x'],
        [200, 'null'],
        [200, '[]'],
        [200, `{"keys":[${'"x",'.repeat(30_000)}"x"]}`],
      ] as const) {
        Object.assign(address.answer, { status, text });
        api.clock.advance(301);
        assertOk(await client.token(at()));
      }
      api.clock.advance(3601);
      assertNoClient(await client.token(at()), 'an hour later');
      Object.assign(address.answer, {
        status: 200,
        text: JSON.stringify({ keys: [{ kty: 'oct', k: 'AAAA' }, null, 7, key.jwk] }),
      });
      api.clock.advance(61);
      assertOk(await client.token(at()));
    } finally {
      await address.close();
    }
  });
});

underAttack('An assertion that is used twice', (api) => {
  it('is good once, at whichever endpoint, also in concurrent requests and at another replica', async () => {
    const client = await KeyedClient.make(api);
    const proof = await client.proof();
    const sent = await Promise.all(
      Array.from({ length: 8 }, () => client.send('/openid/token', { grant_type: 'client_credentials', ...proof })),
    );
    assert.deepEqual(sent.map(({ status }) => status).sort(), [200, 401, 401, 401, 401, 401, 401, 401]);
    for (const [path, parameters] of ENDPOINTS) assertNoClient(await client.send(path, { ...parameters, ...proof }), path);
    if (api.kind !== 'PostgreSQL') return;
    const replica = await api.replica();
    try {
      const there = await replica.post(
        '/openid/token',
        new URLSearchParams({ grant_type: 'client_credentials', ...proof }).toString(),
        {
          token: null,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        },
      );
      assert.equal(there.status, 401, there.text);
    } finally {
      await replica.stop();
    }
  });

  it('is not used up by who has not the key', async () => {
    const [client, other] = [await KeyedClient.make(api), await KeyedClient.make(api)];
    const claims = { jti: randomUUID() };
    assertNoClient(await client.token({ claims, key: other.key }), 'another key');
    assertOk(await other.token({ claims }));
    assertOk(await client.token({ claims }));
  });

  it('gives no token when its key is taken away in the meantime, whatever form the token has', async () => {
    const [client, reader] = [await KeyedClient.make(api), await KeyedClient.make(api)];
    const apis = [await makeApi(api, { application_id: reader.id }), undefined];
    for (const made of apis) {
      const [before, next] = [await makeKey(), await makeKey()];
      const register = async ({ jwk }: ClientKeyPair) =>
        assertOk(await api.patch(`${CONSUMERS}/${client.id}`, { consumer: { jwks: { keys: [jwk] } } }));
      await register(before);
      const { body } = await whenAt(
        'application-grant.before-transaction',
        () => register(next),
        () => client.token({ key: before }, made ? { resource: made.identifier } : {}),
      );
      const { access_token: token } = body;
      if (token === undefined) continue;
      const proof = made ? await reader.proof() : await client.proof({ key: next });
      const asked = await (made ? reader : client).send('/openid/introspect', { token, ...proof });
      assert.deepEqual(asked.body, { active: false }, made ? 'a JWT' : 'opaque');
    }
  });
});
