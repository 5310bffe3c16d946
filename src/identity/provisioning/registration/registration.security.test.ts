// Attacks on registration: keys of others, guesses, replays, races, and what happens to the account in between.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertEachStatus, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onDatabase, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { PASSWORD, REGISTRATION, RegistrationClient } from '../../../../test/support/registration.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { patchOf } from '../../../../test/support/scim.ts';
import type { Database } from '../../ground/database/index.ts';

const NEW = 'the second password of ann';

underAttack('Registration, attacked', (api) => {
  const client = new RegistrationClient(api);
  let db: Database;
  before(async () => {
    db = await databaseOf(api);
  });
  after(() => db.close());

  const isEnabled = async (kind: 'user' | 'project', id: string): Promise<boolean> =>
    assertOk(await api.get(`/v3/${kind}s/${id}`))[kind].enabled;
  /** Nothing of an activation that was refused. */
  async function assertInactive(user: any): Promise<void> {
    assert.equal(await isEnabled('user', user.id), false);
    for (const id of [user.default_project_id, user.cloud_project_id])
      if ((await api.get(`/v3/projects/${id}`)).status === 200) assert.equal(await isEnabled('project', id), false);
  }

  it('refuses keys of others, keys for something else, and what is no key', async () => {
    const [ann, bob] = [await client.registered(), await client.registered()];
    const carol = await client.activated();
    const token = await client.newToken(carol);
    const rows = await db.read.selectFrom('registration_keys').where('user_id', '=', ann.id).selectAll().execute();
    const wrong = [
      bob.activation_key,
      token,
      rows[0]!.key_hash,
      ann.id,
      ann.activation_key.slice(1),
      `${ann.activation_key}A`,
      `${ann.activation_key}%20`,
      ann.activation_key.toUpperCase() === ann.activation_key ? 'x' : ann.activation_key.toUpperCase(),
      'null',
      '%25',
      "'%20or%201=1%20--",
    ];
    for (const key of wrong) {
      assertRefused(await client.activate(ann, key), 404, /Could not find activation key/);
      if (key !== token) assertRefused(await client.reset(carol, key, NEW), 404, /Could not find reset token/);
    }
    assertRefused(await client.reset(ann, token, NEW), 404);
    await assertInactive(ann);
    await api.logIn({ id: carol.id, password: PASSWORD });
    assertOk(await client.activate(ann, ann.activation_key));
    assertOk(await client.reset(carol, token, NEW));
  });

  it('stores and logs no key', async () => {
    const user = await client.registered();
    const keys = [user.activation_key, await client.newKey(user)];
    assertOk(await client.activate(user, keys[1]!));
    keys.push(await client.newToken(user));
    assertOk(await client.reset(user, keys[2]!, NEW));
    for (const table of ['users', 'registrations', 'registration_keys', 'audit_events', 'outbox'] as const) {
      const text = JSON.stringify(await db.read.selectFrom(table).selectAll().execute());
      for (const key of keys) assert.ok(!text.includes(key), table);
    }
    for (const key of keys) assert.ok(!api.logged.join('').includes(key), 'in the log');
  });

  it('lets one of many concurrent activations win', async () => {
    for (let round = 0; round < 3; round++) {
      const user = await client.registered();
      const answers = await Promise.all(Array.from({ length: 8 }, () => client.activate(user, user.activation_key)));
      assertEachStatus(answers, [200, 403]);
      assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    }
  });

  it('lets one of many concurrent resets win, whose password is then valid', async () => {
    for (let round = 0; round < 3; round++) {
      const user = await client.activated();
      const token = await client.newToken(user);
      const passwords = Array.from({ length: 6 }, (_, index) => `the password number ${index}`);
      const answers = await Promise.all(passwords.map((password) => client.reset(user, token, password)));
      assertEachStatus(answers, [200, 403]);
      const winners = passwords.filter((_, index) => answers[index]!.status === 200);
      assert.equal(winners.length, 1);
      await api.logIn({ id: user.id, password: winners[0]! });
    }
  });

  it('leaves one valid key when several are made at the same time', async () => {
    const [user, active] = [await client.registered(), await client.activated()];
    const keys = await Promise.all(Array.from({ length: 6 }, () => client.newKey(user)));
    const tokens = await Promise.all(Array.from({ length: 6 }, () => client.newToken(active)));
    for (const id of [user.id, active.id]) {
      const rows = await db.read.selectFrom('registration_keys').where('user_id', '=', id).selectAll().execute();
      assert.equal(rows.filter((row) => row.ended_at === null).length, 1);
    }
    const statuses = [];
    for (const key of keys) statuses.push((await client.activate(user, key)).status);
    for (const token of tokens) statuses.push((await client.reset(active, token, NEW)).status);
    assert.deepEqual(statuses.filter((status) => status === 200).length, 2);
    assert.ok(statuses.every((status) => status === 200 || status === 403));
  });

  it('makes one user of several concurrent registrations of a name', async () => {
    const username = uniqueName('twin');
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => client.register({ name: `${username}@example.org`, username, password: PASSWORD })),
    );
    assertEachStatus(answers, [201, 409]);
    assert.equal(answers.filter(({ status }) => status === 201).length, 1);
    assert.equal(assertOk(await api.get(`/v3/projects?name__startswith=${username}`)).projects.length, 2);
  });

  describe('makes nothing of a registration', () => {
    const nothing = async (name: string, username: string, organizations: number): Promise<void> => {
      assert.equal(assertOk(await api.get(`/v3/users?name=${encodeURIComponent(name)}`)).users.length, 0);
      const { projects } = assertOk(await api.get(`/v3/projects?name__startswith=${encodeURIComponent(username)}`));
      assert.equal(projects.length, organizations);
    };

    it('whose user name is taken, or looks like one that is', async () => {
      const name = uniqueName('ace');
      await api.make('user', { name });
      for (const taken of [name, name.toUpperCase(), name.replace('ace', 'асе')]) {
        const username = uniqueName('other');
        assertRefused(await client.register({ name: taken, username, password: PASSWORD }), 409);
        assert.equal(assertOk(await api.get(`/v3/projects?name__startswith=${username}`)).projects.length, 0);
      }
    });

    it('whose organizations exist', async () => {
      for (const suffix of ['', ' cloud']) {
        const [name, username] = [uniqueName('name'), uniqueName('taken')];
        await api.make('project', { name: `${username}${suffix}` });
        assertRefused(await client.register({ name, username, password: PASSWORD }), 409, /project/);
        await nothing(name, username, 1);
      }
    });

    it('without the role owner', async () => {
      const id = await api.roleId('owner');
      assertOk(await api.patch(`/v3/roles/${id}`, { role: { name: 'former owner' } }));
      const name = uniqueName('name');
      const answer = await client.register({ name, password: PASSWORD });
      assertOk(await api.patch(`/v3/roles/${id}`, { role: { name: 'owner' } }));
      assertRefused(answer, 404, /role: owner/);
      await nothing(name, name, 0);
    });

    it('that is too large, or not an object', async () => {
      const name = uniqueName('name');
      const large = { name, password: PASSWORD, description: 'x'.repeat(200_000) };
      assert.equal((await client.register(large)).status, 413);
      assertRefused(await client.register({ name, password: 'x'.repeat(5000) }), 400, /password/);
      assertRefused(await client.register({ name: 'x'.repeat(256), username: 'x' }), 400, /name/);
      for (const user of [[], 'x', null, 7]) assertRefused(await api.post(`${REGISTRATION}/users`, { user }), 400);
      const path = `${REGISTRATION}/activate/${'k'.repeat(20_000)}/users/nobody`;
      const { status } = await api.request('PATCH', path);
      assert.ok(status >= 400 && status < 500, String(status));
      await nothing(name, name, 0);
    });
  });

  it('cannot claim an id, an external id or a flag that it may not set', async () => {
    const name = uniqueName('claims');
    const sent = { name, id: 'chosen', links: { self: 'x' }, last_active_at: 1, epoch: 7, password_expires_at: '2000-01-01' };
    const { user } = assertOk(await client.register(sent), 201);
    assert.notEqual(user.id, 'chosen');
    assert.equal(user.password_expires_at, null);
    assertOk(await client.activate(user, user.activation_key));
  });

  describe('of someone whose account changes in between', () => {
    it('ends with the user', async () => {
      const [user, active] = [await client.registered(), await client.activated()];
      const token = await client.newToken(active);
      for (const { id } of [user, active]) assertOk(await api.delete(`/v3/users/${id}`), 204);
      assertRefused(await client.activate(user, user.activation_key), 404);
      assertRefused(await client.askKey(user), 404);
      assertRefused(await client.reset(active, token, NEW), 404);
      assertRefused(await client.askToken(active), 404);
      for (const table of ['registrations', 'registration_keys'] as const) {
        const rows = await db.read.selectFrom(table).where('user_id', 'in', [user.id, active.id]).selectAll().execute();
        assert.deepEqual(rows, []);
      }
      await assertInactive({ ...user, id: (await client.registered()).id });
    });

    it('is decided one way or the other while the user is deleted', async () => {
      for (let round = 0; round < 5; round++) {
        const user = await client.registered();
        const [activation, key] = await Promise.all([
          client.activate(user, user.activation_key),
          client.askKey(user),
          api.delete(`/v3/users/${user.id}`),
        ]);
        assertEachStatus([activation], [200, 403, 404]);
        assertEachStatus([key], [200, 400, 404]);
        assert.equal((await api.get(`/v3/users/${user.id}`)).status, 404);
        assert.equal(await isEnabled('project', user.default_project_id), activation.status === 200);
      }
    });

    it('enables nothing when an organization was deleted or cannot be enabled', async () => {
      const removals: ((user: any) => Promise<ApiAnswer>)[] = [
        (user) => api.delete(`/v3/projects/${user.default_project_id}`),
        (user) => api.delete(`/v3/projects/${user.cloud_project_id}`),
        (user) => api.patch(`/v3/projects/${user.cloud_project_id}`, { project: { options: { immutable: true } } }),
        (user) => api.patch(`/v3/domains/${user.domain_id}`, { domain: { enabled: false } }),
      ];
      for (const remove of removals) {
        const domain = await api.make('domain', { name: uniqueName('domain') });
        const user = await client.registered({ domain_id: domain.id });
        assert.ok((await remove(user)).status < 300);
        assertEachStatus([await client.activate(user, user.activation_key)], [403, 404]);
        await assertInactive(user);
        const rows = await db.read.selectFrom('registration_keys').where('user_id', '=', user.id).selectAll().execute();
        assert.deepEqual(
          rows.map((row) => row.ended_at),
          [null],
          'the key is not used up',
        );
      }
    });

    it('does not bring back someone whom an administrator has disabled', async () => {
      const user = await client.activated();
      const hand = await client.registered();
      for (const enabled of [true, false])
        for (const { id } of [user, hand]) assertOk(await api.patch(`/v3/users/${id}`, { user: { enabled } }));
      assertRefused(await client.askKey(user), 403, /activated before/);
      assertRefused(await client.askKey(hand), 403, /activated before/);
      assertRefused(await client.activate(hand, hand.activation_key), 403);
      assert.equal(await isEnabled('user', user.id), false);
      assert.equal(await isEnabled('user', hand.id), false);
    });

    it('does not reset the password of someone who is disabled, also not after they are enabled again', async () => {
      const user = await client.activated();
      const token = await client.newToken(user);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }));
      assertRefused(await client.reset(user, token, NEW), 403);
      assertRefused(await client.askToken(user), 403, /not activated/);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: true } }));
      assertRefused(await client.reset(user, token, NEW), 403);
      await api.logIn({ id: user.id, password: PASSWORD });
    });

    it('ends reset tokens with every change of the password', async () => {
      const user = await client.activated();
      let current = PASSWORD;
      const changes: ((password: string) => Promise<ApiAnswer>)[] = [
        (password) =>
          api.post(`/v3/users/${user.id}/password`, { user: { original_password: current, password } }, { token: null }),
        (password) => api.patch(`/v3/users/${user.id}`, { user: { password } }),
        () => api.patch(`/v3/users/${user.id}`, { user: { password: null } }),
      ];
      for (const [index, change] of changes.entries()) {
        const token = await client.newToken(user);
        const next = `the password number ${index}`;
        assert.ok((await change(next)).status < 300);
        current = next;
        assertRefused(await client.reset(user, token, NEW), 403, /reset token has expired, or was used or replaced/);
      }
    });

    it('enables only the organizations that were made for it', async () => {
      const other = await api.make('project', { name: uniqueName('other'), enabled: false });
      const user = await client.registered();
      const body = { user: { cloud_project_id: other.id, default_project_id: other.id } };
      assertOk(await api.patch(`/v3/users/${user.id}`, body));
      assertOk(await client.activate(user, user.activation_key));
      assert.equal(await isEnabled('project', other.id), false);
      for (const id of [user.default_project_id, user.cloud_project_id]) assert.equal(await isEnabled('project', id), true);
    });
  });

  it('needs a recent login of an administrator who resets their own password', async () => {
    const { user, token: caller } = await api.persona(['admin'], { domain: 'default' });
    const token = await client.newToken(user);
    api.clock.advance(1000);
    assertRefused(await client.reset(user, token, NEW, { token: caller }), 401);
    assertOk(await client.reset(user, token, NEW));
  });

  it('makes no key for a HEAD', async () => {
    const [user, active] = [await client.registered(), await client.activated()];
    const token = await client.newToken(active);
    for (const path of [`/users/${user.id}/activate`, `/users/${active.id}/reset_password`]) {
      const answer = await api.head(REGISTRATION + path);
      assert.equal(answer.status, 405);
      assert.equal(answer.headers.get('allow'), 'GET, OPTIONS');
    }
    assertOk(await client.activate(user, user.activation_key));
    assertOk(await client.reset(active, token, NEW));
  });

  it('refuses a name that is another address than that of the user', async () => {
    const [victim, mine] = [`${uniqueName('vic')}@example.org`, `${uniqueName('eve')}@example.org`];
    const sent = { username: uniqueName('eve'), password: PASSWORD, domain_id: 'default' };
    for (const name of [victim, victim.replace('@', '\uff20')])
      assertRefused(await client.register({ ...sent, name, email: mine }), 400, /must be the e-mail address of the user/);
    assertOk(await client.register({ ...sent, name: mine.toUpperCase(), email: mine }), 201);
  });

  it('does not activate an account that a provisioning client deactivated since', async () => {
    const user = await client.registered();
    const answer = await api.patch(`/scim/v2/Users/${user.id}`, patchOf({ op: 'replace', path: 'active', value: false }));
    assert.equal(answer.status, 204, answer.text);
    assertRefused(await client.activate(user, user.activation_key), 403, /has expired, or was used or replaced/);
    await assertInactive(user);
  });

  it('does not activate an account that was disabled since, until an administrator asks for a new key', async () => {
    const user = await client.registered();
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { description: 'changed' } }));
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }));
    assertRefused(await client.activate(user, user.activation_key), 403, /has expired, or was used or replaced/);
    await assertInactive(user);
    assertOk(await client.activate(user, await client.newKey(user)));
  });

  it('tells others nothing, neither by the answer nor by the order of the checks', async () => {
    const user = await client.registered();
    const { token } = await api.persona(['member'], { domain: 'default' });
    const told = async (id: string, key: string): Promise<string[]> => {
      const answers = [
        await client.askKey({ id }, { token }),
        await client.activate({ id }, key, { token }),
        await client.askToken({ id }, { token }),
        await client.reset({ id }, key, NEW, { token }),
      ];
      return answers.map(({ status, text }) => `${status} ${text}`);
    };
    assert.deepEqual(await told(user.id, user.activation_key), await told('nobody', 'no-key'));
    await assertInactive(user);
  });
});

