// Applications with a security profile (FAPI 2.0): nothing weaker works for them, one thing weaker at a time, at every way in.
import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { it } from 'node:test';
import { createRemoteJWKSet, exportJWK, importJWK, jwtVerify, SignJWT } from 'jose';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { ASSERTION_TYPE, type ClientKeyPair, KeyedClient, makeKey } from '../../../../test/support/keyed-client.ts';
import { AUTHORIZE, basic, informationOf, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { CALLBACK, makeUser } from '../../../../test/support/relying-party.ts';
import { redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const CONSUMERS = '/v3/OS-OAUTH2/consumers';
const FAPI = { security_profile: 'fapi2', dpop_bound_access_tokens: true };
const SIGNING = { ...FAPI, security_profile: 'fapi2-message-signing' };
const now = (): number => Math.floor(Date.now() / 1000);

/** An application with a profile, which does as the profile says unless a test wants otherwise. */
class ProfiledClient extends KeyedClient {
  readonly verifier = randomBytes(32).toString('base64url');
  proofKey!: ClientKeyPair;

  static async start(api: TestApi, values: Record<string, unknown> = FAPI, alg = 'ES256'): Promise<ProfiledClient> {
    const { id, secret, key } = await KeyedClient.make(api, values, alg);
    const client = new ProfiledClient(api, { id, secret }, key);
    client.proofKey = await makeKey('ES256');
    return client;
  }

  get request(): Record<string, string> {
    return {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: CALLBACK,
      scope: 'openid all_info offline_access',
      prompt: 'consent',
      state: 'one',
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
    };
  }

  async dpop(path: string, token?: string, key = this.proofKey): Promise<Record<string, string>> {
    const ath = token === undefined ? {} : { ath: createHash('sha256').update(token).digest('base64url') };
    const { kid: _kid, alg: _alg, use: _use, ...jwk } = key.jwk;
    const proof = await new SignJWT({ htm: 'POST', htu: `${this.api.url}${path}`, jti: randomUUID(), ...ath })
      .setProtectedHeader({ alg: key.alg, typ: 'dpop+jwt', jwk })
      .setIssuedAt()
      .sign(key.privateKey);
    return { DPoP: proof };
  }

  async push(more: Record<string, string | undefined> = {}): Promise<ApiAnswer> {
    const all = { ...this.request, ...(await this.proof()), ...more };
    return this.send('/openid/par', Object.fromEntries(Object.entries(all).filter((one): one is [string, string] => !!one[1])));
  }

  async signed(more: Record<string, unknown> = {}, header: Record<string, unknown> = {}, key = this.key): Promise<string> {
    const claims = {
      iss: this.id,
      aud: this.api.url,
      nbf: now(),
      exp: now() + 300,
      response_mode: 'jwt',
      ...this.request,
      ...more,
    };
    return new SignJWT(claims).setProtectedHeader({ alg: key.alg, kid: key.jwk.kid, ...header } as never).sign(key.privateKey);
  }

  authorizeUrl(uri: string): URL {
    return new URL(`${this.api.url}/openid/authorize?${new URLSearchParams({ client_id: this.id, request_uri: uri })}`);
  }

  /** A code of somebody who signs in, from the parameters that the application has pushed. */
  async code(pushed: ApiAnswer): Promise<URL> {
    const url = this.authorizeUrl(assertOk(pushed, 201).request_uri);
    return redirectTargetOf(await new TestBrowser(this.api).signIn(url, await makeUser(this.api)));
  }

  async redeem(code: string, headers?: Record<string, string>, more: Record<string, string> = {}): Promise<ApiAnswer> {
    const form = { grant_type: 'authorization_code', code, redirect_uri: CALLBACK, code_verifier: this.verifier };
    const own = headers ?? (await this.dpop('/openid/token'));
    return this.send('/openid/token', { ...form, ...(await this.proof()), ...more }, own);
  }
}

const refusedAs = (answer: ApiAnswer, ...errors: string[]): void => {
  assert.ok([400, 401].includes(answer.status), answer.text);
  assert.ok(errors.includes(answer.body.error), answer.text);
};

onUsualDatabase('An application with the profile fapi2', (api) => {
  it('signs people in, and refreshes without a new refresh token', async () => {
    for (const alg of ['PS256', 'ES256', 'EdDSA']) {
      const client = await ProfiledClient.start(api, FAPI, alg);
      const target = await client.code(await client.push());
      assert.equal(target.searchParams.get('iss'), api.url);
      const tokens = assertOk(await client.redeem(target.searchParams.get('code')!));
      assert.equal(tokens.token_type, 'DPoP');
      const { protectedHeader } = await jwtVerify(tokens.id_token, createRemoteJWKSet(new URL(`${api.url}/openid/jwks`)));
      assert.equal(protectedHeader.alg, 'ES256');
      for (let at = 0; at < 2; at++) {
        const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...(await client.proof()) };
        const next = assertOk(await client.send('/openid/token', form, await client.dpop('/openid/token')));
        assert.equal(next.refresh_token, tokens.refresh_token, 'the same one, so that no answer can be lost');
      }
      const token = tokens.access_token;
      assert.deepEqual([(await informationOf(api, token)).status, (await logInByAccessToken(api, token)).status], [404, 401]);
    }
  });

  it('begins no sign-in in the browser', async () => {
    const client = await ProfiledClient.start(api);
    for (const more of [{}, { request: await client.signed() }]) {
      const url = `${api.url}/openid/authorize?${new URLSearchParams({ ...client.request, ...more })}`;
      const { headers } = await fetch(url, { redirect: 'manual' });
      assert.ok(!headers.get('location')?.includes('/interaction/'), String(headers.get('location')));
      assert.equal(new URL(headers.get('location') ?? api.url).searchParams.get('code'), null);
    }
  });

  const WEAKER: Readonly<Record<string, Record<string, string | undefined>>> = {
    'no PKCE': { code_challenge: undefined, code_challenge_method: undefined },
    'PKCE in plain': { code_challenge_method: 'plain' },
    'PKCE without a method': { code_challenge_method: undefined },
    'no redirect address': { redirect_uri: undefined },
    'another redirect address': { redirect_uri: 'https://evil.example.org/callback' },
    'a token in the address': { response_type: 'token' },
    'an ID token in the address': { response_type: 'code id_token' },
  };
  for (const [what, more] of Object.entries(WEAKER))
    it(`pushes no request with ${what}`, async () => {
      const answer = await (await ProfiledClient.start(api)).push(more);
      assert.ok([400, 401].includes(answer.status), answer.text);
    });

  it('proves itself as the profile says, and in no other way', async () => {
    const client = await ProfiledClient.start(api);
    const dpop = () => client.dpop('/openid/token');
    const form = { grant_type: 'client_credentials' };
    assertOk(await client.send('/openid/token', { ...form, ...(await client.proof()) }, await dpop()));
    for (const aud of [`${api.url}/openid/token`, [api.url], [api.url, `${api.url}/openid/token`]]) {
      const proof = await client.proof({ claims: { aud } });
      refusedAs(await client.send('/openid/token', { ...form, ...proof }, await dpop()), 'invalid_client');
      refusedAs(await client.push(proof), 'invalid_client');
    }
    const secret = { client_id: client.id, client_secret: client.secret };
    refusedAs(await client.send('/openid/token', { ...form, ...secret }, await dpop()), 'invalid_client');
    refusedAs(await client.send('/openid/token', form, { ...(await dpop()), Authorization: basic(client) }), 'invalid_client');
    refusedAs(await client.send('/openid/token', { ...form, client_id: client.id }, await dpop()), 'invalid_client');
    const rsa = await ProfiledClient.start(api, FAPI, 'PS256');
    const { alg: _alg, ...open } = rsa.key.jwk;
    assertOk(await api.patch(`${CONSUMERS}/${rsa.id}`, { consumer: { jwks: { keys: [open] } } }));
    const sameKey = await importJWK(await exportJWK(rsa.key.privateKey), 'RS256');
    const weak = await new SignJWT({ iss: rsa.id, sub: rsa.id, aud: api.url, exp: now() + 60, jti: randomUUID() })
      .setProtectedHeader({ alg: 'RS256', kid: open.kid! })
      .sign(sameKey);
    const sent = { client_assertion: weak, client_assertion_type: ASSERTION_TYPE };
    refusedAs(await rsa.send('/openid/token', { ...form, ...sent }, await rsa.dpop('/openid/token')), 'invalid_client');
    assertOk(await rsa.send('/openid/token', { ...form, ...(await rsa.proof()) }, await rsa.dpop('/openid/token')));
  });

  it('gets no token that is not bound, nor by a weaker proof', async () => {
    const client = await ProfiledClient.start(api);
    const code = async () => (await client.code(await client.push())).searchParams.get('code')!;
    refusedAs(await client.redeem(await code(), {}), 'invalid_grant', 'invalid_dpop_proof', 'invalid_request');
    const rsa = await makeKey('RS256');
    const weak = await client.dpop('/openid/token', undefined, rsa);
    refusedAs(await client.redeem(await code(), weak), 'invalid_dpop_proof');
    refusedAs(await client.redeem(await code(), undefined, { code_verifier: 'x'.repeat(43) }), 'invalid_grant');
    refusedAs(await client.redeem(await code(), undefined, { redirect_uri: `${CALLBACK}/other` }), 'invalid_grant');
    const own = { grant_type: 'client_credentials', ...(await client.proof()) };
    refusedAs(await client.send('/openid/token', own), 'invalid_grant', 'invalid_dpop_proof');
    const again = await code();
    assertOk(await client.redeem(again));
    refusedAs(await client.redeem(again), 'invalid_grant');
  });

  it('gets codes that are good for a minute', async () => {
    const client = await ProfiledClient.start(api);
    const code = (await client.code(await client.push())).searchParams.get('code')!;
    api.clock.advance(61);
    const proof = await client.proof({ claims: { iat: now() + 61, exp: now() + 121 } });
    refusedAs(await client.redeem(code, undefined, proof), 'invalid_grant');
  });
});

onUsualDatabase('The ways past a profile', (api) => {
  it('are closed: passwords, devices, offers, and the calls of Keyrock', async () => {
    const client = await ProfiledClient.start(api);
    const { token, user, password } = await makePerson(api);
    for (const path of ['/openid/token', '/v3/OS-OAUTH2/access_token']) {
      const dpop = await client.dpop(path);
      for (const form of [
        { grant_type: 'password', username: user.name, password, scope: 'all_info' },
        { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'x' },
        { grant_type: 'urn:ietf:params:oauth:grant-type:pre-authorized_code', 'pre-authorized_code': 'x' },
        { grant_type: 'implicit' },
      ] as Record<string, string>[])
        refusedAs(
          await client.send(path, { ...form, ...(await client.proof()) }, dpop),
          'invalid_request',
          'unauthorized_client',
          'unsupported_grant_type',
        );
    }
    const device = await client.send('/openid/device/authorize', { scope: 'openid', ...(await client.proof()) });
    refusedAs(device, 'invalid_request', 'unauthorized_client');
    for (const type of ['code', 'token']) {
      const query = new URLSearchParams({ response_type: type, client_id: client.id, redirect_uri: CALLBACK });
      assertRefused(await api.get(`${AUTHORIZE}?${query}`, { token }), 400);
    }
    const own = { grant_type: 'client_credentials', ...(await client.proof()) };
    refusedAs(await client.send('/v3/OS-OAUTH2/access_token', own), 'invalid_grant', 'invalid_dpop_proof');
  });

  it('are not registered: what is weaker is refused, and what is needed cannot be taken away', async () => {
    const { jwk } = await makeKey();
    const good = {
      ...FAPI,
      redirect_uris: [CALLBACK],
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [jwk] },
    };
    const create = (values: Record<string, unknown>) => api.post(CONSUMERS, { consumer: { name: uniqueName('app'), ...values } });
    assertOk(await create(good));
    const weaker: Record<string, unknown>[] = [
      { security_profile: 'fapi1' },
      { client_type: 'public' },
      { token_endpoint_auth_method: 'client_secret_basic' },
      { token_endpoint_auth_method: null },
      { dpop_bound_access_tokens: null },
      { dpop_bound_access_tokens: false },
      { jwks: null },
      { id_token_signed_response_alg: 'RS256' },
      { authorization_signed_response_alg: 'RS256' },
      { introspection_signed_response_alg: 'RS256' },
      { token_endpoint_auth_signing_alg: 'RS256' },
      { token_endpoint_auth_signing_alg: 'ES384' },
      { request_object_signing_alg: 'RS256' },
      { allowed_grant_types: ['authorization_code', 'password'] },
      { allowed_grant_types: ['implicit'] },
      { grant_type: 'password' },
      { grant_type: 'implicit' },
      { redirect_uris: ['http://app.example.org/callback'] },
      { redirect_uris: ['app:/callback'] },
      { redirect_uris: ['http://localhost/callback'] },
    ];
    const registered = assertOk(await create(good)).consumer;
    for (const values of weaker) {
      assertRefused(await create({ ...good, ...values }), 400);
      assertRefused(await api.patch(`${CONSUMERS}/${registered.id}`, { consumer: values }), 400);
    }
    const certified = { ...SIGNING, token_endpoint_auth_method: 'tls_client_auth', tls_client_auth_san_dns: 'app.example.org' };
    assertRefused(await create({ redirect_uris: [CALLBACK], ...certified }), 400, /jwks/);
  });

  it('end with what was got in them, when the profile is set', async () => {
    const client = await ProfiledClient.start(api, {});
    const person = await makeUser(api);
    const url = new URL(`${api.url}/openid/authorize?${new URLSearchParams({ ...client.request })}`);
    const code = redirectTargetOf(await new TestBrowser(api).signIn(url, person)).searchParams.get('code')!;
    const tokens = assertOk(await client.redeem(code, {}));
    assert.equal((await informationOf(api, tokens.access_token)).status, 200);
    // Begun before, finished after.
    const plain = { ...client.request, code_challenge: '', code_challenge_method: '' };
    const weak = new URL(
      `${api.url}/openid/authorize?${new URLSearchParams(Object.entries(plain).filter(([, value]) => value !== ''))}`,
    );
    const browser = new TestBrowser(api);
    const page = await browser.go(weak);
    assertOk(await api.patch(`${CONSUMERS}/${client.id}`, { consumer: FAPI }));
    assert.equal((await informationOf(api, tokens.access_token)).status, 404);
    const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, ...(await client.proof()) };
    refusedAs(await client.send('/openid/token', refresh, await client.dpop('/openid/token')), 'invalid_grant');
    const after = await browser.submit(page, 'password', { name: person.name, password: person.password });
    assert.equal(after.redirectTarget?.searchParams.get('error'), 'invalid_request', 'no PKCE');
    assert.equal(after.redirectTarget?.searchParams.get('code') ?? null, null);
  });
});

