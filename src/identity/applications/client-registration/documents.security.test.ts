// Applications whose client id is the address of a document, at a server that a stranger has. One thing is wrong at a time.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, type TestApi, underAttack, uniqueName, withApi } from '../../../../test/support/api.ts';
import { makeApi, READ } from '../../../../test/support/apis.ts';
import { makeApplication } from '../../../../test/support/applications.ts';
import { type Assertion, KeyedClient, makeKey } from '../../../../test/support/keyed-client.ts';
import { basic, FORM } from '../../../../test/support/keyrock-client.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { errorOf, REGISTERED, Stranger, setPolicy } from '../../../../test/support/self-registration.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const ADMIN_SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };
const ALLOWED = { documents: 'allowed' };
const CALLBACK = 'http://127.0.0.1/callback';

type Reply = (request: IncomingMessage, response: ServerResponse) => void;

/** The server of a stranger. What is called without TLS must be allowed by the operator, as 127.0.0.1 is in tests. */
class DocumentHost {
  readonly #server: Server;
  #reply: Reply = (_request, response) => void response.writeHead(404).end();
  requests = 0;

  constructor() {
    this.#server = createServer((request, response) => {
      this.requests += 1;
      this.#reply(request, response);
    });
  }
  start = () => new Promise<void>((done) => void this.#server.listen(0, '127.0.0.1', done));
  stop(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }
  answer(reply: Reply): void {
    this.#reply = reply;
  }
  say(document: unknown, headers: Record<string, string> = {}, status = 200): void {
    const text = typeof document === 'string' ? document : JSON.stringify(document);
    this.answer((_request, response) => response.writeHead(status, { 'Content-Type': 'application/json', ...headers }).end(text));
  }
}

const host = new DocumentHost();
before(host.start);
after(() => host.stop());

let documents = 0;
/** A good document, at an address of its own. */
const documentOf = (values: Record<string, unknown> = {}) => {
  const id = `${host.origin}/app-${++documents}.json`;
  const grantTypes = ['authorization_code', 'refresh_token'];
  const document = {
    client_id: id,
    client_name: `Assistant ${documents}`,
    redirect_uris: [CALLBACK],
    grant_types: grantTypes,
    ...values,
  };
  return { id, document: Object.fromEntries(Object.entries(document).filter(([, value]) => value !== undefined)) };
};
const strangerOf = (api: TestApi, id: string) => new Stranger(api, { client_id: id, redirect_uris: [CALLBACK] });
const begin = async (api: TestApi, id: string, more: Record<string, string> = {}) =>
  new TestBrowser(api).go(strangerOf(api, id).ask(more).url);
const isRefused = async (api: TestApi, id: string) => /invalid_client/.test((await begin(api, id)).text);

/** An administrator signs in again: no token lasts that long. */
async function later(api: TestApi, seconds: number): Promise<void> {
  api.clock.advance(seconds);
  api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, ADMIN_SCOPE);
}

