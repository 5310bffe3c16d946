// APIs: what may be registered, and what their tokens say. Attacks: openid/provider/apis.security.test.ts.
import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { it } from 'node:test';
import * as client from 'openid-client';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { changeApi, jwtPart, makeApi, READ, removeApi, WRITE } from '../../../../test/support/apis.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { makeUser, RelyingParty, refusal } from '../../../../test/support/relying-party.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const APIS = '/v3/OS-OAUTH2/apis';

onEachDatabase('An API', (api) => {
  const register = (values: Record<string, unknown>): Promise<ApiAnswer> =>
    api.post(APIS, { api: { identifier: `https://${uniqueName('api')}.example.org`, name: 'Papers', ...values } });
  const introspect = (application: { id: string; secret: string }, token: string) =>
    fetch(`${api.url}/openid/introspect`, {
      method: 'POST',
      headers: {
        Authorization: `Basic ${Buffer.from(`${application.id}:${application.secret}`).toString('base64')}`,
        'Content-Type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ token }),
    }).then((response) => response.json() as Promise<any>);

  it('is registered with what it says, and with what it does not say', async () => {
    const identifier = `https://${uniqueName('api')}.example.org/v1`;
    const { links, id, ...made } = assertOk(await register({ identifier }), 201).api;
    assert.ok(links.self.endsWith(`${APIS}/${id}`));
    assert.deepEqual(made, {
      identifier,
      name: 'Papers',
      description: null,
      scopes: [],
      application_id: null,
      applications: [],
      token_format: 'jwt',
      token_lifetime: null,
      exchanges: [],
    });
  });

  it('refuses what it cannot be', async () => {
    const at = `https://${uniqueName('api')}.example.org`;
    const [taken, withSlash] = [await makeApi(api, { identifier: at }), await makeApi(api, { identifier: `${at}/v1/` })];
    const application = await makeApplication(api);
    const scope = (values: object) => ({ scopes: [{ ...READ, ...values }] });
    const bad: readonly [Record<string, unknown>, number][] = [
      ...[
        '',
        'papers',
        '/papers',
        'http://api.example.org',
        'https://a.example.org/#x',
        'https://a@b.example.org',
        'ftp://x.example',
      ].map((identifier): [Record<string, unknown>, number] => [{ identifier }, 400]),
      [{ identifier: 'https://a.example.org/with space' }, 400],
      [{ identifier: taken.identifier }, 409],
      // Whoever compares carelessly would take the tokens of one for those of the other.
      [{ identifier: `${taken.identifier}/` }, 409],
      [{ identifier: withSlash.identifier.slice(0, -1) }, 409],
      // The one of this service is in no table.
      [{ identifier: `${api.url}/scim/v2` }, 409],
      [{ identifier: `${api.url}/scim/v2/` }, 409],
      [{ name: '' }, 400],
      [scope({ name: 'with space' }), 400],
      [scope({ name: 'quo"te' }), 400],
      [scope({ name: 'openid' }), 400],
      [scope({ name: 'offline_access' }), 400],
      [scope({ name: 'role_credential.x' }), 400],
      [scope({ name: 'gatehouse:api:x' }), 400],
      [scope({ description: '' }), 400],
      [scope({ roles: ['x'] }), 400],
      [{ scopes: [READ, READ] }, 400],
      [{ applications: ['nobody'] }, 404],
      [{ application_id: 'nobody' }, 404],
      [{ token_format: 'saml' }, 400],
      [{ token_lifetime: 1 }, 400],
      [{ token_lifetime: 7200 }, 400],
      [{ epoch: 3 }, 400],
    ];
    for (const [values, status] of bad) assertRefused(await register(values), status);
    assertOk(await register({ token_lifetime: 7200, token_format: 'opaque' }), 201);
    const roles = { ...scope({ roles: ['x'] }), application_id: application.id };
    const { id } = assertOk(await register(roles), 201).api;
    assertRefused(await api.patch(`${APIS}/${id}`, { api: { application_id: null } }), 400);
    assertRefused(await api.patch(`${APIS}/${id}`, { api: { identifier: 'https://other.example.org' } }), 400);
  });

  it('is registered with the last slash or without, also by two at the same moment', async () => {
    const at = Array.from({ length: 8 }, () => `https://${uniqueName('api')}.example.org/v1`);
    const pairs = at.map((identifier) => Promise.all([register({ identifier }), register({ identifier: `${identifier}/` })]));
    for (const pair of await Promise.all(pairs)) assert.deepEqual(pair.map(({ status }) => status).toSorted(), [201, 409]);
  });

  it('gets JWTs as RFC 9068 says, for a person and for an application itself', async () => {
    const made = await makeApi(api, { token_lifetime: 120 });
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const tokens = await party.tokensFor(person, { resource: made.identifier, scope: 'openid papers:read nonsense' });
    assert.equal(tokens.scope, 'papers:read');
    const [header, payload] = [jwtPart(tokens.access_token, 0), jwtPart(tokens.access_token, 1)];
    assert.deepEqual([header.typ, header.alg], ['at+jwt', 'ES256']);
    const { iat, exp, jti, ...rest } = payload;
    assert.deepEqual(rest, {
      iss: api.url,
      sub: person.id,
      aud: made.identifier,
      client_id: party.application.id,
      scope: 'papers:read',
    });
    assert.equal(exp - iat, 120);
    assert.ok(jti);
    const { keys } = (await (await fetch(`${api.url}/openid/jwks`)).json()) as { keys: any[] };
    const key = createPublicKey({ key: keys.find(({ kid }) => kid === header.kid), format: 'jwk' });
    const [signed, signature] = [tokens.access_token.split('.').slice(0, 2).join('.'), tokens.access_token.split('.')[2]!];
    assert.ok(verify('sha256', Buffer.from(signed), { key, dsaEncoding: 'ieee-p1363' }, Buffer.from(signature, 'base64url')));
    const own = await client.clientCredentialsGrant(party.config, { resource: made.identifier, scope: 'papers:write' });
    const ownPayload = jwtPart(own.access_token, 1);
    assert.deepEqual([ownPayload.sub, ownPayload.scope], [party.application.id, 'papers:write']);
  });

  it('is found by its scopes, and by its address with or without the last slash', async () => {
    const name = uniqueName('scope');
    const made = await makeApi(api, { scopes: [{ name, description: 'x' }] });
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const bySope = await party.tokensFor(person, { scope: `openid ${name}` });
    assert.deepEqual([jwtPart(bySope.access_token, 1).aud, bySope.scope], [made.identifier, name]);
    const bare = await party.tokensFor(person, { scope: `openid ${name}`, resource: made.identifier.replace(/\/$/, '') });
    assert.equal(jwtPart(bare.access_token, 1).aud, made.identifier);
    const own = await client.clientCredentialsGrant(party.config, { scope: name });
    assert.equal(jwtPart(own.access_token, 1).aud, made.identifier);
    await makeApi(api, { scopes: [{ name, description: 'another' }] });
    assert.equal(await refusal(client.clientCredentialsGrant(party.config, { scope: name })), 'invalid_target');
  });

  it('introspects its tokens by its application, opaque ones and JWTs', async () => {
    const application = await makeApplication(api);
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    for (const token_format of ['opaque', 'jwt']) {
      const made = await makeApi(api, { token_format, application_id: application.id });
      const asked = { scope: 'openid offline_access papers:read', resource: made.identifier };
      const tokens = await party.tokensFor(person, asked);
      assert.equal(tokens.access_token.includes('.'), token_format === 'jwt');
      const { iat, exp, ...rest } = await introspect(application, tokens.access_token);
      assert.deepEqual(rest, {
        active: true,
        client_id: party.application.id,
        scope: 'papers:read',
        sub: person.id,
        aud: made.identifier,
        iss: api.url,
        token_type: 'Bearer',
      });
      assert.equal(exp - iat, token_format === 'jwt' ? 600 : 3600);
      const next = await client.refreshTokenGrant(party.config, tokens.refresh_token!, { resource: made.identifier });
      assert.equal((await introspect(application, next.access_token)).scope, 'papers:read');
      assert.ok(next.refresh_token);
    }
  });

  it('shows people its name and the words of its scopes, and asks again only for what is new', async () => {
    const made = await makeApi(api, { name: 'The papers of the town' });
    const [party, person, browser] = [await RelyingParty.make(api), await makeUser(api), new TestBrowser(api)];
    await party.tokensFor(person, { resource: made.identifier, scope: 'openid papers:read' }, browser);
    const pages = () => browser.seen.filter(({ text }) => text.includes('The papers of the town'));
    assert.equal(pages().length, 1);
    assert.ok(pages()[0]!.text.includes(`<li>${READ.description}</li>`));
    assert.ok(!pages()[0]!.text.includes(WRITE.description));
    await party.tokensFor(person, { resource: made.identifier, scope: 'openid papers:read' }, browser);
    assert.equal(pages().length, 1);
    await party.tokensFor(person, { resource: made.identifier, scope: 'openid papers:read papers:write' }, browser);
    assert.equal(pages().length, 2);
  });

  it('gives scopes by the roles of its application', async () => {
    const application = await makeApplication(api);
    const role = await makeRole(api, application);
    const made = await makeApi(api, {
      application_id: application.id,
      token_format: 'opaque',
      scopes: [READ, { ...WRITE, roles: [role.id] }],
    });
    const [reader, writer] = [await makePerson(api), await makePerson(api)];
    await assign(api, { user: writer.user, organization: writer.organization, application, role });
    const party = await RelyingParty.make(api);
    const tokensOf = ({ user, password }: any) =>
      party.tokensFor({ name: user.name, password }, { resource: made.identifier, scope: 'openid papers:read papers:write' });
    assert.equal((await tokensOf(reader)).scope, 'papers:read');
    const tokens = await tokensOf(writer);
    assert.equal(tokens.scope, 'papers:read papers:write');
    assert.equal((await introspect(application, tokens.access_token)).scope, 'papers:read papers:write');
    const own = await client.clientCredentialsGrant(party.config, {
      resource: made.identifier,
      scope: 'papers:write papers:read',
    });
    assert.equal(own.scope, 'papers:read');
    // Who loses the role loses the scope at once.
    assertOk(await api.delete(`/v3/OS-ROLES/roles/${role.id}`), 204);
    assert.equal((await introspect(application, tokens.access_token)).scope, 'papers:read');
  });

  it('ends its tokens when it is deleted, and when scopes are taken away, but not when it gets more', async () => {
    const application = await makeApplication(api);
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    for (const token_format of ['opaque', 'jwt']) {
      const made = await makeApi(api, { token_format, application_id: application.id });
      const asked = { resource: made.identifier, scope: 'openid offline_access papers:read papers:write' };
      const isActive = async (token: string) => (await introspect(application, token)).active as boolean;
      const first = await party.tokensFor(person, asked);
      await changeApi(api, made, { name: 'renamed', scopes: [READ, WRITE, { name: 'papers:print', description: 'to print' }] });
      assert.ok(await isActive(first.access_token));
      await changeApi(api, made, { scopes: [READ] });
      assert.ok(!(await isActive(first.access_token)));
      const refresh = () => client.refreshTokenGrant(party.config, first.refresh_token!, { resource: made.identifier });
      assert.equal(await refusal(refresh()), 'invalid_target', 'the person is asked again first');
      const browser = new TestBrowser(api);
      const second = await party.tokensFor(person, asked, browser);
      assert.ok(browser.seen.some(({ text }) => text.includes('renamed')));
      assert.equal(second.scope, 'papers:read');
      await changeApi(api, made, { applications: [application.id] });
      assert.ok(!(await isActive(second.access_token)), 'the application may not ask any more');
      await changeApi(api, made, { applications: null });
      assert.ok(await isActive(second.access_token));
      await removeApi(api, made);
      await makeApi(api, { identifier: made.identifier, token_format, application_id: application.id });
      assert.ok(!(await isActive(second.access_token)), 'one that was registered anew is another one');
    }
  });
});
