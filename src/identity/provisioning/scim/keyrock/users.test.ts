import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../../test/support/api.ts';

const USERS = '/v3/OS-SCIM/v2/Users';
const CORE = 'urn:scim:schemas:core:2.0';
const EXTENSION = 'urn:scim:schemas:extension:idbackend:2.0';
const PASSWORD = 'a password by SCIM';

async function register(api: TestApi, values: Record<string, unknown> = {}): Promise<any> {
  return assertOk(await api.post(`${USERS}/`, { userName: uniqueName('scim'), password: PASSWORD, ...values }));
}

onEachDatabase('SCIM as Keyrock serves it: users', (api) => {
  describe('POST /v3/OS-SCIM/v2/Users/', () => {
    it('makes a user of what the contract shows, and answers 200 with the resource', async () => {
      const userName = uniqueName('alice');
      const sent = { userName, displayName: 'Alice', password: PASSWORD, emails: [{ value: 'alice@example.com' }] };
      const answer = await api.post(`${USERS}/`, sent);
      const user = assertOk(answer);
      assert.match(answer.headers.get('content-type')!, /^application\/json\b/);
      assert.match(user.id, /^[0-9a-f]{32}$/);
      assert.deepEqual(user, {
        schemas: [CORE, EXTENSION],
        id: user.id,
        userName,
        displayName: 'Alice',
        emails: [{ value: 'alice@example.com' }],
        active: true,
        [EXTENSION]: { domain_id: 'default', default_project_id: user[EXTENSION].default_project_id },
        meta: {
          resourceType: 'User',
          created: user.meta.created,
          lastModified: user.meta.lastModified,
          location: `${api.url}${USERS}/${user.id}`,
          version: user.meta.version,
        },
      });
      assert.ok(Math.abs(Date.parse(user.meta.created) - api.clock.now()) < 60_000);
      assert.deepEqual(assertOk(await api.get(`${USERS}/${user.id}`)), user);
    });

    it('never shows the password, whatever is asked for, and lets the user log in with it', async () => {
      const userName = uniqueName('secretive');
      const password = 'nobody may read this 1';
      const made = await api.post(USERS, { userName, password });
      const { id } = assertOk(made);
      const answers = [
        made,
        await api.get(`${USERS}/${id}`),
        await api.get(`${USERS}/${id}?attributes=password,userName`),
        await api.put(`${USERS}/${id}`, { displayName: 'S', password }),
        await api.patch(`${USERS}/${id}`, { Operations: [{ op: 'replace', path: 'password', value: password }] }),
        await api.get(`${USERS}?filter=${encodeURIComponent(`userName eq "${userName}"`)}`),
      ];
      for (const answer of answers) {
        assertOk(answer);
        assert.ok(answer.text.includes(userName));
        assert.ok(!answer.text.includes(password));
        assert.ok(!/password/i.test(answer.text));
      }
      assert.ok(!api.logged.some((line) => line.includes(password)));
      assert.equal((await api.authenticate({ name: userName, password })).status, 201);
      assertRefused(await api.authenticate({ name: userName, password: 'another password' }), 401);
    });

    it('maps to the user of the base API, and keeps every e-mail and the parts of the name', async () => {
      const emails = [
        { value: 'one@example.com', type: 'work' },
        { value: 'two@example.com', primary: true },
      ];
      const name = { givenName: 'Bea', familyName: 'Bee' };
      const user = await register(api, { displayName: 'Bea Bee', name, emails, active: false });
      assert.deepEqual([user.emails, user.name, user.active], [emails, name, false]);
      const { user: base } = assertOk(await api.get(`/v3/users/${user.id}`));
      assert.deepEqual(
        [base.name, base.enabled, base.domain_id, base.default_project_id, base.email],
        [user.userName, false, 'default', user[EXTENSION].default_project_id, 'two@example.com'],
      );
    });

    it('shows a user of the base API too', async () => {
      const base = await api.make('user', { name: uniqueName('base'), email: 'base@example.com' });
      const user = assertOk(await api.get(`${USERS}/${base.id}`));
      assert.deepEqual([user.userName, user.active, user[EXTENSION]], [base.name, true, { domain_id: 'default' }]);
      assert.equal(user.emails[0].value, 'base@example.com');
    });

    it('honours an id of the client that is free, refuses one that is taken with 409, and one it cannot use with 400', async () => {
      const id = uniqueName('Own.id_');
      assert.equal((await register(api, { id })).id, id);
      assert.equal(assertOk(await api.get(`${USERS}/${id}`)).id, id);
      assertRefused(await api.post(USERS, { userName: uniqueName('again'), id }), 409, /Duplicate/);
      for (const bad of ['a/b', 'a b', 'é', 'x'.repeat(65), ''])
        assertRefused(await api.post(USERS, { userName: uniqueName('bad'), id: bad }), 400, /\bid\b/);
    });

    it('takes the domain in the extension under any of its names, and at top level', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const places = [
        { [EXTENSION]: { domain_id: domain.id } },
        { 'urn:scim:schemas:extension:idbackend:1.0': { domain_id: domain.id } },
        { 'urn:scim:schemas:extension:keystone:2.0': { domain_id: domain.id } },
        { 'urn:scim:schemas:extension:keystone:1.0': { domain_id: domain.id } },
        { domain_id: domain.id },
      ];
      for (const place of places) {
        const user = await register(api, place);
        assert.equal(user[EXTENSION].domain_id, domain.id, JSON.stringify(place));
        assert.deepEqual(
          Object.keys(user).filter((key) => /^urn|domain/.test(key)),
          [EXTENSION],
        );
      }
    });

    it('refuses an unknown domain with 404, and makes nothing', async () => {
      const userName = uniqueName('nowhere');
      for (const place of [{ [EXTENSION]: { domain_id: 'missing' } }, { domain_id: 'missing' }])
        assertRefused(await api.post(USERS, { userName, ...place }), 404, /Could not find domain: missing/);
      const project = await api.make('project', { name: uniqueName('no-domain') });
      assertRefused(await api.post(USERS, { userName, domain_id: project.id }), 404, /Could not find domain/);
      assert.equal(assertOk(await api.get(`${USERS}?name=${userName}`)).totalResults, 0);
    });

    it('refuses a name that is taken in its domain, in any case, with 409', async () => {
      const { userName } = await register(api);
      const before = assertOk(await api.get('/v3/projects')).projects.length;
      assertRefused(await api.post(USERS, { userName }), 409, /Duplicate Entry/);
      assertRefused(await api.post(USERS, { userName: userName.toUpperCase() }), 409, /Duplicate Entry/);
      assert.equal(assertOk(await api.get('/v3/projects')).projects.length, before);
      const domain = await api.make('domain', { name: uniqueName('domain') });
      assert.equal((await register(api, { userName, domain_id: domain.id })).userName, userName);
    });

    it('refuses bad input with 400 that names the field', async () => {
      const userName = uniqueName('wrong');
      const refusals: [unknown, RegExp][] = [
        [{}, /userName/],
        [{ displayName: 'no name' }, /userName/],
        [{ userName: '' }, /userName/],
        [{ userName: '   ' }, /userName/],
        [{ userName: null }, /userName/],
        [{ userName: 7 }, /userName/],
        [{ userName: 'x'.repeat(256) }, /userName/],
        [{ userName, active: 'perhaps' }, /active/],
        [{ userName, emails: [7] }, /emails/],
        [{ userName, password: '' }, /password/],
        [{ userName, password: 7 }, /password/],
        [{ userName, domain_id: 7 }, /domain_id/],
        [{ userName, [EXTENSION]: { domain_id: {} } }, /domain_id/],
        [[], /./],
        ['{"userName":', /./],
      ];
      for (const [body, message] of refusals) assertRefused(await api.post(USERS, body), 400, message);
      assert.equal(assertOk(await api.get(`${USERS}?name=${userName}`)).totalResults, 0);
    });
  });

  describe('the default organization of a new user', () => {
    async function organizationOf(user: any): Promise<any> {
      return assertOk(await api.get(`/v3/OS-SCIM/v2/Organizations/${user[EXTENSION].default_project_id}`));
    }

    it('has the name of the user, is marked, lies in the same domain, and the user owns it', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      for (const domainId of ['default', domain.id]) {
        const user = await register(api, { domain_id: domainId });
        const organization = await organizationOf(user);
        assert.deepEqual(
          [organization.name, organization.is_default, organization.active, organization[EXTENSION]],
          [user.userName, true, true, { domain_id: domainId }],
        );
        const { roles } = assertOk(await api.get(`/v3/projects/${organization.id}/users/${user.id}/roles`));
        assert.deepEqual(
          roles.map((role: any) => role.name),
          ['owner'],
        );
        const login = await api.authenticate({ id: user.id, password: PASSWORD });
        assert.equal(login.body.token.project.id, organization.id);
      }
    });

    it('has the id of the user as its name where another organization has that name', async () => {
      const { name } = await api.make('project', { name: uniqueName('taken') });
      for (const userName of [name, ` ${name.toUpperCase()} `.toLowerCase()]) {
        const answer = await api.post(USERS, { userName, password: PASSWORD });
        const user = assertOk(answer);
        const organization = await organizationOf(user);
        assert.deepEqual([organization.name, organization.is_default], [user.id, true]);
        assertOk(await api.delete(`${USERS}/${user.id}`), 204);
      }
    });

    it('is made beside a default project that the client names', async () => {
      const project = await api.make('project', { name: uniqueName('named') });
      const user = await register(api, { [EXTENSION]: { default_project_id: project.id } });
      assert.equal(user[EXTENSION].default_project_id, project.id);
      const own = assertOk(await api.get(`/v3/OS-SCIM/v2/Organizations?name=${user.userName}`));
      assert.deepEqual(
        own.Resources.map((one: any) => one.is_default),
        [true],
      );
    });
  });

  describe('PUT /v3/OS-SCIM/v2/Users/{user_id}', () => {
    it('replaces what it names, and keeps what it does not', async () => {
      const user = await register(api, {
        displayName: 'Before',
        name: { givenName: 'G', familyName: 'F' },
        emails: [{ value: 'a@example.com' }, { value: 'b@example.com' }],
        active: false,
      });
      const emails = [{ value: 'c@example.com' }];
      const changed = assertOk(await api.put(`${USERS}/${user.id}`, { displayName: 'After', emails }));
      assert.deepEqual({ ...changed, meta: undefined }, { ...user, displayName: 'After', emails, meta: undefined });
      assert.notEqual(changed.meta.version, user.meta.version);
      assert.equal(changed.meta.created, user.meta.created);
      assert.deepEqual(assertOk(await api.get(`${USERS}/${user.id}`)), changed);
      assert.equal((await api.get(`/v3/users/${user.id}`)).body.user.email, 'c@example.com');
    });

    it('takes away what it names as null or as an empty list', async () => {
      const user = await register(api, { displayName: 'Gone', title: 'Kept', emails: [{ value: 'gone@example.com' }] });
      for (const method of ['PUT', 'PATCH']) {
        const body = { displayName: null, emails: [], active: null };
        const { displayName, emails, title, active } = assertOk(await api.request(method, `${USERS}/${user.id}`, { body }));
        assert.deepEqual([displayName, emails, title, active], [undefined, undefined, 'Kept', true]);
        assertOk(await api.put(`${USERS}/${user.id}`, { displayName: 'Gone', emails: [{ value: 'gone@example.com' }] }));
      }
      assertOk(await api.put(`${USERS}/${user.id}`, { active: false }));
      assert.equal(assertOk(await api.put(`${USERS}/${user.id}`, { active: null })).active, false);
      assertRefused(await api.put(`${USERS}/${user.id}`, { userName: null }), 400, /userName/);
    });

    it('takes the whole resource back as it was given', async () => {
      const user = await register(api, { displayName: 'Same' });
      const again = assertOk(await api.put(`${USERS}/${user.id}/`, user));
      assert.deepEqual({ ...again, meta: undefined }, { ...user, meta: undefined });
      assert.equal((await api.authenticate({ id: user.id, password: PASSWORD })).status, 201);
    });

    it('renames, and changes the password and the default project', async () => {
      const user = await register(api);
      const project = await api.make('project', { name: uniqueName('other') });
      const userName = uniqueName('renamed');
      const password = 'another password by SCIM';
      const body = { userName, password, [EXTENSION]: { default_project_id: project.id } };
      const changed = assertOk(await api.put(`${USERS}/${user.id}`, body));
      assert.deepEqual([changed.userName, changed[EXTENSION].default_project_id], [userName, project.id]);
      assert.equal((await api.authenticate({ name: userName, password })).status, 201);
      assertRefused(await api.authenticate({ name: userName, password: PASSWORD }), 401);
      assertRefused(await api.authenticate({ name: user.userName, password }), 401);
    });

    it('refuses another id or domain, an empty name, and a name that is taken, and changes nothing', async () => {
      const user = await register(api);
      const other = await register(api);
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const refusals: [Record<string, unknown>, number, RegExp][] = [
        [{ id: other.id }, 400, /ID/],
        [{ domain_id: domain.id }, 400, /domain/],
        [{ [EXTENSION]: { domain_id: domain.id } }, 400, /domain/],
        [{ 'urn:scim:schemas:extension:keystone:1.0': { domain_id: domain.id } }, 400, /domain/],
        [{ userName: '' }, 400, /userName/],
        [{ userName: '  ' }, 400, /userName/],
        [{ userName: other.userName }, 409, /Duplicate/],
      ];
      for (const [body, status, message] of refusals) {
        for (const method of ['PUT', 'PATCH']) {
          const answer = await api.request(method, `${USERS}/${user.id}`, { body: { displayName: 'Changed', ...body } });
          assertRefused(answer, status, message);
        }
      }
      assert.deepEqual(assertOk(await api.get(`${USERS}/${user.id}`)), user);
      const same = { id: user.id, domain_id: 'default', displayName: 'Changed' };
      assert.equal(assertOk(await api.put(`${USERS}/${user.id}`, same)).displayName, 'Changed');
    });
  });

  describe('PATCH /v3/OS-SCIM/v2/Users/{user_id}', () => {
    it('takes the operations of RFC 7644, with and without the URN of the message', async () => {
      const user = await register(api, { displayName: 'Before', emails: [{ value: 'a@example.com', type: 'work' }] });
      const Operations = [
        { op: 'replace', path: 'displayName', value: 'After' },
        { op: 'add', path: 'emails', value: [{ value: 'b@example.com', type: 'home' }] },
        { op: 'remove', path: 'emails[type eq "work"]' },
        { op: 'add', value: { name: { familyName: 'F' } } },
      ];
      const changed = assertOk(await api.patch(`${USERS}/${user.id}`, { Operations }));
      assert.deepEqual(
        { ...changed, meta: undefined },
        {
          ...user,
          displayName: 'After',
          emails: [{ value: 'b@example.com', type: 'home' }],
          name: { familyName: 'F' },
          meta: undefined,
        },
      );
      const schemas = ['urn:ietf:params:scim:api:messages:2.0:PatchOp'];
      const removed = assertOk(
        await api.patch(`${USERS}/${user.id}`, { schemas, Operations: [{ op: 'remove', path: 'displayName' }] }),
      );
      assert.ok(!('displayName' in removed));
      assert.deepEqual(assertOk(await api.get(`${USERS}/${user.id}`)), removed);
    });

    it('takes a plain partial resource too', async () => {
      const user = await register(api, { displayName: 'Before', emails: [{ value: 'a@example.com' }] });
      const changed = assertOk(await api.patch(`${USERS}/${user.id}/`, { displayName: 'After' }));
      assert.deepEqual({ ...changed, meta: undefined }, { ...user, displayName: 'After', meta: undefined });
      assert.deepEqual(assertOk(await api.get(`${USERS}/${user.id}`)), changed);
    });

    it('refuses operations it cannot do with 400, and does none of them', async () => {
      const user = await register(api, { displayName: 'Before' });
      const refused = [
        [{ op: 'replace', path: 'nothingWeKnow', value: 1 }],
        [{ op: 'move', path: 'displayName', value: 'x' }],
        [{ op: 'replace', path: 'userName', value: '' }],
        [{ op: 'replace', path: 'emails[', value: 'x' }],
        [{ op: 'replace', path: 'id', value: 'x' }],
        [],
      ];
      for (const bad of refused) {
        const Operations = bad.length > 0 ? [{ op: 'replace', path: 'displayName', value: 'After' }, ...bad] : bad;
        assertRefused(await api.patch(`${USERS}/${user.id}`, { Operations }), 400);
      }
      assert.deepEqual(assertOk(await api.get(`${USERS}/${user.id}`)), user);
    });
  });

  it('answers 404 for a user that is not there', async () => {
    const path = `${USERS}/missing`;
    assertRefused(await api.get(path), 404, /Could not find user: missing/);
    assertRefused(await api.put(path, { displayName: 'x' }), 404, /Could not find user: missing/);
    assertRefused(await api.patch(path, { displayName: 'x' }), 404, /Could not find user: missing/);
    assertRefused(await api.delete(path), 404, /Could not find user: missing/);
  });
});
