// Signed requests (JAR), signed answers (JARM) and signed introspection: with one thing wrong at a time.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { createRemoteJWKSet, jwtVerify, SignJWT, UnsecuredJWT } from 'jose';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { type ClientKeyPair, KeyedClient, keyAddress, makeKey } from '../../../../test/support/keyed-client.ts';
import { CALLBACK, makeUser } from '../../../../test/support/relying-party.ts';
import { redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const now = (): number => Math.floor(Date.now() / 1000);
const PLAIN = { response_type: 'code', redirect_uri: CALLBACK, scope: 'openid', state: 'one' };

interface Draft {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
  readonly key?: ClientKeyPair;
}

const claimsOf = (client: KeyedClient, more: Readonly<Record<string, unknown>> = {}) => ({
  ...PLAIN,
  iss: client.id,
  aud: client.api.url,
  client_id: client.id,
  iat: now(),
  nbf: now(),
  exp: now() + 60,
  jti: randomUUID(),
  ...more,
});

const signedRequest = (client: KeyedClient, { claims, header = {}, key = client.key }: Draft = {}): Promise<string> =>
  new SignJWT(claimsOf(client, claims))
    .setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, typ: 'oauth-authz-req+jwt', ...header } as never)
    .sign(key.privateKey);

const push = async (client: KeyedClient, parameters: Record<string, string>): Promise<ApiAnswer> =>
  client.send('/openid/par', { client_id: client.id, ...parameters, ...(await client.proof()) });

const authorizeUrl = (api: TestApi, parameters: Record<string, string>): URL =>
  new URL(`${api.url}/openid/authorize?${new URLSearchParams(parameters)}`);

/** Where the authorization endpoint sends a browser. */
async function sentTo(api: TestApi, parameters: Record<string, string>): Promise<string> {
  const response = await fetch(authorizeUrl(api, parameters), { redirect: 'manual' });
  await response.text();
  return response.headers.get('location') ?? String(response.status);
}

const isBegun = (location: string): boolean => location.includes('/openid/interaction/');

/** What is wrong with a request, by its name. */
const WRONG: Readonly<Record<string, (client: KeyedClient, other: KeyedClient) => Draft>> = {
  'the key of another client': (_client, other) => ({ key: other.key }),
  'the key of another client under the name of its own': ({ key }, other) => ({ key: other.key, header: { kid: key.jwk.kid } }),
  'the name of another key': () => ({ header: { kid: 'another' } }),
  'the name of the key of this service': () => ({ header: { kid: 'checked here, x' } }),
  'the iss of another client': (_client, other) => ({ claims: { iss: other.id } }),
  'no iss': () => ({ claims: { iss: undefined } }),
  'the aud of another service': () => ({ claims: { aud: 'https://other.example.org' } }),
  'no aud': () => ({ claims: { aud: undefined } }),
  'an exp in the past': () => ({ claims: { exp: now() - 90 } }),
  'an nbf in the future': () => ({ claims: { nbf: now() + 90 } }),
  'an exp that is no number': () => ({ claims: { exp: 'later' } }),
  'the client_id of another client': (_client, other) => ({ claims: { client_id: other.id } }),
  'the client as sub': (client) => ({ claims: { sub: client.id } }),
  'a request in the request': () => ({ claims: { request: 'x' } }),
  'an address in the request': () => ({ claims: { request_uri: 'https://app.example.org/request' } }),
  'the type of a proof': () => ({ header: { typ: 'dpop+jwt' } }),
  'the type of an assertion': () => ({ header: { typ: 'client-authentication+jwt' } }),
  'an address that is not registered': () => ({ claims: { redirect_uri: 'https://evil.example.org/callback' } }),
};

