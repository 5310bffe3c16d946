// Token exchange (RFC 8693), and attacks on it, one thing wrong at a time.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import { changeApi, jwtPart, type MadeApi, makeApi, removeApi } from '../../../../test/support/apis.ts';
import { assign, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const ACCESS_TOKEN = 'urn:ietf:params:oauth:token-type:access_token';
const ID_TOKEN = 'urn:ietf:params:oauth:token-type:id_token';
const JWT = 'urn:ietf:params:oauth:token-type:jwt';
const ARCHIVE = { name: 'archive:read', description: 'to read the archive' };
const STORE = { name: 'store:read', description: 'to read the store' };

type Answer = { readonly status: number; readonly body: any };

underAttack('Token exchange', (api) => {
  /** People sign in to it. */
  let party: RelyingParty;
  /** The applications of the three APIs. Papers asks archive, archive asks store. */
  let papersApp: RelyingParty;
  let archiveApp: RelyingParty;
  let storeApp: RelyingParty;
  let papers: MadeApi;
  let archive: MadeApi;
  let store: MadeApi;
  const rule = (application: RelyingParty, subject_scope: string, scope: string) => ({
    application_id: application.application.id,
    subject_scope,
    scope,
  });

  before(async () => {
    const all = await Promise.all([0, 1, 2, 3].map(() => RelyingParty.make(api)));
    [party, papersApp, archiveApp, storeApp] = all as [RelyingParty, RelyingParty, RelyingParty, RelyingParty];
    papers = await makeApi(api, { application_id: papersApp.application.id });
    archive = await makeApi(api, {
      application_id: archiveApp.application.id,
      applications: [],
      scopes: [ARCHIVE, { name: 'archive:write', description: 'x' }],
      exchanges: [
        rule(papersApp, 'papers:read', 'archive:read'),
        rule(papersApp, 'papers:write', 'archive:write'),
        rule(party, 'papers:read', 'archive:read'),
      ],
    });
    store = await makeApi(api, {
      application_id: storeApp.application.id,
      applications: [],
      token_format: 'opaque',
      scopes: [STORE],
      exchanges: [rule(archiveApp, 'archive:read', 'store:read')],
    });
  });

  async function post(
    path: string,
    body: Record<string, string> | URLSearchParams,
    { application }: RelyingParty,
    headers = {},
  ): Promise<Answer> {
    const secret = Buffer.from(`${application.id}:${application.secret}`).toString('base64');
    const response = await fetch(`${api.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${secret}`, ...headers },
      body: new URLSearchParams(body),
    });
    return { status: response.status, body: await response.json() };
  }
  const exchange = (
    as: RelyingParty,
    token: string,
    { resource = archive.identifier, ...more }: Record<string, string> = {},
    headers = {},
  ) =>
    post(
      '/openid/token',
      { grant_type: EXCHANGE, subject_token: token, subject_token_type: ACCESS_TOKEN, resource, ...more },
      as,
      headers,
    );
  const isActive = async (token: string, as: RelyingParty): Promise<boolean> =>
    (await post('/openid/introspect', { token }, as)).body.active;
  const subjectOf = async (person: Awaited<ReturnType<typeof makeUser>>, scope = 'papers:read', resource = papers.identifier) =>
    (await party.tokensFor(person, { resource, scope: `openid ${scope}` })).access_token;
  function assertRefused({ status, body }: Answer, error: string, about = ''): void {
    assert.deepEqual([status, body.error], [error === 'invalid_client' ? 401 : 400, error], `${about} ${JSON.stringify(body)}`);
    assert.equal(body.access_token, undefined);
  }

  it('gives the API that was called a token for the next one: of the same person, with less, and who acts', async () => {
    const person = await makeUser(api);
    const subject = await subjectOf(person);
    const { status, body } = await exchange(papersApp, subject);
    assert.equal(status, 200, JSON.stringify(body));
    const { access_token: token, expires_in: life, ...rest } = body;
    assert.deepEqual(rest, { issued_token_type: ACCESS_TOKEN, token_type: 'Bearer', scope: 'archive:read' });
    const { iat, exp, jti, ...payload } = jwtPart(token, 1);
    assert.deepEqual(payload, {
      iss: api.url,
      sub: person.id,
      aud: archive.identifier,
      client_id: papersApp.application.id,
      scope: 'archive:read',
      act: { sub: papersApp.application.id },
    });
    assert.ok(exp <= jwtPart(subject, 1).exp && exp === iat + life);
    assert.ok(jti);
    const told = (await post('/openid/introspect', { token }, archiveApp)).body;
    assert.deepEqual([told.active, told.act], [true, { sub: papersApp.application.id }]);
    const second = await exchange(archiveApp, token, { resource: store.identifier });
    assert.equal(second.status, 200, JSON.stringify(second.body));
    const last = (await post('/openid/introspect', { token: second.body.access_token }, storeApp)).body;
    assert.deepEqual(
      [last.sub, last.client_id, last.scope, last.act],
      [
        person.id,
        archiveApp.application.id,
        'store:read',
        { sub: archiveApp.application.id, act: { sub: papersApp.application.id } },
      ],
    );
    const { body: events } = await api.get(`/v3/OS-AUDIT/events?action=access_token.exchanged&target_id=${person.id}`);
    assert.equal(events.events.length, 2);
  });

  it('takes the names of the standard, and the token of the application itself', async () => {
    const person = await makeUser(api);
    const subject = await subjectOf(person);
    const own = await exchange(party, subject, { requested_token_type: JWT, subject_token_type: JWT, scope: 'archive:read' });
    assert.deepEqual(jwtPart(own.body.access_token, 1).act, { sub: party.application.id });
    const { application } = papersApp;
    const body = new URLSearchParams({ grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN });
    body.set('audience', archive.identifier);
    const headers = { Authorization: `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}` };
    const answer = await fetch(`${api.url}/openid/token`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200, await answer.text());
  });

  for (const [what, more, error] of [
    ['without a subject token', { subject_token: '' }, 'invalid_request'],
    ['with a subject token that is none', { subject_token: 'nonsense' }, 'invalid_grant'],
    ['with a subject token of endless length', { subject_token: 'a'.repeat(9000) }, 'invalid_request'],
    ['without the type of it', { subject_token_type: '' }, 'invalid_request'],
    ['with an ID token', { subject_token_type: ID_TOKEN }, 'invalid_request'],
    ['for an ID token', { requested_token_type: ID_TOKEN }, 'invalid_request'],
    ['for a refresh token', { requested_token_type: 'urn:ietf:params:oauth:token-type:refresh_token' }, 'invalid_request'],
    ['with an actor token', { actor_token: 'x', actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
    ['with the type of an actor token alone', { actor_token_type: ACCESS_TOKEN }, 'invalid_request'],
    ['for no API', { resource: '' }, 'invalid_target'],
    ['for an API that nobody registered', { resource: 'https://nobody.example.org/' }, 'invalid_target'],
    ['for two', { audience: 'https://other.example.org/' }, 'invalid_target'],
    ['for a scope that the policy does not give', { scope: 'archive:write' }, 'invalid_scope'],
    ['for a scope of the subject token', { scope: 'papers:read' }, 'invalid_scope'],
    ['for a scope of OpenID Connect', { scope: 'openid' }, 'invalid_scope'],
    ['for one scope too many', { scope: 'archive:read offline_access' }, 'invalid_scope'],
  ] as const)
    it(`is refused ${what}`, async () => {
      const subject = await subjectOf(await makeUser(api));
      assertRefused(await exchange(papersApp, subject, more as unknown as Record<string, string>), error);
      assert.equal((await exchange(papersApp, subject)).status, 200, 'this test can fail');
    });

  it('is off unless the API says so, and for whom it does not say so', async () => {
    const subject = await subjectOf(await makeUser(api));
    const quiet = await makeApi(api);
    assertRefused(await exchange(papersApp, subject, { resource: quiet.identifier }), 'invalid_target');
    assertRefused(await exchange(papersApp, subject, { resource: store.identifier }), 'invalid_target');
    assertRefused(await exchange(storeApp, subject), 'invalid_target');
  });

  it('takes no token that was issued to others for others', async () => {
    const person = await makeUser(api);
    const subject = await subjectOf(person);
    // It may exchange for the store, but the token is for papers, and was issued to somebody else.
    assertRefused(await exchange(archiveApp, subject, { resource: store.identifier }), 'invalid_grant');
    const plain = (await party.tokensFor(person)).access_token;
    assertRefused(await exchange(party, plain), 'invalid_grant');
    const { id_token: id, refresh_token: refresh } = await party.tokensFor(person, {
      scope: 'openid offline_access papers:read',
      resource: papers.identifier,
    });
    for (const other of [id!, refresh!]) assertRefused(await exchange(party, other), 'invalid_grant');
  });

  it('takes no token of an application itself, which is nobody’s', async () => {
    const own = await client.clientCredentialsGrant(party.config, { resource: papers.identifier, scope: 'papers:read' });
    for (const as of [party, papersApp]) assertRefused(await exchange(as, own.access_token), 'invalid_grant');
  });

  it('gives nothing for a subject token without the scope', async () => {
    const none = await subjectOf(await makeUser(api), 'nothing');
    assertRefused(await exchange(papersApp, none), 'invalid_scope');
    const write = await exchange(papersApp, await subjectOf(await makeUser(api), 'papers:write'));
    assert.equal(write.body.scope, 'archive:write');
  });

  it('gives no scope of a role that the person does not have', async () => {
    const role = await makeRole(api, archiveApp.application);
    const guarded = await makeApi(api, {
      application_id: archiveApp.application.id,
      scopes: [{ name: 'vault:read', description: 'x', roles: [role.id] }],
      exchanges: [rule(papersApp, 'papers:read', 'vault:read')],
    });
    const { user, password, organization } = await makePerson(api);
    const subject = (
      await party.tokensFor({ name: user.name, password }, { resource: papers.identifier, scope: 'openid papers:read' })
    ).access_token;
    assertRefused(await exchange(papersApp, subject, { resource: guarded.identifier }), 'invalid_scope');
    await assign(api, { user, organization, application: archiveApp.application, role });
    assert.equal((await exchange(papersApp, subject, { resource: guarded.identifier })).body.scope, 'vault:read');
  });

  it('is not for applications without a secret, a wrong one, or without the grant', async () => {
    const subject = await subjectOf(await makeUser(api));
    const open = await RelyingParty.make(api, { client_type: 'public' });
    const narrow = await RelyingParty.make(api, { allowed_grant_types: ['authorization_code'] });
    const made = await makeApi(api, {
      scopes: [ARCHIVE],
      exchanges: [rule(open, 'papers:read', 'archive:read'), rule(narrow, 'papers:read', 'archive:read')],
    });
    const body = { grant_type: EXCHANGE, subject_token: subject, subject_token_type: ACCESS_TOKEN, resource: made.identifier };
    const answer = await fetch(`${api.url}/openid/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...body, client_id: open.application.id }),
    });
    assert.ok([400, 401].includes(answer.status), await answer.text());
    assert.equal((await post('/openid/token', body, narrow)).body.error, 'invalid_request');
    const wrong = { application: { ...papersApp.application, secret: 'wrong' } } as RelyingParty;
    assertRefused(await exchange(wrong, subject), 'invalid_client');
  });

  it('never makes a token live longer', async () => {
    const short = await makeApi(api, { application_id: papersApp.application.id, token_lifetime: 60 });
    const subject = await subjectOf(await makeUser(api), 'papers:read', short.identifier);
    const { body } = await exchange(papersApp, subject);
    assert.ok(jwtPart(body.access_token, 1).exp <= jwtPart(subject, 1).exp, 'the API itself would give ten minutes');
    const second = await exchange(archiveApp, body.access_token, { resource: store.identifier });
    const told = (await post('/openid/introspect', { token: second.body.access_token }, storeApp)).body;
    assert.ok(told.exp <= jwtPart(subject, 1).exp, 'nor the second');
  });

  it('ends with what it came from: the person, their consent and session, both applications, and the APIs', async () => {
    const ends: readonly ((person: { id: string }, other: RelyingParty, first: MadeApi) => Promise<unknown>)[] = [
      async ({ id }) => assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled: false } })),
      async ({ id }, { application }) =>
        assertOk(await api.delete(`/v3/OS-OAUTH2/consumers/${application.id}/grants/${id}`), 204),
      async ({ id }) => assertOk(await api.delete(`/v3/users/${id}/OS-SESSIONS/sessions`), 204),
      async (_person, { application }) => assertOk(await api.delete(`/v3/OS-OAUTH2/consumers/${application.id}`), 204),
      async (_person, _other, first) => changeApi(api, first, { scopes: [] }),
      async (_person, _other, first) => changeApi(api, first, { applications: [] }),
      async (_person, _other, first) => removeApi(api, first),
    ];
    for (const token_format of ['opaque', 'jwt'])
      for (const end of ends) {
        const [person, other] = [await makeUser(api), await RelyingParty.make(api)];
        const first = await makeApi(api, { application_id: papersApp.application.id, token_format });
        const asked = { resource: first.identifier, scope: 'openid papers:read' };
        const subject = (await other.tokensFor(person, asked)).access_token;
        const one = (await exchange(papersApp, subject)).body.access_token as string;
        const two = (await exchange(archiveApp, one, { resource: store.identifier })).body.access_token as string;
        assert.deepEqual([await isActive(one, archiveApp), await isActive(two, storeApp)], [true, true]);
        await end(person, other, first);
        assert.deepEqual([await isActive(one, archiveApp), await isActive(two, storeApp)], [false, false], end.toString());
        assertRefused(await exchange(papersApp, subject), 'invalid_grant', end.toString());
        assertRefused(await exchange(archiveApp, one, { resource: store.identifier }), 'invalid_grant');
      }
  });

  it('ends when the subject token is revoked', async () => {
    const first = await makeApi(api, { application_id: papersApp.application.id, token_format: 'opaque' });
    const subject = await subjectOf(await makeUser(api), 'papers:read', first.identifier);
    const one = (await exchange(papersApp, subject)).body.access_token as string;
    await client.tokenRevocation(party.config, subject);
    assert.equal(await isActive(one, archiveApp), false);
    assertRefused(await exchange(papersApp, subject), 'invalid_grant');
  });

  it('ends nothing else when who got it revokes it', async () => {
    const first = await makeApi(api, { application_id: papersApp.application.id, token_format: 'opaque' });
    const person = await makeUser(api);
    const subject = await subjectOf(person, 'papers:read', first.identifier);
    const one = (await exchange(papersApp, subject)).body.access_token as string;
    const two = (await exchange(archiveApp, one, { resource: store.identifier })).body.access_token as string;
    await client.tokenRevocation(archiveApp.config, two);
    assert.deepEqual([await isActive(two, storeApp), await isActive(one, archiveApp)], [false, true]);
    assert.equal(await isActive(subject, papersApp), true);
  });

  it('ends when the policy is taken back, and is as narrow as the policy is then', async () => {
    const made = await makeApi(api, {
      application_id: archiveApp.application.id,
      scopes: [ARCHIVE, STORE],
      exchanges: [rule(papersApp, 'papers:read', 'archive:read'), rule(papersApp, 'papers:read', 'store:read')],
    });
    const one = (await exchange(papersApp, await subjectOf(await makeUser(api)), { resource: made.identifier })).body;
    assert.equal(one.scope, 'archive:read store:read');
    await changeApi(api, made, { exchanges: [rule(papersApp, 'papers:read', 'archive:read')] });
    const told = (await post('/openid/introspect', { token: one.access_token }, archiveApp)).body;
    assert.deepEqual([told.active, told.scope], [true, 'archive:read']);
    await changeApi(api, made, { exchanges: [] });
    assert.equal(await isActive(one.access_token, archiveApp), false);
  });

  it('gives nothing when the access ends while the token is made', async () => {
    for (const token_format of ['opaque', 'jwt']) {
      const person = await makeUser(api);
      const first = await makeApi(api, { application_id: papersApp.application.id, token_format });
      const subject = await subjectOf(person, 'papers:read', first.identifier);
      const end = async () =>
        assertOk(await api.delete(`/v3/OS-OAUTH2/consumers/${party.application.id}/grants/${person.id}`), 204);
      const answer = await whenAt('token-exchange.before-token', end, () => exchange(papersApp, subject));
      assertRefused(answer, 'invalid_grant');
    }
  });

  it('is not passed on without end', async () => {
    const loop = await makeApi(api, {
      application_id: papersApp.application.id,
      scopes: [{ name: 'loop', description: 'x' }],
      exchanges: [rule(papersApp, 'loop', 'loop')],
    });
    let token = await subjectOf(await makeUser(api), 'loop', loop.identifier);
    for (let at = 0; at < 5; at++) token = (await exchange(papersApp, token, { resource: loop.identifier })).body.access_token;
    assertRefused(await exchange(papersApp, token, { resource: loop.identifier }), 'invalid_request');
  });

  it('gives tokens that are bound to the key of a proof, and asks for the key of one’s own token', async () => {
    const person = await makeUser(api);
    const handle = client.getDPoPHandle(party.config, await client.randomDPoPKeyPair());
    const other = client.getDPoPHandle(party.config, await client.randomDPoPKeyPair());
    const { url, checks } = await party.ask({ resource: papers.identifier, scope: 'openid papers:read' });
    const page = await new TestBrowser(api).signIn(url, person);
    const bound = await client.authorizationCodeGrant(party.config, redirectTargetOf(page), checks, undefined, { DPoP: handle });
    const thumbprint = jwtPart(bound.access_token, 1).cnf.jkt as string;
    assert.ok(thumbprint);
    assertRefused(await exchange(party, bound.access_token), 'invalid_dpop_proof');
    const request = { subject_token: bound.access_token, subject_token_type: ACCESS_TOKEN, resource: archive.identifier };
    const byOther = client.genericGrantRequest(party.config, EXCHANGE, request, { DPoP: other });
    await assert.rejects(byOther, ({ error }: any) => error === 'invalid_dpop_proof');
    const good = await client.genericGrantRequest(party.config, EXCHANGE, request, { DPoP: handle });
    assert.equal(jwtPart(good.access_token, 1).cnf.jkt, thumbprint);
    assert.equal(good.token_type.toLowerCase(), 'dpop');
    const keyed = client.getDPoPHandle(papersApp.config, await client.randomDPoPKeyPair());
    const ofApi = await client.genericGrantRequest(papersApp.config, EXCHANGE, request, { DPoP: keyed });
    assert.notEqual(jwtPart(ofApi.access_token, 1).cnf.jkt, thumbprint);
    // Its own scheme and nonsense.
    assertRefused(await exchange(papersApp, bound.access_token, {}, { DPoP: 'nonsense' }), 'invalid_dpop_proof');
  });

  it('gives a token that is good at its API only', async () => {
    const { body } = await exchange(papersApp, await subjectOf(await makeUser(api)));
    const token = body.access_token as string;
    for (const as of [papersApp, party, storeApp]) assert.equal(await isActive(token, as), false);
    assert.equal((await api.get('/v3/users', { token })).status, 401);
    assert.equal(body.refresh_token, undefined);
    assert.equal(body.id_token, undefined);
  });
});
