import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import {
  assign,
  assignmentPath,
  makeApplication,
  makeOrganization,
  makePermission,
  makePerson,
  makeRole,
} from '../../../../test/support/applications.ts';

const USERS = '/v3/OS-ROLES/users/role_assignments';
const ORGANIZATIONS = '/v3/OS-ROLES/organizations/role_assignments';

async function listed(api: TestApi, path: string): Promise<any[]> {
  const answer = await api.get(path);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body).sort(), ['links', 'role_assignments']);
  return answer.body.role_assignments;
}

async function cast(api: TestApi) {
  const application = await makeApplication(api);
  const role = await makeRole(api, application);
  const person = await makePerson(api);
  const organization = await makeOrganization(api, person);
  return { application, role, person, user: person.user, organization };
}

onEachDatabase('Role assignments in applications', (api) => {
  describe('Of users', () => {
    it('are created with 200 and an empty body, in the default organization and in another, and are listed', async () => {
      const { application, role, person, user, organization } = await cast(api);
      for (const where of [
        { user, application, role },
        { user, organization, application, role },
      ]) {
        for (let i = 0; i < 2; i++) {
          const answer = await api.put(assignmentPath(where));
          assert.equal(answer.status, 200);
          assert.equal(answer.headers.get('content-length'), '0');
          assert.equal(answer.text, '');
        }
      }
      const shared = { application_id: application.id, user_id: user.id, role_id: role.id };
      const expected = [
        { organization_id: person.organization.id, ...shared },
        { organization_id: organization.id, ...shared },
      ];
      const byOrganization = (a: any, b: any) => (a.organization_id < b.organization_id ? -1 : 1);
      assert.deepEqual((await listed(api, `${USERS}?user_id=${user.id}`)).sort(byOrganization), expected.sort(byOrganization));
    });

    it('are removed with 204, also repeatedly', async () => {
      const { application, role, user, organization } = await cast(api);
      for (const where of [
        { user, application, role },
        { user, organization, application, role },
      ]) {
        await assign(api, where);
        for (let i = 0; i < 2; i++) {
          const answer = await api.delete(assignmentPath(where));
          assert.equal(answer.status, 204);
          assert.equal(answer.text, '');
        }
      }
      assert.deepEqual(await listed(api, `${USERS}?user_id=${user.id}`), []);
    });

    it('need all their parts', async () => {
      const { application, role, user, organization } = await cast(api);
      const whole = { user, organization, application, role };
      for (const [part, kind] of Object.entries({
        user: 'user',
        organization: 'organization',
        application: 'application',
        role: 'role',
      })) {
        for (const method of ['PUT', 'DELETE']) {
          const answer = await api.request(method, assignmentPath({ ...whole, [part]: { id: 'nobody' } }));
          assertRefused(answer, 404, new RegExp(`Could not find ${kind}: nobody`));
        }
      }
      assertRefused(await api.put(assignmentPath({ ...whole, organization: { id: 'default' } })), 404, /organization: default/);
      const { user: homeless } = await api
        .persona([], { project: organization.id })
        .catch(async () => ({ user: await api.make('user', { name: uniqueName('homeless') }) }));
      for (const method of ['PUT', 'DELETE']) {
        assertRefused(
          await api.request(method, assignmentPath({ user: homeless, application, role })),
          404,
          /^This user has no default organization$/,
        );
      }
    });

    it('take roles of their application, and internal ones in every application', async () => {
      const { application, user } = await cast(api);
      const foreign = await makeRole(api, await makeApplication(api));
      assertRefused(await api.put(assignmentPath({ user, application, role: foreign })), 400, /does not belong to application/);
      await assign(api, { user, application, role: { id: 'purchaser' } });
    });

    it('are filtered by every field, and by the own organization', async () => {
      const { application, role, person, user, organization } = await cast(api);
      const other = await makeRole(api, application);
      await assign(api, { user, application, role });
      await assign(api, { user, organization, application, role: other });
      const count = async (query: string) => (await listed(api, `${USERS}?${query}`)).length;
      assert.equal(await count(`user_id=${user.id}`), 2);
      assert.equal(await count(`application_id=${application.id}`), 2);
      assert.equal(await count(`role_id=${other.id}`), 1);
      assert.equal(await count(`organization_id=${organization.id}`), 1);
      assert.equal(await count(`user_id=${user.id}&organization_id=${organization.id}&role_id=${role.id}`), 0);
      const own = await listed(api, `${USERS}?user_id=${user.id}&default_organization=True`);
      assert.deepEqual(
        own.map((one) => one.organization_id),
        [person.organization.id],
      );
      assert.equal(await count('user_id=nobody'), 0);
    });

    it('are paged', async () => {
      const { application, user } = await cast(api);
      for (let i = 0; i < 5; i++) await assign(api, { user, application, role: await makeRole(api, application) });
      let next: string | null = `${USERS}?user_id=${user.id}&limit=2`;
      const sizes: number[] = [];
      const seen = new Set<string>();
      while (next) {
        const { body } = await api.get(next.replace(api.url, ''));
        sizes.push(body.role_assignments.length);
        for (const one of body.role_assignments) seen.add(one.role_id);
        next = body.links.next;
      }
      assert.deepEqual(sizes, [2, 2, 1]);
      assert.equal(seen.size, 5);
    });

    it('go with the user and with the organization', async () => {
      const { application, role, user, organization } = await cast(api);
      await assign(api, { user, organization, application, role });
      await assign(api, { organization, application, role });
      assert.equal((await api.delete(`/v3/projects/${organization.id}`)).status, 204);
      assert.deepEqual(await listed(api, `${USERS}?application_id=${application.id}`), []);
      assert.deepEqual(await listed(api, `${ORGANIZATIONS}?application_id=${application.id}`), []);
      await assign(api, { user, application, role });
      assert.equal((await api.delete(`/v3/users/${user.id}`)).status, 204);
      assert.deepEqual(await listed(api, `${USERS}?application_id=${application.id}`), []);
    });
  });

  describe('Of organizations', () => {
    it('are put with 200, listed without a user, filtered, and removed with 204', async () => {
      const { application, role, organization } = await cast(api);
      for (let i = 0; i < 2; i++) {
        const answer = await api.put(assignmentPath({ organization, application, role }));
        assert.equal(answer.status, 200);
        assert.equal(answer.headers.get('content-length'), '0');
      }
      const row = { organization_id: organization.id, application_id: application.id, role_id: role.id };
      assert.deepEqual(await listed(api, `${ORGANIZATIONS}?organization_id=${organization.id}`), [row]);
      assert.deepEqual(await listed(api, `${ORGANIZATIONS}?application_id=${application.id}&role_id=${role.id}`), [row]);
      assert.deepEqual(await listed(api, `${ORGANIZATIONS}?organization_id=${organization.id}&role_id=provider`), []);
      for (let i = 0; i < 2; i++)
        assert.equal((await api.delete(assignmentPath({ organization, application, role }))).status, 204);
      assert.deepEqual(await listed(api, `${ORGANIZATIONS}?organization_id=${organization.id}`), []);
    });

    it('need all their parts, and a role that fits', async () => {
      const { application, role, organization } = await cast(api);
      for (const [part, kind] of Object.entries({ organization: 'organization', application: 'application', role: 'role' })) {
        for (const method of ['PUT', 'DELETE']) {
          const answer = await api.request(method, assignmentPath({ organization, application, role, [part]: { id: 'nobody' } }));
          assertRefused(answer, 404, new RegExp(`Could not find ${kind}: nobody`));
        }
      }
      const foreign = await makeRole(api, await makeApplication(api));
      assertRefused(await api.put(assignmentPath({ organization, application, role: foreign })), 400);
    });

    it('take the roles that users had because of them along when removed, and no others', async () => {
      const { application, role, user, organization, person } = await cast(api);
      const kept = await makeRole(api, application);
      const elsewhere = await makeOrganization(api, person);
      const purchaser = { id: 'purchaser' };
      await assign(api, { organization, application, role: purchaser });
      await assign(api, { organization, application, role: kept });
      await assign(api, { user, organization, application, role });
      await assign(api, { user, organization, application, role: kept });
      await assign(api, { user, organization: elsewhere, application, role });
      await assign(api, { user, application, role });
      assert.equal((await api.delete(assignmentPath({ organization, application, role: purchaser }))).status, 204);
      const left = (await listed(api, `${USERS}?user_id=${user.id}`))
        .map((one) => `${one.organization_id} ${one.role_id}`)
        .sort();
      assert.deepEqual(
        left,
        [`${organization.id} ${kept.id}`, `${elsewhere.id} ${role.id}`, `${person.organization.id} ${role.id}`].sort(),
      );
      assert.equal((await api.delete(assignmentPath({ organization, application, role: kept }))).status, 204);
      assert.equal((await listed(api, `${USERS}?organization_id=${organization.id}`)).length, 0);
    });
  });

  describe('Who may assign', () => {
    /** A user with a role that has exactly these internal permissions in the application. */
    async function holder(application: { id: string }, ...permissions: string[]) {
      const [person, role] = [await makePerson(api), await makeRole(api, application)];
      for (const permission of permissions) await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission}`);
      await assign(api, { user: person.user, application, role });
      return { ...person, role };
    }
    const may = async (token: string, where: Parameters<typeof assignmentPath>[0]): Promise<boolean> => {
      const put = await api.put(assignmentPath(where), undefined, { token });
      const removed = await api.delete(assignmentPath(where), { token });
      assert.deepEqual([put.status, removed.status], put.status === 200 ? [200, 204] : [403, 403], put.text);
      return put.status === 200;
    };

    it('"Get and assign all public application roles": every role of the application, but not internal ones', async () => {
      const { application, role, user, organization } = await cast(api);
      const { token } = await holder(application, 'get-assign-public-roles');
      assert.equal(await may(token, { user, application, role }), true);
      assert.equal(await may(token, { user, organization, application, role }), true);
      assert.equal(await may(token, { organization, application, role }), true);
      assert.equal(await may(token, { user, application, role: { id: 'provider' } }), false);
    });

    it('"Get and assign only public owned roles": only roles the caller holds there', async () => {
      const { application, role, user } = await cast(api);
      const { token, role: own } = await holder(application, 'get-assign-public-owned-roles');
      assert.equal(await may(token, { user, application, role: own }), true);
      assert.equal(await may(token, { user, application, role }), false);
    });

    it('"Get and assign all internal application roles": adds every internal role that carries no more than they hold', async () => {
      const { application, role, user } = await cast(api);
      const { token } = await holder(application, 'get-assign-internal-roles');
      const internal = await makeRole(api, await makeApplication(api), { is_internal: true });
      assert.equal(await may(token, { user, application, role: internal }), true);
      assert.equal(await may(token, { user, application, role: { id: 'purchaser' } }), false);
      assert.equal(await may(token, { user, application, role }), false);
    });

    it('managing the application or its roles is not enough', async () => {
      const { application, role, user } = await cast(api);
      const { token } = await holder(application, 'manage-application', 'manage-roles');
      assert.equal(await may(token, { user, application, role }), false);
    });

    it('only in the application the permission is held in, and not by strangers, who learn nothing', async () => {
      const { application, role, user } = await cast(api);
      const { token } = await holder(await makeApplication(api), 'get-assign-public-roles');
      assert.equal(await may(token, { user, application, role }), false);
      assert.equal(await may(token, { user, application, role: { id: 'nobody' } }), false);
      assert.equal(await may(token, { user, application: { id: 'nobody' }, role }), false);
    });

    it('an owner, acting for an organization, what the organization may assign', async () => {
      const { application, role, user } = await cast(api);
      const owned = await api.make('project', { name: uniqueName('owned') });
      const [owner, member] = [
        await api.persona(['owner'], { project: owned.id }),
        await api.persona(['member'], { project: owned.id }),
      ];
      assert.equal(await may(owner.token, { user, organization: owned, application, role }), false);
      await assign(api, { organization: owned, application, role: { id: 'purchaser' } });
      assert.equal(await may(owner.token, { user, organization: owned, application, role }), true);
      assert.equal(await may(member.token, { user, organization: owned, application, role }), false);
    });

    it('not an owner in another organization than the one they act for', async () => {
      const { application, role, user } = await cast(api);
      const [owned, other] = [await makeOrganization(api), await makeOrganization(api)];
      const owner = await api.persona(['owner'], { project: owned.id });
      for (const organization of [owned, other]) await assign(api, { organization, application, role: { id: 'purchaser' } });
      assert.equal(await may(owner.token, { organization: owned, application, role }), true);
      for (const where of [{ organization: other }, { user, organization: other }, { user }])
        assert.equal(await may(owner.token, { ...where, application, role }), false);
    });

    it('not a user who left the organization in which they had the permission', async () => {
      const { application, role, user } = await cast(api);
      const person = await makePerson(api);
      const organization = await makeOrganization(api, person);
      await assign(api, { user: person.user, organization, application, role: { id: 'purchaser' } });
      assert.equal(await may(person.token, { user, application, role }), true);
      await api.delete(`/v3/projects/${organization.id}/users/${person.user.id}/roles/${await api.roleId('member')}`);
      assert.equal(await may(person.token, { user, application, role }), false);
    });
  });

  describe('Who may list', () => {
    it('administrators; a user about themselves; whoever manages or assigns in the application', async () => {
      const { application, role, person, user } = await cast(api);
      await assign(api, { user, application, role });
      const manager = await makePerson(api);
      await assign(api, { user: manager.user, application, role: { id: 'provider' } });
      const status = async (token: string, query: string, path = USERS) => (await api.get(`${path}${query}`, { token })).status;
      assert.equal(await status(person.token, `?user_id=${user.id}`), 200);
      assert.equal(await status(person.token, ''), 403);
      assert.equal(await status(person.token, `?user_id=${manager.user.id}`), 403);
      assert.equal(await status(person.token, `?application_id=${application.id}`), 403);
      assert.equal(await status(manager.token, `?application_id=${application.id}`), 200);
      assert.equal(await status(manager.token, `?application_id=${application.id}`, ORGANIZATIONS), 200);
      assert.equal(await status(manager.token, ''), 403);
      assert.equal(await status(person.token, `?user_id=${user.id}`, ORGANIZATIONS), 403, 'that would be everyone’s');
      assert.equal((await api.get(USERS, { token: null })).status, 401);
      assert.equal((await api.get(ORGANIZATIONS, { token: null })).status, 401);
    });
  });

  describe('The allowed queries of Keyrock clients', () => {
    it('say which roles may be assigned and which applications managed, by a user in an organization and by an organization', async () => {
      const { application, role, person, user, organization } = await cast(api);
      const none = { allowed_roles: {} };
      const ofUser = `/v3/OS-ROLES/users/${user.id}/organizations/${organization.id}`;
      const ofOrganization = `/v3/OS-ROLES/organizations/${organization.id}`;
      assert.deepEqual((await api.get(`${ofUser}/roles/allowed`)).body, none);
      assert.deepEqual((await api.get(`${ofOrganization}/roles/allowed`)).body, none);
      await assign(api, { user, organization, application, role: { id: 'provider' } });
      await assign(api, { organization, application, role: { id: 'purchaser' } });
      const allowed = (await api.get(`${ofUser}/roles/allowed`)).body.allowed_roles;
      assert.deepEqual(Object.keys(allowed), [application.id]);
      for (const id of [role.id, 'provider', 'purchaser']) assert.ok(allowed[application.id].includes(id), id);
      assert.deepEqual((await api.get(`${ofOrganization}/roles/allowed`)).body, {
        allowed_roles: { [application.id]: [role.id] },
      });
      for (const path of ['applications/allowed', 'applications/allowed_roles']) {
        assert.deepEqual((await api.get(`${ofUser}/${path}`)).body, { allowed_applications: [application.id] });
        assert.deepEqual((await api.get(`${ofOrganization}/${path}`)).body, { allowed_applications: [] });
        assert.equal((await api.get(`${ofUser}/${path}`, { token: person.token })).status, 200);
        assertRefused(await api.get(`${ofUser}/${path}`, { token: (await makePerson(api)).token }), 403);
        assertRefused(await api.get(`/v3/OS-ROLES/users/nobody/organizations/${organization.id}/${path}`), 404, /user: nobody/);
        assertRefused(await api.get(`/v3/OS-ROLES/organizations/nobody/${path}`), 404, /organization: nobody/);
      }
    });
  });

  describe('What a user may do in an application', () => {
    const ask = (user: { id: string }, application: { id: string }, token?: string) =>
      api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`, token === undefined ? {} : { token });

    it('is told in one answer: as themselves, and in each organization', async () => {
      const { application, role, user, organization } = await cast(api);
      const [read, write] = [
        await makePermission(api, application, { name: 'read', action: 'GET', resource: '/r' }),
        await makePermission(api, application, { name: 'write' }),
      ];
      const writer = await makeRole(api, application);
      await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${read.id}`);
      await api.put(`/v3/OS-ROLES/roles/${writer.id}/permissions/${read.id}`);
      await api.put(`/v3/OS-ROLES/roles/${writer.id}/permissions/${write.id}`);
      await assign(api, { user, application, role });
      await assign(api, { user, organization, application, role: writer });
      const shown = ({ id, name, action, resource, xml, is_internal }: any) => ({ id, name, action, resource, xml, is_internal });
      const answer = await ask(user, application);
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body, {
        roles: [{ id: role.id, name: role.name }],
        permissions: [shown(read)],
        organizations: [
          {
            id: organization.id,
            name: organization.name,
            roles: [{ id: writer.id, name: writer.name }],
            permissions: [shown(read), shown(write)],
          },
        ],
      });
    });

    it('follows every change at once', async () => {
      const { application, role, user, organization, person } = await cast(api);
      const permission = await makePermission(api, application);
      const empty = { roles: [], permissions: [], organizations: [] };
      assert.deepEqual((await ask(user, application)).body, empty);
      await assign(api, { user, application, role });
      assert.deepEqual((await ask(user, application)).body.roles, [{ id: role.id, name: role.name }]);
      await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`);
      assert.equal((await ask(user, application)).body.permissions[0].id, permission.id);
      await api.patch(`/v3/OS-ROLES/permissions/${permission.id}`, { permission: { action: 'PUT' } });
      assert.equal((await ask(user, application)).body.permissions[0].action, 'PUT');
      await api.patch(`/v3/OS-ROLES/roles/${role.id}`, { role: { name: 'renamed' } });
      assert.equal((await ask(user, application)).body.roles[0].name, 'renamed');
      await assign(api, { user, organization, application, role });
      assert.equal((await ask(user, application)).body.organizations.length, 1);
      await api.patch(`/v3/projects/${organization.id}`, { project: { enabled: false } });
      assert.equal((await ask(user, application)).body.organizations.length, 0, 'a disabled organization');
      await api.patch(`/v3/projects/${organization.id}`, { project: { enabled: true } });
      assert.equal((await ask(user, application)).body.organizations.length, 1);
      await api.delete(`/v3/projects/${organization.id}/users/${user.id}/roles/${await api.roleId('member')}`);
      assert.equal((await ask(user, application)).body.organizations.length, 0, 'an organization they left');
      await api.delete(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`);
      assert.deepEqual((await ask(user, application)).body.permissions, []);
      await api.patch(`/v3/users/${user.id}`, { user: { default_project_id: null } });
      assert.deepEqual((await ask(user, application)).body.roles, [], 'no organization of their own any more');
      await api.patch(`/v3/users/${user.id}`, { user: { default_project_id: person.organization.id } });
      assert.equal((await ask(user, application)).body.roles.length, 1);
      await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } });
      assert.deepEqual((await ask(user, application)).body, empty, 'a disabled user');
      await api.patch(`/v3/users/${user.id}`, { user: { enabled: true } });
      await api.delete(`/v3/OS-ROLES/roles/${role.id}`);
      assert.deepEqual((await ask(user, application)).body, empty);
    });

    it('is told to themselves, administrators, services and those who manage the application, and to nobody else', async () => {
      const { application, user, person } = await cast(api);
      const manager = await makePerson(api);
      await assign(api, { user: manager.user, application, role: { id: 'purchaser' } });
      const project = await api.make('project', { name: uniqueName('services') });
      const service = await api.persona(['service'], { project: project.id });
      const stranger = await makePerson(api);
      for (const { token } of [person, manager, service]) assert.equal((await ask(user, application, token)).status, 200);
      assertRefused(await ask(user, application, stranger.token), 403);
      assertRefused(await ask({ id: 'nobody' }, application, stranger.token), 403);
      assertRefused(await ask({ id: 'nobody' }, application), 404, /user: nobody/);
      assertRefused(await ask(user, { id: 'nobody' }), 404, /application: nobody/);
      const nobody = await api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`, { token: null });
      assertRefused(nobody, 401);
    });
  });

  it('are listed with names, and found by a part of a name, by those who manage the application', async () => {
    const { application, role, person, user, organization } = await cast(api);
    const other = await makePerson(api);
    await assign(api, { user, organization, application, role });
    await assign(api, { user: other.user, application, role });
    await assign(api, { organization, application, role });
    const named = ({ id, name }: { id: string; name: string }) => ({ id, name });
    const where = `application_id=${application.id}&include_names`;
    const found = await listed(api, `${USERS}?${where}&user_name__icontains=${user.name.slice(2).toUpperCase()}`);
    const row = { organization_id: organization.id, application_id: application.id, role_id: role.id };
    const names = { organization: named(organization), role: named(role) };
    assert.deepEqual(found, [{ ...row, ...names, user_id: user.id, user: named(user) }]);
    const byOrganization = `${where}&organization_name=${organization.name}&role_name__startswith=${role.name.slice(0, 3)}`;
    assert.deepEqual(await listed(api, `${ORGANIZATIONS}?${byOrganization}`), [{ ...row, ...names }]);
    assert.deepEqual(await listed(api, `${USERS}?${byOrganization}&user_name=nobody`), []);

    const first = (await api.get(`${USERS}?${where}&limit=1&role_name=${role.name}`)).body;
    const second = (await api.get(first.links.next.replace(api.url, ''))).body;
    const people = [...first.role_assignments, ...second.role_assignments].map((one) => one.user.name);
    assert.deepEqual([people.sort(), second.links.next], [[user.name, other.user.name].sort(), null]);
    assertRefused(await api.get(`${USERS}?${where}`, { token: person.token }), 403);
  });
});