onUsualDatabase('Signed requests', (api) => {
  it('begin a sign-in, by value and pushed', async () => {
    for (const alg of ['PS256', 'ES256', 'EdDSA', 'ES384', 'RS256']) {
      const client = await KeyedClient.make(api, { require_signed_request_object: true }, alg);
      assert.ok(isBegun(await sentTo(api, { client_id: client.id, request: await signedRequest(client) })), alg);
      const { request_uri: uri } = assertOk(await push(client, { request: await signedRequest(client) }), 201);
      assert.ok(isBegun(await sentTo(api, { client_id: client.id, request_uri: uri })), alg);
    }
  });

  it('are signed by keys at an address, too', async () => {
    const key = await makeKey();
    const address = await keyAddress([key.jwk]);
    try {
      const client = await KeyedClient.make(api, { jwks_uri: address.url });
      assert.ok(isBegun(await sentTo(api, { client_id: client.id, request: await signedRequest(client, { key }) })));
      assert.ok(isBegun(await sentTo(api, { client_id: client.id, ...PLAIN })), 'nothing is asked for when nothing is signed');
      assert.equal(address.asked.times, 1);
    } finally {
      await address.close();
    }
  });

  for (const [what, wrong] of Object.entries(WRONG))
    it(`begin nothing with ${what}`, async () => {
      const [client, other] = [await KeyedClient.make(api), await KeyedClient.make(api)];
      const request = await signedRequest(client, wrong(client, other));
      const pushed = await push(client, { request });
      assert.equal(pushed.status, 400, pushed.text);
      const location = await sentTo(api, { client_id: client.id, request });
      assert.ok(!isBegun(location), location);
      assert.ok(!location.startsWith('https://evil.example.org'), location);
    });

  it('begin nothing if they are not signed, or with a secret', async () => {
    const client = await KeyedClient.make(api);
    const good = await signedRequest(client);
    for (const request of [
      new UnsecuredJWT(claimsOf(client)).encode(),
      await new SignJWT(claimsOf(client)).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(client.secret)),
      `${good.split('.', 2).join('.')}.`,
      `${good.slice(0, -4)}AAAA`,
      'x',
      'x.y.z',
    ]) {
      assert.equal((await push(client, { request })).status, 400, request.slice(0, 40));
      assert.ok(!isBegun(await sentTo(api, { client_id: client.id, request })), request.slice(0, 40));
    }
  });

  it('say everything themselves: what is written beside them does not count', async () => {
    const client = await KeyedClient.make(api, { allowed_scopes: ['openid', 'email'] });
    const person = await makeUser(api);
    const request = await signedRequest(client);
    const url = authorizeUrl(api, { client_id: client.id, request, scope: 'openid email', state: 'another' });
    const page = await new TestBrowser(api).signIn(url, person);
    const target = redirectTargetOf(page);
    assert.equal(target.searchParams.get('state'), 'one');
    const code = target.searchParams.get('code')!;
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK };
    const tokens = assertOk(await client.send('/openid/token', { ...form, ...(await client.proof()) }));
    assert.equal(tokens.scope, 'openid');
    const elsewhere = { client_id: client.id, request: await signedRequest(client), response_type: 'none' };
    assert.ok(!isBegun(await sentTo(api, elsewhere)));
  });

  it('are not fetched from an address', async () => {
    const client = await KeyedClient.make(api);
    const { asked, ...address } = await keyAddress([]);
    try {
      for (const uri of [address.url, 'https://app.example.org/request', 'urn:ietf:params:oauth:request_uri:unknown'])
        assert.ok(!isBegun(await sentTo(api, { client_id: client.id, request_uri: uri })), uri);
      assert.equal((await push(client, { request_uri: address.url })).status, 400);
      assert.equal(asked.times, 0);
      const { body } = await api.get('/.well-known/openid-configuration');
      assert.deepEqual([body.request_uri_parameter_supported, body.request_parameter_supported], [false, true]);
    } finally {
      await address.close();
    }
  });

  it('are required where that is registered, with the algorithm that is', async () => {
    const client = await KeyedClient.make(api, { require_signed_request_object: true, request_object_signing_alg: 'PS256' });
    assert.ok(!isBegun(await sentTo(api, { client_id: client.id, ...PLAIN })));
    assert.equal((await push(client, PLAIN)).status, 400);
    assert.equal((await push(client, { request: await signedRequest(client) })).status, 400, 'ES256');
    const secret = { name: 'no keys', require_signed_request_object: true };
    assertRefused(await api.post('/v3/OS-OAUTH2/consumers', { consumer: secret }), 400);
  });

  it('prove no client: a request is no assertion', async () => {
    const client = await KeyedClient.make(api);
    const sent = {
      client_assertion: await signedRequest(client),
      client_assertion_type: (await client.proof()).client_assertion_type!,
    };
    assert.equal((await client.send('/openid/token', { grant_type: 'client_credentials', ...sent })).status, 401);
    const { client_assertion: assertion } = await client.proof();
    assert.equal((await push(client, { request: assertion! })).status, 400);
  });
});

