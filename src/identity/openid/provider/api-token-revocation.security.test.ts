// Tokens for APIs that are taken back (RFC 7009), JWTs too; and how many tokens are exchanged.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { jwtPart, type MadeApi, makeApi } from '../../../../test/support/apis.ts';
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
