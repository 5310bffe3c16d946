import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { type ApiAnswer, DEFAULT_PASSWORDS, onDatabase, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import {
  approve,
  makeWaiting,
  PASSWORD,
  REGISTRATION,
  RegistrationClient,
  refuse,
  WAITING,
} from '../../../../test/support/registration.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { load } from '../../../platform/config/index.ts';
import type { Database } from '../../ground/database/index.ts';
import { identitySettings } from '../../ground/settings/index.ts';
import { createRegistrationKeys } from './index.ts';

const NEW = 'the second password of ann';

onEachDatabase('Registration', (api) => {
  const client = new RegistrationClient(api);
  let db: Database;
  before(async () => {
    db = await databaseOf(api);
  });
  after(() => db.close());

  const project = async (id: string): Promise<any> => assertOk(await api.get(`/v3/projects/${id}`)).project;
  const actionsOf = async (answer: ApiAnswer): Promise<string[]> => {
    const id = answer.headers.get('x-openstack-request-id');
    const events = await db.read.selectFrom('audit_events').where('request_id', '=', id).select('action').execute();
    return events.map(({ action }) => action).sort();
  };

  it('takes a person from the registration to a login, and from a forgotten password to another', async () => {
    const user = await client.registered();
    const login = (password: string) =>
      api.authenticate({ name: user.name, password }, { project: { id: user.default_project_id } });
    assertRefused(await login(PASSWORD), 401);
    const key = await client.newKey(user);
    const active = assertOk(await client.activate(user, key)).user;
    assert.equal(active.enabled, true);
    const answer = await login(PASSWORD);
    const { roles, project: scope } = assertOk(answer, 201).token;
    assert.deepEqual(
      [roles.map(({ name }: { name: string }) => name), scope.name, scope.id],
      [['owner'], user.username, user.default_project_id],
    );
    const token = await client.newToken(user);
    assert.equal(assertOk(await client.reset(user, token, NEW)).user.id, user.id);
    assertRefused(await login(PASSWORD), 401);
    assertOk(await login(NEW), 201);
    assert.equal(await isAlive(api, answer.headers.get('x-subject-token')!), false, 'a reset ends tokens');
  });

  it('makes a disabled user with two disabled organizations', async () => {
    const username = uniqueName('bob');
    const sent = { name: `${username}@example.org`, username, password: PASSWORD, domain_id: 'default' };
    const answer = await client.register({ ...sent, description: 'tall', website: 'https://example.org', email: sent.name });
    const { user } = assertOk(answer, 201);
    const { id, activation_key, default_project_id, cloud_project_id, ...rest } = user;
    assert.match(activation_key, /^[\w-]{43}$/);
    assert.deepEqual(rest, {
      name: sent.name,
      username,
      domain_id: 'default',
      description: 'tall',
      website: 'https://example.org',
      email: sent.name,
      enabled: false,
      options: {},
      password_expires_at: null,
      links: { self: `${api.url}/v3/users/${id}` },
    });
    const { activation_key: _key, ...shown } = user;
    assert.deepEqual(assertOk(await api.get(`/v3/users/${id}`)).user, shown);

    const owner = await api.roleId('owner');
    for (const [projectId, name, flag] of [
      [default_project_id, username, 'is_default'],
      [cloud_project_id, `${username} cloud`, 'is_cloud_project'],
    ]) {
      const made = await project(projectId);
      assert.deepEqual([made.name, made.enabled, made[flag], made.domain_id], [name, false, true, 'default']);
      const { roles } = assertOk(await api.get(`/v3/projects/${projectId}/users/${id}/roles`));
      assert.deepEqual(
        roles.map((role: { id: string }) => role.id),
        [owner],
      );
    }
    assert.deepEqual(await actionsOf(answer), [
      'grant.created',
      'grant.created',
      'project.created',
      'project.created',
      'user.created',
      'user.registered',
    ]);
  });

  it('enables the user and both organizations together', async () => {
    const user = await client.registered();
    const answer = await client.activate(user, user.activation_key);
    const { activation_key: _key, ...shown } = user;
    assert.deepEqual(assertOk(answer).user, { ...shown, enabled: true });
    for (const id of [user.default_project_id, user.cloud_project_id]) assert.equal((await project(id)).enabled, true);
    assert.deepEqual(await actionsOf(answer), ['project.updated', 'project.updated', 'user.activated', 'user.updated']);
    for (const id of [user.default_project_id, user.cloud_project_id])
      await api.logIn({ id: user.id, password: PASSWORD }, { project: { id } });
  });

  describe('where an administrator confirms', () => {
    const waitingIds = async (query = '', options = {}): Promise<string[]> =>
      assertOk(await api.get(`${WAITING}${query}`, options)).waiting.map(({ user_id }: { user_id: string }) => user_id);

    it('waits after the activation, and gets in when somebody approves', async () => {
      const user = await makeWaiting(api);
      assert.equal(user.enabled, false);
      assertRefused(await api.authenticate({ id: user.id, password: PASSWORD }), 401);
      assertRefused(await client.askToken(user), 403);
      const found = assertOk(await api.get(WAITING)).waiting.find((one: { user_id: string }) => one.user_id === user.id);
      assert.deepEqual(
        { ...found, waits_since: '' },
        {
          user_id: user.id,
          user_name: user.name,
          name: null,
          email: null,
          domain_id: 'default',
          waits_since: '',
          links: { self: `${api.url}/v3/users/${user.id}` },
        },
      );
      const { attention } = assertOk(await api.get('/v3/OS-SERVICE/overview')).overview;
      assert.ok(attention.some(({ kind, count }: any) => kind === 'registrations_wait' && count > 0));
      const answer = await approve(api, user.id);
      assert.equal(answer.status, 204);
      assert.deepEqual(await actionsOf(answer), [
        'project.updated',
        'project.updated',
        'user.registration_approved',
        'user.updated',
      ]);
      await api.logIn({ id: user.id, password: PASSWORD }, { project: { id: user.default_project_id } });
      assert.ok(!(await waitingIds()).includes(user.id));
      assertRefused(await approve(api, user.id), 404, /does not wait/);
      assertRefused(await refuse(api, user.id), 404, /does not wait/);
      assert.equal((await api.get(`/v3/users/${user.id}`)).status, 200);
    });

    it('is gone with its organizations when somebody refuses', async () => {
      const user = await makeWaiting(api);
      const answer = await refuse(api, user.id, ' We know nobody of this name. ');
      assert.equal(answer.status, 204);
      const actions = await actionsOf(answer);
      for (const action of ['user.registration_refused', 'user.deleted']) assert.ok(actions.includes(action), action);
      for (const path of [`users/${user.id}`, `projects/${user.default_project_id}`, `projects/${user.cloud_project_id}`])
        assert.equal((await api.get(`/v3/${path}`)).status, 404, path);
      await makeWaiting(api, { name: user.name, username: user.username });
      for (const reason of ['x'.repeat(501), 7]) assert.equal((await refuse(api, user.id, reason as string)).status, 400);
    });

    it('waits no more when somebody disables the account', async () => {
      const user = await makeWaiting(api);
      const answer = await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } });
      assertOk(answer);
      assert.ok((await actionsOf(answer)).includes('user.registration_refused'));
      assertRefused(await approve(api, user.id), 404, /does not wait/);
    });

    it('is approved by whoever enables the account', async () => {
      const user = await makeWaiting(api);
      const answer = await api.patch(`/v3/users/${user.id}`, { user: { enabled: true } });
      assertOk(answer);
      assert.ok((await actionsOf(answer)).includes('user.registration_approved'));
      assert.ok(!(await waitingIds()).includes(user.id));
      await api.logIn({ id: user.id, password: PASSWORD }, { project: { id: user.default_project_id } });
    });

    it('is for administrators and those who manage the domain, and readers see it', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const [user, elsewhere] = [await makeWaiting(api, { domain_id: domain.id }), await makeWaiting(api)];
      const of = async (...roles: string[]) => {
        const { token } = await api.persona(roles, { domain: domain.id }, { domain_id: domain.id });
        return { token };
      };
      const [manager, reader, owner] = [await of('manager', 'reader'), await of('reader'), await of('owner')];
      for (const options of [manager, reader]) assert.deepEqual(await waitingIds('', options), [user.id]);
      assert.deepEqual(await waitingIds(`?domain_id=${domain.id}`), [user.id]);
      assertRefused(await api.get(WAITING, owner), 403);
      for (const options of [reader, owner]) assertRefused(await approve(api, user.id, options), 403);
      for (const options of [reader, owner]) assertRefused(await refuse(api, user.id, undefined, options), 403);
      for (const id of [elsewhere.id, 'nobody']) assertRefused(await approve(api, id, manager), 403);
      await assertNeedsToken(api, 'GET', WAITING);
      const { attention } = assertOk(await api.get('/v3/OS-SERVICE/overview', manager)).overview;
      assert.equal(attention.find(({ kind }: any) => kind === 'registrations_wait')?.count, 1);
      assert.equal((await approve(api, user.id, manager)).status, 204);
    });
  });

  it('ignores what a client sends of the state, and takes the name where there is no username', async () => {
    const name = uniqueName('carol');
    const sent = { name, enabled: true, activation_key: 'mine', default_project_id: 'mine', cloud_project_id: 'mine' };
    const { user } = assertOk(await client.register(sent), 201);
    assert.deepEqual([user.enabled, user.username, user.domain_id], [false, name, 'default']);
    assert.equal((await project(user.default_project_id)).name, name);
    assert.equal((await project(user.cloud_project_id)).name, `${name} cloud`);
    assert.match(user.activation_key, /^[\w-]{43}$/);
    assert.equal('activation_key' in assertOk(await api.get(`/v3/users/${user.id}`)).user, false);
  });

  it('registers in the domain that is named, and otherwise in that of the token', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const named = await client.registered({ domain_id: domain.id });
    const { token } = await api.persona(['admin'], { domain: domain.id });
    const { user } = assertOk(await client.register({ name: uniqueName('dora') }, { token }), 201);
    for (const one of [named, user]) {
      assert.equal(one.domain_id, domain.id);
      assert.equal((await project(one.cloud_project_id)).parent_id, domain.id);
    }
  });

  it('needs a name, a short username, and a domain that is enabled', async () => {
    const closed = await api.make('domain', { name: uniqueName('closed'), enabled: false });
    assertRefused(await client.register({ username: 'x' }), 400, /name/);
    assertRefused(await client.register({ name: ' ' }), 400, /name/);
    assertRefused(await client.register({ name: 'x', username: ' ' }), 400, /username/);
    assertRefused(await client.register({ name: 'x', username: 7 }), 400, /username/);
    assertRefused(await client.register({ name: uniqueName('x'), username: 'x'.repeat(59) }), 400, /58 characters/);
    assertRefused(await client.register({ name: 'x'.repeat(59) }), 400, /username/);
    assertRefused(await client.register({ name: uniqueName('x'), domain_id: 'nowhere' }), 400, /no domain nowhere/);
    assertRefused(await client.register({ name: uniqueName('x'), domain_id: closed.id }), 400, /disabled/);
    assertRefused(await api.post(`${REGISTRATION}/users`, {}), 400, /user/);
    const { user } = assertOk(await client.register({ name: uniqueName('x'), username: '𝒳'.repeat(58) }), 201);
    assert.equal((await project(user.cloud_project_id)).name, `${'𝒳'.repeat(58)} cloud`);
  });

  describe('of an activation key', () => {
    it('makes a new one, which ends the one before', async () => {
      const user = await client.registered();
      const answer = await client.askKey(user);
      assert.deepEqual(Object.keys(assertOk(answer).activation_key), ['id']);
      assert.equal(answer.headers.get('cache-control'), 'no-store');
      assert.deepEqual(await actionsOf(answer), ['user.activation_key_made']);
      const key = await client.newKey(user);
      for (const old of [user.activation_key, answer.body.activation_key.id])
        assertRefused(await client.activate(user, old), 403, /expired, or was used or replaced/);
      assertOk(await client.activate(user, key));
    });

    it('refuses one that was used', async () => {
      const user = await client.registered();
      assertOk(await client.activate(user, user.activation_key));
      assertRefused(await client.activate(user, user.activation_key), 403, /activation key has expired, or was used/);
    });

    it('makes none for a user who is active, was not registered, or does not exist', async () => {
      assertRefused(await client.askKey(await client.activated()), 400, /already activated/);
      assertRefused(await client.askKey(await api.make('user', { name: uniqueName('user') })), 400, /already activated/);
      const other = await api.make('user', { name: uniqueName('user'), enabled: false });
      assertRefused(await client.askKey(other), 404, /registration of user/);
      assertRefused(await client.askKey({ id: 'nobody' }), 404, /user: nobody/);
      assertRefused(await client.activate({ id: 'nobody' }, 'key'), 404, /user: nobody/);
      assertRefused(await client.activate(other, 'key'), 404, /activation key of user/);
    });

    it('still activates after an administrator has set another password', async () => {
      const user = await client.registered();
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { password: NEW } }));
      assertOk(await client.activate(user, user.activation_key));
      await api.logIn({ id: user.id, password: NEW });
    });
  });

  describe('of a reset token', () => {
    it('gives one with the user, which ends the one before', async () => {
      const user = await client.activated();
      const answer = await client.askToken(user);
      const { id, user: shown } = assertOk(answer).reset_token;
      assert.match(id, /^[\w-]{43}$/);
      assert.deepEqual(shown, user);
      assert.deepEqual(await actionsOf(answer), ['user.reset_token_made']);
      const token = await client.newToken(user);
      assertRefused(await client.reset(user, id, NEW), 403, /reset token has expired, or was used or replaced/);
      const done = await client.reset(user, token, NEW);
      assert.deepEqual(assertOk(done).user, user);
      assert.deepEqual(await actionsOf(done), ['user.password_reset', 'user.updated']);
      assertRefused(await client.reset(user, token, PASSWORD), 403);
      await api.logIn({ id: user.id, password: NEW });
    });

    it('gives none for a user who is not active', async () => {
      assertRefused(await client.askToken(await client.registered()), 403, /not activated/);
      assertRefused(await client.askToken({ id: 'nobody' }), 404);
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const user = await client.activated({ domain_id: domain.id });
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertRefused(await client.askToken(user), 403, /not activated/);
    });

    it('gives one for users who were not registered here', async () => {
      const user = await api.make('user', { name: uniqueName('user'), password: PASSWORD });
      assertOk(await client.reset(user, await client.newToken(user), NEW));
      await api.logIn({ id: user.id, password: NEW });
    });

    it('changes only the password', async () => {
      const user = await client.activated();
      const token = await client.newToken(user);
      const body = { user: { password: NEW, name: 'other', enabled: false, email: 'other@example.org' } };
      assertOk(await api.patch(`${REGISTRATION}/reset_password/${token}/users/${user.id}`, body));
      assert.deepEqual(assertOk(await api.get(`/v3/users/${user.id}`)).user, user);
    });

    it('needs a password', async () => {
      const user = await client.activated();
      const path = `${REGISTRATION}/reset_password/${await client.newToken(user)}/users/${user.id}`;
      for (const body of [{}, { user: {} }, { user: { password: null } }, { user: { password: '' } }, { user: { password: 7 } }])
        assertRefused(await api.patch(path, body), 400, /user|password/);
      assertOk(await api.patch(path, { user: { password: NEW } }));
    });
  });

  it('is for administrators only', async () => {
    const user = await client.registered();
    const paths: [string, string, unknown?][] = [
      ['POST', `${REGISTRATION}/users`, { user: { name: uniqueName('x') } }],
      ['GET', `${REGISTRATION}/users/${user.id}/activate`],
      ['PATCH', `${REGISTRATION}/activate/${user.activation_key}/users/${user.id}`],
      ['GET', `${REGISTRATION}/users/${user.id}/reset_password`],
      ['PATCH', `${REGISTRATION}/reset_password/token/users/${user.id}`, { user: { password: NEW } }],
    ];
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const tokens = [
      (await api.persona(['member', 'owner', 'service'], { domain: 'default' })).token,
      (await api.persona(['manager', 'reader'], { domain: 'default' })).token,
      (await api.persona(['manager'], { domain: domain.id })).token,
      (await api.persona(['reader'], 'system')).token,
      await api.logIn({ id: (await client.activated()).id, password: PASSWORD }),
    ];
    for (const [method, path, body] of paths) {
      await assertNeedsToken(api, method, path, body);
      await assertForbidden(api, tokens, method, path, { body });
    }
    assertOk(await client.activate(user, user.activation_key));
  });

  // Last, since the administrator's token expires, too.
  it('ends keys after eight hours, and forgets them a month later', async () => {
    const user = await client.registered();
    const active = await client.activated();
    const token = await client.newToken(active);
    const again = async (after: number): Promise<void> => {
      api.clock.advance(after);
      const scope = { project: { name: 'admin', domain: { id: 'default' } } };
      api.adminToken = await api.logIn({ name: 'admin', password: 'the administrator of the tests' }, scope);
    };
    await again(28_795);
    assertOk(await client.reset(active, token, NEW));
    const next = await client.newToken(active);
    await again(10);
    assertRefused(await client.activate(user, user.activation_key), 403, /expired/);
    await again(28_800);
    assertRefused(await client.reset(active, next, PASSWORD), 403, /expired/);
    assertOk(await client.activate(user, await client.newKey(user)));

    const count = async () => (await db.read.selectFrom('registration_keys').select('key_hash').execute()).length;
    const keys = createRegistrationKeys({ db, clock: api.clock, config: load(identitySettings, {}) });
    const before = await count();
    assert.equal(await keys.sweep(), 0);
    await again(29 * 86_400);
    const late = await client.newToken(active);
    await again(2 * 86_400);
    assert.equal(await keys.sweep(), before);
    assert.equal(await count(), 1);
    assertRefused(await client.reset(active, late, PASSWORD), 403, /expired/);
  });
});

