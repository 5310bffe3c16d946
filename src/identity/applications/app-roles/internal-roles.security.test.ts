// Internal roles and permissions work in every application, so the manager of one application must not change them. Nobody may assign
// permissions they do not have.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import {
  assign,
  assignmentPath,
  makeApplication,
  makeOrganization,
  makePermission,
  makePerson,
  makeRole,
} from '../../../../test/support/applications.ts';

const ROLES = '/v3/OS-ROLES/roles';
const PERMISSIONS = '/v3/OS-ROLES/permissions';
const CONSUMERS = '/v3/OS-OAUTH2/consumers';

onUsualDatabase('Internal roles of applications', (api) => {
  /** Application A of an attacker, application B of a victim, and an internal role of A that the attacker has in B. */
  async function twoApplications() {
    const [attacker, victim] = [await makePerson(api), await makePerson(api)];
    const a = await makeApplication(api, {}, attacker.token);
    const b = await makeApplication(api, {}, victim.token);
    const internal = await makeRole(api, a, { is_internal: true });
    await assign(api, { user: attacker.user, application: b, role: internal });
    return { attacker, victim, a, b, internal, token: attacker.token };
  }
  /** A user with a role that has exactly these permissions in the application. */
  async function holder(application: { id: string }, ...permissions: string[]) {
    const [person, role] = [await makePerson(api), await makeRole(api, application)];
    for (const permission of permissions) await api.put(`${ROLES}/${role.id}/permissions/${permission}`);
    await assign(api, { user: person.user, application, role });
    return { ...person, role };
  }
  const mayNot = async (token: string, where: Parameters<typeof assignmentPath>[0]): Promise<void> => {
    assertRefused(await api.put(assignmentPath(where), undefined, { token }), 403);
    assertRefused(await api.delete(assignmentPath(where), { token }), 403);
  };
  const may = async (token: string, where: Parameters<typeof assignmentPath>[0]): Promise<void> => {
    const answer = await api.put(assignmentPath(where), undefined, { token });
    assert.equal(answer.status, 200, answer.text);
  };

  describe('The manager of one application', () => {
    it('cannot get into another one by linking a built-in permission to an internal role that is assigned there', async () => {
      const { b, internal, token } = await twoApplications();
      for (const permission of ['manage-application', 'manage-roles']) {
        assertRefused(await api.put(`${ROLES}/${internal.id}/permissions/${permission}`, undefined, { token }), 403);
        assertRefused(await api.delete(`${ROLES}/${internal.id}/permissions/${permission}`, { token }), 403);
      }
      assertRefused(await api.get(`${CONSUMERS}/${b.id}`, { token }), 403);
    });

    it('cannot link permissions of their own to an internal role, nor rename or delete it', async () => {
      const { a, internal, token } = await twoApplications();
      const own = await makePermission(api, a);
      assertRefused(await api.put(`${ROLES}/${internal.id}/permissions/${own.id}`, undefined, { token }), 403);
      assertRefused(await api.patch(`${ROLES}/${internal.id}`, { role: { name: uniqueName('renamed') } }, { token }), 403);
      assertRefused(await api.patch(`${ROLES}/${internal.id}`, { role: { is_internal: false } }, { token }), 403);
      assertRefused(await api.delete(`${ROLES}/${internal.id}`, { token }), 403);
      assert.equal((await api.get(`${ROLES}/${internal.id}`, { token })).status, 200);
    });

    it('cannot change or delete an internal permission, nor link it or take it from a role', async () => {
      const { a, token } = await twoApplications();
      const [internal, role] = [await makePermission(api, a, { is_internal: true }), await makeRole(api, a)];
      const link = `${ROLES}/${role.id}/permissions/${internal.id}`;
      assertRefused(
        await api.patch(`${PERMISSIONS}/${internal.id}`, { permission: { action: 'GET', resource: '/secret' } }, { token }),
        403,
      );
      assertRefused(await api.put(link, undefined, { token }), 403);
      assertRefused(await api.delete(link, { token }), 403);
      assertRefused(await api.delete(`${PERMISSIONS}/${internal.id}`, { token }), 403);
    });

    it('cannot change or delete a permission of their own that an internal role carries', async () => {
      const { a, b, internal, attacker, token } = await twoApplications();
      const carried = await makePermission(api, a, { action: 'GET', resource: '/harmless' });
      assert.equal((await api.put(`${ROLES}/${internal.id}/permissions/${carried.id}`)).status, 200);
      const inB = async () =>
        (await api.get(`/v3/OS-ROLES/users/${attacker.user.id}/applications/${b.id}/permissions`)).body.permissions;
      assert.equal((await inB())[0].resource, '/harmless');
      const changed = { permission: { resource: '/of-b' } };
      assertRefused(await api.patch(`${PERMISSIONS}/${carried.id}`, changed, { token }), 403);
      assertRefused(await api.delete(`${PERMISSIONS}/${carried.id}`, { token }), 403);
      assert.equal((await api.patch(`${PERMISSIONS}/${carried.id}`, changed)).status, 200);
      assert.equal((await inB())[0].resource, '/of-b', 'and an administrator’s change is seen everywhere at once');
    });

    it('cannot take internal roles from everyone by deleting the application they live in', async () => {
      const { a, b, internal, attacker, token } = await twoApplications();
      assertRefused(await api.delete(`${CONSUMERS}/${a.id}`, { token }), 403);
      assert.equal((await api.get(`${ROLES}/${internal.id}`)).status, 200);
      const held = async (): Promise<unknown[]> =>
        (await api.get(`/v3/OS-ROLES/users/${attacker.user.id}/applications/${b.id}/permissions`)).body.roles;
      assert.equal((await held()).length, 1);
      assert.equal((await api.delete(`${CONSUMERS}/${a.id}`)).status, 204);
      assert.deepEqual(await held(), [], 'what was remembered of the other application is forgotten too');
    });

    it('loses control of another one when the role is no longer internal', async () => {
      const { a, b, internal, attacker, token } = await twoApplications();
      const everywhere = await makePermission(api, a, { is_internal: true });
      const foreign = await makeRole(api, b);
      await assign(api, { user: attacker.user, application: b, role: foreign });
      await assign(api, { user: attacker.user, application: a, role: internal });
      await assign(api, { organization: attacker.organization, application: b, role: internal });
      await api.put(`${ROLES}/${foreign.id}/permissions/${everywhere.id}`);
      assert.equal((await api.patch(`${ROLES}/${internal.id}`, { role: { is_internal: false } })).status, 200);
      assert.equal((await api.patch(`${PERMISSIONS}/${everywhere.id}`, { permission: { is_internal: false } })).status, 200);
      const own = await makePermission(api, a, { action: 'GET', resource: '/of-b' });
      assert.equal((await api.put(`${ROLES}/${internal.id}/permissions/${own.id}`, undefined, { token })).status, 200);
      const inB = (await api.get(`/v3/OS-ROLES/users/${attacker.user.id}/applications/${b.id}/permissions`)).body;
      assert.deepEqual([inB.roles, inB.permissions], [[{ id: foreign.id, name: foreign.name }], []]);
      const inA = (await api.get(`/v3/OS-ROLES/users/${attacker.user.id}/applications/${a.id}/permissions`)).body;
      assert.ok(inA.roles.some((role: { id: string }) => role.id === internal.id));
      const ofOrganizations = await api.get(`/v3/OS-ROLES/organizations/role_assignments?role_id=${internal.id}`);
      assert.deepEqual(ofOrganizations.body.role_assignments, []);
    });
  });

  describe('A role that carries management', () => {
    it('is not assigned by a purchaser, to themselves or anyone else', async () => {
      const application = await makeApplication(api);
      const [purchaser, other] = [await makePerson(api), await makePerson(api)];
      await assign(api, { user: purchaser.user, application, role: { id: 'purchaser' } });
      const [plain, managing] = [await makeRole(api, application), await makeRole(api, application)];
      await api.put(`${ROLES}/${managing.id}/permissions/manage-application`);
      for (const { user } of [purchaser, other]) {
        await mayNot(purchaser.token, { user, application, role: managing });
        await mayNot(purchaser.token, { user, organization: other.organization, application, role: managing });
        await may(purchaser.token, { user, application, role: plain });
      }
      await mayNot(purchaser.token, { organization: purchaser.organization, application, role: managing });
      assertRefused(await api.get(`${CONSUMERS}/${application.id}`, { token: purchaser.token }), 403);
      const allowed = `/v3/OS-ROLES/users/${purchaser.user.id}/organizations/${purchaser.organization.id}/roles/allowed`;
      const { allowed_roles: roles } = (await api.get(allowed, { token: purchaser.token })).body;
      assert.deepEqual(roles[application.id], [plain.id], 'nor is it shown as if it could be');
    });

    it('is not assigned by a user who may assign internal roles and has no other permission', async () => {
      const application = await makeApplication(api);
      const { token, user } = await holder(application, 'get-assign-internal-roles');
      for (const role of [{ id: 'provider' }, { id: 'purchaser' }]) await mayNot(token, { user, application, role });
      const letsIn = await holder(application, 'get-assign-internal-roles', 'get-assign-public-roles');
      await may(letsIn.token, { user, application, role: { id: 'purchaser' } });
      await mayNot(letsIn.token, { user, application, role: { id: 'provider' } });
    });

    it('is assigned by a provider, who has all of its permissions, and only in that application', async () => {
      const [provider, other] = [await makePerson(api), await makePerson(api)];
      const application = await makeApplication(api, {}, provider.token);
      for (const role of [{ id: 'provider' }, { id: 'purchaser' }]) {
        await may(provider.token, { user: other.user, application, role });
      }
      const elsewhere = await makeApplication(api);
      await assign(api, { user: provider.user, application: elsewhere, role: { id: 'purchaser' } });
      const managing = await makeRole(api, elsewhere);
      await api.put(`${ROLES}/${managing.id}/permissions/manage-roles`);
      await mayNot(provider.token, { user: provider.user, application: elsewhere, role: managing });
    });

    it('is not assigned by the owner of an organization with fewer permissions', async () => {
      const application = await makeApplication(api);
      const person = await makePerson(api);
      const organization = await makeOrganization(api, person);
      await api.put(`/v3/projects/${organization.id}/users/${person.user.id}/roles/${await api.roleId('owner')}`);
      const token = await api.logIn({ id: person.user.id, password: person.password }, { project: { id: organization.id } });
      await assign(api, { organization, application, role: { id: 'purchaser' } });
      const [plain, managing] = [await makeRole(api, application), await makeRole(api, application)];
      await api.put(`${ROLES}/${managing.id}/permissions/manage-roles`);
      await may(token, { user: person.user, organization, application, role: plain });
      await mayNot(token, { user: person.user, organization, application, role: managing });
    });

    it('cannot be created by managers of roles: only administrators link internal permissions', async () => {
      const application = await makeApplication(api);
      const { token, role } = await holder(application, 'manage-roles');
      assertRefused(await api.put(`${ROLES}/${role.id}/permissions/manage-application`, undefined, { token }), 403);
      assertRefused(await api.get(`${CONSUMERS}/${application.id}`, { token }), 403);
    });
  });
});
