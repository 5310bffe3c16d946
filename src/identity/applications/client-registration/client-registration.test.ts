import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assertBadBodies, assertGuarded } from '../../../../test/support/guarded.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import {
  CLIENTS,
  METADATA,
  makeToken,
  REGISTERED,
  registerClient,
  Stranger,
  setPolicy,
  setServicePolicy,
  TOKENS,
} from '../../../../test/support/self-registration.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const ADMIN_SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };
const endpointIn = async (api: { get(path: string, options: object): Promise<{ body: any }> }): Promise<unknown> =>
  (await api.get('/.well-known/openid-configuration', { token: null })).body.registration_endpoint;

onEachDatabase('An application that registers itself', (api) => {
  it('cannot until a policy says so; then metadata say where', async () => {
    assert.equal(await endpointIn(api), undefined);
    const refused = await registerClient(api);
    assert.deepEqual([refused.status, refused.body.error], [403, 'access_denied']);
    await setPolicy(api, { mode: 'open' });
    assert.equal(await endpointIn(api), `${api.url}${CLIENTS}`);
    const { body } = await registerClient(api, METADATA);
    assert.match(body.registration_access_token, /^gha_/);
    const { client_id, registration_access_token, client_id_issued_at, ...rest } = body;
    assert.deepEqual(rest, {
      registration_client_uri: `${api.url}${CLIENTS}/${client_id}`,
      application_type: 'web',
      subject_type: 'public',
      ...METADATA,
    });
    await setPolicy(api, { mode: 'off' });
    assert.equal(await endpointIn(api), undefined);
  });

  it('gets what the policy allows of what it asks for', async () => {
    await setPolicy(api, {
      mode: 'open',
      scopes: 'openid,email',
      grants: 'authorization_code',
      redirects: '*.example.org,loopback',
    });
    const { body } = await registerClient(api, {
      scope: 'openid profile email scim roles',
      token_endpoint_auth_method: undefined,
    });
    assert.deepEqual(
      [body.scope, body.grant_types, body.token_endpoint_auth_method],
      ['openid email', ['authorization_code'], 'client_secret_basic'],
    );
    assert.ok(body.client_secret);
    const local = await registerClient(api, { redirect_uris: ['http://127.0.0.1:8000/callback'] });
    assert.equal(local.body.application_type, 'native');
    const elsewhere = await registerClient(api, { redirect_uris: ['https://example.com/callback'] });
    assert.deepEqual([elsewhere.status, elsewhere.body.error], [400, 'invalid_redirect_uri']);
    const nameless = await registerClient(api, { client_name: undefined, scope: undefined });
    assert.deepEqual([nameless.body.client_name, nameless.body.scope], ['stranger.example.org', 'openid email']);
  });

  it('proves itself by a key, if it registers one', async () => {
    await setPolicy(api, { mode: 'open' });
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const jwks = { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', alg: 'ES256' }] };
    const { body } = await registerClient(api, { token_endpoint_auth_method: 'private_key_jwt', jwks });
    assert.deepEqual([body.token_endpoint_auth_method, body.jwks, body.client_secret], ['private_key_jwt', jwks, undefined]);
    const stranger = new Stranger(api, body);
    const { page, verifier } = await stranger.signIn(await makeUser(api));
    const refused = await stranger.redeem(page.redirectTarget!.searchParams.get('code')!, verifier);
    assert.equal(refused.body.error, 'invalid_client', 'without an assertion');
  });

  it('is registered with a token as often as that says, in its domain', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, { mode: 'token' }, domain.id);
    const made = await makeToken(api, { name: 'Build server', domain_id: domain.id, uses: 2 });
    assert.match(made.token, /^ghr_/);
    for (const _ of [1, 2]) assert.equal((await registerClient(api, {}, { token: made.token })).status, 201);
    const third = await registerClient(api, {}, { token: made.token });
    assert.deepEqual([third.status, third.body.error], [401, 'invalid_token']);
    const without = await registerClient(api, {}, { query: `?domain_id=${domain.id}` });
    assert.deepEqual([without.status, without.body.error], [403, 'access_denied']);
    const { registered_applications: all } = assertOk(await api.get(`${REGISTERED}?domain_id=${domain.id}`));
    assert.deepEqual(
      all.map((one: any) => [one.registered_by, one.registered_with, one.domain_id, one.kept]),
      Array(2).fill(['token', 'Build server', domain.id, false]),
    );
    const [listed] = assertOk(await api.get(`${TOKENS}?domain_id=${domain.id}`)).registration_tokens;
    assert.deepEqual([listed.uses_left, listed.token], [0, undefined]);
    assert.ok(listed.last_used_at);
    const next = await makeToken(api, { domain_id: domain.id, lifetime_seconds: 60 });
    api.clock.advance(61);
    assert.equal((await registerClient(api, {}, { token: next.token })).status, 401);
    const ended = await makeToken(api, { domain_id: domain.id });
    assertOk(await api.delete(`${TOKENS}/${ended.id}`), 204);
    assert.equal((await registerClient(api, {}, { token: ended.token })).status, 401);
  });

  it('signs people in after they were asked, each time, and was told that nobody knows it', async () => {
    await setPolicy(api, { mode: 'open' });
    const stranger = await Stranger.register(api);
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    const tokens = await stranger.tokensFor(person, {}, browser);
    assert.ok(tokens.refresh_token);
    assert.equal((await stranger.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status, 200);
    const again = await browser.go(stranger.ask({ prompt: '' }).url.replace('&prompt=', ''));
    assert.equal(stepOf(again), 'allow');
    assert.match(again.text, /registered itself/);
    assert.match(again.text, /stranger\.example\.org/);
    const silent = await browser.go(stranger.ask({ prompt: 'none' }).url);
    assert.equal(silent.redirectTarget?.searchParams.get('error'), 'consent_required');
  });

  it('changes its registration, with another token each time, and deletes it', async () => {
    await setPolicy(api, { mode: 'open' });
    const stranger = await Stranger.register(api, { token_endpoint_auth_method: 'client_secret_post' });
    const { client_id, client_secret, registration_access_token: first } = stranger.client;
    const shown = assertOk(await stranger.manage('GET'));
    assert.deepEqual(shown, stranger.client);
    const changed = assertOk(
      await stranger.manage('PUT', { ...METADATA, client_id, client_secret, client_name: 'Another name', scope: 'openid' }),
    );
    assert.deepEqual(
      [changed.client_name, changed.scope, changed.token_endpoint_auth_method],
      ['Another name', 'openid', 'none'],
    );
    assert.notEqual(changed.registration_access_token, first);
    assert.equal((await stranger.manage('GET', undefined, first)).status, 401);
    const next = changed.registration_access_token;
    assert.equal((await stranger.manage('DELETE', undefined, next)).status, 204);
    assert.equal((await stranger.manage('GET', undefined, next)).status, 401);
    assert.equal((await api.get(`/v3/OS-OAUTH2/consumers/${client_id}`)).status, 404);
  });

  it('ends after a day if nobody uses it, later if somebody does, and never if it is kept', async () => {
    await setPolicy(api, { mode: 'open', days: '10' });
    const [unused, used, kept] = [await Stranger.register(api), await Stranger.register(api), await Stranger.register(api)];
    const person = await makeUser(api);
    await used.tokensFor(person);
    assertOk(await api.post(`${REGISTERED}/${kept.client.client_id}/keep`, {}));
    api.clock.advance(86_401);
    const begin = async ({ client }: Stranger) =>
      (await new TestBrowser(api).go(new Stranger(api, client).ask().url)).text.includes('invalid_client');
    assert.deepEqual([await begin(unused), await begin(used), await begin(kept)], [true, false, false]);
    api.clock.advance(10 * 86_400);
    assert.deepEqual([await begin(used), await begin(kept)], [true, false]);
    api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, ADMIN_SCOPE);
    assert.equal((await kept.manage('GET')).status, 401, 'somebody vouches for what it says');
    assert.equal((await api.post(`${REGISTERED}/${kept.client.client_id}/keep`, {})).status, 409);
  });

  it('is limited in number, counting those that nobody has kept', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, { mode: 'open', limit: '2' }, domain.id);
    const register = () => registerClient(api, {}, { query: `?domain_id=${domain.id}` });
    const [one] = [await register(), await register()];
    const full = await register();
    assert.deepEqual([full.status, full.body.error], [429, 'temporarily_unavailable']);
    assertOk(await api.post(`${REGISTERED}/${one!.body.client_id}/keep`, {}));
    assert.equal((await register()).status, 201);
    assert.equal((await register()).status, 429);
  });

  it('is looked after by administrators and managers of its domain', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const other = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, { mode: 'open' }, domain.id);
    const { body } = await registerClient(api, {}, { query: `?domain_id=${domain.id}` });
    const organization = await api.make('project', { name: uniqueName('own'), domain_id: domain.id });
    const values = { domain_id: domain.id, default_project_id: organization.id };
    const manager = await api.persona(['manager'], { domain: domain.id }, values);
    const elsewhere = await api.persona(['manager'], { domain: other.id }, { domain_id: other.id });
    const member = await api.persona(['member'], { domain: domain.id }, { domain_id: domain.id });
    const path = `${REGISTERED}/${body.client_id}`;
    await assertGuarded(
      api,
      [member.token, elsewhere.token],
      [
        { method: 'POST', path: `${path}/keep`, body: {}, missing: `${REGISTERED}/none/keep` },
        { method: 'DELETE', path, missing: `${REGISTERED}/none` },
      ],
    );
    const token = await makeToken(api, { domain_id: domain.id });
    await assertGuarded(
      api,
      [member.token, elsewhere.token],
      [
        { method: 'DELETE', path: `${TOKENS}/${token.id}`, missing: `${TOKENS}/none` },
        { method: 'POST', path: TOKENS, body: { registration_token: { name: 'x', domain_id: domain.id } } },
      ],
    );
    await assertBadBodies(api, 'POST', TOKENS, [
      ['name', { registration_token: { name: ' ' } }],
      ['uses', { registration_token: { name: 'x', uses: 0 } }],
      ['lifetime_seconds', { registration_token: { name: 'x', lifetime_seconds: 1 } }],
    ]);
    const listed = assertOk(await api.get(REGISTERED, { token: elsewhere.token })).registered_applications;
    assert.deepEqual(listed, []);
    const own = assertOk(await api.get(REGISTERED, { token: manager.token })).registered_applications;
    assert.deepEqual(
      own.map(({ id }: { id: string }) => id),
      [body.client_id],
    );
    assertRefused(await api.get(`${REGISTERED}?registered_by=other`), 400);
    assertOk(await api.post(`${path}/keep`, {}, { token: manager.token }));
    assert.equal((await api.get(`/v3/OS-OAUTH2/consumers/${body.client_id}`, { token: manager.token })).status, 200);
    assert.equal((await api.delete(path, { token: manager.token })).status, 409);
    assert.deepEqual(assertOk(await api.get(`${REGISTERED}?kept=true&domain_id=${domain.id}`)).registered_applications.length, 1);
  });

  it('is for the people of every domain that is open, where the service is', async () => {
    const closed = await api.make('domain', { name: uniqueName('domain') });
    await setServicePolicy(api, { '': 'open' });
    await setPolicy(api, { mode: 'off' }, closed.id);
    try {
      const stranger = await Stranger.register(api);
      const [inside, outside] = [await makeUser(api), await makeUser(api, { domain_id: closed.id })];
      assert.ok((await stranger.tokensFor(inside)).access_token);
      const { page } = await stranger.signIn({ ...outside, domain: closed.name });
      assert.equal(page.redirectTarget?.searchParams.get('error'), 'access_denied');
    } finally {
      await setServicePolicy(api, { '': null });
    }
  });

  before(() => setPolicy(api, { mode: 'off' }));
});
