// Verified access tokens are cached, and the cache is never stale: a change is visible in the next reply.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { assign, assignmentPath, makeOrganization, makePerson, makeRole } from '../../../../test/support/applications.ts';
import {
  BAD,
  basic,
  FORM,
  GOOD,
  informationOf,
  KeyrockClient,
  listPath,
  logInByAccessToken,
  verdictsOn,
} from '../../../../test/support/keyrock-client.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';

type Person = Awaited<ReturnType<typeof makePerson>>;

interface Scene {
  readonly client: KeyrockClient;
  readonly person: Person;
  readonly token: string;
  readonly refresh: string;
}

type Ending = (api: TestApi, scene: Scene) => Promise<{ status: number; text: string }>;

/** Everything that ends an access token. */
const ENDINGS: Readonly<Record<string, Ending>> = {
  'the user is disabled': (api, { person }) => api.patch(`/v3/users/${person.user.id}`, { user: { enabled: false } }),
  'the user is deleted': (api, { person }) => api.delete(`/v3/users/${person.user.id}`),
  'the user changes the password': (api, { person }) =>
    api.post(
      `/v3/users/${person.user.id}/password`,
      { user: { original_password: person.password, password: 'another password' } },
      { token: null },
    ),
  'an administrator sets the password': (api, { person }) =>
    api.patch(`/v3/users/${person.user.id}`, { user: { password: 'another password' } }),
  'the domain of the user is disabled': (api, { person }) =>
    api.patch(`/v3/domains/${person.user.domain_id}`, { domain: { enabled: false } }),
  'the application is deleted': (api, { client }) => api.delete(`/v3/OS-OAUTH2/consumers/${client.id}`),
  'the addresses of the application change': (api, { client }) =>
    api.patch(`/v3/OS-OAUTH2/consumers/${client.id}`, { consumer: { redirect_uris: ['https://elsewhere.example/callback'] } }),
  'the person takes it back': async (api, { person }) => {
    const [{ id }] = (await api.get(listPath(person.user), { token: person.token })).body.access_tokens;
    return api.delete(`${listPath(person.user)}/${id}`, { token: person.token });
  },
  'the application revokes it': (api, { client, token }) =>
    api.post('/openid/revoke', `token=${token}`, { token: null, headers: { ...FORM, Authorization: basic(client) } }),
  'the application revokes its refresh token': (api, { client, refresh }) =>
    api.post('/openid/revoke', `token=${refresh}`, { token: null, headers: { ...FORM, Authorization: basic(client) } }),
};

