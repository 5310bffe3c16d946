// Every line of the description of the provider is tried: what it says is so, and what it does not offer is refused. A line without a trial
// fails, so that nobody announces what was not looked at.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import * as client from 'openid-client';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeApi } from '../../../../test/support/apis.ts';
import { KeyedClient } from '../../../../test/support/keyed-client.ts';
import { CALLBACK, makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { Asker, CIBA } from '../../../../test/support/sign-in-requests.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

onUsualDatabase('What the provider says of itself', (api) => {
  type Metadata = Record<string, any>;
  const metadata = async (): Promise<Metadata> => (await api.get('/.well-known/openid-configuration', { token: null })).body;
  const ask = async (more: Record<string, string>, values: Record<string, unknown> = {}) => {
    const party = await RelyingParty.make(api, values);
    const { url } = await party.ask(more);
    return { party, page: await new TestBrowser(api).go(url) };
  };
  const errorOf = async (more: Record<string, string>, values: Record<string, unknown> = {}): Promise<string | null> => {
    const { page } = await ask(more, values);
    return page.redirectTarget?.searchParams.get('error') ?? null;
  };
  const post = (url: string, body: Record<string, string>, headers: Record<string, string> = {}) =>
    fetch(url, { method: 'POST', body: new URLSearchParams(body), headers });
  const jsonOf = async (answer: Response): Promise<any> => answer.json();
  const basic = ({ application: { id, secret } }: RelyingParty) => ({
    Authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
  });
  const inBody = ({ application: { id, secret } }: RelyingParty) => ({ client_id: id, client_secret: secret });
  /** An application with a key. */
  async function keyedParty(alg = 'ES256') {
    const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
    const about = { kid: 'one', use: 'sig', alg };
    const values = {
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [{ ...(await exportJWK(publicKey)), ...about }] },
    };
    const key = { key: privateKey, kid: 'one' };
    return { party: await RelyingParty.make(api, values, client.PrivateKeyJwt(key)), key, alg };
  }
  async function assertionOf({ party, key, alg }: Awaited<ReturnType<typeof keyedParty>>) {
    const { id } = party.application;
    const jwt = new SignJWT({}).setProtectedHeader({ alg, kid: 'one' }).setIssuer(id).setSubject(id).setAudience(api.url);
    const client_assertion = await jwt.setJti(uniqueName('jti')).setIssuedAt().setExpirationTime('1m').sign(key.key);
    return { client_id: id, client_assertion, client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer' };
  }
  /** Each algorithm is good for a client that proves itself at an endpoint. */
  async function signsBy(url: string, algorithms: string[], body: Record<string, string>): Promise<void> {
    for (const alg of algorithms) {
      const answer = await post(url, { ...body, ...(await assertionOf(await keyedParty(alg))) });
      assert.notEqual(answer.status, 401, alg);
    }
    assert.ok(!algorithms.some((alg) => alg === 'none' || alg.startsWith('HS')));
  }
  /** Whether an endpoint knows who asks, by each of the methods that it announces, and by no other secret. */
  async function authenticates(url: string, methods: string[], body: Record<string, string>): Promise<void> {
    assert.deepEqual([...methods].sort(), ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt']);
    const statusOf = async (more: Record<string, string>, headers: Record<string, string> = {}): Promise<number> =>
      (await post(url, { ...body, ...more }, headers)).status;
    const byHeader = await RelyingParty.make(api);
    const byBody = await RelyingParty.make(api, { token_endpoint_auth_method: 'client_secret_post' });
    const open = await RelyingParty.make(api, { client_type: 'public' });
    const keyed = await keyedParty();
    const assertion = await assertionOf(keyed);
    assert.notEqual(await statusOf(assertion), 401, 'private_key_jwt');
    assert.equal(await statusOf({ ...assertion, client_assertion: `${assertion.client_assertion}x` }), 401);
    assert.notEqual(await statusOf({}, basic(byHeader)), 401, 'client_secret_basic');
    assert.notEqual(await statusOf(inBody(byBody)), 401, 'client_secret_post');
    assert.notEqual(await statusOf({ client_id: open.application.id }), 401, 'none');
    assert.equal(await statusOf({ client_id: byHeader.application.id, client_secret: 'guessed' }), 401);
    assert.equal(await statusOf({ client_id: byHeader.application.id }), 401, 'none, by one that has a secret');
  }

  const pages = (url: string): Promise<Response> => fetch(url, { redirect: 'manual', headers: { Accept: 'text/html' } });
  /** By the name of the line. */
  const TRIALS: Readonly<Record<string, (value: any, all: Metadata) => Promise<void> | void>> = {
    issuer: (value) => assert.equal(value, api.url),
    authorization_endpoint: async (value) => assert.equal((await pages(value)).status, 400),
    authorization_response_iss_parameter_supported: async (value) => {
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      const answered = redirectTargetOf(await new TestBrowser(api).signIn((await party.ask()).url, person));
      assert.equal(answered.searchParams.get('iss') === api.url, value);
    },
    token_endpoint: async (value) => assert.equal((await post(value, {})).status, 400),
    userinfo_endpoint: async (value) => assert.equal((await fetch(value)).status, 401),
    jwks_uri: async (value) => assert.equal((await jsonOf(await fetch(value))).keys.length, 3),
    end_session_endpoint: async (value) => assert.equal((await pages(value)).status, 200),
    introspection_endpoint: async (value) => assert.equal((await post(value, { token: 'x' })).status, 401),
    revocation_endpoint: async (value) => assert.equal((await post(value, { token: 'x' })).status, 400),
    backchannel_authentication_endpoint: async (value) => assert.equal((await post(value, {})).status, 400),
    backchannel_token_delivery_modes_supported: async (values: string[]) => {
      assert.deepEqual(values, ['poll', 'ping']);
      for (const mode of [...values, 'push']) {
        const asked = { allowed_grant_types: [CIBA], backchannel_token_delivery_mode: mode };
        const consumer = {
          ...asked,
          name: uniqueName('asker'),
          backchannel_client_notification_endpoint: 'https://app.example.org/told',
        };
        const { status } = await api.post('/v3/OS-OAUTH2/consumers', { consumer });
        assert.equal(status, values.includes(mode) ? 200 : 400, mode);
      }
    },
    backchannel_user_code_parameter_supported: async (value) => {
      const asker = await Asker.make(api, { backchannel_user_code_parameter: true });
      assert.equal((await asker.ask({ login_hint: 'somebody', user_code: 'code1234' })).status === 200, value);
    },
    backchannel_authentication_request_signing_alg_values_supported: async (values: string[]) => {
      for (const alg of values) {
        const asked = { redirect_uris: [], allowed_grant_types: [CIBA], backchannel_authentication_request_signing_alg: alg };
        const client = await KeyedClient.make(api, asked, alg);
        const nbf = Math.floor(Date.now() / 1000);
        const request = await client.assertion({ claims: { sub: undefined, nbf, scope: 'openid', login_hint: 'somebody' } });
        const answer = await client.send('/openid/backchannel', { ...(await client.proof()), request });
        assert.equal(answer.status, 200, `${alg} ${answer.text}`);
      }
    },
    device_authorization_endpoint: async (value) => assert.equal((await post(value, {})).status, 400),
    pushed_authorization_request_endpoint: async (value) => {
      const party = await RelyingParty.make(api);
      const { parameters } = await party.parameters();
      const body = { ...parameters, client_id: party.application.id, response_type: 'code' } as Record<string, string>;
      const answer = await post(value, body, basic(party));
      assert.equal(answer.status, 201);
      assert.match((await jsonOf(answer)).request_uri, /^urn:ietf:params:oauth:request_uri:/);
    },
    service_documentation: async (value) => assert.equal((await pages(value)).status, 200),

    acr_values_supported: async (values: string[]) => {
      for (const acr_values of values) assert.equal(await errorOf({ acr_values }), null, acr_values);
    },
    authorization_details_types_supported: async (values: string[]) => {
      assert.deepEqual(values, ['openid_credential']);
      const details = (type: string) => ({
        scope: 'openid',
        authorization_details: JSON.stringify([{ type, credential_configuration_id: 'x' }]),
      });
      assert.equal(await errorOf(details('payment_initiation')), 'invalid_authorization_details');
      assert.equal(await errorOf(details(values[0]!)), 'invalid_authorization_details', 'known as a type, not as a credential');
    },
    backchannel_logout_supported: (value) => assert.equal(value, true, 'conformance/openid/logout.test.ts tries it'),
    backchannel_logout_session_supported: (value) => assert.equal(value, true, 'the same'),
    frontchannel_logout_supported: (value) => assert.equal(value, true, 'front-channel.security.test.ts tries it'),
    frontchannel_logout_session_supported: (value) => assert.equal(value, true, 'the same'),
    claim_types_supported: (value) => assert.deepEqual(value, ['normal']),
    claims_parameter_supported: async (value) => {
      assert.equal(value, true);
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      const tokens = await party.tokensFor(person, { claims: '{"userinfo":{"email":{"essential":true}}}' });
      assert.equal((await party.userInfo(tokens)).email, `${person.name}@example.org`);
      assert.equal(await errorOf({ claims: '[]' }), 'invalid_request');
    },
    claims_supported: async (values: string[], all) => {
      assert.equal(new Set(values).size, values.length);
      const [party, person] = [await RelyingParty.make(api, { id_token_claims: true }), await makeUser(api)];
      const scope = all.scopes_supported.filter((one: string) => one !== 'offline_access').join(' ');
      const tokens = await party.tokensFor(person, { scope, max_age: '1000' });
      const found = [...Object.keys(tokens.claims()!), ...Object.keys(await party.userInfo(tokens))];
      const own = ['aud', 'exp', 'iat', 'nonce', 'at_hash', 'jti'];
      assert.deepEqual(
        found.filter((name) => !values.includes(name) && !own.includes(name)),
        [],
      );
    },
    code_challenge_methods_supported: async (values: string[]) => {
      assert.deepEqual(values, ['S256']);
      assert.equal(await errorOf({}), null);
      assert.equal(await errorOf({ code_challenge_method: 'plain' }), 'invalid_request');
    },
    dpop_signing_alg_values_supported: async (values: string[]) => {
      for (const alg of values.filter((one) => one !== 'EdDSA')) {
        const [party, person] = [await RelyingParty.make(api, { dpop_bound_access_tokens: true }), await makeUser(api)];
        const DPoP = client.getDPoPHandle(party.config, await client.randomDPoPKeyPair(alg));
        const { url, checks } = await party.ask();
        const tokens = await party.redeem(await new TestBrowser(api).signIn(url, person), checks, { DPoP });
        assert.equal(tokens.token_type, 'dpop', alg);
      }
      assert.ok(!values.includes('none') && !values.some((one) => one.startsWith('HS')));
    },
    grant_types_supported: async (values: string[]) => {
      const answers = async (grant_type: string): Promise<string> => {
        const party = await RelyingParty.make(api);
        return (await jsonOf(await post(`${api.url}/openid/token`, { grant_type }, basic(party)))).error ?? 'a token';
      };
      for (const grant of values) assert.notEqual(await answers(grant), 'unsupported_grant_type', grant);
      assert.equal(await answers('urn:example:nothing'), 'unsupported_grant_type');
      assert.ok(!values.includes('implicit'), 'the response types of it are not there');
    },
    id_token_signing_alg_values_supported: async (values: string[]) => {
      assert.ok(values.includes('RS256'));
      const keys = createRemoteJWKSet(new URL(`${api.url}/openid/jwks`));
      for (const alg of values) {
        const [party, person] = [await RelyingParty.make(api, { id_token_signed_response_alg: alg }), await makeUser(api)];
        const { protectedHeader } = await jwtVerify((await party.tokensFor(person)).id_token!, keys);
        assert.equal(protectedHeader.alg, alg);
      }
      for (const alg of ['none', 'HS256', 'PS256', 'ES384']) {
        assert.ok(!values.includes(alg));
        const consumer = { name: 'x', redirect_uris: [CALLBACK], id_token_signed_response_alg: alg };
        assert.equal((await api.post('/v3/OS-OAUTH2/consumers', { consumer })).status, 400, alg);
      }
    },
    introspection_endpoint_auth_methods_supported: (values, all) =>
      authenticates(all.introspection_endpoint, values, { token: 'x' }),
    'pre-authorized_grant_anonymous_access_supported': async (value) => {
      assert.equal(value, true);
      const grant_type = 'urn:ietf:params:oauth:grant-type:pre-authorized_code';
      const answer = await post(`${api.url}/openid/token`, { grant_type, 'pre-authorized_code': 'guessed' });
      assert.equal((await jsonOf(answer)).error, 'invalid_grant', 'the code is refused, and not the wallet');
    },
    request_parameter_supported: async (value) => {
      assert.equal(value, true);
      assert.equal(await errorOf({ request: 'e30.e30.' }), 'invalid_request_object', 'one that is not signed');
    },
    request_object_signing_alg_values_supported: async (values: string[]) => {
      for (const alg of values) {
        const { party, key } = await keyedParty(alg);
        const { id: client_id } = party.application;
        const { parameters } = await party.parameters();
        // Not by openid-client, which calls EdDSA `Ed25519`.
        const request = await new SignJWT({ ...parameters, client_id, response_type: 'code' })
          .setProtectedHeader({ alg, kid: key.kid, typ: 'oauth-authz-req+jwt' })
          .setIssuer(client_id)
          .setAudience(api.url)
          .setExpirationTime('1m')
          .sign(key.key);
        const page = await new TestBrowser(api).go(`/openid/authorize?${new URLSearchParams({ client_id, request })}`);
        assert.equal(stepOf(page), 'password', `${alg} ${page.redirectTarget} ${page.text}`);
      }
    },
    authorization_signing_alg_values_supported: (values: string[]) =>
      assert.ok(values.includes('RS256') && !values.includes('none'), 'conformance/openid and security-profiles try them'),
    introspection_signing_alg_values_supported: async (values: string[], all) => {
      const party = await RelyingParty.make(api);
      const headers = { ...basic(party), Accept: 'application/token-introspection+jwt' };
      const jwt = await (await post(all.introspection_endpoint, { token: 'x' }, headers)).text();
      const { protectedHeader } = await jwtVerify(jwt, createRemoteJWKSet(new URL(`${api.url}/openid/jwks`)));
      assert.ok(values.includes(protectedHeader.alg));
    },
    introspection_endpoint_auth_signing_alg_values_supported: (values, all) =>
      signsBy(all.introspection_endpoint, values, { token: 'x' }),
    revocation_endpoint_auth_signing_alg_values_supported: (values, all) =>
      signsBy(all.revocation_endpoint, values, { token: 'x' }),
    token_endpoint_auth_signing_alg_values_supported: (values, all) =>
      signsBy(all.token_endpoint, values, { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK }),
    request_uri_parameter_supported: async (value) => {
      assert.equal(value, false);
      assert.equal(await errorOf({ request_uri: 'https://app.example.org/request' }), 'request_uri_not_supported');
    },
    response_modes_supported: async (values: string[]) => {
      const [plain, signed] = [false, true].map((isSigned) => values.filter((mode) => mode.includes('jwt') === isSigned).sort());
      assert.deepEqual(plain, ['form_post', 'fragment', 'query']);
      assert.deepEqual(signed, ['form_post.jwt', 'fragment.jwt', 'jwt', 'query.jwt']);
      for (const response_mode of signed!) {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const page = await new TestBrowser(api).signIn((await party.ask({ response_mode })).url, person);
        const answered =
          page.forms[0]?.fields.response ?? new URL(redirectTargetOf(page).href.replace('#', '?')).searchParams.get('response');
        const { payload } = await jwtVerify(answered!, createRemoteJWKSet(new URL(`${api.url}/openid/jwks`)));
        assert.deepEqual([payload.aud, typeof payload.code], [party.application.id, 'string'], response_mode);
      }
      for (const response_mode of plain!) {
        const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
        const { url, checks } = await party.ask({ response_mode });
        const page = await new TestBrowser(api).signIn(url, person);
        const answered =
          response_mode === 'form_post'
            ? new Request(CALLBACK, { method: 'POST', body: new URLSearchParams({ ...page.forms[0]!.fields }) })
            : new URL(redirectTargetOf(page).href.replace('#', '?'));
        const tokens = await client.authorizationCodeGrant(party.config, answered, checks);
        assert.equal(tokens.claims()!.sub, person.id, response_mode);
      }
      const { page } = await ask({ response_mode: 'web_message' });
      assert.match(page.text + String(page.redirectTarget), /unsupported_response_mode/);
    },
    response_types_supported: async (values: string[]) => {
      assert.deepEqual(values, ['code']);
      for (const response_type of ['token', 'id_token', 'code id_token', 'code token', 'code id_token token', 'id_token token']) {
        const { page } = await ask({ response_type });
        assert.match(page.text + String(page.redirectTarget), /unsupported_response_type|invalid_request/, response_type);
        assert.doesNotMatch(String(page.redirectTarget), /[#?&](code|access_token|id_token)=/);
      }
    },
    revocation_endpoint_auth_methods_supported: (values, all) => authenticates(all.revocation_endpoint, values, { token: 'x' }),
    scopes_supported: async (values: string[]) => {
      for (const scope of values) assert.equal(await errorOf({ scope: `openid ${scope}` }), null, scope);
    },
    subject_types_supported: async (values) => {
      assert.deepEqual(values, ['public']);
      const person = await makeUser(api);
      const parties = [await RelyingParty.make(api), await RelyingParty.make(api)];
      for (const party of parties) assert.equal((await party.tokensFor(person)).claims()!.sub, person.id);
    },
    token_endpoint_auth_methods_supported: (values, all) =>
      authenticates(all.token_endpoint, values, { grant_type: 'authorization_code', code: 'x', redirect_uri: CALLBACK }),
    ui_locales_supported: async (values: string[]) => {
      for (const ui_locales of values)
        assert.equal(/<html lang="([^"]+)"/.exec((await ask({ ui_locales })).page.text)?.[1], ui_locales);
    },
  };

  it('has a trial for every line', async () =>
    assert.deepEqual(Object.keys(TRIALS).sort(), Object.keys(await metadata()).sort()));

  describe('is so', () => {
    for (const [name, attempt] of Object.entries(TRIALS))
      it(name, async () => {
        const all = await metadata();
        await attempt(all[name], all);
      });
  });

  describe('of a request without a scope', () => {
    const NOTHING = [{}, { scope: '' }, { scope: 'address phone' }, { scope: 'OPENID' }];
    const withoutScope = (url: URL, { scope }: { scope?: string }): URL => {
      scope === undefined ? url.searchParams.delete('scope') : url.searchParams.set('scope', scope);
      // They need `openid`, and are refused for that otherwise.
      url.searchParams.delete('nonce');
      return url;
    };

    it('refuses it with a reason, before anybody is asked for a password', async () => {
      for (const nothing of NOTHING) {
        const party = await RelyingParty.make(api);
        const browser = new TestBrowser(api);
        const answered = redirectTargetOf(await browser.go(withoutScope((await party.ask()).url, nothing)));
        assert.equal(answered.searchParams.get('error'), 'invalid_scope', JSON.stringify(nothing));
        assert.match(answered.searchParams.get('error_description')!, /no scope that is known here; there are openid, /);
        assert.deepEqual(
          browser.seen.map((page) => stepOf(page)),
          [undefined],
        );
      }
    });

    it('refuses it when it is pushed, and from a device', async () => {
      for (const nothing of NOTHING) {
        const party = await RelyingParty.make(api);
        const url = withoutScope((await party.ask()).url, nothing);
        for (const path of ['/openid/par', '/openid/device/authorize']) {
          const answer = await post(`${api.url}${path}`, Object.fromEntries(url.searchParams), basic(party));
          assert.deepEqual([answer.status, (await jsonOf(answer)).error], [400, 'invalid_scope'], path);
        }
      }
    });

    it('goes on with one that is known among others', async () => {
      const person = await makeUser(api);
      const party = await RelyingParty.make(api);
      assert.equal((await party.tokensFor(person, { scope: 'address openid' })).claims()!.sub, person.id);
      const { url } = await party.ask();
      const page = await new TestBrowser(api).signIn(withoutScope(url, { scope: 'email phone' }), person);
      assert.ok(redirectTargetOf(page).searchParams.get('code'));
    });

    it('refuses one for an API that has none of them, too, and takes those of the API', async () => {
      const { identifier } = await makeApi(api, { scopes: [{ name: 'papers:read', description: 'Read papers' }] });
      for (const [scope, expected] of [
        ['papers:write', 'invalid_scope'],
        ['papers:read', null],
      ] as const) {
        const party = await RelyingParty.make(api);
        const url = withoutScope((await party.ask({ resource: identifier })).url, { scope });
        const page = await new TestBrowser(api).go(url);
        assert.equal(page.redirectTarget?.searchParams.get('error') ?? null, expected, scope);
      }
    });
  });

  it('is the same line for line where OAuth looks for it', async () => {
    const { body } = await api.get('/.well-known/oauth-authorization-server', { token: null });
    assert.deepEqual(body, await metadata());
  });
});