onDatabase('SQLite', 'Registration, with the rules for passwords', { settings: DEFAULT_PASSWORDS }, (api) => {
  const client = new RegistrationClient(api);

  it('refuses short and common passwords, and keeps the token', async () => {
    for (const [password, why] of [
      ['short', /at least 8/],
      ['password123', /common passwords/],
    ] as const) {
      const name = uniqueName('ann');
      assertRefused(await client.register({ name, password }), 400, why);
      assert.equal(assertOk(await api.get(`/v3/users?name=${name}`)).users.length, 0);
      assert.equal(assertOk(await api.get(`/v3/projects?name=${name}`)).projects.length, 0);
      const user = await client.activated();
      const token = await client.newToken(user);
      assertRefused(await client.reset(user, token, password), 400, why);
      assertOk(await client.reset(user, token, NEW));
    }
  });
});

onDatabase(
  'SQLite',
  'Registration, with keys of another lifetime',
  { settings: { GATEHOUSE_IDENTITY_REGISTRATION_KEY_SECONDS: '60' } },
  (api) => {
    const client = new RegistrationClient(api);
    it('ends them at that time', async () => {
      const [user, other] = [await client.registered(), await client.registered()];
      api.clock.advance(55);
      assertOk(await client.activate(user, user.activation_key));
      api.clock.advance(10);
      assertRefused(await client.activate(other, other.activation_key), 403, /expired/);
    });
  },
);