function defineEndings(api: TestApi): void {
  async function scene(): Promise<Scene> {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const organization = await api.make('project', { name: uniqueName('own'), domain_id: domain.id });
    const values = { domain_id: domain.id, default_project_id: organization.id };
    const person = { ...(await api.persona(['member'], { project: organization.id }, values)), organization };
    const client = await KeyrockClient.make(api);
    const { access_token: token, refresh_token: refresh } = await client.tokens(person, ['openid', 'all_info']);
    return { client, person, token, refresh };
  }

  for (const [what, end] of Object.entries(ENDINGS)) {
    it(`ends everywhere at once when ${what}`, async () => {
      const proxy = await KeyrockClient.make(api);
      const made = await scene();
      const { client, token, refresh } = made;
      const bystander = await client.tokens(await makePerson(api));
      for (const _ of [1, 2]) assert.deepEqual(await verdictsOn(api, proxy, token), GOOD);
      const answer = await end(api, made);
      assert.ok(answer.status < 300, answer.text);
      assert.deepEqual(await verdictsOn(api, proxy, token), BAD);
      assert.deepEqual(await verdictsOn(api, proxy, token), BAD, 'and stays ended');
      const userInfo = await api.get('/openid/userinfo', { token: null, headers: { Authorization: `Bearer ${token}` } });
      assert.equal(userInfo.status, 401, userInfo.text);
      const refreshed = await client.refresh(refresh);
      assert.ok([400, 401].includes(refreshed.status), refreshed.text);
      const others = ['the application is deleted', 'the addresses of the application change'].includes(what) ? BAD : GOOD;
      assert.deepEqual(await verdictsOn(api, proxy, bystander.access_token), others, 'nobody else notices');
    });
  }

  it('ends with its session, unless it was issued for offline access', async () => {
    const proxy = await KeyrockClient.make(api);
    const party = await RelyingParty.make(api);
    const person = await makeUser(api);
    const browser = new TestBrowser(api);
    const { access_token: token } = await party.tokensFor(person, { scope: 'openid all_info' }, browser);
    const lasting = await party.tokensFor(person, { scope: 'openid all_info offline_access' }, browser);
    for (const _ of [1, 2]) assert.deepEqual(await verdictsOn(api, proxy, token), GOOD);
    assert.deepEqual(await verdictsOn(api, proxy, lasting.access_token), GOOD);
    await browser.submit(await browser.go('/openid/logout'), undefined, { logout: 'yes' });
    assert.equal(stepOf(await browser.go((await party.ask()).url)), 'password', 'logged out');
    assert.deepEqual(await verdictsOn(api, proxy, token), BAD);
    assert.deepEqual(await verdictsOn(api, proxy, lasting.access_token), GOOD);
  });

  it('goes on when the application changes in something else, or names its addresses in another order', async () => {
    const { client, token, refresh } = await scene();
    const { redirect_uris: uris } = (await api.get(`/v3/OS-OAUTH2/consumers/${client.id}`)).body.consumer;
    for (const changes of [{ name: uniqueName('renamed') }, { redirect_uris: [...uris].reverse() }]) {
      const answer = await api.patch(`/v3/OS-OAUTH2/consumers/${client.id}`, { consumer: changes });
      assert.equal(answer.status, 200, answer.text);
      assert.deepEqual(await verdictsOn(api, client, token), GOOD);
    }
    assert.equal((await client.refresh(refresh)).status, 200);
  });

  it('does not come back when the user does', async () => {
    const { client, person, token, refresh } = await scene();
    assert.deepEqual(await verdictsOn(api, client, token), GOOD);
    for (const enabled of [false, true]) await api.patch(`/v3/users/${person.user.id}`, { user: { enabled } });
    assert.deepEqual(await verdictsOn(api, client, token), BAD);
    assert.equal((await client.refresh(refresh)).status, 400);
  });
}