onDatabase('SQLite', 'Guesses at registration keys', { rateLimits: true }, (api) => {
  const client = new RegistrationClient(api);

  it('are limited for each user, and do not count against others or the right key', async () => {
    api.clock.hold();
    const [ann, bob] = [await client.registered(), await client.registered()];
    for (let guess = 0; guess < 10; guess++) assertRefused(await client.activate(ann, `guess-${guess}`), 404);
    assertRefused(await client.activate(ann, 'guess'), 429);
    assertOk(await client.activate(bob, bob.activation_key));
    // Everybody comes from the address of the portal: a stranger there must not lock people out.
    assertOk(await client.activate(ann, ann.activation_key));
    api.clock.advance(61);
    for (let replay = 0; replay < 15; replay++) assertRefused(await client.activate(ann, ann.activation_key), 403);
    const token = await client.newToken(ann);
    for (let guess = 0; guess < 10; guess++) assertRefused(await client.reset(ann, `guess-${guess}`, NEW), 404);
    const hashed = await hashes();
    assertRefused(await client.reset(ann, 'guess', NEW), 429);
    assert.equal(await hashes(), hashed, 'no password is hashed for a guess');
    assertOk(await client.reset(ann, token, NEW));
  });

  async function hashes(): Promise<string> {
    const text = await api.service.metrics.registry.metrics();
    return /^gatehouse_password_hashes_total .*$/m.exec(text)?.[0] ?? assert.fail('no such metric');
  }
});
