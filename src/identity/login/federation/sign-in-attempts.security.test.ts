// Attacks on trying a provider: who may, whose answer it is, answers of other sign-ins, and metadata and claims of hostile providers.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack, uniqueName } from '../../../../test/support/api.ts';
import { connectProvider, providerFor, ROOT, signInAt, Traveller } from '../../../../test/support/federation.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

underAttack('Trying a provider', (api) => {
  const id = uniqueName('acme');
  const other = uniqueName('other');
  const one = `${ROOT}/identity_providers/${id}`;
  let provider: PlainProvider;
  let another: { token: string };
  before(async () => {
    provider = await providerFor(id);
    await connectProvider(api, provider, { id });
    await connectProvider(api, provider, { id: other });
    another = await api.persona(['admin'], 'system');
  });
  after(() => provider.stop());

  interface Attempt {
    readonly id: string;
    readonly url: string;
  }
  const begin = async (token?: string): Promise<Attempt> =>
    assertOk(await api.post(`${one}/sign_in_attempts`, {}, token === undefined ? {} : { token }), 201).attempt;
  /** The query of the page of the console to which a browser is led that the provider sends back. */
  const led = async (back: URL): Promise<string> => {
    const { headers } = await new TestBrowser(api).request(back);
    return new URL(headers.get('location')!, api.url).search;
  };
  const returned = async ({ url }: Attempt, sub = 'anna'): Promise<string> => led(await signInAt(provider, new URL(url), sub));
  const answer = (attempt: Attempt, query: string, { token, at = id }: { token?: string; at?: string } = {}) =>
    api.post(
      `${ROOT}/identity_providers/${at}/sign_in_attempts/${attempt.id}/answer`,
      { answer: { query } },
      token === undefined ? {} : { token },
    );
  const usersCalled = async (name: string): Promise<unknown[]> => assertOk(await api.get(`/v3/users?name=${name}`)).users;

  it('shows the claims once to the administrator who began it, and makes no account', async () => {
    const sub = uniqueName('carla');
    const attempt = await begin();
    const query = await returned(attempt, sub);
    const { claims, result } = assertOk(await answer(attempt, query)).attempt;
    assert.equal(claims.email, `${sub}@example.org`);
    assert.equal(result.user.name, sub);
    assert.equal(result.user.kind, 'choice');
    for (const secret of ['access_token', 'refresh_token', 'id_token']) assert.ok(!(secret in claims));
    assertRefused(await answer(attempt, query), 404);
    assert.deepEqual(await usersCalled(sub), []);
    assert.deepEqual(assertOk(await api.get(`${one}/provider_links`)).provider_links, []);
    const db = await databaseOf(api);
    assert.deepEqual(await db.read.selectFrom('provider_attempts').selectAll().execute(), []);
    await db.close();
  });

  it('refuses claims that are nested too deeply, wherever they are', async () => {
    const nested = (depth: number): unknown => JSON.parse(`${'[{"a":'.repeat(depth)}1${'}]'.repeat(depth)}`);
    await provider.change('edda', { groups: nested(15) });
    const shallow = await begin();
    const { claims } = assertOk(await answer(shallow, await returned(shallow, 'edda'))).attempt;
    assert.deepEqual(claims.groups, nested(15));
    await provider.change('edda', { groups: nested(1000) });
    const attempt = await begin();
    assertRefused(await answer(attempt, await returned(attempt, 'edda')), 403, /invalid_response/);
    assertRefused(await api.post(`${one}/mapping_trials`, { trial: { claims: { groups: nested(50) } } }), 400, /nested deeper/);
  });

  it('is not answered for another administrator, at another provider, or with the answer of another attempt', async () => {
    const attempt = await begin();
    const query = await returned(attempt);
    assertRefused(await answer(attempt, query, { token: another.token }), 404);
    assertRefused(await answer(attempt, query, { at: other }), 404);
    const theirs = await begin(another.token);
    assertRefused(await answer(theirs, query, { token: another.token }), 403);
    assertRefused(await answer(theirs, await returned(theirs), { token: another.token }), 404);
    assertOk(await answer(attempt, query));
  });

  it('is not answered with what another provider sent back: its code would go to the one that is tried', async () => {
    const tokenRequests = await provider.requestsFor('/token');
    const back = await signInAt(provider, new URL((await begin()).url), 'anna');
    const arrivals = [
      // The one that is tried sent the browser on to another one, with the state that it got.
      async ({ id: attempt }: Attempt) => {
        const elsewhere = new URL(back.href.replace(`/${id}/`, `/${other}/`));
        elsewhere.searchParams.set('state', `try.${attempt}`);
        elsewhere.searchParams.append('provider', id);
        return led(elsewhere);
      },
      async ({ id: attempt }: Attempt) => `?code=${back.searchParams.get('code')}&state=try.${attempt}`,
    ];
    for (const arrive of arrivals) {
      const attempt = await begin();
      assertRefused(await answer(attempt, await arrive(attempt)), 403);
    }
    assert.equal(await provider.requestsFor('/token'), tokenRequests);
  });

  it('is refused to managers, users and strangers', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const manager = (await api.persona(['manager'], { domain: domain.id })).token;
    const user = (await api.persona(['member'], { domain: domain.id })).token;
    const attempt = await begin();
    const sign = { id: 'x', mapping: { rules: [] }, openid: { issuer: 'https://x.example', client_id: 'x' } };
    const requests: readonly (readonly [method: string, path: string, body?: unknown])[] = [
      ['POST', `${one}/sign_in_attempts`],
      ['POST', `${one}/sign_in_attempts/${attempt.id}/answer`, { answer: { query: '' } }],
      ['POST', `${one}/mapping_trials`, { trial: { claims: {} } }],
      ['GET', `${one}/provider_links`],
      ['DELETE', `${one}/provider_links/x`],
      ['DELETE', `${one}/sessions`],
      ['GET', `${one}/OS-IMPACT/deletion`],
      ['GET', `${ROOT}/sign_in_providers`],
      ['POST', `${ROOT}/sign_in_providers`, { sign_in_provider: sign }],
      ['POST', `${ROOT}/provider_metadata`, { metadata: { issuer: provider.issuer } }],
    ];
    for (const [method, path, body] of requests) {
      assert.equal((await api.request(method, path, { body, token: null })).status, 401, path);
      const missing = path.replace(id, 'missing');
      for (const at of [path, missing]) await assertForbidden(api, [manager, user], method, at, { body });
    }
  });

  it('does not take the answer of a sign-in, and no sign-in takes its answer', async () => {
    const application = await RelyingParty.make(api);
    const traveller = new Traveller(api, application, provider, id);
    const { request, url } = await traveller.depart();
    const ofSignIn = await signInAt(provider, url, 'dora');
    const attempt = await begin();
    assertRefused(await answer(attempt, ofSignIn.search), 403);
    assertRefused(await answer(attempt, ofSignIn.search), 404);

    const again = await begin();
    const back = await signInAt(provider, new URL(again.url), 'mallory');
    // The browser of the sign-in gets the answer of the attempt: it is led to the console, which does not know it.
    const { headers } = await traveller.browser.request(back);
    assert.ok(headers.get('location')!.startsWith('/console/tried-provider?'), headers.get('location')!);
    const interaction = new URL(url.searchParams.get('state')!.split('.')[0]!, `${api.url}/openid/interaction/`);
    interaction.search = `${back.search}&provider=${id}`;
    const page = await traveller.browser.go(interaction);
    assert.ok(!page.redirectTarget, 'nobody is signed in by it');
    assert.deepEqual(await usersCalled('mallory'), []);
    assertOk(await answer(again, await led(back)));
    // What was going on goes on.
    const page2 = await traveller.browser.go(ofSignIn);
    assert.ok((await traveller.arrive(request, await traveller.browser.submit(page2, 'provider-new'))).claims());
  });

  it('leads strangers with an answer to a page that knows nothing, and only by the form of ours', async () => {
    const stranger = new TestBrowser(api);
    for (const state of ['try.x', 'try.', `try.${'x'.repeat(65)}`, 'try.a/../../account.......'])
      assert.equal((await stranger.request(new URL(`${api.url}/openid/providers/${id}/callback?state=${state}`))).status, 400);
    const twice = new URL(`${api.url}/openid/providers/${id}/callback?state=try.${'x'.repeat(32)}&state=y`);
    assert.equal((await stranger.request(twice)).status, 400);
  });

  it('ends when the provider was disabled, changed or deleted in between, and after five minutes', async () => {
    const settings = assertOk(await api.get(`${one}/openid`)).openid;
    const { issuer, client_id, button_name } = settings;
    const changes = [
      () => api.patch(one, { identity_provider: { enabled: false } }),
      () => api.put(`${one}/openid`, { openid: { issuer, client_id, button_name, client_secret: provider.clientSecret } }),
      () => api.patch(one, { identity_provider: { enabled: true } }),
    ];
    for (const change of changes) {
      const attempt = await begin();
      const query = await returned(attempt);
      assertOk(await change());
      assertRefused(await answer(attempt, query), 403);
    }
    const late = await begin();
    const query = await returned(late);
    api.clock.advance(301);
    assertRefused(await answer(late, query), 404);
    const gone = uniqueName('gone');
    await connectProvider(api, provider, { id: gone });
    const path = `${ROOT}/identity_providers/${gone}`;
    const attempt = assertOk(await api.post(`${path}/sign_in_attempts`, {}), 201).attempt;
    assertOk(await api.delete(path), 204);
    assertRefused(await api.post(`${path}/sign_in_attempts/${attempt.id}/answer`, { answer: { query: '' } }), 404);
  });

  it('works while the provider is disabled, shows its refusal, and is used once by requests at the same time', async () => {
    assertOk(await api.patch(one, { identity_provider: { enabled: false } }));
    const attempt = await begin();
    const query = await returned(attempt);
    const answers = await Promise.all(Array.from({ length: 6 }, () => answer(attempt, query)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 404, 404, 404, 404, 404]);
    const refused = await begin();
    const { body } = await answer(refused, `?error=access_denied&state=try.${refused.id}&provider=${id}`);
    assert.match(body.error.message, /access_denied/);
    assertOk(await api.patch(one, { identity_provider: { enabled: true } }));
  });

  it('reads metadata as data: bounded, of the provider itself, and never of internal addresses', async (t) => {
    const pages: Record<string, (port: number) => string> = {
      '/whole': (port) =>
        JSON.stringify({
          issuer: `http://127.0.0.1:${port}/whole`,
          authorization_endpoint: 'javascript:alert(1)',
          token_endpoint: `http://127.0.0.1:${port}/token`,
          jwks_uri: ['no text'],
          scopes_supported: Array.from({ length: 1000 }, (_, at) => `<img src=x onerror=alert(${at})>\u202e`),
          claims_supported: 'no list',
        }),
      '/other': () => JSON.stringify({ issuer: 'https://evil.example/<script>' }),
      '/list': () => '[]',
      '/text': () => 'no JSON',
      // Of a text of slashes, some ways to cut those at its end take a minute.
      '/slashes': () => JSON.stringify({ issuer: `${'/'.repeat(250_000)}x` }),
      '/large': () => JSON.stringify({ issuer: 'x'.repeat(300_000) }),
      '/deep': () => `${'['.repeat(100_000)}${']'.repeat(100_000)}`,
    };
    const server: Server = createServer((request, response) => {
      const { port } = server.address() as AddressInfo;
      const page = pages[request.url!.replace('/.well-known/openid-configuration', '')];
      if (request.url!.startsWith('/redirect')) response.writeHead(302, { Location: `http://127.0.0.1:${port}/whole` }).end();
      else response.writeHead(page ? 200 : 404, { 'Content-Type': 'application/json' }).end(page?.(port));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    t.after(() => server.close());
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const read = (issuer: string) => api.post(`${ROOT}/provider_metadata`, { metadata: { issuer } });
    const { metadata } = assertOk(await read(`${origin}/whole`));
    assert.equal(metadata.authorization_endpoint, null);
    assert.equal(metadata.jwks_uri, null);
    assert.equal(metadata.scopes_supported.length, 100);
    assert.ok(!metadata.scopes_supported[0].includes('\u202e'));
    assert.deepEqual(metadata.claims_supported, []);
    assert.equal(metadata.problems.length, 2);
    const began = performance.now();
    assertRefused(await read(`${origin}/slashes`), 400);
    assert.ok(performance.now() - began < 5_000, 'a provider keeps the service busy');
    for (const path of ['/other', '/list', '/text', '/large', '/deep', '/missing', '/redirect'])
      assertRefused(await read(origin + path), 400);
    for (const address of [
      'http://169.254.169.254',
      'https://10.0.0.1',
      'http://[::1]:1',
      'file:///etc/passwd',
      'https://a.example/?x',
    ])
      assertRefused(await read(address), 400);
  });
});