function defineNews(api: TestApi): void {
  /** The reply for the application. Requested twice, so that it is cached. */
  async function told(token: string): Promise<any> {
    const [first, second] = [await informationOf(api, token), await informationOf(api, token)];
    assert.deepEqual([first.status, second.text], [200, first.text]);
    return first.body;
  }

  it('shows roles as they are given and taken', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token } = await client.tokens(person);
    const organization = await makeOrganization(api, person);
    const [own, transaction] = [await makeRole(api, client), await makeRole(api, client)];
    const there = { user: person.user, organization, application: client, role: transaction };
    const here = { user: person.user, organization: person.organization, application: client, role: own };
    const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
    assert.deepEqual((await told(token)).roles, []);
    await assign(api, here);
    assert.deepEqual((await told(token)).roles, [named(own)]);
    await assign(api, there);
    assert.deepEqual((await told(token)).organizations, [{ ...named(organization), roles: [named(transaction)] }]);
    await api.patch(`/v3/OS-ROLES/roles/${own.id}`, { role: { name: 'renamed' } });
    assert.deepEqual((await told(token)).roles, [{ id: own.id, name: 'renamed' }]);
    await api.delete(assignmentPath(here));
    assert.deepEqual((await told(token)).roles, []);
    await assign(api, here);
    assert.equal((await told(token)).roles.length, 1);
    await api.delete(`/v3/OS-ROLES/roles/${own.id}`);
    assert.deepEqual((await told(token)).roles, []);
    await api.patch(`/v3/projects/${organization.id}`, { project: { name: `${organization.name} renamed` } });
    assert.equal((await told(token)).organizations[0].name, `${organization.name} renamed`);
    for (const enabled of [false, true]) {
      await api.patch(`/v3/projects/${organization.id}`, { project: { enabled } });
      assert.equal((await told(token)).organizations.length, enabled ? 1 : 0);
    }
    const member = await api.roleId('member');
    await api.delete(`/v3/projects/${organization.id}/users/${person.user.id}/roles/${member}`);
    assert.deepEqual((await told(token)).organizations, [], 'whoever left an organization holds nothing in it');
  });

  it('shows roles that come and go with a group or with an organization', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token } = await client.tokens(person);
    const organization = await makeOrganization(api);
    const role = await makeRole(api, client);
    const group = await api.make('group', { name: uniqueName('group') });
    await assign(api, { user: person.user, organization, application: client, role });
    assert.deepEqual((await told(token)).organizations, []);
    await api.put(`/v3/projects/${organization.id}/groups/${group.id}/roles/${await api.roleId('member')}`);
    await api.put(`/v3/groups/${group.id}/users/${person.user.id}`);
    assert.equal((await told(token)).organizations.length, 1);
    await api.delete(`/v3/groups/${group.id}/users/${person.user.id}`);
    assert.deepEqual((await told(token)).organizations, []);
    await api.put(`/v3/groups/${group.id}/users/${person.user.id}`);
    assert.equal((await told(token)).organizations.length, 1);
    await api.delete(`/v3/groups/${group.id}`);
    assert.deepEqual((await told(token)).organizations, []);
  });

  it('shows names and addresses as they are now', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token } = await client.tokens(person);
    assert.equal((await told(token)).email, '');
    const name = uniqueName('renamed');
    await api.patch(`/v3/users/${person.user.id}`, { user: { email: 'new@example.org', name } });
    const { email, username } = await told(token);
    assert.deepEqual([email, username], ['new@example.org', name]);
    assert.equal((await client.introspect(token)).body.username, name);
  });

  it('takes the secret an application has now, and no other', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: token } = await client.tokens(await makePerson(api));
    for (const _ of [1, 2]) assert.equal((await client.introspect(token)).body.active, true);
    const rotated = await api.post(`/v3/OS-OAUTH2/consumers/${client.id}/secret`, {});
    assert.equal(rotated.status, 200, rotated.text);
    assert.equal((await client.introspect(token)).status, 401);
    const now = { id: client.id, secret: rotated.body.consumer.secret };
    assert.equal((await client.introspect(token, now)).body.active, true);
    await api.patch(`/v3/OS-OAUTH2/consumers/${client.id}`, { consumer: { client_type: 'public' } });
    assert.equal((await client.introspect(token, now)).status, 401, 'public since: it has no secret');
    await api.delete(`/v3/OS-OAUTH2/consumers/${client.id}`);
    const open = await api.post('/openid/introspect', `token=${token}&client_id=${client.id}`, { token: null, headers: FORM });
    assert.equal(open.status, 401);
  });

  // Must be the last test: the library has its own clock, so what it creates afterwards is already expired.
  it('expires on time, also in the cache', async () => {
    const client = await KeyrockClient.make(api);
    const { access_token: token } = await client.tokens(await makePerson(api));
    assert.deepEqual(await verdictsOn(api, client, token), GOOD);
    api.clock.advance(3590);
    assert.deepEqual(await verdictsOn(api, client, token), GOOD);
    const acting = (await logInByAccessToken(api, token)).headers.get('x-subject-token')!;
    api.clock.advance(11);
    assert.deepEqual(await verdictsOn(api, client, token), BAD);
    assert.equal((await api.get('/v3/auth/projects', { token: acting })).status, 401);
  });
}

function defineInactivity(api: TestApi): void {
  it('ends when the account becomes inactive, also in the cache', async () => {
    const client = await KeyrockClient.make(api);
    const person = await makePerson(api);
    const { access_token: token } = await client.tokens(person);
    const almost = Math.floor(api.clock.now() / 1000) - 10 * 86_400 + 600;
    const db = await databaseOf(api);
    const lastUse = { created_at: almost, last_active_at: almost };
    await db.write((tx) => tx.updateTable('users').set(lastUse).where('id', '=', person.user.id).execute());
    await db.close();
    for (const _ of [1, 2]) assert.equal((await client.introspect(token)).body.active, true);
    api.clock.advance(601);
    assert.equal((await client.introspect(token)).body.active, false);
    assert.equal((await informationOf(api, token)).status, 404);
  });
}

const options = { settings: { GATEHOUSE_IDENTITY_TOKEN_SECONDS: '31536000' } };
onUsualDatabase('An access token', defineEndings, options);
onUsualDatabase('What an access token tells', defineNews, options);
onUsualDatabase('An access token of an unused account', defineInactivity, {
  settings: { ...options.settings, GATEHOUSE_IDENTITY_DISABLE_USER_ACCOUNT_DAYS_INACTIVE: '10' },
});