onUsualDatabase('Signed answers', (api) => {
  const keys = () => createRemoteJWKSet(new URL(`${api.url}/openid/jwks`));

  it('have all of the answer in a JWT of this service, for this client', async () => {
    for (const alg of [undefined, 'RS256', 'ES256', 'EdDSA']) {
      const client = await KeyedClient.make(api, alg ? { authorization_signed_response_alg: alg } : {});
      for (const mode of ['jwt', 'query.jwt', 'fragment.jwt']) {
        const url = authorizeUrl(api, { client_id: client.id, ...PLAIN, response_mode: mode });
        const target = redirectTargetOf(await new TestBrowser(api).signIn(url, await makeUser(api)));
        const answer = mode === 'fragment.jwt' ? new URLSearchParams(target.hash.slice(1)) : target.searchParams;
        assert.deepEqual([...answer.keys()], ['response'], mode);
        const { payload, protectedHeader } = await jwtVerify(answer.get('response')!, keys(), {
          issuer: api.url,
          audience: client.id,
        });
        assert.equal(protectedHeader.alg, alg ?? 'RS256');
        assert.equal(payload.state, 'one');
        assert.equal(typeof payload.code, 'string');
        assert.ok(payload.exp! - now() <= 120);
      }
    }
  });

  it('sign refusals, too', async () => {
    const client = await KeyedClient.make(api);
    const asked = { client_id: client.id, ...PLAIN, response_mode: 'jwt', prompt: 'none' };
    const target = new URL(await sentTo(api, asked));
    assert.deepEqual([...target.searchParams.keys()], ['response']);
    const { payload } = await jwtVerify(target.searchParams.get('response')!, keys(), { issuer: api.url, audience: client.id });
    assert.equal(payload.error, 'login_required');
  });

  it('of introspection are for the client that asks, if it asks for them', async () => {
    const SIGNED = 'application/token-introspection+jwt';
    for (const alg of [undefined, 'RS256', 'ES256', 'EdDSA']) {
      const client = await KeyedClient.make(api, alg ? { introspection_signed_response_alg: alg } : {});
      const { access_token: token } = assertOk(await client.token());
      for (const [asked, active] of [
        [token, true],
        ['unknown', false],
      ] as const) {
        const response = await fetch(`${api.url}/openid/introspect`, {
          method: 'POST',
          headers: { Accept: SIGNED },
          body: new URLSearchParams({ token: asked, ...(await client.proof()) }),
        });
        assert.match(response.headers.get('content-type') ?? '', /^application\/token-introspection\+jwt/);
        const { payload, protectedHeader } = await jwtVerify(await response.text(), keys(), {
          issuer: api.url,
          audience: client.id,
          typ: 'token-introspection+jwt',
        });
        assert.equal(protectedHeader.alg, alg ?? 'RS256');
        assert.equal((payload.token_introspection as { active: boolean }).active, active);
        assert.deepEqual([payload.sub, payload.exp], [undefined, undefined], 'it is no token');
      }
      assert.equal((await client.send('/openid/introspect', { token, ...(await client.proof()) })).body.active, true);
    }
  });

  it('are in the metadata', async () => {
    const { body } = await api.get('/.well-known/openid-configuration');
    for (const mode of ['jwt', 'query.jwt', 'fragment.jwt', 'form_post.jwt'])
      assert.ok(body.response_modes_supported.includes(mode));
    assert.deepEqual(body.authorization_signing_alg_values_supported, ['RS256', 'ES256', 'EdDSA']);
    assert.deepEqual(body.introspection_signing_alg_values_supported, ['RS256', 'ES256', 'EdDSA']);
    for (const name of ['request_object_signing_alg_values_supported', 'token_endpoint_auth_signing_alg_values_supported'])
      assert.deepEqual(body[name], ['PS256', 'ES256', 'EdDSA', 'ES384', 'RS256'], name);
  });
});
