// Tokens for APIs that are taken back (RFC 7009), JWTs too; and how many tokens are exchanged.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import * as client from 'openid-client';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi, underAttack } from '../../../../test/support/api.ts';
import { changeApi, jwtPart, type MadeApi, makeApi, READ, removeApi, WRITE } from '../../../../test/support/apis.ts';
import { assign, assignmentPath, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { basic, FORM, KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';

const EXCHANGE = {
  grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
  subject_token_type: 'urn:ietf:params:oauth:token-type:access_token',
};

class World {
  readonly api: TestApi;
  /** People sign in to it. */
  party!: RelyingParty;
  papersApp!: RelyingParty;
  archiveApp!: RelyingParty;
  papers!: MadeApi;
  archive!: MadeApi;

  constructor(api: TestApi) {
    this.api = api;
  }

  async make(): Promise<void> {
    this.party = await RelyingParty.make(this.api);
    this.papersApp = await RelyingParty.make(this.api);
    this.archiveApp = await RelyingParty.make(this.api);
    const application_id = this.papersApp.application.id;
    this.papers = await makeApi(this.api, { application_id });
    this.archive = await makeApi(this.api, {
      application_id: this.archiveApp.application.id,
      applications: [],
      scopes: [{ name: 'archive:read', description: 'to read the archive' }],
      exchanges: [{ application_id, subject_scope: 'papers:read', scope: 'archive:read' }],
    });
  }

  async post(path: string, body: Record<string, string>, { application }: RelyingParty) {
    const response = await fetch(`${this.api.url}${path}`, {
      method: 'POST',
      headers: { Authorization: `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}` },
      body: new URLSearchParams(body),
    });
    const text = await response.text();
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
  }
  async token(person?: Awaited<ReturnType<typeof makeUser>>): Promise<string> {
    const asked = { resource: this.papers.identifier, scope: 'openid papers:read' };
    return (await this.party.tokensFor(person ?? (await makeUser(this.api)), asked)).access_token;
  }
  exchange = (token: string) =>
    this.post('/openid/token', { ...EXCHANGE, subject_token: token, resource: this.archive.identifier }, this.papersApp);
  revoke = (token: string, as = this.party, more = {}) => this.post('/openid/revoke', { token, ...more }, as);
  isActive = async (token: string, as: RelyingParty): Promise<boolean> =>
    (await this.post('/openid/introspect', { token }, as)).body.active;
}

onUsualDatabase('JWTs that are taken back', (api) => {
  const world = new World(api);
  before(() => world.make());

  it('are over for an API that asks, and for what they were exchanged for', async () => {
    const token = await world.token();
    assert.equal(jwtPart(token, 0).typ, 'at+jwt');
    const { access_token: second } = (await world.exchange(token)).body;
    assert.deepEqual(
      [await world.isActive(token, world.papersApp), await world.isActive(second, world.archiveApp)],
      [true, true],
    );
    for (const more of [{}, { token_type_hint: 'refresh_token' }]) {
      const answer = await world.revoke(token, world.party, more);
      assert.deepEqual([answer.status, answer.body], [200, undefined], 'also when they are over already');
    }
    assert.deepEqual(
      [await world.isActive(token, world.papersApp), await world.isActive(second, world.archiveApp)],
      [false, false],
    );
    assert.equal((await world.exchange(token)).body.error, 'invalid_grant');
  });

  it('are not taken back by another application, nor by the API, nor by nobody', async () => {
    const token = await world.token();
    for (const other of [world.papersApp, world.archiveApp]) {
      const answer = await world.revoke(token, other);
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request']);
    }
    const stranger = { application: { ...world.party.application, secret: 'guessed' } } as RelyingParty;
    assert.equal((await world.revoke(token, stranger)).status, 401);
    assert.equal(await world.isActive(token, world.papersApp), true);
  });

  it('are nothing if somebody else has made them', async () => {
    const token = await world.token();
    const [header, , signature] = token.split('.');
    const forged = `${header}.${Buffer.from(JSON.stringify({ ...jwtPart(token, 1), sub: 'x' })).toString('base64url')}.${signature}`;
    for (const text of [forged, 'eyJhbGciOiJub25lIn0.e30.', `${token}x`]) assert.equal((await world.revoke(text)).status, 200);
    assert.equal(await world.isActive(token, world.papersApp), true);
  });
});

underAttack('What is remembered of tokens for APIs', (api) => {
  let owner: RelyingParty;
  before(async () => {
    owner = await RelyingParty.make(api);
  });

  async function scene(values: Record<string, unknown> = {}) {
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const made = await makeApi(api, { application_id: owner.application.id, ...values });
    const { access_token: token } = await party.tokensFor(person, { resource: made.identifier, scope: 'openid papers:read' });
    return { party, person, made, token };
  }
  type Scene = Awaited<ReturnType<typeof scene>>;

  const introspect = async (token: string, { application: { id, secret } }: RelyingParty) =>
    assertOk(
      await api.request('POST', '/openid/introspect', {
        token: null,
        headers: { Authorization: basic({ id, secret }), ...FORM },
        body: new URLSearchParams({ token }).toString(),
      }),
    );
  async function hits(): Promise<number> {
    const text = await api.service.metrics.registry.metrics();
    return Number(/^gatehouse_cache_hits_total\{cache="api_tokens"\} (\d+)/m.exec(text)?.[1]);
  }

  const consumer = ({ party }: Scene): string => `/v3/OS-OAUTH2/consumers/${party.application.id}`;
  const ENDINGS: Readonly<Record<string, (of: Scene) => Promise<unknown>>> = {
    'it is revoked': ({ token, party }) => client.tokenRevocation(party.config, token),
    'the person is disabled': ({ person }) => api.patch(`/v3/users/${person.id}`, { user: { enabled: false } }),
    'the person is deleted': ({ person }) => api.delete(`/v3/users/${person.id}`),
    'a password is set': ({ person }) => api.patch(`/v3/users/${person.id}`, { user: { password: 'another password' } }),
    'their sessions are ended': ({ person }) => api.delete(`/v3/users/${person.id}/OS-SESSIONS/sessions`),
    'the consent is withdrawn': (of) => api.delete(`${consumer(of)}/grants/${of.person.id}`),
    'the application is deleted': (of) => api.delete(consumer(of)),
    'the application may not ask for the API any more': ({ made }) => changeApi(api, made, { applications: [] }),
    'the API is of another application': ({ made, party }) => changeApi(api, made, { application_id: party.application.id }),
    'the API loses the scope': ({ made }) => changeApi(api, made, { scopes: [WRITE] }),
    'the API is removed': ({ made }) => removeApi(api, made),
  };
  for (const format of ['jwt', 'opaque'])
    for (const [what, end] of Object.entries(ENDINGS))
      it(`ends at once when ${what} (${format})`, async () => {
        const of = await scene({ token_format: format });
        const first = await introspect(of.token, owner);
        assert.equal(first.active, true);
        const earlier = await hits();
        // On a very busy machine the feed may be late, and then nothing is answered from memory.
        for (let n = 0; n < 100 && (await hits()) === earlier; n++) assert.deepEqual(await introspect(of.token, owner), first);
        assert.ok((await hits()) > earlier, 'never answered from memory');
        assert.deepEqual(await introspect(of.token, of.party), { active: false }, 'nobody else learns of it');
        await end(of);
        assert.deepEqual(await introspect(of.token, owner), { active: false });
      });

  it('follows the roles that give a scope, and ends with its time', async () => {
    const application = await KeyrockClient.make(api);
    const [person, role] = [await makePerson(api), await makeRole(api, application)];
    const assignment = { user: person.user, organization: person.organization, application, role };
    await assign(api, assignment);
    const scopes = [
      { ...READ, roles: [role.id] },
      { ...WRITE, roles: null },
    ];
    const { made } = await scene();
    await changeApi(api, made, { application_id: application.id, scopes });
    const party = await RelyingParty.make(api);
    const answers = { name: person.user.name, password: person.password };
    const asked = { resource: made.identifier, scope: 'openid papers:read papers:write' };
    const { access_token: token } = await party.tokensFor(answers, asked);
    const scopeNow = async () => (await application.introspect(token)).body.scope;
    assert.deepEqual([await scopeNow(), await scopeNow()], ['papers:read papers:write', 'papers:read papers:write']);
    assertOk(await api.delete(assignmentPath(assignment)), 204);
    assert.equal(await scopeNow(), 'papers:write');
    await assign(api, assignment);
    assert.equal(await scopeNow(), 'papers:read papers:write');
    assert.deepEqual(await introspect(token, owner), { active: false });
    api.clock.advance(601);
    assert.deepEqual((await application.introspect(token)).body, { active: false });
  });
});

onUsualDatabase(
  'Exchanges of tokens',
  (api) => {
    const world = new World(api);
    before(() => world.make());

    it('are limited for an application and a person, and not for others', async () => {
      const [token, other] = [await world.token(), await world.token()];
      api.clock.hold();
      let last = 200;
      for (let count = 0; count < 121 && last === 200; count++) last = (await world.exchange(token)).status;
      assert.equal(last, 429);
      assert.equal((await world.exchange(other)).status, 200);
      api.clock.advance(60);
      assert.equal((await world.exchange(token)).status, 200);
    });
  },
  { rateLimits: true },
);
