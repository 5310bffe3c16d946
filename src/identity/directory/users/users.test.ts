import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import {
  assertEachStatus,
  assertForbidden,
  assertNeedsToken,
  assertOk,
  assertRefused,
  isAlive,
} from '../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';

const MISSING = '0'.repeat(32);

/** Good tokens of people who may not manage users of the default domain. */
async function strangers(api: TestApi): Promise<string[]> {
  const project = await api.make('project', { name: uniqueName('place') });
  const domain = await api.make('domain', { name: uniqueName('elsewhere') });
  const scopes: Parameters<TestApi['persona']>[] = [
    [['member'], { project: project.id }],
    [['member'], { domain: 'default' }],
    [['reader'], 'system'],
    [['manager'], { project: project.id }],
    [['manager'], { domain: domain.id }],
  ];
  const tokens: string[] = [];
  for (const scope of scopes) tokens.push((await api.persona(...scope)).token);
  return tokens;
}

onEachDatabase('Users', (api) => {
  let nobodies: string[];

  before(async () => {
    nobodies = await strangers(api);
  });

  const countUsers = async (): Promise<number> => (await api.get('/v3/users')).body.users.length;

  describe('creating', () => {
    it('creates a user with what Keystone would fill in, and shows it', async () => {
      const name = uniqueName('alice');
      const created = await api.post('/v3/users', {
        user: { name, password: 'secret', email: 'alice@example.org', favourite: { colour: 'green' } },
      });
      assert.equal(created.status, 201);
      const { user } = created.body;
      assert.match(user.id, /^[0-9a-f]{32}$/);
      assert.deepEqual(user, {
        id: user.id,
        name,
        domain_id: 'default',
        enabled: true,
        email: 'alice@example.org',
        favourite: { colour: 'green' },
        options: {},
        password_expires_at: null,
        links: { self: `${api.url}/v3/users/${user.id}` },
      });
      assert.deepEqual((await api.get(`/v3/users/${user.id}`)).body.user, user);
    });

    it('creates a user with everything that can be said of one', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
      const options = {
        ignore_change_password_upon_first_use: true,
        ignore_password_expiry: true,
        ignore_lockout_failure_attempts: false,
        ignore_user_inactivity: true,
        lock_password: false,
        multi_factor_auth_enabled: true,
        multi_factor_auth_rules: [['password', 'totp'], ['password']],
      };
      const values = {
        name: uniqueName('full'),
        domain_id: domain.id,
        enabled: false,
        default_project_id: project.id,
        description: 'all of it',
        email: null,
        options,
      };
      const user = await api.make('user', { ...values, password: null });
      assert.deepEqual(user, {
        id: user.id,
        ...values,
        password_expires_at: null,
        links: { self: `${api.url}/v3/users/${user.id}` },
      });
    });

    it('takes the name without the spaces around it', async () => {
      const name = uniqueName('spaced');
      assert.equal((await api.make('user', { name: `  ${name}\t` })).name, name);
    });

    it('puts the user of a domain-scoped token into that domain', async () => {
      const domain = await api.make('domain', { name: uniqueName('home') });
      const { token } = await api.persona(['admin'], { domain: domain.id });
      const created = await api.post('/v3/users', { user: { name: uniqueName('local') } }, { token });
      assert.equal(assertOk(created, 201).user.domain_id, domain.id);
    });

    it('allows the same name in another domain', async () => {
      const name = uniqueName('twin');
      const domain = await api.make('domain', { name: uniqueName('domain') });
      await api.make('user', { name });
      await api.make('user', { name, domain_id: domain.id });
    });

    it('refuses a name that is taken, in any case', async () => {
      const name = uniqueName('Bob');
      await api.make('user', { name });
      for (const taken of [name, name.toUpperCase(), ` ${name.toLowerCase()} `]) {
        assertRefused(await api.post('/v3/users', { user: { name: taken } }), 409, /Duplicate Entry/);
      }
    });

    it('lets only one of many that come at once have a name', async () => {
      const name = uniqueName('race');
      const answers = await Promise.all(Array.from({ length: 8 }, () => api.post('/v3/users', { user: { name } })));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409, 409, 409]);
    });

    const name = 'refused';
    const bad: [what: string, body: unknown, field: RegExp][] = [
      ['no envelope', { name }, /'user'/],
      ['an envelope of another kind', { user: [name] }, /'user'/],
      ['no name', { user: {} }, /'user\.name'/],
      ['an empty name', { user: { name: '' } }, /'user\.name'/],
      ['a name of spaces', { user: { name: ' \t ' } }, /'user\.name'/],
      ['a name that is a number', { user: { name: 7 } }, /'user\.name'/],
      ['a name of 256 letters', { user: { name: 'n'.repeat(256) } }, /'user\.name'/],
      ['a domain that is no text', { user: { name, domain_id: 1 } }, /'user\.domain_id'/],
      ['a state that is no boolean', { user: { name, enabled: 'yes' } }, /'user\.enabled'/],
      ['a default project that is no text', { user: { name, default_project_id: {} } }, /'user\.default_project_id'/],
      ['a domain as the default project', { user: { name, default_project_id: 'default' } }, /'default_project_id'/],
      ['a password that is no text', { user: { name, password: 12345678 } }, /'user\.password'/],
      ['an empty password', { user: { name, password: '' } }, /'user\.password'/],
      ['a password of 4097 letters', { user: { name, password: 'p'.repeat(4097) } }, /'user\.password'/],
      ['a description that is no text', { user: { name, description: ['no'] } }, /'user\.description'/],
      ['an address that is too long', { user: { name, email: 'e'.repeat(321) } }, /'user\.email'/],
      ['an unknown option', { user: { name, options: { fly: true } } }, /'user\.options\.fly'/],
      ['an option of a wrong type', { user: { name, options: { lock_password: 1 } } }, /'user\.options\.lock_password'/],
      ['options that are no object', { user: { name, options: [] } }, /'user\.options'/],
      ['rules that are no lists', { user: { name, options: { multi_factor_auth_rules: ['totp'] } } }, /multi_factor_auth_rules/],
      ['an empty rule', { user: { name, options: { multi_factor_auth_rules: [[]] } } }, /multi_factor_auth_rules/],
      ['a repeated rule', { user: { name, options: { multi_factor_auth_rules: [['a'], ['a']] } } }, /multi_factor_auth_rules/],
      ['a repeated method', { user: { name, options: { multi_factor_auth_rules: [['a', 'a']] } } }, /multi_factor_auth_rules/],
      ['a link with a provider that is no list', { user: { name, federated: 'text' } }, /'user\.federated'/],
      ['a body that is no object', '[1]', /must be a JSON object/],
      ['a body that is no JSON', '{"user": ', /not valid JSON/],
    ];
    for (const [what, body, field] of bad) {
      it(`refuses ${what} and stores nothing`, async () => {
        const before = await countUsers();
        assertRefused(await api.post('/v3/users', body), 400, field);
        assert.equal(await countUsers(), before);
      });
    }

    it('does not find a domain that is not there', async () => {
      const answer = await api.post('/v3/users', { user: { name, domain_id: MISSING } });
      assertRefused(answer, 404, new RegExp(`Could not find domain: ${MISSING}`));
      const project = await api.make('project', { name: uniqueName('project') });
      assertRefused(await api.post('/v3/users', { user: { name, domain_id: project.id } }), 404, /Could not find domain/);
    });

    it('is for administrators, and for managers of the domain', async () => {
      const body = { user: { name, domain_id: 'default' } };
      await assertNeedsToken(api, 'POST', '/v3/users', body);
      await assertForbidden(api, nobodies, 'POST', '/v3/users', { body });

      const domain = await api.make('domain', { name: uniqueName('managed') });
      const { token } = await api.persona(['manager'], { domain: domain.id });
      const made = await api.post('/v3/users', { user: { name: uniqueName('hired') } }, { token });
      assert.equal(assertOk(made, 201).user.domain_id, domain.id);
      await assertForbidden(api, [token], 'POST', '/v3/users', { body });
      await assertForbidden(api, [token], 'POST', '/v3/users', { body: { user: { name, domain_id: MISSING } } });
    });
  });

  describe('showing', () => {
    it('shows a user to administrators, readers of the system and of the domain, and to the user', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const project = await api.make('project', { name: uniqueName('project') });
      const self = await api.persona(['reader'], { project: project.id }, { domain_id: domain.id });
      const path = `/v3/users/${self.user.id}`;
      const allowed = [
        api.adminToken,
        self.token,
        (await api.persona(['reader'], 'system')).token,
        (await api.persona(['reader'], { domain: domain.id })).token,
      ];
      for (const token of allowed) assert.equal(assertOk(await api.get(path, { token })).user.id, self.user.id);

      const others = [
        (await api.persona(['reader'], { project: project.id })).token,
        (await api.persona(['reader'], { domain: 'default' })).token,
      ];
      await assertForbidden(api, others, 'GET', path);
      await assertNeedsToken(api, 'GET', path);
    });

    it('answers HEAD like GET, without the body', async () => {
      const user = await api.make('user', { name: uniqueName('head') });
      const answer = await api.head(`/v3/users/${user.id}`);
      assert.equal(answer.status, 200);
      assert.equal(answer.text, '');
      assert.equal((await api.head(`/v3/users/${MISSING}`)).status, 404);
    });

    it('tells only those who may see every user that one is missing', async () => {
      const path = `/v3/users/${MISSING}`;
      const allKnowing = (await api.persona(['reader'], 'system')).token;
      for (const token of [api.adminToken, allKnowing])
        assertRefused(await api.get(path, { token }), 404, new RegExp(`Could not find user: ${MISSING}`));
      const domainReader = (await api.persona(['reader'], { domain: 'default' })).token;
      const member = (await api.persona(['member'], { domain: 'default' })).token;
      await assertForbidden(api, [domainReader, member], 'GET', path);
    });
  });

  describe('listing', () => {
    it('shows all users to administrators and readers of the system', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const user = await api.make('user', { name: uniqueName('far'), domain_id: domain.id });
      for (const token of [api.adminToken, (await api.persona(['reader'], 'system')).token]) {
        const { users, links } = assertOk(await api.get('/v3/users', { token }));
        assert.deepEqual(
          users.find(({ id }: { id: string }) => id === user.id),
          user,
        );
        assert.deepEqual(links, { self: `${api.url}/v3/users`, previous: null, next: null });
      }
    });

    it('shows the users of its own domain only to a domain-scoped token, even one of an administrator', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const transaction = await api.make('user', { name: uniqueName('inside'), domain_id: domain.id });
      for (const role of ['reader', 'admin']) {
        const { token } = await api.persona([role], { domain: domain.id });
        const { users } = assertOk(await api.get('/v3/users', { token }));
        assert.deepEqual(users, [transaction]);
        assert.deepEqual(assertOk(await api.get('/v3/users?domain_id=default', { token })).users, []);
      }
    });

    it('filters by name, domain, state and default project', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const project = await api.make('project', { name: uniqueName('project') });
      const on = await api.make('user', { name: uniqueName('on'), domain_id: domain.id, default_project_id: project.id });
      const off = await api.make('user', { name: uniqueName('off'), domain_id: domain.id, enabled: false });
      const found = async (query: string) =>
        assertOk(await api.get(`/v3/users?${query}`)).users.map(({ id }: { id: string }) => id);
      assert.deepEqual(await found(`name=${on.name}`), [on.id]);
      assert.deepEqual(await found(`domain_id=${domain.id}`), [off.id, on.id]);
      assert.deepEqual(await found(`domain_id=${domain.id}&enabled=false`), [off.id]);
      assert.deepEqual(await found(`domain_id=${domain.id}&enabled`), [on.id]);
      assert.deepEqual(await found(`default_project_id=${project.id}`), [on.id]);
      assert.deepEqual(await found(`name=${on.name}&enabled=0`), []);
    });

    it('is for administrators and readers', async () => {
      await assertNeedsToken(api, 'GET', '/v3/users');
      const project = await api.make('project', { name: uniqueName('project') });
      const tokens = [
        (await api.persona(['reader'], { project: project.id })).token,
        (await api.persona(['manager'], { domain: 'default' })).token,
        (await api.persona(['member'], { project: project.id })).token,
      ];
      await assertForbidden(api, tokens, 'GET', '/v3/users');
    });
  });

  describe('changing', () => {
    it('changes what is named and keeps the rest', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const user = await api.make('user', {
        name: uniqueName('before'),
        email: 'old@example.org',
        colour: 'green',
        size: 4,
        options: { lock_password: true, ignore_password_expiry: true },
        default_project_id: project.id,
      });
      const name = uniqueName('after');
      const answer = await api.patch(`/v3/users/${user.id}`, {
        user: { name: ` ${name} `, email: 'new@example.org', colour: null, weight: 80, options: { lock_password: null } },
      });
      const expected = {
        ...user,
        name,
        email: 'new@example.org',
        colour: null,
        weight: 80,
        options: { ignore_password_expiry: true },
      };
      const { extra, ...changed } = assertOk(answer).user;
      assert.deepEqual(changed, expected);
      assert.deepEqual(extra, { email: 'new@example.org', colour: null, size: 4, weight: 80 });
      assert.deepEqual((await api.get(`/v3/users/${user.id}`)).body.user, expected);
    });

    it('takes the default project away with null', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const user = await api.make('user', { name: uniqueName('user'), default_project_id: project.id });
      const changed = assertOk(await api.patch(`/v3/users/${user.id}`, { user: { default_project_id: null } })).user;
      assert.equal('default_project_id' in changed, false);
    });

    it('accepts the id and the domain the user has, and no other', async () => {
      const user = await api.make('user', { name: uniqueName('user') });
      const path = `/v3/users/${user.id}`;
      assertOk(await api.patch(path, { user: { id: user.id, domain_id: 'default' } }));
      const domain = await api.make('domain', { name: uniqueName('domain') });
      assertRefused(await api.patch(path, { user: { id: MISSING } }), 400, /Cannot change user ID/);
      assertRefused(await api.patch(path, { user: { domain_id: domain.id } }), 400, /Cannot change domain ID/);
      assert.deepEqual((await api.get(path)).body.user, user);
    });

    it('lets a user be renamed to the same name in other letters, and to no taken one', async () => {
      const [first, second] = [uniqueName('first'), uniqueName('second')];
      const user = await api.make('user', { name: first });
      await api.make('user', { name: second });
      const path = `/v3/users/${user.id}`;
      assert.equal(assertOk(await api.patch(path, { user: { name: first.toUpperCase() } })).user.name, first.toUpperCase());
      assertRefused(await api.patch(path, { user: { name: second.toUpperCase() } }), 409, /Duplicate Entry/);
      assert.equal((await api.get(path)).body.user.name, first.toUpperCase());
    });

    it('refuses bad values and changes nothing', async () => {
      const user = await api.make('user', { name: uniqueName('user') });
      const path = `/v3/users/${user.id}`;
      const bad: [values: unknown, field: RegExp][] = [
        [undefined, /'user'/],
        [{ name: '' }, /'user\.name'/],
        [{ name: null }, /'user\.name'/],
        [{ enabled: 1 }, /'user\.enabled'/],
        [{ enabled: null }, /'user\.enabled'/],
        [{ password: '' }, /'user\.password'/],
        [{ default_project_id: 'default' }, /'default_project_id'/],
        [{ options: { fly: true } }, /'user\.options\.fly'/],
        [{ description: 1 }, /'user\.description'/],
        [{ federated: { idp_id: 'x' } }, /'user\.federated'/],
        [{ federated: null }, /'user\.federated'/],
      ];
      for (const [values, field] of bad) assertRefused(await api.patch(path, { user: values }), 400, field);
      assert.deepEqual((await api.get(path)).body.user, user);
    });

    it('shows a new name in tokens that are still good', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { user, token } = await api.persona(['member'], { project: project.id });
      const name = uniqueName('renamed');
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { name } }));
      const shown = await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } });
      assert.equal(assertOk(shown).token.user.name, name);
    });

    it('ends every token of a user who is disabled, and enabling brings none back', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { user, token, password } = await api.persona(['member'], { project: project.id });
      const unscoped = await api.logIn({ id: user.id, password });
      const path = `/v3/users/${user.id}`;
      assert.equal(assertOk(await api.patch(path, { user: { enabled: false } })).user.enabled, false);
      for (const dead of [token, unscoped]) assert.equal(await isAlive(api, dead), false);
      assertRefused(await api.authenticate({ id: user.id, password }), 401, /requires authentication/);

      assertOk(await api.patch(path, { user: { enabled: true } }));
      for (const dead of [token, unscoped]) assert.equal(await isAlive(api, dead), false);
      assert.equal(await isAlive(api, await api.logIn({ id: user.id, password })), true);
    });

    it('is for administrators, and for managers of the domain', async () => {
      const domain = await api.make('domain', { name: uniqueName('managed') });
      const local = await api.make('user', { name: uniqueName('local'), domain_id: domain.id });
      const { token } = await api.persona(['manager'], { domain: domain.id });
      const body = { user: { description: 'changed' } };
      assertOk(await api.patch(`/v3/users/${local.id}`, body, { token }));

      const self = await api.persona(['member'], { domain: 'default' });
      const path = `/v3/users/${self.user.id}`;
      await assertNeedsToken(api, 'PATCH', path, body);
      await assertForbidden(api, [...nobodies, token, self.token], 'PATCH', path, { body });
    });

    it('tells only administrators that a user is missing', async () => {
      const path = `/v3/users/${MISSING}`;
      assertRefused(await api.patch(path, { user: { name: 'x' } }), 404, /Could not find user/);
      await assertForbidden(api, nobodies, 'PATCH', path, { body: { user: { name: 'x' } } });
    });
  });

  describe('deleting', () => {
    it('deletes a user with tokens and memberships, and frees the name', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { user, token, password } = await api.persona(['member'], { project: project.id });
      const group = await api.make('group', { name: uniqueName('group') });
      assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);

      assertOk(await api.delete(`/v3/users/${user.id}`), 204);
      assertRefused(await api.get(`/v3/users/${user.id}`), 404, /Could not find user/);
      assertRefused(await api.delete(`/v3/users/${user.id}`), 404, /Could not find user/);
      assert.equal(await isAlive(api, token), false);
      assertRefused(await api.authenticate({ id: user.id, password }), 401, /requires authentication/);
      assert.deepEqual((await api.get(`/v3/groups/${group.id}/users`)).body.users, []);

      const again = await api.make('user', { name: user.name });
      assert.notEqual(again.id, user.id);
    });

    it('is for administrators, and for managers of the domain', async () => {
      const domain = await api.make('domain', { name: uniqueName('managed') });
      const local = await api.make('user', { name: uniqueName('local'), domain_id: domain.id });
      const { token } = await api.persona(['manager'], { domain: domain.id });
      assertOk(await api.delete(`/v3/users/${local.id}`, { token }), 204);

      const self = await api.persona(['member'], { domain: 'default' });
      const path = `/v3/users/${self.user.id}`;
      await assertNeedsToken(api, 'DELETE', path);
      await assertForbidden(api, [...nobodies, token, self.token], 'DELETE', path);
      await assertForbidden(api, nobodies, 'DELETE', `/v3/users/${MISSING}`);
      assertOk(await api.get(path));
    });
  });

  describe('when requests run into each other', () => {
    it('a user who is deleted while being changed leaves no partial state', async () => {
      for (let round = 0; round < 5; round++) {
        const user = await api.make('user', { name: uniqueName('user'), password: 'old' });
        const path = `/v3/users/${user.id}`;
        const answers = await Promise.all([
          api.patch(path, { user: { description: 'first' } }),
          api.patch(path, { user: { password: 'new' } }),
          api.post(`${path}/password`, { user: { original_password: 'old', password: 'own' } }),
          api.delete(path),
          api.delete(path),
          api.patch(path, { user: { password: 'newer' } }),
        ]);
        assertEachStatus(answers, [200, 204, 401, 404]);
        assert.equal((await api.get(path)).status, 404);
      }
    });

    it('a user is not left in a domain that is deleted meanwhile', async () => {
      for (let round = 0; round < 3; round++) {
        const domain = await api.make('domain', { name: uniqueName('domain'), enabled: false });
        const create = () => api.post('/v3/users', { user: { name: uniqueName('late'), domain_id: domain.id } });
        const answers = await Promise.all([create(), create(), api.delete(`/v3/domains/${domain.id}`), create(), create()]);
        assertEachStatus(answers, [201, 204, 404]);
        assert.deepEqual((await api.get(`/v3/users?domain_id=${domain.id}`)).body.users, []);
      }
    });
  });

  describe('the default project', () => {
    it('is the scope of a login that names none', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const { user, password } = await api.persona(['member'], { project: project.id }, { default_project_id: project.id });
      const { token } = assertOk(await api.authenticate({ id: user.id, password }), 201);
      assert.equal(token.project.id, project.id);
    });

    it('is ignored when the user has no role in it, or it is gone', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const password = 'a password of a test';
      for (const id of [project.id, MISSING]) {
        const user = await api.make('user', { name: uniqueName('user'), password, default_project_id: id });
        const { token } = assertOk(await api.authenticate({ id: user.id, password }), 201);
        assert.equal('project' in token, false);
      }
    });

    it('is unset when the project is deleted', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const user = await api.make('user', { name: uniqueName('user'), default_project_id: project.id });
      assertOk(await api.delete(`/v3/projects/${project.id}`), 204);
      assert.equal('default_project_id' in (await api.get(`/v3/users/${user.id}`)).body.user, false);
    });

    it('is unset when the project goes with its domain', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
      const user = await api.make('user', { name: uniqueName('user'), default_project_id: project.id });
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertOk(await api.delete(`/v3/domains/${domain.id}`), 204);
      assert.equal('default_project_id' in (await api.get(`/v3/users/${user.id}`)).body.user, false);
    });
  });

  it('names the methods of a known path at 405', async () => {
    const answer = await api.put('/v3/users', {});
    assertRefused(answer, 405);
    assert.equal(answer.headers.get('allow'), 'GET, HEAD, OPTIONS, POST');
    assertRefused(await api.get(`/v3/users/${MISSING}/password`), 405);
  });
});
