// The service registers itself at a provider: what it asks for, what becomes of the registration, and answers of a hostile provider, one thing wrong at a time.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, ROOT, Traveller } from '../../../../test/support/federation.ts';
import { ScriptedProvider } from '../../../../test/support/plain-provider-scripted.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';

interface Sent {
  readonly method: string;
  readonly authorization: string | undefined;
  readonly body: Record<string, unknown>;
}

onUsualDatabase('Registering the service at a provider', (api) => {
  let provider: ScriptedProvider;
  let origin = '';
  const sent: Sent[] = [];
  let answer: (asked: Record<string, unknown>) => { status?: number; headers?: Record<string, string>; body?: unknown };
  let made = 0;
  /** What happens while the provider thinks. */
  let meanwhile = async (): Promise<void> => {};
  const client = (more: Record<string, unknown> = {}) => {
    const id = `client-${++made}`;
    const handle = { registration_access_token: `token of ${id}`, registration_client_uri: `${origin}/register/${id}` };
    return { client_id: id, client_secret: `secret of ${id}`, client_secret_expires_at: 0, ...handle, ...more };
  };
  /** An honest provider: it registers what it is asked for. */
  const honest = (more: Record<string, unknown> = {}) => {
    answer = (asked) => ({ status: 201, body: { ...asked, ...client(more) } });
  };

  before(async () => {
    provider = await new ScriptedProvider().start();
    ({ origin } = new URL(provider.issuer));
    provider.metadata = { registration_endpoint: `${origin}/register` };
    honest();
    const note = async (
      request: { method?: string; headers: NodeJS.Dict<string | string[]>; url?: string },
      fields: URLSearchParams,
    ) => {
      // The body of the scripts is read as a form: JSON is its only name.
      const [[text = '{}'] = []] = [...fields];
      const { authorization } = request.headers as { authorization?: string };
      const body = request.method === 'POST' ? (JSON.parse(text) as Record<string, unknown>) : {};
      sent.push({ method: `${request.method} ${request.url}`, authorization, body });
      if (request.method === 'POST') await meanwhile();
      return request.method === 'DELETE' ? { status: 204 } : answer(body);
    };
    provider.scripts = new Proxy({} as ScriptedProvider['scripts'], {
      get: (_, path: string) => (path.startsWith('/register') ? note : undefined),
    });
  });
  after(() => provider.stop());

  async function connected(settings: Record<string, unknown> = {}): Promise<{ id: string; path: string }> {
    const { id } = await connectProvider(api, provider, { id: uniqueName('idp'), settings });
    sent.length = 0;
    return { id, path: `${ROOT}/identity_providers/${id}` };
  }
  const register = (path: string, registration: Record<string, unknown> = {}) =>
    api.post(`${path}/openid/registration`, { registration });

  it('gives its addresses and its keys, and stores what it gets sealed', async () => {
    const { id, path } = await connected();
    const openid = { issuer: provider.issuer, button_name: id, client_authentication: 'private_key_jwt', request_form: 'signed' };
    const { openid: stored } = assertOk(await register(path, { initial_access_token: 'the first token', openid }), 201);
    const [request] = sent;
    assert.equal(request!.authorization, 'Bearer the first token');
    const own = `${api.url}/openid/providers/${id}`;
    const { body } = request!;
    assert.deepEqual(body.redirect_uris, [`${own}/callback`]);
    assert.equal(body.jwks_uri, `${own}/jwks`);
    assert.equal(body.backchannel_logout_uri, `${own}/logout`);
    const expected = {
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_signing_alg: 'ES256',
      request_object_signing_alg: 'ES256',
    };
    for (const [name, value] of Object.entries(expected)) assert.equal(body[name], value);
    assert.equal(((await (await fetch(String(body.jwks_uri))).json()) as { keys: unknown[] }).keys.length, 1);
    assert.equal(stored.client_id, `client-${made}`);
    assert.equal(stored.has_client_secret, false, 'it proves itself by its key');
    const { url } = await new Traveller(api, await RelyingParty.make(api), provider, id).depart();
    assert.equal(url.searchParams.get('client_id'), stored.client_id);
    const db = await databaseOf(api);
    const rows = JSON.stringify(await db.read.selectFrom('provider_registrations').selectAll().execute());
    await db.close();
    for (const secret of ['token of', 'the first token', 'secret of']) assert.ok(!rows.includes(secret), secret);
  });

  it('is taken back at the provider when another one follows, and when the provider is deleted', async () => {
    const { id, path } = await connected();
    const first = assertOk(await register(path), 201).openid;
    assert.equal(first.has_client_secret, true);
    assertOk(await api.get(`${path}/openid/registration`));
    const second = assertOk(await register(path), 201).openid;
    assert.notEqual(second.client_id, first.client_id);
    const removed = () =>
      sent.filter(({ method }) => method.startsWith('DELETE')).map(({ method, authorization }) => [method, authorization]);
    assert.deepEqual(removed(), [[`DELETE /register/${first.client_id}`, `Bearer token of ${first.client_id}`]]);
    // By hand: it is another client, and nobody uses the former.
    const openid = { issuer: provider.issuer, client_id: 'by hand', client_secret: 'x', button_name: id };
    assertOk(await api.put(`${path}/openid`, { openid }));
    assert.equal(removed().length, 2);
    assertRefused(await api.get(`${path}/openid/registration`), 404);
    const third = assertOk(await register(path), 201).openid;
    assertOk(await api.delete(path), 204);
    assert.deepEqual(removed().at(-1), [`DELETE /register/${third.client_id}`, `Bearer token of ${third.client_id}`]);
    assert.equal(removed().length, 3);
  });

  it('carries the token of the provider to nobody else', async () => {
    for (const registration_client_uri of [
      'https://elsewhere.example.org/register',
      'http://127.0.0.1:1/register',
      'http://169.254.169.254/latest',
      'javascript:alert(1)',
      7,
    ]) {
      const { path } = await connected();
      honest({ registration_client_uri });
      assertOk(await register(path), 201);
      assertOk(await api.delete(path), 204);
      assert.deepEqual(
        sent.map(({ method }) => method),
        ['POST /register'],
      );
    }
    honest();
  });

  it('is not stored when the answer is wrong in one thing', async () => {
    const { path } = await connected();
    const before = assertOk(await api.get(`${path}/openid`)).openid;
    const good = (more: Record<string, unknown>) => (asked: Record<string, unknown>) => ({
      status: 201,
      body: { ...asked, ...client(more) },
    });
    const wrong: Record<string, typeof answer> = {
      'no client': good({ client_id: undefined }),
      'a client that is no text': good({ client_id: 7 }),
      'an empty client': good({ client_id: '' }),
      'a client that is endless': good({ client_id: 'x'.repeat(300) }),
      'a client with a line break': good({ client_id: 'a\nb' }),
      'no secret': good({ client_secret: undefined }),
      'an endless secret': good({ client_secret: 'x'.repeat(2000) }),
      'a secret without an end': good({ client_secret_expires_at: undefined }),
      'another redirect address': good({ redirect_uris: ['https://evil.example.org/callback'] }),
      'redirect addresses that are no list': good({ redirect_uris: 'https://evil.example.org/callback' }),
      'another flow': good({ response_types: ['token'] }),
      'a public client': good({ token_endpoint_auth_method: 'none' }),
      'another way to prove itself': good({ token_endpoint_auth_method: 'private_key_jwt' }),
      'an error': () => ({ status: 400, body: { error: 'invalid_redirect_uri', error_description: '<script>' } }),
      'another status': (asked) => ({ status: 200, body: { ...asked, ...client() } }),
      'a redirect': () => ({ status: 307, headers: { Location: 'http://169.254.169.254/' }, body: {} }),
      'a page': () => ({ status: 201, headers: { 'Content-Type': 'text/html' }, body: '<p>' }),
      'a list': () => ({ status: 201, body: [] }),
      'too much': (asked) => ({ status: 201, body: { ...asked, ...client({ more: 'x'.repeat(100_000) }) } }),
    };
    for (const [what, one] of Object.entries(wrong)) {
      answer = one;
      const refused = await register(path);
      assertRefused(refused, 400, /did not register/);
      assert.ok(!JSON.stringify(refused.body).includes('<script>'), what);
    }
    honest();
    for (const [what, metadata] of Object.entries({
      'of another issuer': { issuer: 'https://honest.example.org' },
      'without an endpoint for it': { registration_endpoint: undefined },
      'with an endpoint inside': { registration_endpoint: 'http://169.254.169.254/register' },
      'with an endpoint that is no address': { registration_endpoint: 'javascript:alert(1)' },
    })) {
      const former = provider.metadata;
      provider.metadata = { ...former, ...metadata };
      sent.length = 0;
      assertRefused(await register(path), 400, /did not register/);
      assert.equal(sent.length, 0, what);
      provider.metadata = former;
    }
    assert.deepEqual(assertOk(await api.get(`${path}/openid`)).openid, before);
    assertRefused(await api.get(`${path}/openid/registration`), 404);
  });

  it('is not weaker than its profile, whatever the provider answers', async () => {
    const { id, path } = await connected();
    honest({ token_endpoint_auth_method: 'client_secret_basic' });
    const openid = { issuer: provider.issuer, button_name: id, profile: 'fapi2' };
    assertRefused(await register(path, { openid }), 400, /another way/);
    honest({ id_token_signed_response_alg: 'none', userinfo_signed_response_alg: 'HS256' });
    const { openid: stored } = assertOk(await register(path, { openid }), 201);
    assert.equal(stored.client_authentication, 'private_key_jwt');
    const db = await databaseOf(api);
    const [row] = await db.read.selectFrom('provider_registrations').where('provider_id', '=', id).selectAll().execute();
    await db.close();
    assert.equal(row!.metadata, '{}');
    honest();
  });

  it('takes nothing back that somebody has set in the meantime, and leaves no client behind', async () => {
    const { id, path } = await connected({ may_give_admin: true });
    const less = { issuer: provider.issuer, client_id: 'by hand', client_secret: 'x', button_name: id, may_give_admin: false };
    let written: unknown;
    meanwhile = async () => {
      written = assertOk(await api.put(`${path}/openid`, { openid: less })).openid;
    };
    assertRefused(await register(path), 412);
    meanwhile = async () => {};
    assert.deepEqual(assertOk(await api.get(`${path}/openid`)).openid, written);
    assert.equal(sent.at(-1)!.method, `DELETE /register/client-${made}`);
  });

  it('uses the keys of one provider at no other, and keeps those that are in use until it is done', async () => {
    const { id, path } = await connected({ client_authentication: 'private_key_jwt', token_binding: 'dpop' });
    const keysOf = async () => assertOk(await api.get(`${path}/openid/keys`)).keys as { id: string; alg: string }[];
    const before = await keysOf();
    const openid = { issuer: provider.issuer, button_name: id, client_authentication: 'private_key_jwt', token_binding: 'dpop' };
    honest({ client_id: 7 });
    for (const other of [{ signing_alg: 'PS256' }, { issuer: provider.issuer.replace('127.0.0.1', 'localhost') }]) {
      assertRefused(await register(path, { openid: { ...openid, ...other } }), 400);
      assert.deepEqual(await keysOf(), before);
    }
    honest();
    const elsewhere = await new ScriptedProvider().start();
    try {
      const { origin: there } = new URL(elsewhere.issuer);
      elsewhere.metadata = { registration_endpoint: `${there}/register` };
      elsewhere.scripts = { '/register': () => ({ status: 201, body: { client_id: 'there' } }) };
      assertOk(await register(path, { openid: { ...openid, issuer: elsewhere.issuer } }), 201);
    } finally {
      await elsewhere.stop();
    }
    const now = await keysOf();
    assert.equal(now.length, 2);
    assert.ok(now.every((key) => !before.some((former) => former.id === key.id)));
  });

  it('is refused to people who may not change providers, and to strangers', async () => {
    const { path } = await connected();
    const { token } = await api.persona(['member'], { domain: (await api.make('domain', { name: uniqueName('domain') })).id });
    assertRefused(await api.post(`${path}/openid/registration`, { registration: {} }, { token }), 403);
    assertRefused(await api.post(`${path}/openid/registration`, { registration: {} }, { token: null }), 401);
    assertRefused(await register(`${ROOT}/identity_providers/nobody`), 404);
    assert.equal(sent.length, 0);
  });
});