underAttack('An application whose client id is a document', (api) => {
  before(() => setPolicy(api, ALLOWED));

  it('signs people in, is asked about each time, and becomes an application when somebody allows it something', async () => {
    const { id, document } = documentOf();
    host.say(document);
    const path = `/v3/OS-OAUTH2/consumers/${encodeURIComponent(id)}`;
    assert.equal(stepOf(await begin(api, id)), 'password');
    assert.equal((await api.get(path)).status, 404, 'nobody has agreed to anything');
    const stranger = strangerOf(api, id);
    const [person, browser] = [await makeUser(api), new TestBrowser(api)];
    const tokens = await stranger.tokensFor(person, {}, browser);
    assert.ok(tokens.refresh_token);
    const asked = browser.seen.find((page) => stepOf(page) === 'allow')!;
    assert.ok(asked.text.includes(new URL(id).host));
    assert.equal((await stranger.token({ grant_type: 'refresh_token', refresh_token: tokens.refresh_token })).status, 200);
    const { consumer } = assertOk(await api.get(path));
    assert.deepEqual([consumer.registered_by, consumer.client_type], ['document', 'public']);
    const again = await browser.go(stranger.ask({ scope: 'openid' }).url.replace('prompt=consent', ''));
    assert.equal(stepOf(again), 'allow');
    const metadata = await api.get('/.well-known/oauth-authorization-server', { token: null });
    assert.equal(metadata.body.client_id_metadata_document_supported, true);
  });

  it('may push its request before anybody has allowed it something', async () => {
    const { id, document } = documentOf();
    host.say(document);
    const stranger = strangerOf(api, id);
    const { url, verifier } = stranger.ask();
    const pushed = await api.post('/openid/par', url.split('?')[1], {
      token: null,
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
    });
    assert.equal(pushed.status, 201, pushed.text);
    const query = new URLSearchParams({ client_id: id, request_uri: pushed.body.request_uri });
    const page = await new TestBrowser(api).signIn(`/openid/authorize?${query}`, await makeUser(api));
    const code = page.redirectTarget?.searchParams.get('code');
    assert.ok(code, page.text);
    assertOk(await stranger.redeem(code, verifier));
  });

  it('may push its first request also if it proves itself by a key of its document, and not by another key', async () => {
    const key = await makeKey();
    const method = { token_endpoint_auth_method: 'private_key_jwt', require_pushed_authorization_requests: true };
    const { id, document } = documentOf({ ...method, jwks: { keys: [key.jwk] } });
    host.say(document);
    const client = new KeyedClient(api, { id, secret: '' }, key);
    const { url, verifier } = strangerOf(api, id).ask();
    const push = async (assertion: Assertion = {}) =>
      client.send('/openid/par', {
        ...Object.fromEntries(new URLSearchParams(url.split('?')[1])),
        ...(await client.proof(assertion)),
      });
    assert.equal((await push({ key: await makeKey('ES256', key.jwk.kid) })).status, 401);
    const pushed = await push();
    assert.equal(pushed.status, 201, pushed.text);
    const query = new URLSearchParams({ client_id: id, request_uri: pushed.body.request_uri });
    const page = await new TestBrowser(api).signIn(`/openid/authorize?${query}`, await makeUser(api));
    const code = page.redirectTarget?.searchParams.get('code');
    assert.ok(code, page.text);
    const redeem = { grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: CALLBACK };
    assertOk(await client.send('/openid/token', { ...redeem, ...(await client.proof()) }));
  });

  it('is what its document says now, also where another process has kept what it said before', async () => {
    if (api.kind !== 'PostgreSQL') return;
    const replica = await api.replica();
    try {
      const { id, document } = documentOf();
      const moved = 'http://127.0.0.1/moved';
      const keptLong = { 'Cache-Control': 'max-age=86400' };
      host.say({ ...document, redirect_uris: [CALLBACK, moved] }, keptLong);
      const stranger = strangerOf(api, id);
      const { refresh_token: token } = await stranger.tokensFor(await makeUser(api));
      // Here the document is kept for a day. The other process reads it now: an address is gone.
      host.say(document, keptLong);
      await new TestBrowser(replica).go(stranger.ask().url);
      assert.match((await begin(api, id, { redirect_uri: moved })).text, /invalid_redirect_uri/);
      assert.equal((await stranger.token({ grant_type: 'refresh_token', refresh_token: token })).body.error, 'invalid_grant');
    } finally {
      await replica.stop();
    }
  });

  it('ends for the people whose domain does not let it in any more, while another domain does', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, ALLOWED, domain.id);
    const { id, document } = documentOf();
    host.say(document);
    const [stranger, application] = [strangerOf(api, id), await makeApplication(api)];
    const made = await makeApi(api, { application_id: application.id });
    const resource = { resource: made.identifier, scope: `openid ${READ.name}` };
    const person = { ...(await makeUser(api, { domain_id: domain.id })), domain: domain.name as string };
    const other = await makeUser(api);
    const { access_token: token } = await stranger.tokensFor(person);
    const { access_token: atApi } = await stranger.tokensFor(person, resource);
    const { access_token: ofOther } = await stranger.tokensFor(other);
    const headers = { Authorization: basic(application), ...FORM };
    const isActive = async (one: string): Promise<boolean> =>
      assertOk(await api.post('/openid/introspect', `token=${one}`, { token: null, headers })).active;
    const userInfo = { token: null, headers: { Authorization: `Bearer ${token}` } };
    const state = async () => [
      ...(await Promise.all([token, atApi, ofOther].map(isActive))),
      (await api.get('/openid/userinfo', userInfo)).status,
      (await api.get(`/v3/access-tokens/${token}`)).status,
    ];
    assert.deepEqual(await state(), [true, true, true, 200, 200]);
    await setPolicy(api, { ...ALLOWED, scopes: 'openid' }, domain.id);
    assert.deepEqual(await state(), [false, true, true, 401, 404], 'offline_access is taken away');
    await setPolicy(api, { documents: 'off' }, domain.id);
    assert.deepEqual(await state(), [false, false, true, 401, 404], 'its domain does not let it in');
  });

  const bad: readonly (readonly [what: string, change: (document: any) => unknown])[] = [
    ['is that of another address', (document) => ({ ...document, client_id: 'https://other.example.org/app.json' })],
    ['has no client id', ({ client_id: _, ...document }) => document],
    ['has a secret', (document) => ({ ...document, client_secret: 'x' })],
    ['says when a secret ends', (document) => ({ ...document, client_secret_expires_at: 0 })],
    ['asks for a secret', (document) => ({ ...document, token_endpoint_auth_method: 'client_secret_basic' })],
    ['has no redirect URI', ({ redirect_uris: _, ...document }) => document],
    ['has a redirect URI that runs a script', (document) => ({ ...document, redirect_uris: ['javascript:alert(1)'] })],
    ['has a redirect URI without TLS', (document) => ({ ...document, redirect_uris: ['http://example.org/'] })],
    ['wants the password of people', (document) => ({ ...document, grant_types: ['password'] })],
    ['has the name of this service', (document) => ({ ...document, client_name: 'Gatehouse' })],
    ['has a name that hides something', (document) => ({ ...document, client_name: 'Assist\u202eant' })],
    ['is a list', (document) => [document]],
    ['is null', () => null],
    ['is no JSON', () => '{'],
    ['is too large', (document) => ({ ...document, more: 'x'.repeat(6000) })],
  ];
  for (const [what, change] of bad)
    it(`is refused if its document ${what}`, async () => {
      const { id, document } = documentOf();
      host.say(change(document));
      assert.ok(await isRefused(api, id));
      host.say(document);
      assert.ok(!(await isRefused(api, id)), 'an error is not kept');
    });

  for (const [what, answer] of [
    ['is not there', (_document: string, response: ServerResponse) => response.writeHead(404).end()],
    ['is elsewhere', (_document: string, response: ServerResponse) => response.writeHead(302, { Location: '/other' }).end()],
    [
      'is a page',
      (document: string, response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end(document),
    ],
    ['fails', (_document: string, response: ServerResponse) => response.writeHead(500).end()],
    [
      'ends in the middle',
      (document: string, response: ServerResponse) => {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': '1000' }).write(document.slice(0, 10));
        response.destroy();
      },
    ],
    [
      'is no UTF-8',
      (_document: string, response: ServerResponse) =>
        response.writeHead(200, { 'Content-Type': 'application/json' }).end(Buffer.from([0x7b, 0xff, 0x7d])),
    ],
  ] as const)
    it(`is refused if its document ${what}`, async () => {
      const { id, document } = documentOf();
      host.answer((_request, response) => void answer(JSON.stringify(document), response));
      assert.ok(await isRefused(api, id));
    });

  for (const [what, id] of [
    ['has no path', (good: string) => new URL(good).origin],
    ['has an empty path', (good: string) => `${new URL(good).origin}/`],
    ['has a fragment', (good: string) => `${good}#x`],
    ['has dots', (good: string) => good.replace(/\/([^/]*)$/, '/x/../$1')],
    ['has dots that are written otherwise', (good: string) => good.replace(/\/([^/]*)$/, '/%2e/$1')],
    ['names somebody', (good: string) => good.replace('http://', 'http://user@')],
    ['is written otherwise', (good: string) => good.replace('127.0.0.1', '127.1')],
    ['is of another scheme', (good: string) => good.replace('http:', 'ftp:')],
    ['has no TLS, at a host that is not allowed', (good: string) => good.replace('127.0.0.1', 'localhost')],
    ['is at a private address', () => 'https://10.0.0.1/app.json'],
    ['is where clouds keep their secrets', () => 'https://169.254.169.254/latest/meta-data.json'],
    ['is longer than an address', (good: string) => `${good}?${'x'.repeat(600)}`],
  ] as const)
    it(`is refused, and nothing is fetched, if the id ${what}`, async () => {
      const { id: good, document } = documentOf();
      host.say(document);
      const requests = host.requests;
      assert.ok(await isRefused(api, id(good)));
      assert.equal(host.requests, requests);
    });

  it('sends nobody where its document does not say', async () => {
    const { id, document } = documentOf();
    host.say(document);
    for (const wrong of ['http://127.0.0.1/other', 'https://evil.example.com/callback']) {
      const page = await begin(api, id, { redirect_uri: wrong });
      assert.match(page.text, /invalid_redirect_uri/);
    }
  });

  it('follows its document: what people allowed ends when it goes elsewhere', async () => {
    const { id, document } = documentOf();
    host.say(document, { 'Cache-Control': 'max-age=0' });
    const stranger = strangerOf(api, id);
    const { refresh_token: token } = await stranger.tokensFor(await makeUser(api));
    host.say({ ...document, redirect_uris: ['http://127.0.0.1/new'] });
    api.clock.advance(61);
    assert.match((await begin(api, id)).text, /invalid_redirect_uri/);
    assert.equal((await stranger.token({ grant_type: 'refresh_token', refresh_token: token })).body.error, 'invalid_grant');
  });

  it('is what it was while its host is away, and gone when the document is', async () => {
    const { id, document } = documentOf();
    host.say(document);
    const stranger = strangerOf(api, id);
    const { refresh_token: token } = await stranger.tokensFor(await makeUser(api));
    await later(api, 86_400);
    host.say({}, {}, 503);
    const refreshed = assertOk(await stranger.token({ grant_type: 'refresh_token', refresh_token: token }));
    host.say({}, {}, 410);
    assert.ok(await isRefused(api, id));
    const gone = await stranger.token({ grant_type: 'refresh_token', refresh_token: refreshed.refresh_token });
    assert.equal(gone.body.error, 'invalid_client');
  });

  it('is fetched once for many, and kept as long as it says, a day at most', async () => {
    const { id, document } = documentOf();
    host.say(document, { 'Cache-Control': 'public, max-age=31536000' });
    const requests = host.requests;
    await Promise.all(Array.from({ length: 5 }, () => begin(api, id)));
    assert.equal(host.requests, requests + 1);
    await later(api, 80_000);
    await begin(api, id);
    assert.equal(host.requests, requests + 1);
    await later(api, 10_000);
    await begin(api, id);
    assert.equal(host.requests, requests + 2);
  });

  it('is for the people whose domain allows documents, and for nobody while none does', async () => {
    const closed = await api.make('domain', { name: uniqueName('domain') });
    await setPolicy(api, { documents: 'off' }, closed.id);
    const { id, document } = documentOf();
    host.say(document);
    const outside = { ...(await makeUser(api, { domain_id: closed.id })), domain: closed.name as string };
    assert.equal(errorOf((await strangerOf(api, id).signIn(outside)).page), 'access_denied');
    await setPolicy(api, { documents: 'off' });
    const requests = host.requests;
    assert.ok(await isRefused(api, id));
    assert.equal(host.requests, requests, 'nothing is fetched for strangers');
    const metadata = await api.get('/.well-known/openid-configuration', { token: null });
    assert.equal(metadata.body.client_id_metadata_document_supported, undefined);
    await setPolicy(api, ALLOWED);
  });

  it('links to its own pages where it says what it is, port included', async () => {
    const { id, document } = documentOf();
    const [own, elsewhere] = [`https://${new URL(id).host}/privacy`, 'https://127.0.0.1:1/terms'];
    host.say({ ...document, policy_uri: own, tos_uri: elsewhere });
    const browser = new TestBrowser(api);
    await browser.signIn(strangerOf(api, id).ask().url, { ...(await makeUser(api)), consent: false });
    const { text } = browser.seen.find((page) => stepOf(page) === 'allow')!;
    assert.ok(text.includes(`href="${own}"`) && text.includes('Nobody here checked it'), text);
    assert.ok(!text.includes(elsewhere));
  });

  it('is limited in number by the domain of whoever allows it something', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const { registered_applications: all } = assertOk(await api.get(`${REGISTERED}?registered_by=document&kept=false`));
    await setPolicy(api, { documents: 'allowed', limit: String(all.length + 1) }, domain.id);
    const person = { ...(await makeUser(api, { domain_id: domain.id })), domain: domain.name as string };
    const [first, second] = [documentOf(), documentOf()];
    host.say(first.document);
    await strangerOf(api, first.id).tokensFor(person);
    host.say(second.document);
    const { page } = await strangerOf(api, second.id).signIn(person);
    assert.equal(page.redirectTarget?.searchParams.get('code') ?? null, null);
  });

  it('loses what people allowed it when it is deleted, and asks again', async () => {
    const { id, document } = documentOf();
    host.say(document);
    const stranger = strangerOf(api, id);
    const [person, browser] = [await makeUser(api), new TestBrowser(api)];
    const { refresh_token: token, access_token: access } = await stranger.tokensFor(person, {}, browser);
    assertOk(await api.delete(`${REGISTERED}/${encodeURIComponent(id)}`), 204);
    assert.equal((await stranger.token({ grant_type: 'refresh_token', refresh_token: token })).body.error, 'invalid_grant');
    assert.equal((await api.get(`/v3/access-tokens/${access}`)).status, 404);
    assert.ok((await stranger.tokensFor(person, {}, browser)).refresh_token);
  });

  it('does not follow its document any more when it is kept', async () => {
    const { id, document } = documentOf();
    host.say(document);
    const stranger = strangerOf(api, id);
    const person = await makeUser(api);
    await stranger.tokensFor(person);
    assertOk(await api.post(`${REGISTERED}/${encodeURIComponent(id)}/keep`, {}));
    await later(api, 86_400);
    host.say({ ...document, redirect_uris: ['https://evil.example.com/'] });
    const requests = host.requests;
    assert.match((await begin(api, id, { redirect_uri: 'https://evil.example.com/' })).text, /invalid_redirect_uri/);
    assert.ok((await stranger.tokensFor(person)).access_token);
    assert.equal(host.requests, requests);
  });
});

describe('Strangers who send the service to fetch documents', () => {
  it('do so no more than so many times in a while', () =>
    withApi({ rateLimits: true, trustedProxies: ['127.0.0.1'] }, async (api) => {
      await setPolicy(api, ALLOWED);
      api.clock.hold();
      host.say('{}');
      const requests = host.requests;
      const from = (address: string, id: string) =>
        fetch(api.url + strangerOf(api, id).ask().url, { redirect: 'manual', headers: { 'X-Forwarded-For': address } });
      for (let at = 0; at < 70; at++) await from('192.0.2.1', documentOf().id);
      assert.equal(host.requests, requests + 60);
      const { id, document } = documentOf();
      host.say(document);
      assert.equal((await from('192.0.2.2', id)).status, 303, 'what is at the same host is there for others');
    }));
});
