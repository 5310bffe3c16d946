import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makePermission, makePerson, makeRole } from '../../../../test/support/applications.ts';

const ROLES = '/v3/OS-ROLES/roles';
const PERMISSIONS = '/v3/OS-ROLES/permissions';

onBothDatabases('Roles and permissions of applications', (api) => {
  describe('Roles', () => {
    it('are created with 200, shown and listed', async () => {
      const application = await makeApplication(api);
      const answer = await api.post(ROLES, { role: { name: 'Member', application_id: application.id } });
      assert.equal(answer.status, 200);
      const { role } = answer.body;
      assert.match(role.id, /^[0-9a-f]{32}$/);
      assert.deepEqual(role, {
        id: role.id,
        name: 'Member',
        application_id: application.id,
        is_internal: false,
        links: { self: `${api.url}${ROLES}/${role.id}` },
      });
      assert.deepEqual((await api.get(`${ROLES}/${role.id}`)).body, { role });
      const list = await api.get(`${ROLES}?application_id=${application.id}`);
      assert.deepEqual(list.body, {
        links: { self: `${api.url}${ROLES}?application_id=${application.id}`, previous: null, next: null },
        roles: [role],
      });
    });

    it('are not named like another of the application but for the case', async () => {
      const application = await makeApplication(api);
      const role = await makeRole(api, application, { name: 'buyer' });
      const other = await makeRole(api, application, { name: 'seller' });
      for (const name of ['Buyer', 'BUYER', 'buy\u0435r'])
        assertRefused(await api.post(ROLES, { role: { name, application_id: application.id } }), 409, /looks like buyer/);
      assertRefused(await api.patch(`${ROLES}/${other.id}`, { role: { name: 'Buyer' } }), 409, /looks like buyer/);
      assert.equal((await api.patch(`${ROLES}/${role.id}`, { role: { name: 'Buyer' } })).status, 200);
      await makeRole(api, await makeApplication(api), { name: 'BUYER' });
    });

    it('are filtered by every field', async () => {
      const application = await makeApplication(api);
      const one = await makeRole(api, application, { name: 'one' });
      const two = await makeRole(api, application, { name: 'two', is_internal: true });
      const ids = async (query: string) =>
        (await api.get(`${ROLES}?application_id=${application.id}&${query}`)).body.roles.map((role: any) => role.id);
      assert.deepEqual(await ids('name=one'), [one.id]);
      assert.deepEqual(await ids('is_internal=true'), [two.id]);
      assert.deepEqual(await ids('is_internal=False'), [one.id]);
      assert.deepEqual(await ids('is_internal=1&name=one'), []);
      assertRefused(await api.get(`${ROLES}?is_internal=maybe`), 400, /is_internal/);
    });

    it('are changed by PATCH, partially, and answered whole', async () => {
      const application = await makeApplication(api);
      const role = await makeRole(api, application);
      const answer = await api.patch(`${ROLES}/${role.id}`, {
        role: { name: 'renamed', application_id: application.id, is_internal: false },
      });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, { role: { ...role, name: 'renamed' } });
      assert.deepEqual((await api.patch(`${ROLES}/${role.id}`, { role: {} })).body, { role: { ...role, name: 'renamed' } });
    });

    it('refuse another application, a taken name, and bad values', async () => {
      const [application, other] = [await makeApplication(api), await makeApplication(api)];
      const role = await makeRole(api, application, { name: 'taken' });
      await makeRole(api, other, { name: 'taken' });
      const second = await makeRole(api, application);
      assertRefused(await api.patch(`${ROLES}/${role.id}`, { role: { application_id: other.id } }), 400, /application_id/);
      assertRefused(await api.patch(`${ROLES}/${second.id}`, { role: { name: 'taken' } }), 409, /Duplicate Entry/);
      assertRefused(await api.post(ROLES, { role: { name: 'taken', application_id: application.id } }), 409, /Duplicate Entry/);
      assertRefused(
        await api.post(ROLES, { role: { name: 'x', application_id: 'nobody' } }),
        404,
        /Could not find application: nobody/,
      );
      for (const [role, field] of [
        [{ application_id: application.id }, 'role.name'],
        [{ name: 'x' }, 'role.application_id'],
        [{ name: '', application_id: application.id }, 'role.name'],
        [{ name: 'x'.repeat(256), application_id: application.id }, 'role.name'],
        [{ name: 'x', application_id: 7 }, 'role.application_id'],
        [{ name: 'x', application_id: application.id, is_internal: 'yes' }, 'role.is_internal'],
        [{ name: 'x', application_id: application.id, colour: 'red' }, 'role.colour'],
      ] as const) {
        assertRefused(await api.post(ROLES, { role }), 400, new RegExp(`'${field.replace('.', '\\.')}'`));
      }
      assertRefused(await api.post(ROLES, { name: 'x' }), 400, /'role'/);
      assert.equal((await api.get(`${ROLES}?application_id=${application.id}`)).body.roles.length, 2);
    });

    it('take their links and assignments along when they are deleted', async () => {
      const application = await makeApplication(api);
      const [role, permission, person] = [
        await makeRole(api, application),
        await makePermission(api, application),
        await makePerson(api),
      ];
      await api.put(`${ROLES}/${role.id}/permissions/${permission.id}`);
      await assign(api, { user: person.user, application, role });
      await assign(api, { organization: person.organization, application, role });
      const answer = await api.delete(`${ROLES}/${role.id}`);
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assertRefused(await api.get(`${ROLES}/${role.id}`), 404, /Could not find role/);
      assertRefused(await api.delete(`${ROLES}/${role.id}`), 404);
      for (const holder of ['users', 'organizations']) {
        assert.deepEqual(
          (await api.get(`/v3/OS-ROLES/${holder}/role_assignments?application_id=${application.id}`)).body.role_assignments,
          [],
        );
      }
      assert.equal((await api.get(`${PERMISSIONS}/${permission.id}`)).status, 200);
    });
  });

  describe('Permissions', () => {
    it('are created with name and application alone, the rest null', async () => {
      const application = await makeApplication(api);
      const answer = await api.post(PERMISSIONS, { permission: { name: 'Read', application_id: application.id } });
      assert.equal(answer.status, 200);
      const { permission } = answer.body;
      const links = { self: `${api.url}${PERMISSIONS}/${permission.id}` };
      assert.deepEqual(permission, {
        id: permission.id,
        name: 'Read',
        application_id: application.id,
        is_internal: false,
        action: null,
        resource: null,
        xml: null,
        links,
      });
      assert.deepEqual((await api.get(`${PERMISSIONS}/${permission.id}`)).body, { permission });
    });

    it('carry action, resource and xml, are filtered by them, changed and deleted', async () => {
      const application = await makeApplication(api);
      const permission = await makePermission(api, application, { action: 'GET', resource: '/reports', xml: '' });
      assert.deepEqual([permission.action, permission.resource, permission.xml], ['GET', '/reports', '']);
      const list = await api.get(`${PERMISSIONS}?application_id=${application.id}&action=GET`);
      assert.deepEqual(list.body.permissions, [permission]);
      assert.deepEqual((await api.get(`${PERMISSIONS}?application_id=${application.id}&action=POST`)).body.permissions, []);
      const changed = await api.patch(`${PERMISSIONS}/${permission.id}`, { permission: { action: 'POST', resource: null } });
      assert.deepEqual(changed.body, { permission: { ...permission, action: 'POST', resource: null } });
      assert.equal((await api.delete(`${PERMISSIONS}/${permission.id}`)).status, 204);
      assertRefused(await api.get(`${PERMISSIONS}/${permission.id}`), 404, /Could not find permission/);
      assertRefused(await api.patch(`${PERMISSIONS}/${permission.id}`, { permission: {} }), 404);
      assertRefused(await api.delete(`${PERMISSIONS}/${permission.id}`), 404);
    });

    it('refuse a taken name, an unknown application, and bad values', async () => {
      const application = await makeApplication(api);
      await makePermission(api, application, { name: 'taken' });
      assertRefused(await api.post(PERMISSIONS, { permission: { name: 'taken', application_id: application.id } }), 409);
      assertRefused(await api.post(PERMISSIONS, { permission: { name: 'x', application_id: 'nobody' } }), 404, /application/);
      for (const values of [{ action: 7 }, { resource: {} }, { xml: [] }, { other: 1 }, { is_internal: 'x' }]) {
        assertRefused(
          await api.post(PERMISSIONS, { permission: { name: 'x', application_id: application.id, ...values } }),
          400,
          new RegExp(Object.keys(values)[0]!),
        );
      }
    });
  });

  describe('Links of roles and permissions', () => {
    it('are put with 200 and nothing else, listed, and removed with 204, as often as one likes', async () => {
      const application = await makeApplication(api);
      const [role, permission] = [await makeRole(api, application), await makePermission(api, application)];
      const path = `${ROLES}/${role.id}/permissions`;
      for (let i = 0; i < 2; i++) {
        const put = await api.put(`${path}/${permission.id}`);
        assert.equal(put.status, 200);
        assert.equal(put.headers.get('content-length'), '0');
        assert.equal(put.text, '');
      }
      assert.deepEqual((await api.get(path)).body, {
        links: { self: api.url + path, previous: null, next: null },
        permissions: [permission],
      });
      for (let i = 0; i < 2; i++) assert.equal((await api.delete(`${path}/${permission.id}`)).status, 204);
      assert.deepEqual((await api.get(path)).body.permissions, []);
    });

    it('need both ends', async () => {
      const application = await makeApplication(api);
      const [role, permission] = [await makeRole(api, application), await makePermission(api, application)];
      for (const method of ['PUT', 'DELETE']) {
        assertRefused(await api.request(method, `${ROLES}/nobody/permissions/${permission.id}`), 404, /role: nobody/);
        assertRefused(await api.request(method, `${ROLES}/${role.id}/permissions/nobody`), 404, /permission: nobody/);
      }
      assertRefused(await api.get(`${ROLES}/nobody/permissions`), 404);
    });

    it('join different applications only when one end is internal', async () => {
      const [one, two] = [await makeApplication(api), await makeApplication(api)];
      const [role, foreign, internal] = [
        await makeRole(api, one),
        await makePermission(api, two),
        await makePermission(api, two, { is_internal: true }),
      ];
      assertRefused(await api.put(`${ROLES}/${role.id}/permissions/${foreign.id}`), 400, /different applications/);
      assert.equal((await api.put(`${ROLES}/${role.id}/permissions/${internal.id}`)).status, 200);
      const everywhere = await makeRole(api, one, { is_internal: true });
      assert.equal((await api.put(`${ROLES}/${everywhere.id}/permissions/${foreign.id}`)).status, 200);
    });
  });

  describe('Who may', () => {
    it('manage roles, permissions and links: whoever holds "Manage roles" in the application', async () => {
      const [owner, stranger] = [await makePerson(api), await makePerson(api)];
      const application = await makeApplication(api, {}, owner.token);
      const role = await makeRole(api, application, {}, owner.token);
      const own = { token: owner.token };
      const made = await api.post(PERMISSIONS, { permission: { name: 'p', application_id: application.id } }, own);
      assert.equal(made.status, 200);
      const { permission } = made.body;
      const requests: [string, string, unknown?][] = [
        ['POST', ROLES, { role: { name: uniqueName('r'), application_id: application.id } }],
        ['GET', `${ROLES}?application_id=${application.id}`],
        ['GET', `${ROLES}/${role.id}`],
        ['PATCH', `${ROLES}/${role.id}`, { role: { name: uniqueName('r') } }],
        ['POST', PERMISSIONS, { permission: { name: uniqueName('p'), application_id: application.id } }],
        ['GET', `${PERMISSIONS}?application_id=${application.id}`],
        ['GET', `${PERMISSIONS}/${permission.id}`],
        ['PATCH', `${PERMISSIONS}/${permission.id}`, { permission: { name: uniqueName('p') } }],
        ['PUT', `${ROLES}/${role.id}/permissions/${permission.id}`],
        ['GET', `${ROLES}/${role.id}/permissions`],
        ['DELETE', `${ROLES}/${role.id}/permissions/${permission.id}`],
        ['DELETE', `${PERMISSIONS}/${permission.id}`],
        ['DELETE', `${ROLES}/${role.id}`],
      ];
      for (const [method, path, body] of requests) {
        const missing = path.replace(role.id, 'nobody').replace(permission.id, 'nobody').replace(application.id, 'nobody');
        assertRefused(await api.request(method, path, { body, token: null }), 401);
        assertRefused(await api.request(method, path, { body, token: stranger.token }), 403);
        assertRefused(await api.request(method, missing, { body, token: stranger.token }), 403);
        const answer = await api.request(method, path, { body, token: owner.token });
        assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`);
      }
    });

    it('list without naming an application: administrators see all, others what they manage', async () => {
      const [owner, stranger] = [await makePerson(api), await makePerson(api)];
      const application = await makeApplication(api, {}, owner.token);
      const role = await makeRole(api, application, {}, owner.token);
      const idsFor = async (token: string) => (await api.get(ROLES, { token })).body.roles.map((one: any) => one.id);
      assert.deepEqual(await idsFor(owner.token), [role.id]);
      assert.deepEqual(await idsFor(stranger.token), []);
      assert.ok((await idsFor(api.adminToken)).includes('provider'));
    });

    it('make something internal: administrators only, since it works in every application', async () => {
      const owner = await makePerson(api);
      const application = await makeApplication(api, {}, owner.token);
      const role = await makeRole(api, application, {}, owner.token);
      const own = { token: owner.token };
      assertRefused(await api.post(ROLES, { role: { name: 'x', application_id: application.id, is_internal: true } }, own), 403);
      assertRefused(await api.patch(`${ROLES}/${role.id}`, { role: { is_internal: true } }, own), 403);
      assertRefused(
        await api.post(PERMISSIONS, { permission: { name: 'x', application_id: application.id, is_internal: true } }, own),
        403,
      );
      assert.equal((await api.patch(`${ROLES}/${role.id}`, { role: { is_internal: false } }, own)).status, 200);
    });
  });
});
