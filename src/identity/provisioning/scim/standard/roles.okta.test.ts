// Roles of applications, as Okta's governance lists and assigns them.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { assign, makeApplication, makePermission, makePerson, makeRole } from '../../../../../test/support/applications.ts';
import { assertScimRefused, connect, patchOf, ScimClient, USER } from '../../../../../test/support/scim.ts';

const ROLE = 'urn:okta:scim:schemas:core:1.0:Role';
const PURCHASER = { id: 'purchaser' };

onUsualDatabase('SCIM roles of applications', (api) => {
  let scim: ScimClient;
  let other: ScimClient;
  let domain: { id: string };
  before(async () => {
    ({ scim, domain } = await connect(api));
    ({ scim: other } = await connect(api));
  });

  /** An organization of the domain that may assign two roles of an application to its members. */
  async function offered() {
    const organization = await api.make('project', { name: uniqueName('organization'), domain_id: domain.id });
    const application = await makeApplication(api);
    const [trader, buyer] = [await makeRole(api, application), await makeRole(api, application)];
    await assign(api, { organization, application, role: PURCHASER });
    const idOf = (role: { id: string }) => `${organization.id}:${application.id}:${role.id}`;
    return { organization, application, trader, buyer, idOf };
  }
  const held = async (user: { id: string }, application: { id: string }): Promise<string[]> => {
    const { body } = await api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`);
    return body.organizations.flatMap(({ roles }: any) => roles.map(({ id }: any) => id)).sort();
  };
  const values = ({ roles = [] }: any): string[] => roles.map(({ value }: any) => value).sort();

  it('are found as Okta looks for them: resource type, schema, list, filter, pages, one', async () => {
    const { application, organization, trader, buyer, idOf } = await offered();
    const types = await scim.list('/ResourceTypes');
    const type = types.Resources.find(({ id }: any) => id === 'Role');
    assert.deepEqual([type.name, type.endpoint, type.schema], ['Role', '/Roles', ROLE]);
    assert.equal(assertOk(await scim.get(`/Schemas/${ROLE}`)).id, ROLE);
    const { Resources: all, totalResults } = await scim.list('/Roles');
    assert.equal(all.length, totalResults);
    const shown = all.find(({ id }: any) => id === idOf(trader));
    assert.deepEqual(shown, {
      schemas: [ROLE],
      id: idOf(trader),
      displayName: `${application.name}: ${trader.name}`,
      type: 'Role',
      description: `In the organization ${organization.name}`,
      meta: { resourceType: 'Role', location: `${api.url}/scim/v2/Roles/${encodeURIComponent(idOf(trader))}` },
    });
    assert.deepEqual(assertOk(await scim.get(`/Roles/${encodeURIComponent(idOf(trader))}`)), shown);
    const named = await scim.list('/Roles', { filter: `displayName eq "${application.name}: ${buyer.name}"` });
    assert.deepEqual(
      named.Resources.map(({ id }: any) => id),
      [idOf(buyer)],
    );
    const seen: string[] = [];
    for (let startIndex = 1; startIndex <= totalResults; startIndex++)
      for (const { id } of (await scim.list('/Roles', { startIndex, count: 1 })).Resources) seen.push(id);
    assert.deepEqual(
      seen,
      all.map(({ id }: any) => id),
    );
    assertScimRefused(await scim.get('/Roles/nobody'), 404);
    assertScimRefused(await scim.get('/Roles?filter=displayName%20eq'), 400, 'invalidFilter');
  });

  it('are given and taken with the user: by POST, PATCH and PUT, and count at once', async () => {
    const { application, trader, buyer, idOf } = await offered();
    const user = await scim.makeUser({ roles: [{ value: idOf(trader) }, { value: 'captain' }] });
    assert.deepEqual(values(user), ['captain', idOf(trader)].sort());
    assert.deepEqual(
      user.roles.find(({ value }: any) => value === idOf(trader)),
      {
        value: idOf(trader),
        display: `${application.name}: ${trader.name}`,
        type: 'Role',
      },
    );
    assert.deepEqual(await held(user, application), [trader.id]);
    const path = `/Users/${user.id}`;
    assertOk(await scim.patch(path, patchOf({ op: 'add', path: 'roles', value: [{ value: idOf(buyer) }] })), 204);
    assert.deepEqual(await held(user, application), [trader.id, buyer.id].sort());
    assertOk(await scim.patch(path, patchOf({ op: 'remove', path: `roles[value eq "${idOf(trader)}"]` })), 204);
    assert.deepEqual(await held(user, application), [buyer.id]);
    const put = (more: object) => scim.put(path, { schemas: [USER], userName: user.userName, ...more });
    assert.deepEqual(values(assertOk(await put({ title: 'x' }))), [idOf(buyer)], 'a PUT that does not speak of roles takes none');
    assert.deepEqual(values(assertOk(await put({ roles: [{ value: idOf(trader) }] }))), [idOf(trader)]);
    assert.deepEqual(await held(user, application), [trader.id]);
    const found = await scim.list('/Users', { filter: `userName eq "${user.userName}"` });
    assert.deepEqual(values(found.Resources[0]), [idOf(trader)]);
    const holders = await scim.list('/Users', { filter: `roles.value eq "${idOf(trader)}"` });
    assert.deepEqual(
      holders.Resources.map(({ id }: any) => id),
      [user.id],
    );
    assert.deepEqual(values(assertOk(await put({ roles: [] }))), []);
    assert.deepEqual(await held(user, application), []);
  });

  it('show what was given elsewhere, and go when the organization may assign them no more', async () => {
    const { organization, application, trader, idOf } = await offered();
    const user = await scim.makeUser();
    await api.put(`/v3/projects/${organization.id}/users/${user.id}/roles/${await api.roleId('member')}`);
    await assign(api, { user, organization, application, role: trader });
    assert.deepEqual(values(await scim.show(`/Users/${user.id}`)), [idOf(trader)]);
    assertOk(
      await api.delete(`/v3/OS-ROLES/organizations/${organization.id}/applications/${application.id}/roles/purchaser`),
      204,
    );
    assert.deepEqual(values(await scim.show(`/Users/${user.id}`)), []);
    assertScimRefused(await scim.get(`/Roles/${encodeURIComponent(idOf(trader))}`), 404);
  });

  describe('are not handed out', () => {
    it('when they carry management, belong to another domain, or exist for nobody: all the same to the client', async () => {
      const { organization, application, trader, idOf } = await offered();
      const managing = await makeRole(api, application);
      await api.put(`/v3/OS-ROLES/roles/${managing.id}/permissions/manage-application`);
      await assign(api, { organization, application, role: { id: 'provider' } });
      const foreign = await makeRole(api, await makeApplication(api));
      const listed = (await scim.list('/Roles', { count: 1000 })).Resources.map(({ id }: any) => id);
      for (const role of [managing, { id: 'provider' }, { id: 'purchaser' }, foreign, { id: 'nobody' }]) {
        assert.ok(!listed.includes(idOf(role)), role.id);
        const why = new RegExp(`there is no role ${idOf(role)} to give`);
        const roles = [{ value: idOf(role) }];
        const userName = uniqueName('refused');
        assertScimRefused(await scim.post('/Users', { schemas: [USER], userName, roles }), 400, 'invalidValue', why);
        assert.equal(
          (await scim.list('/Users', { filter: `userName eq "${userName}"` })).totalResults,
          0,
          'nothing is made by half',
        );
        const user = await scim.makeUser();
        const adding = patchOf({ op: 'add', path: 'roles', value: roles });
        assertScimRefused(await scim.patch(`/Users/${user.id}`, adding), 400, 'invalidValue', why);
        assert.deepEqual(await held(user, application), []);
      }
      assert.equal((await other.list('/Roles')).totalResults, 0);
      assertScimRefused(await other.get(`/Roles/${encodeURIComponent(idOf(trader))}`), 404);
      const theirs = { schemas: [USER], userName: uniqueName('theirs'), roles: [{ value: idOf(trader) }] };
      const made = assertOk(await other.post('/Users', theirs), 201);
      assert.deepEqual(made.roles, [{ value: idOf(trader) }], 'in another domain it is a word like any other');
      assert.deepEqual(await held(made, application), []);
    });

    it('by those who provision nobody, who do not learn of them either', async () => {
      const { trader, idOf } = await offered();
      const { token } = await makePerson(api);
      const member = new ScimClient(api, token);
      for (const path of ['/Roles', `/Roles/${encodeURIComponent(idOf(trader))}`, '/Roles/nobody'])
        assertScimRefused(await member.get(path), 403);
    });

    it('with more than they carry: what an application is asked is what the role says', async () => {
      const { application, trader, idOf } = await offered();
      const permission = await makePermission(api, application, { action: 'GET', resource: '/trades' });
      await api.put(`/v3/OS-ROLES/roles/${trader.id}/permissions/${permission.id}`);
      const user = await scim.makeUser({ roles: [{ value: idOf(trader) }] });
      const { body } = await api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`);
      assert.deepEqual(
        body.organizations[0].permissions.map(({ id }: any) => id),
        [permission.id],
      );
      assert.deepEqual([body.roles, body.permissions], [[], []]);
    });
  });
});