onUsualDatabase('An application with the profile fapi2-message-signing', (api) => {
  const keys = () => createRemoteJWKSet(new URL(`${api.url}/openid/jwks`));

  it('signs people in by signed requests and answers, and asks about tokens in the same way', async () => {
    const client = await ProfiledClient.start(api, SIGNING);
    const pushed = await client.send('/openid/par', {
      client_id: client.id,
      request: await client.signed(),
      ...(await client.proof()),
    });
    const target = await client.code(pushed);
    assert.deepEqual([...target.searchParams.keys()], ['response']);
    const { payload, protectedHeader } = await jwtVerify(target.searchParams.get('response')!, keys(), {
      issuer: api.url,
      audience: client.id,
    });
    assert.equal(protectedHeader.alg, 'ES256');
    const { access_token: token } = assertOk(await client.redeem(String(payload.code)));
    const ask = async (accept: Record<string, string>) =>
      fetch(`${api.url}/openid/introspect`, {
        method: 'POST',
        headers: accept,
        body: new URLSearchParams({ token, ...(await client.proof()) }),
      });
    const unsigned = await ask({ Accept: 'application/json' });
    assert.equal(unsigned.status, 400);
    assert.doesNotMatch(await unsigned.text(), /active/);
    const answer = await ask({ Accept: 'application/token-introspection+jwt' });
    const told = await jwtVerify(await answer.text(), keys(), { issuer: api.url, audience: client.id });
    assert.equal(told.protectedHeader.alg, 'ES256');
    assert.equal((told.payload.token_introspection as { active: boolean }).active, true);
  });

  const WEAKER: Readonly<Record<string, (client: ProfiledClient) => Promise<Record<string, string>>>> = {
    'a request that is not signed': async (client) => ({ ...client.request, response_mode: 'jwt' }),
    'a request without nbf': async (client) => ({ request: await client.signed({ nbf: undefined }) }),
    'a request without exp': async (client) => ({ request: await client.signed({ exp: undefined }) }),
    'a request that is good for two hours': async (client) => ({ request: await client.signed({ exp: now() + 7200 }) }),
    'a request of two hours ago': async (client) => ({
      request: await client.signed({ nbf: now() - 7200, exp: now() - 3610 }),
    }),
    'an old request that is good for long': async (client) => ({
      request: await client.signed({ nbf: now() - 7200, exp: now() + 60 }),
    }),
    'an answer that is not signed': async (client) => ({ request: await client.signed({ response_mode: undefined }) }),
    'an answer in the query': async (client) => ({ request: await client.signed({ response_mode: 'query' }) }),
    'an answer in a form': async (client) => ({ request: await client.signed({ response_mode: 'form_post' }) }),
    'no PKCE': async (client) => ({
      request: await client.signed({ code_challenge: undefined, code_challenge_method: undefined }),
    }),
    'the key of somebody else': async (client) => ({
      request: await client.signed({}, {}, await makeKey('ES256', client.key.jwk.kid)),
    }),
  };
  for (const [what, weaker] of Object.entries(WEAKER))
    it(`pushes nothing with ${what}`, async () => {
      const client = await ProfiledClient.start(api, SIGNING);
      const answer = await client.send('/openid/par', {
        client_id: client.id,
        ...(await weaker(client)),
        ...(await client.proof()),
      });
      assert.equal(answer.status, 400, answer.text);
    });
});
