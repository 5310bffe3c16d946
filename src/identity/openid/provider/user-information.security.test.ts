// User information is answered from memory as the library answers it. Each request is sent to both: a query, which the library ignores, leads past
// memory. What the library refuses is never answered from memory, however often it was answered before.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import * as client from 'openid-client';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makeApi } from '../../../../test/support/apis.ts';
import { assign, makeOrganization, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { send } from '../../../../test/support/http.ts';
import { KeyrockClient, listPath } from '../../../../test/support/keyrock-client.ts';
import { CALLBACK, makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { patchOf } from '../../../../test/support/scim.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const PATH = '/openid/userinfo';
type Init = { readonly method?: string; readonly headers?: Record<string, string>; readonly body?: string };

/** Asks past the framework and through it. */
class Asker {
  readonly api: TestApi;
  constructor(api: TestApi) {
    this.api = api;
  }

  async fromMemory(): Promise<number> {
    const text = await this.api.service.metrics.registry.metrics();
    const counts = text.matchAll(/^gatehouse_memory_adapter_requests_total\{outcome="\w+"\} (\d+)/gm);
    return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
  }

  async #seen(path: string, init: Init) {
    const before = await this.fromMemory();
    const answer = await send(this.api.url + path, init);
    const headers = Object.fromEntries(
      [...answer.headers].filter(([name]) => !['date', 'x-openstack-request-id'].includes(name)),
    );
    return { status: answer.status, headers, text: await answer.text(), isFromMemory: (await this.fromMemory()) > before };
  }

  /** The answer, which is the same on both ways, twice. */
  async both(init: Init, what = ''): Promise<{ status: number; text: string; isFromMemory: boolean }> {
    const { isFromMemory: never, ...library } = await this.#seen(`${PATH}?beside=1`, init);
    assert.equal(never, false);
    const [first, second] = [await this.#seen(PATH, init), await this.#seen(PATH, init)];
    for (const { isFromMemory: _, ...ours } of [first, second]) assert.deepEqual(ours, library, what);
    assert.equal(first.isFromMemory, second.isFromMemory, what);
    return first;
  }

  /** Answered by us, and as the library answers. */
  async told(token: string, what = token): Promise<any> {
    const { status, text, isFromMemory } = await this.both(bearer(token), what);
    assert.deepEqual([status, isFromMemory], [200, true], `${what}: ${text}`);
    return JSON.parse(text);
  }

  async refused(token: string, status: number, what = token): Promise<void> {
    const answer = await this.both(bearer(token), what);
    assert.deepEqual([answer.status, answer.isFromMemory], [status, false], `${what}: ${answer.text}`);
  }
}

const bearer = (token: string): { headers: Record<string, string> } => ({ headers: { Authorization: `Bearer ${token}` } });

/** A person about whom there is much to tell. */
async function richPerson(api: TestApi) {
  const person = await makeUser(api);
  const profile = {
    name: { givenName: 'Ana', familyName: 'García "the first" \u2028', middleName: 'Б' },
    nickName: '<b>ana</b>',
    displayName: 'Ana García',
    profileUrl: 'https://people.example.org/ana',
    photos: [{ value: 'https://people.example.org/ana.png', primary: true }],
    locale: 'es_ES',
    preferredLanguage: 'ca',
    timezone: 'Europe/Madrid',
  };
  assertOk(await api.patch(`/scim/v2/Users/${person.id}`, patchOf({ op: 'add', value: profile })), 204);
  return person;
}

onEachDatabase('User information from memory', (api) => {
  const asker = new Asker(api);

  it('is what the library tells, for each scope', async () => {
    const person = await richPerson(api);
    const party = await RelyingParty.make(api);
    const asked = ['openid', 'openid profile', 'email openid', 'openid roles organizations', 'openid profile all_info'];
    for (const [who, scope] of [
      ...asked.map((one) => [party, one] as const),
      [await RelyingParty.make(api, { client_type: 'public' }), 'openid profile email'] as const,
      [await RelyingParty.make(api, { id_token_claims: true }), 'openid profile email'] as const,
      // Not something that can be registered here.
      [await RelyingParty.make(api, { userinfo_signed_response_alg: 'RS256' }), 'openid profile email'] as const,
    ]) {
      const { access_token: token } = await who.tokensFor(person, { scope });
      const claims = await asker.told(token, scope);
      assert.equal(claims.sub, person.id);
      assert.equal('email' in claims, /email|all_info/.test(scope));
    }
    const offline = await party.tokensFor(person, { scope: 'openid profile offline_access' });
    assert.equal((await asker.told(offline.access_token)).given_name, 'Ana');
    const refreshed = await client.refreshTokenGrant(party.config, offline.refresh_token!);
    assert.equal((await asker.told(refreshed.access_token)).given_name, 'Ana');
  });

  it('changes with what it tells: the person, roles, organizations', async () => {
    const application = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token } = await application.tokens(person, ['openid', 'profile', 'roles', 'organizations', 'email']);
    assert.deepEqual((await asker.told(token)).roles, []);
    const role = await makeRole(api, application);
    const organization = await makeOrganization(api, person);
    await assign(api, { user: person.user, organization: person.organization, application, role });
    assert.deepEqual((await asker.told(token)).roles, [{ id: role.id, name: role.name }]);
    await assign(api, { user: person.user, organization, application, role });
    assert.equal((await asker.told(token)).organizations[0].id, organization.id);
    await api.patch(`/v3/projects/${organization.id}`, { project: { name: uniqueName('renamed') } });
    assert.match((await asker.told(token)).organizations[0].name, /^renamed/);
    const email = `${uniqueName('new')}@example.org`;
    assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { email, name: uniqueName('renamed') } }));
    const { email: now, preferred_username: name } = await asker.told(token);
    assert.equal(now, email);
    assert.match(name, /^renamed/);
  });

  const endings: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
    'the person is disabled': ({ person }) => api.patch(`/v3/users/${person.id}`, { user: { enabled: false } }),
    'the person is deleted': ({ person }) => api.delete(`/v3/users/${person.id}`),
    'the domain is disabled': ({ domain }) => api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }),
    'a password is set': ({ person }) => api.patch(`/v3/users/${person.id}`, { user: { password: 'another password' } }),
    'the application is deleted': ({ party }) => api.delete(`/v3/OS-OAUTH2/consumers/${party.application.id}`),
    'its addresses change': ({ party }) =>
      api.patch(`/v3/OS-OAUTH2/consumers/${party.application.id}`, {
        consumer: { redirect_uris: ['https://elsewhere.example/callback'] },
      }),
    'the consent is withdrawn': ({ party, person }) =>
      api.delete(`/v3/OS-OAUTH2/consumers/${party.application.id}/grants/${person.id}`),
    'all sessions are ended': ({ person }) => api.delete(`/v3/users/${person.id}/OS-SESSIONS/sessions`),
    'the person signs out': async ({ browser }) =>
      browser.submit(await browser.go('/openid/logout'), undefined, { logout: 'yes' }),
    'the token is revoked': ({ party, token }) => client.tokenRevocation(party.config, token),
    'the token is removed from the list': async ({ person }) => {
      const [{ id }] = (await api.get(listPath(person))).body.access_tokens;
      assertOk(await api.delete(`${listPath(person)}/${id}`), 204);
    },
  };

  interface Scene {
    readonly party: RelyingParty;
    readonly person: Awaited<ReturnType<typeof makeUser>>;
    readonly domain: { readonly id: string };
    readonly browser: TestBrowser;
    readonly token: string;
  }

  async function scene(): Promise<Scene> {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const person = await makeUser(api, { domain_id: domain.id });
    const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
    const answers = { name: person.name, password: person.password, domain: domain.name as string };
    const { access_token: token } = await party.tokensFor(answers, { scope: 'openid profile' }, browser);
    return { party, person, domain, browser, token };
  }

  for (const [what, end] of Object.entries(endings))
    it(`ends at once when ${what}`, async () => {
      const made = await scene();
      await asker.told(made.token);
      await end(made);
      await asker.refused(made.token, 401, what);
    });

  it('ends when the person is disabled while it is read', async () => {
    const { person, token } = await scene();
    await whenAt(
      'session.before-user',
      () => api.patch(`/v3/users/${person.id}`, { user: { enabled: false } }),
      () => send(api.url + PATH, bearer(token)),
    );
    await asker.refused(token, 401);
  });

  it('ends with a grant of which the person took back a part, or that another one has replaced', async () => {
    const person = await makeUser(api);
    const [party, browser] = [await RelyingParty.make(api), new TestBrowser(api)];
    const first = await party.tokensFor(person, { scope: 'openid profile email' }, browser);
    assert.ok('email' in (await asker.told(first.access_token)));
    const { url, checks } = await party.ask({ scope: 'openid profile', prompt: 'consent' });
    const second = await party.redeem(await browser.submit(await browser.go(url), 'allow'), checks);
    await asker.both(bearer(first.access_token));
    assert.equal((await asker.told(second.access_token)).email, undefined);
  });
});

