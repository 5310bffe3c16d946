// How the service is a client of other providers: by a key of its own, with pushed requests, bound tokens and the rules of FAPI 2.0. First at a provider that checks
// all of it (our own, by another library), then at hostile ones, one thing wrong at a time.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  calculateJwkThumbprint,
  createLocalJWKSet,
  decodeJwt,
  decodeProtectedHeader,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
  jwtVerify,
  SignJWT,
} from 'jose';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { buttonOf, connectProvider, ROOT, Traveller } from '../../../../test/support/federation.ts';
import { ScriptedProvider } from '../../../../test/support/plain-provider-scripted.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const WELCOME = ['allow', 'provider-new', 'provider-link'];
/** In, or asked which account is theirs: the provider was believed. */
const isBelieved = (page: BrowserPage): boolean => page.redirectTarget !== undefined || WELCOME.includes(stepOf(page) ?? '');
const FAPI = { profile: 'fapi2' };

onUsualDatabase('The service as a client', (api) => {
  let application: RelyingParty;
  before(async () => {
    application = await RelyingParty.make(api);
  });

  const publishedAt = async (id: string): Promise<JSONWebKeySet> =>
    (await (await fetch(`${api.url}/openid/providers/${id}/jwks`)).json()) as JSONWebKeySet;
  const settingsOf = (id: string): string => `${ROOT}/identity_providers/${id}/openid`;

  describe('at a provider that checks everything', () => {
    /** The provider is this service, and so is its application. */
    async function connected(settings: Record<string, unknown>, registration: Record<string, unknown>): Promise<string> {
      const id = uniqueName('own');
      const client = await makeApplication(api, {
        redirect_uris: [`${api.url}/openid/providers/${id}/callback`],
      });
      await connectProvider(api, { issuer: api.url, clientId: client.id, clientSecret: client.secret }, { id, settings });
      const consumer = { token_endpoint_auth_method: 'private_key_jwt', jwks: await publishedAt(id), ...registration };
      assertOk(await api.patch(`/v3/OS-OAUTH2/consumers/${client.id}`, { consumer }));
      return id;
    }

    async function signIn(id: string): Promise<{ page: BrowserPage; asked: URL }> {
      const browser = new TestBrowser(api);
      const { action, ...fields } = buttonOf(await browser.go((await application.ask()).url), id);
      const headers = { Origin: api.url, 'Sec-Fetch-Site': 'same-origin' };
      const left = await browser.request(action!, { method: 'POST', body: new URLSearchParams(fields), headers });
      assert.ok(left.headers.has('location'), left.text);
      const asked = new URL(left.headers.get('location')!);
      // Another browser, so that the sessions at the provider and here are not one. It ends where ours goes on.
      const there = await new TestBrowser(api).signIn(asked, await makeUser(api));
      return { page: await browser.go(there.url), asked };
    }

    for (const signing_alg of ['ES256', 'PS256'])
      it(`signs in by the rules of FAPI 2.0 with ${signing_alg}`, async () => {
        const id = await connected({ ...FAPI, signing_alg }, { security_profile: 'fapi2', dpop_bound_access_tokens: true });
        const { page, asked } = await signIn(id);
        assert.deepEqual([...asked.searchParams.keys()].sort(), ['client_id', 'request_uri']);
        assert.ok(isBelieved(page), `${page.url} ${page.text} ${api.logged.slice(-5).join('\n')}`);
      });

    it('signs in with a signed request', async () => {
      const id = await connected({ client_authentication: 'private_key_jwt', request_form: 'signed' }, {});
      const { page, asked } = await signIn(id);
      assert.ok(asked.searchParams.has('request') && !asked.searchParams.has('nonce'));
      assert.ok(isBelieved(page), page.text);
    });
  });

  describe('at a hostile provider', () => {
    const fapi = uniqueName('fapi');
    const keyed = uniqueName('keyed');
    let provider: ScriptedProvider;
    const requests: { path: string; headers: NodeJS.Dict<string | string[]>; fields: URLSearchParams }[] = [];
    const settings = { email_domains: ['example.org'], trusts_email: true };

    before(async () => {
      provider = await new ScriptedProvider().start();
      const { origin } = new URL(provider.issuer);
      provider.metadata = {
        pushed_authorization_request_endpoint: `${origin}/par`,
        userinfo_endpoint: undefined,
        dpop_signing_alg_values_supported: ['ES256'],
        id_token_signing_alg_values_supported: ['ES256', 'RS256'],
      };
      await connectProvider(api, provider, { id: fapi, settings: { ...settings, ...FAPI } });
      await connectProvider(api, provider, {
        id: keyed,
        settings: { ...settings, client_authentication: 'private_key_jwt', request_form: 'signed_by_reference' },
      });
    });
    after(() => provider.stop());

    const noting = (path: string, answer: () => object) =>
      ((request: { headers: NodeJS.Dict<string | string[]> }, fields: URLSearchParams) => {
        requests.push({ path, headers: request.headers, fields });
        return answer();
      }) as ScriptedProvider['scripts'][string];
    const PUSHED = { status: 201, body: { request_uri: 'urn:example:pushed', expires_in: 60 } };
    const par = (answer: object = PUSHED) => ({ '/par': noting('/par', () => answer) });

    interface Attempt {
      readonly scripts?: ScriptedProvider['scripts'];
      readonly tokens?: Record<string, unknown>;
      readonly answer?: Record<string, string>;
      readonly sign?: () => Promise<string>;
    }
    /** What the browser is shown when it left, or when it came back. */
    async function attempt({ scripts = {}, tokens = {}, answer = {}, sign }: Attempt = {}): Promise<BrowserPage> {
      requests.length = 0;
      const sub = uniqueName('anna');
      provider.claims = { sub, preferred_username: sub, email: `${sub}@example.org`, email_verified: true };
      provider.scripts = { ...par(), ...scripts };
      const browser = new TestBrowser(api);
      const { action, ...fields } = buttonOf(await browser.go((await application.ask()).url), fapi);
      const left = await browser.send(action!, fields);
      if (!left.redirectTarget) return left;
      const [pushed] = requests;
      provider.nonce = pushed!.fields.get('nonce')!;
      const honest = { access_token: 'an access token', token_type: 'DPoP', expires_in: 120 };
      provider.tokens = { ...honest, id_token: await (sign ?? (() => provider.sign(provider.idClaims())))(), ...tokens };
      const back = { code: 'a code', state: pushed!.fields.get('state')!, iss: provider.issuer, ...answer };
      const query = new URLSearchParams(Object.entries(back).filter(([, value]) => value !== ''));
      try {
        return await browser.go(`${api.url}/openid/providers/${fapi}/callback?${query}`);
      } finally {
        provider.honest();
      }
    }

    it('proves itself by its key, and only to this provider', async () => {
      const token = noting('/token', () => ({ body: provider.tokens }));
      assert.ok(isBelieved(await attempt({ scripts: { '/token': token } })));
      const keys = createLocalJWKSet(await publishedAt(fapi));
      const thumbprints = new Set<string>();
      for (const { fields, headers, path } of requests) {
        const assertion = fields.get('client_assertion')!;
        await jwtVerify(assertion, keys, { audience: provider.issuer, issuer: provider.clientId, subject: provider.clientId });
        assert.equal(typeof decodeJwt(assertion).aud, 'string');
        assert.ok(!fields.has('client_secret') && headers.authorization === undefined);
        const proof = headers.dpop as string;
        const { jwk } = decodeProtectedHeader(proof) as { jwk: JWK };
        assert.equal(decodeJwt(proof).htu, new URL(path, provider.issuer).href);
        thumbprints.add(await calculateJwkThumbprint(jwk));
      }
      assert.equal(thumbprints.size, 1);
      const assertions = requests.map(({ fields }) => decodeJwt(fields.get('client_assertion')!).jti);
      assert.equal(new Set(assertions).size, requests.length, 'each is new');
    });

    describe('is not believed', () => {
      const wrong: Record<string, Attempt> = {
        'without its name in the answer (RFC 9207), although its metadata do not promise it': { answer: { iss: '' } },
        'with the name of another provider in the answer (mix-up)': { answer: { iss: 'https://honest.example.org' } },
        'with another state': { answer: { state: `${'A'.repeat(43)}.${'A'.repeat(43)}` } },
        'with a token that is good for whoever has it': { tokens: { token_type: 'Bearer' } },
        'with a token of a type that nobody knows': { tokens: { token_type: 'mac' } },
      };
      for (const [what, one] of Object.entries(wrong))
        it(what, async () => {
          assert.ok(!isBelieved(await attempt(one)));
        });

      it('with an ID token by an algorithm that FAPI 2.0 does not have, although its metadata do, or it registered us so', async () => {
        const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
        const { exportJWK } = await import('jose');
        const jwks = { keys: [{ ...(await exportJWK(publicKey)), kid: 'rsa', alg: 'RS256', use: 'sig' }] };
        const sign = () => new SignJWT(provider.idClaims()).setProtectedHeader({ alg: 'RS256', kid: 'rsa' }).sign(privateKey);
        const byRsa = { sign, scripts: { '/jwks': () => ({ body: jwks }) } };
        assert.ok(!isBelieved(await attempt(byRsa)));
        provider.metadata.registration_endpoint = `${new URL(provider.issuer).origin}/register`;
        const registered = { client_id: provider.clientId, id_token_signed_response_alg: 'RS256' };
        provider.scripts = { '/register': () => ({ status: 201, body: registered }) };
        assertOk(await api.post(`${settingsOf(fapi)}/registration`, { registration: {} }), 201);
        assert.ok(!isBelieved(await attempt(byRsa)));
        assert.ok(isBelieved(await attempt()));
      });

      for (const [what, answer] of Object.entries({
        'no request_uri': { status: 201, body: { expires_in: 60 } },
        'an empty request_uri': { status: 201, body: { request_uri: '', expires_in: 60 } },
        'a request_uri that is no text': { status: 201, body: { request_uri: 7, expires_in: 60 } },
        'a request_uri that is endless': { status: 201, body: { request_uri: `urn:${'x'.repeat(10_000)}`, expires_in: 60 } },
        'no time': { status: 201, body: { request_uri: 'urn:example:pushed' } },
        'success with another status': { status: 200, body: PUSHED.body },
        'a redirect': { status: 302, headers: { Location: 'https://evil.example.org' }, body: {} },
        'an error': { status: 400, body: { error: 'invalid_request' } },
        'a page': { status: 201, headers: { 'Content-Type': 'text/html' }, body: '<p>' },
        'too much': { status: 201, body: { ...PUSHED.body, more: 'x'.repeat(300_000) } },
      }))
        it(`when it answers a pushed request with ${what}`, async () => {
          const page = await attempt({ scripts: par(answer) });
          assert.equal(page.redirectTarget, undefined);
          assert.ok([403, 502, 503].includes(page.status), `${page.status}`);
          assert.equal(requests.length, 1);
        });

      for (const path of ['/par', '/token'])
        it(`when it asks for another nonce without end at ${path}`, async () => {
          let asked = 0;
          const nonce = noting(path, () => ({
            status: 400,
            headers: { 'DPoP-Nonce': `nonce ${asked++}`.replace(' ', '-') },
            body: { error: 'use_dpop_nonce' },
          }));
          assert.ok(!isBelieved(await attempt({ scripts: { [path]: nonce } })));
          assert.equal(asked, 2);
        });
    });

    it('reads a request object at an address that nobody can guess, with what was signed', async () => {
      const traveller = new Traveller(api, application, provider, keyed);
      const { url } = await traveller.depart();
      assert.deepEqual([...url.searchParams.keys()].sort(), ['client_id', 'request_uri', 'response_type', 'scope']);
      const address = url.searchParams.get('request_uri')!;
      const answer = await fetch(address);
      assert.equal(answer.headers.get('content-type'), 'application/oauth-authz-req+jwt');
      const { payload } = await jwtVerify(await answer.text(), createLocalJWKSet(await publishedAt(keyed)), {
        audience: provider.issuer,
        issuer: provider.clientId,
      });
      assert.equal(payload.redirect_uri, `${api.url}/openid/providers/${keyed}/callback`);
      assert.equal((await fetch(address.replace(keyed, fapi))).status, 404);
      assert.equal((await fetch(address.replace(/.{43}$/, 'A'.repeat(43)))).status, 404);
      api.clock.advance(301);
      assert.equal((await fetch(address)).status, 404);
    });

    it('reads nothing that is private, and strangers do not learn which providers there are', async () => {
      for (const id of [fapi, keyed]) {
        const { keys } = await publishedAt(id);
        assert.equal(keys.length, 1);
        assert.deepEqual(Object.keys(keys[0]!).sort(), ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      }
      assert.notDeepEqual(await publishedAt(fapi), await publishedAt(keyed));
      assert.deepEqual(await publishedAt('nobody'), { keys: [] });
    });

    it('gets a new key that is used when it was published for a while, or at once after a theft', async () => {
      const path = settingsOf(keyed);
      const signedBy = async (): Promise<unknown> => {
        const { url } = await new Traveller(api, application, provider, keyed).depart();
        return decodeProtectedHeader(await (await fetch(url.searchParams.get('request_uri')!)).text()).kid;
      };
      const [former] = (await publishedAt(keyed)).keys;
      api.clock.advance(1);
      const [newest] = assertOk(await api.post(`${path}/keys`, { keys: {} }), 201).keys;
      assert.equal((await publishedAt(keyed)).keys.length, 2);
      assert.equal(await signedBy(), former!.kid);
      api.clock.advance(601);
      assert.equal(await signedBy(), newest.id);
      const [only] = assertOk(await api.post(`${path}/keys`, { keys: { at_once: true } }), 201).keys;
      assert.deepEqual(
        (await publishedAt(keyed)).keys.map(({ kid }) => kid),
        [only.id],
      );
      assert.equal(await signedBy(), only.id);
    });

    it('cannot be given what is weaker than its profile, and keeps what a caller does not know', async () => {
      const path = settingsOf(fapi);
      const honest = { issuer: provider.issuer, client_id: provider.clientId, button_name: fapi, ...settings };
      const weaker = [
        { client_authentication: 'client_secret_basic' },
        { client_authentication: 'client_secret_post' },
        { token_binding: 'none' },
        ...['parameters', 'signed', 'signed_by_reference', 'unsigned_by_reference'].map((request_form) => ({ request_form })),
        { signing_alg: 'RS256' },
        { accepts_tokens: true },
      ];
      for (const one of weaker)
        for (const profile of [{}, FAPI]) assertRefused(await api.put(path, { openid: { ...honest, ...profile, ...one } }), 400);
      assertRefused(await api.put(path, { openid: { ...honest, profile: 'fapi1' } }), 400);
      for (const claims_uri of ['javascript:alert(1)', 'https://a:b@example.org', 'x'])
        assertRefused(await api.put(path, { openid: { ...honest, claims_uri } }), 400);
      const kept = assertOk(await api.put(path, { openid: honest })).openid;
      const expected = {
        profile: 'fapi2',
        client_authentication: 'private_key_jwt',
        request_form: 'pushed',
        token_binding: 'dpop',
      };
      for (const [name, value] of Object.entries(expected)) assert.equal(kept[name], value);
      // Another client there: all of it has to be said again.
      assert.equal(assertOk(await api.put(path, { openid: { ...honest, client_id: 'another' } })).openid.profile, 'none');
    });

    it('shows its keys to nobody who may not change it', async () => {
      const { token } = await api.persona(['member'], { domain: (await api.make('domain', { name: uniqueName('domain') })).id });
      for (const answer of [
        await api.post(`${settingsOf(keyed)}/keys`, { keys: {} }, { token }),
        await api.get(`${settingsOf(keyed)}/keys`, { token }),
      ])
        assertRefused(answer, 403);
      assert.ok(!JSON.stringify(assertOk(await api.get(`${settingsOf(keyed)}/keys`))).includes('"d"'));
    });
  });
});
