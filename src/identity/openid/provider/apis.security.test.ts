// Attacks with tokens and requests for APIs, one thing wrong at a time: resources that are not the application's, and tokens of one API at others.
import assert from 'node:assert/strict';
import { createSign, generateKeyPairSync } from 'node:crypto';
import { before, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase } from '../../../../test/support/api.ts';
import { changeApi, jwtPart, type MadeApi, makeApi, READ, removeApi, WRITE } from '../../../../test/support/apis.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { CALLBACK, makeUser, RelyingParty, refusal } from '../../../../test/support/relying-party.ts';
import { redirectTargetOf, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

const DEVICE = 'urn:ietf:params:oauth:grant-type:device_code';
const UNKNOWN = 'https://nobody.example.org/';

onUsualDatabase('Tokens for APIs', (api) => {
  let own: any;
  let papers: MadeApi;
  let files: MadeApi;
  let closed: MadeApi;
  let party: RelyingParty;
  let stranger: RelyingParty;
  before(async () => {
    own = await makeApplication(api);
    party = await RelyingParty.make(api);
    stranger = await RelyingParty.make(api);
    papers = await makeApi(api, { application_id: own.id });
    files = await makeApi(api, { scopes: [{ name: 'files:read', description: 'to read your files' }], token_format: 'opaque' });
    closed = await makeApi(api, { applications: [stranger.application.id], scopes: [{ name: 'closed:read', description: 'x' }] });
  });

  const post = async (path: string, body: Record<string, string>, { application }: RelyingParty = party) => {
    const response = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}` },
      body: new URLSearchParams(body),
    });
    return { status: response.status, body: (await response.json()) as any };
  };
  const introspect = async (token: string, as: { id: string; secret: string } = own) =>
    (await post('/openid/introspect', { token }, { application: as } as RelyingParty)).body;
  const userinfo = async (token: string): Promise<number> =>
    (await fetch(`${api.url}/openid/userinfo`, { headers: { Authorization: `Bearer ${token}` } })).status;
  const askedFor = async (more: Record<string, string>): Promise<string | null> =>
    redirectTargetOf(await new TestBrowser(api).go((await party.ask(more)).url)).searchParams.get('error');

  for (const [what, resource] of [
    ['that nobody registered', () => UNKNOWN],
    ['that is for another application', () => closed.identifier],
    ['with a fragment', () => `${papers.identifier}#x`],
    ['with a user', () => papers.identifier.replace('https://', 'https://x@')],
    ['of plain http', () => papers.identifier.replace('https:', 'http:')],
    ['that is no address', () => 'papers'],
    ['with a path beyond that of the API', () => `${papers.identifier}v1`],
    ['in capital letters', () => papers.identifier.toUpperCase()],
    ['on a host that only begins alike', () => papers.identifier.replace(/\/$/, '.evil.example/')],
  ] as const) {
    it(`are not asked for by a resource ${what}`, async () => {
      assert.equal(await askedFor({ resource: resource(), scope: 'openid papers:read' }), 'invalid_target');
      const machine = await post('/openid/token', { grant_type: 'client_credentials', resource: resource() });
      assert.deepEqual([machine.status, machine.body.error], [400, 'invalid_target']);
      const { parameters } = await party.parameters({ resource: resource() });
      assert.equal(await refusal(client.buildAuthorizationUrlWithPAR(party.config, parameters)), 'invalid_target');
      const device = await post('/openid/device/authorize', { scope: 'openid', resource: resource() });
      assert.ok(['invalid_target', 'invalid_request'].includes(device.body.error), JSON.stringify(device.body));
    });
  }

  it('do not tell an application whether there is an API that it may not ask for', async () => {
    const [unknown, foreign] = [
      await post('/openid/token', { grant_type: 'client_credentials', resource: UNKNOWN }),
      await post('/openid/token', { grant_type: 'client_credentials', resource: closed.identifier }),
    ];
    assert.deepEqual(foreign, unknown);
    const byScope = await post('/openid/token', { grant_type: 'client_credentials', scope: 'closed:read' });
    assert.equal(byScope.body.error, 'invalid_scope');
  });

  it('are for one API, also when two are named', async () => {
    const body = new URLSearchParams({ grant_type: 'client_credentials', resource: papers.identifier });
    body.append('resource', files.identifier);
    const { application } = party;
    const headers = { Authorization: `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}` };
    const answer = await fetch(`${api.url}/openid/token`, { method: 'POST', headers, body });
    assert.equal(answer.status, 400);
    const person = await makeUser(api);
    const { url, checks } = await party.ask({ resource: papers.identifier, scope: 'openid papers:read files:read' });
    url.searchParams.append('resource', files.identifier);
    const page = await new TestBrowser(api).signIn(url, person);
    assert.equal(await refusal(party.redeem(page, checks)), 'invalid_target');
  });

  it('have no scope of another API, of OpenID Connect, or none at all', async () => {
    const asked = { resource: papers.identifier, scope: 'openid email all_info files:read gatehouse:named papers:read' };
    const tokens = await party.tokensFor(await makeUser(api), asked);
    assert.equal(jwtPart(tokens.access_token, 1).scope, 'papers:read');
    const none = await party.tokensFor(await makeUser(api), { resource: papers.identifier, scope: 'openid files:read' });
    assert.equal(jwtPart(none.access_token, 1).scope, undefined);
  });

  it('are not got with the code or the refresh token of another resource', async () => {
    const person = await makeUser(api);
    const { url, checks } = await party.ask({
      resource: files.identifier,
      scope: 'openid offline_access files:read papers:read',
    });
    const page = await new TestBrowser(api).signIn(url, person);
    const redeemed = client.authorizationCodeGrant(party.config, redirectTargetOf(page), checks, { resource: papers.identifier });
    assert.equal(await refusal(redeemed), 'invalid_target');
    const tokens = await party.tokensFor(person, { resource: files.identifier, scope: 'openid offline_access files:read' });
    const refreshed = client.refreshTokenGrant(party.config, tokens.refresh_token!, { resource: papers.identifier });
    assert.equal(await refusal(refreshed), 'invalid_target');
  });

  it('have no more scopes after a refresh', async () => {
    const asked = { resource: files.identifier, scope: 'openid offline_access files:read' };
    const tokens = await party.tokensFor(await makeUser(api), asked);
    const more = client.refreshTokenGrant(party.config, tokens.refresh_token!, {
      resource: files.identifier,
      scope: 'files:read papers:read',
    });
    assert.equal(await refusal(more), 'invalid_scope');
  });

  it('are good neither at userinfo, nor at the base API, nor at SCIM, nor where proxies ask', async () => {
    const person = await makeUser(api);
    for (const made of [papers, files]) {
      const tokens = await party.tokensFor(person, { resource: made.identifier, scope: 'openid papers:read files:read' });
      const token = tokens.access_token;
      assert.ok([401, 403].includes(await userinfo(token)));
      assert.equal((await api.get('/v3/users', { token })).status, 401);
      assert.equal((await api.get(`/v3/access-tokens/${token}`)).status, 404);
      assert.equal((await fetch(`${api.url}/scim/v2/Users`, { headers: { Authorization: `Bearer ${token}` } })).status, 401);
      const login = { auth: { identity: { methods: ['oauth2'], oauth2: { access_token_id: token } } } };
      assert.equal((await api.post('/v3/auth/tokens', login, { token: null })).status, 401);
      assert.equal(
        (await post('/openid/introspect', { token })).body.active,
        false,
        'the application that has it is not the API',
      );
    }
  });

  it('are told about to the application of their API only, and to no public one', async () => {
    const { access_token: token } = await party.tokensFor(await makeUser(api), {
      resource: papers.identifier,
      scope: 'openid papers:read',
    });
    assert.equal((await introspect(token)).active, true);
    for (const { application } of [party, stranger]) assert.deepEqual(await introspect(token, application), { active: false });
    const open = await RelyingParty.make(api, { client_type: 'public' });
    const made = await makeApi(api, { application_id: open.application.id, token_format: 'opaque' });
    const { access_token: own } = await party.tokensFor(await makeUser(api), {
      resource: made.identifier,
      scope: 'openid papers:read',
    });
    const body = new URLSearchParams({ token: own, client_id: open.application.id });
    const answer = await fetch(`${api.url}/openid/introspect`, { method: 'POST', body });
    assert.deepEqual(await answer.json(), { active: false });
  });

  for (const [what, change] of [
    ['its audience', (payload: any) => ({ ...payload, aud: 'https://other.example.org' })],
    ['its scope', (payload: any) => ({ ...payload, scope: 'papers:read papers:write' })],
    ['its person', (payload: any) => ({ ...payload, sub: 'somebody' })],
    ['its end', (payload: any) => ({ ...payload, exp: payload.exp + 3600 })],
  ] as const)
    it(`are not active with another value of ${what}`, async () => {
      const asked = { resource: papers.identifier, scope: 'openid papers:read' };
      const { access_token: token } = await party.tokensFor(await makeUser(api), asked);
      const [header, payload, signature] = token.split('.') as [string, string, string];
      const other = Buffer.from(JSON.stringify(change(JSON.parse(Buffer.from(payload, 'base64url').toString())))).toString(
        'base64url',
      );
      assert.deepEqual(await introspect(`${header}.${other}.${signature}`), { active: false });
      assert.equal((await introspect(token)).active, true, 'this test can fail');
    });

  it('are not active when somebody else signed them, without a signature, or cut', async () => {
    const asked = { resource: papers.identifier, scope: 'openid papers:read' };
    const { access_token: token } = await party.tokensFor(await makeUser(api), asked);
    const [header, payload] = token.split('.') as [string, string];
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const signer = createSign('sha256').update(`${header}.${payload}`);
    const forged = signer.sign({ key: privateKey, dsaEncoding: 'ieee-p1363' }).toString('base64url');
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'at+jwt' })).toString('base64url');
    for (const bad of [
      `${header}.${payload}.${forged}`,
      `${none}.${payload}.`,
      `${header}.${payload}`,
      `${token}.`,
      'a.b.c',
      '...',
    ])
      assert.deepEqual(await introspect(bad), { active: false }, bad.slice(-20));
  });

  it('end with the person, the consent, the session and the application', async () => {
    const asked = { resource: papers.identifier, scope: 'openid papers:read' };
    const ends: readonly ((person: any, other: RelyingParty) => Promise<unknown>)[] = [
      async ({ id }) => assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled: false } })),
      async ({ id }) => assertOk(await api.delete(`/v3/users/${id}`), 204),
      async ({ id }, { application }) =>
        assertOk(await api.delete(`/v3/OS-OAUTH2/consumers/${application.id}/grants/${id}`), 204),
      async ({ id }) => assertOk(await api.delete(`/v3/users/${id}/OS-SESSIONS/sessions`), 204),
      async (_person, { application }) => assertOk(await api.delete(`/v3/OS-OAUTH2/consumers/${application.id}`), 204),
      async (_person, { application }) =>
        assertOk(
          await api.patch(`/v3/OS-OAUTH2/consumers/${application.id}`, {
            consumer: { redirect_uris: ['https://b.example.org/'] },
          }),
        ),
    ];
    for (const end of ends) {
      const [person, other] = [await makeUser(api), await RelyingParty.make(api)];
      const { access_token: token } = await other.tokensFor(person, asked);
      assert.equal((await introspect(token)).active, true);
      await end(person, other);
      assert.deepEqual(await introspect(token), { active: false }, end.toString());
    }
  });

  it('are refused without using up the refresh token that has others', async () => {
    const [one, two] = [await makeApi(api), await makeApi(api)];
    const person = await makeUser(api);
    const { url, checks } = await party.ask({ resource: one.identifier, scope: 'openid offline_access papers:read' });
    url.searchParams.append('resource', two.identifier);
    const page = await new TestBrowser(api).signIn(url, person);
    const redeemed = client.authorizationCodeGrant(party.config, redirectTargetOf(page), checks, { resource: one.identifier });
    const refresh = (await redeemed).refresh_token!;
    await changeApi(api, one, { scopes: [] });
    for (const resource of [one.identifier, UNKNOWN, files.identifier])
      assert.equal(await refusal(client.refreshTokenGrant(party.config, refresh, { resource })), 'invalid_target', resource);
    const other = await client.refreshTokenGrant(party.config, refresh, { resource: two.identifier });
    assert.equal(jwtPart(other.access_token, 1).aud, two.identifier);
  });

  it('are not got by a request from before something was taken away', async () => {
    const made = await makeApi(api);
    const person = await makeUser(api);
    const asked = { resource: made.identifier, scope: 'openid papers:read papers:write' };
    // A code from before.
    const { url, checks } = await party.ask(asked);
    const page = await new TestBrowser(api).signIn(url, person);
    await changeApi(api, made, { scopes: [READ] });
    await changeApi(api, made, { scopes: [READ, WRITE] });
    assert.equal(await refusal(party.redeem(page, checks)), 'invalid_target');
    // A consent page from before.
    const browser = new TestBrowser(api);
    const second = await party.ask(asked);
    const shown = await browser.submit(await browser.go(second.url), 'password', {
      name: person.name,
      password: person.password,
    });
    assert.equal(stepOf(shown), 'allow');
    await changeApi(api, made, { scopes: [READ] });
    const again = await browser.submit(shown, 'allow');
    assert.equal(stepOf(again), 'allow', 'it is asked again');
    assert.ok(!again.text.includes(WRITE.description));
    await removeApi(api, made);
    const gone = redirectTargetOf(await browser.submit(again, 'allow'));
    assert.equal(gone.searchParams.get('error'), 'invalid_target');
  });

  it('are not got by a pushed request or a device when the application is taken out meanwhile', async () => {
    const made = await makeApi(api);
    const person = await makeUser(api);
    const { parameters } = await party.parameters({ resource: made.identifier, scope: 'openid papers:read' });
    const pushed = await client.buildAuthorizationUrlWithPAR(party.config, parameters);
    const begun = await client.initiateDeviceAuthorization(party.config, {
      scope: 'openid papers:read',
      resource: made.identifier,
    });
    const browser = new TestBrowser(api);
    await browser.signIn((await party.ask()).url, person);
    const confirm = await browser.go(begun.verification_uri_complete!);
    const page = await browser.submit(await browser.submit(confirm, undefined), undefined);
    assert.equal(stepOf(page), 'allow');
    await browser.submit(page, 'allow');
    await changeApi(api, made, { applications: [] });
    const redeemed = { device_code: begun.device_code };
    assert.equal(await refusal(client.genericGrantRequest(party.config, DEVICE, redeemed)), 'invalid_target');
    const target = redirectTargetOf(await new TestBrowser(api).go(pushed));
    assert.equal(target.href.startsWith(CALLBACK), true);
    assert.equal(target.searchParams.get('error'), 'invalid_target');
  });

  it('give no scope of a role to who has it elsewhere, or lost it, or to an application', async () => {
    const [application, another] = [await makeApplication(api), await makeApplication(api)];
    const [role, elsewhere] = [await makeRole(api, application), await makeRole(api, another)];
    const made = await makeApi(api, {
      application_id: application.id,
      scopes: [
        { ...READ, roles: [role.id] },
        { ...WRITE, roles: [elsewhere.id] },
      ],
    });
    const { user, password, organization } = await makePerson(api);
    await assign(api, { user, organization, application: another, role: elsewhere });
    const person = { name: user.name, password };
    const scope = 'openid papers:read papers:write';
    const first = await party.tokensFor(person, { resource: made.identifier, scope });
    assert.equal(jwtPart(first.access_token, 1).scope, undefined);
    await assign(api, { user, organization, application, role });
    // A code from when they had the role.
    const { url, checks } = await party.ask({ resource: made.identifier, scope });
    const page = await new TestBrowser(api).signIn(url, person);
    assertOk(await api.delete(`/v3/OS-ROLES/roles/${role.id}`), 204);
    const second = await party.redeem(page, checks);
    assert.equal(jwtPart(second.access_token, 1).scope, undefined);
    const machine = await post('/openid/token', {
      grant_type: 'client_credentials',
      resource: made.identifier,
      scope: 'papers:read',
    });
    assert.equal(machine.body.scope, undefined);
  });

  it('keep what is stored of them out of the token', async () => {
    const { access_token: token } = await party.tokensFor(await makeUser(api), {
      resource: papers.identifier,
      scope: 'openid papers:read',
    });
    assert.deepEqual(Object.keys(jwtPart(token, 1)).sort(), ['aud', 'client_id', 'exp', 'iat', 'iss', 'jti', 'scope', 'sub']);
    assert.deepEqual(Object.keys(jwtPart(token, 0)).sort(), ['alg', 'kid', 'typ']);
  });
});