onUsualDatabase('Unusual requests for user information', (api) => {
  const asker = new Asker(api);
  const usual = async (more: Record<string, string> = {}, values: Record<string, unknown> = {}) => {
    const [person, party] = [await makeUser(api), await RelyingParty.make(api, values)];
    return { person, party, token: (await party.tokensFor(person, { scope: 'openid email', ...more })).access_token };
  };

  it('are answered by the library: other methods, tokens elsewhere, other headers', async () => {
    const { token, party, person } = await usual();
    await asker.told(token);
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const { headers } = bearer(token);
    const another = (await party.tokensFor(person)).access_token;
    const requests: Readonly<Record<string, readonly [init: Init, status: number]>> = {
      head: [{ method: 'HEAD', headers }, 200],
      post: [{ method: 'POST', headers }, 200],
      'a form': [{ method: 'POST', headers: form, body: `access_token=${token}` }, 200],
      'two tokens': [{ method: 'POST', headers: { ...headers, ...form }, body: `access_token=${another}` }, 400],
      'another type': [{ method: 'POST', headers: { ...headers, 'Content-Type': 'text/plain' }, body: 'x' }, 400],
      'a get with a body': [{ method: 'GET', headers: { ...headers, ...form }, body: `access_token=${another}` }, 200],
      'no token': [{}, 401],
      'no token, with a preference for pages': [{ headers: { Accept: 'text/html' } }, 401],
      'an unknown token': [bearer('x'.repeat(43)), 401],
      'an empty token': [{ headers: { Authorization: 'Bearer ' } }, 400],
      'something after the token': [{ headers: { Authorization: `Bearer ${token} x` } }, 400],
      'a longer gap': [{ headers: { Authorization: `Bearer  ${token}` } }, 400],
      'another scheme': [{ headers: { Authorization: `Basic ${token}` } }, 400],
      'the scheme of a bound token': [{ headers: { Authorization: `DPoP ${token}` } }, 400],
      'a proof that it does not need': [{ headers: { ...headers, DPoP: 'x' } }, 400],
      'an origin of the application': [{ headers: { ...headers, Origin: new URL(CALLBACK).origin } }, 200],
      'an origin of nobody': [{ headers: { ...headers, Origin: 'https://evil.example' } }, 400],
      options: [{ method: 'OPTIONS' }, 204],
      preflight: [
        { method: 'OPTIONS', headers: { Origin: new URL(CALLBACK).origin, 'Access-Control-Request-Method': 'GET' } },
        204,
      ],
      'an unknown method': [{ method: 'DELETE', headers }, 405],
    };
    for (const [what, [init, status]] of Object.entries(requests)) {
      const answer = await asker.both(init, what);
      assert.deepEqual([answer.status, answer.isFromMemory], [status, false], `${what}: ${answer.text}`);
    }
  });

  it('are answered from memory if they differ in what does not matter', async () => {
    const { token } = await usual();
    const { headers } = bearer(token);
    for (const more of [
      { Accept: 'text/html' },
      { Accept: 'application/jwt' },
      { Cookie: 'a=b', 'X-Auth-Token': 'x' },
      { Authorization: `bearer ${token}` },
      { 'Content-Type': 'text/plain' },
    ]) {
      const answer = await asker.both({ headers: { ...headers, ...more } }, JSON.stringify(more));
      assert.deepEqual([answer.status, answer.isFromMemory], [200, true], JSON.stringify(more));
    }
  });

  it('are answered by the library for other tokens: of applications, for APIs, without openid, for single claims', async () => {
    const made = await makeApi(api, { token_format: 'opaque' });
    const inJwt = await makeApi(api);
    const { party, person, token } = await usual();
    const machine = await client.clientCredentialsGrant(party.config);
    await asker.refused(machine.access_token, 401);
    for (const [{ identifier }, status] of [
      [made, 403],
      [inJwt, 401],
    ] as const)
      await asker.refused((await usual({ resource: identifier, scope: 'openid papers:read' })).token, status);
    const keyrock = await KeyrockClient.make(api);
    const grown = await makePerson(api);
    await asker.refused((await keyrock.tokens(grown, ['all_info'])).access_token, 403);
    const id = JSON.parse((await asker.both(bearer(token))).text).sub;
    assert.equal(id, person.id);
    const claims = JSON.stringify({ userinfo: { given_name: null, email: { essential: true }, nothing: null } });
    const named = await asker.both(bearer((await usual({ scope: 'openid', claims })).token));
    assert.deepEqual([named.status, named.isFromMemory], [200, false]);
    assert.ok('email' in JSON.parse(named.text));
    const refresh = await party.tokensFor(person, { scope: 'openid offline_access' });
    await asker.refused(refresh.refresh_token!, 401);
    await asker.refused(refresh.id_token!, 401);
  });

  it('are answered by the library for tokens that are bound to a key: with the proof, and never without', async () => {
    const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
    const DPoP = client.getDPoPHandle(party.config, await client.randomDPoPKeyPair());
    const { url, checks } = await party.ask({ scope: 'openid email' });
    const tokens = await party.redeem(await new TestBrowser(api).signIn(url, person), checks, { DPoP });
    const before = await asker.fromMemory();
    const told = await client.fetchUserInfo(party.config, tokens.access_token, person.id, { DPoP });
    assert.equal(told.sub, person.id);
    assert.equal(await asker.fromMemory(), before);
    await asker.refused(tokens.access_token, 401);
  });

  it('are answered by the library for applications that registered themselves', async () => {
    const { party, token } = await usual();
    await asker.told(token);
    const ends = Math.floor(Date.now() / 1000) + 600;
    const values = { registered_by: 'open' as const, registration_expires_at: ends };
    await db().write((tx) => tx.updateTable('consumers').set(values).where('id', '=', party.application.id).execute());
    await api.patch(`/v3/OS-OAUTH2/consumers/${party.application.id}`, { consumer: { description: 'drops what is in memory' } });
    const answer = await asker.both(bearer(token));
    assert.equal(answer.isFromMemory, false, answer.text);
  });

  const db = usesDatabaseOf(api);

  it('are not answered from memory after their time', async () => {
    const { token } = await usual();
    const lasting = await usual({ scope: 'openid offline_access' });
    for (const one of [token, lasting.token]) await asker.told(one);
    api.clock.advance(3610);
    for (const one of [token, lasting.token]) await asker.refused(one, 401);
  });
});

onUsualDatabase('User information after the clock was set back', (api) => {
  it('is not given for longer than the token lasts', async () => {
    const asker = new Asker(api);
    const [person, party] = [await makeUser(api), await RelyingParty.make(api)];
    const { access_token: token } = await party.tokensFor(person);
    await asker.told(token);
    api.clock.advance(-2 * 3600);
    await asker.refused(token, 401);
  });
});
