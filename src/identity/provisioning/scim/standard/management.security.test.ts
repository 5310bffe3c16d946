// Provisioning cannot give anyone management rights, neither of the domain nor of an application.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../../test/support/api.ts';
import { assign, makeApplication, makeRole } from '../../../../../test/support/applications.ts';
import { makeUser, RelyingParty } from '../../../../../test/support/relying-party.ts';
import { assertScimRefused, BULK_REQUEST, connect, GROUP, patchOf, ScimClient } from '../../../../../test/support/scim.ts';

onUsualDatabase('SCIM and management', (api) => {
  let domain: { id: string; name: string };
  let scim: ScimClient;
  before(async () => {
    await api.make('role', { name: 'auditor' });
    const made = await api.make('domain', { name: uniqueName('domain') });
    domain = { id: made.id, name: made.name };
    ({ scim } = await connect(api, domain.id));
  });

  const person = () => makeUser(api, { domain_id: domain.id });
  const makeGroup = () => api.make('group', { name: uniqueName('group'), domain_id: domain.id });
  const organize = () => api.make('project', { name: uniqueName('organization'), domain_id: domain.id });
  const grant = async (who: string, where: string, role: string): Promise<void> =>
    assertOk(await api.put(`/v3/${where}/${who}/roles/${await api.roleId(role)}`), 204);
  const inherit = async (who: string, role: string): Promise<void> => {
    const path = `/v3/OS-INHERIT/domains/${domain.id}/${who}/roles/${await api.roleId(role)}/inherited_to_projects`;
    assertOk(await api.put(path), 204);
  };
  const join = async (group: { id: string }, user: { id: string }): Promise<void> =>
    assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
  const members = async ({ id }: { id: string }): Promise<string[]> =>
    assertOk(await api.get(`/v3/groups/${id}/users`))
      .users.map((user: { id: string }) => user.id)
      .sort();

  const adding = (...users: { id: string }[]) =>
    patchOf({ op: 'add', path: 'members', value: users.map(({ id }) => ({ value: id })) });
  const listing = (group: { name: string }, ...users: { id: string }[]) => ({
    schemas: [GROUP],
    displayName: group.name,
    members: users.map(({ id }) => ({ value: id })),
  });

  /** Every way to add a member to a group. */
  async function attempts(by: ScimClient, group: { id: string; name: string }, user: { id: string }): Promise<ApiAnswer[]> {
    const path = `/Groups/${group.id}`;
    const stay = (await members(group)).map((id) => ({ id }));
    return [
      await by.patch(path, adding(user)),
      await by.patch(path, patchOf({ op: 'replace', path: 'members', value: [{ value: user.id }] })),
      await by.patch(path, patchOf({ op: 'add', value: { members: [{ value: user.id }] } })),
      await by.put(path, listing(group, user)),
      await by.put(path, listing(group, ...stay, user)),
    ];
  }

  describe('puts nobody into a group', () => {
    it('that manages the domain or an organization in it, by whatever role, alone or in bulk', async () => {
      const head = await api.make('role', { name: uniqueName('head') });
      assertOk(await api.put(`/v3/roles/${head.id}/implies/${await api.roleId('manager')}`), 201);
      const organization = await organize();
      const places: [string, string][] = [
        [`domains/${domain.id}`, 'manager'],
        [`domains/${domain.id}`, 'admin'],
        [`projects/${organization.id}`, 'manager'],
        [`projects/${organization.id}`, 'admin'],
        [`domains/${domain.id}`, head.name],
      ];
      for (const [where, role] of places) {
        const [group, transaction, user] = [await makeGroup(), await person(), await person()];
        await grant(`groups/${group.id}`, where, role);
        await join(group, transaction);
        for (const answer of await attempts(scim, group, user)) assertScimRefused(answer, 403);
        const Operations = [{ method: 'PATCH', path: `/Groups/${group.id}`, data: adding(user) }];
        const done = assertOk(await scim.post('/Bulk', { schemas: [BULK_REQUEST], Operations }));
        assert.equal(done.Operations[0].status, '403');
        assert.deepEqual(await members(group), [transaction.id], `${role} on ${where}: nothing is done by half`);
      }
    });

    it('by an application either, that a manager let in', async () => {
      const [manager, user, group] = [await person(), await person(), await makeGroup()];
      await grant(`users/${manager.id}`, `domains/${domain.id}`, 'manager');
      await grant(`groups/${group.id}`, `domains/${domain.id}`, 'manager');
      const party = await RelyingParty.make(api);
      const { access_token: token } = await party.tokensFor({ ...manager, domain: domain.name }, { scope: 'openid scim' });
      for (const answer of await attempts(new ScimClient(api, token), group, user)) assertScimRefused(answer, 403);
    });

    it('that owns an organization which manages an application, itself or from above', async () => {
      const [organization, user] = [await organize(), await person()];
      await assign(api, { organization, application: await makeApplication(api), role: { id: 'provider' } });
      const [direct, above] = [await makeGroup(), await makeGroup()];
      await grant(`groups/${direct.id}`, `projects/${organization.id}`, 'owner');
      await inherit(`groups/${above.id}`, 'owner');
      for (const group of [direct, above]) for (const answer of await attempts(scim, group, user)) assertScimRefused(answer, 403);
    });

    it('by which they would manage an application again for an organization they left', async () => {
      const [organization, group, user] = [await organize(), await makeGroup(), await person()];
      await assign(api, { user, organization, application: await makeApplication(api), role: { id: 'provider' } });
      await grant(`groups/${group.id}`, `projects/${organization.id}`, 'member');
      for (const answer of await attempts(scim, group, user)) assertScimRefused(answer, 403);
      const other = await makeGroup();
      assertOk(await scim.patch(`/Groups/${other.id}`, adding(user)), 204);
      await grant(`users/${user.id}`, `projects/${organization.id}`, 'reader');
      assertOk(await scim.patch(`/Groups/${group.id}`, adding(user)), 204);
    });
  });

  describe('but', () => {
    it('renames such a group, repeats who is in it, takes people out, and deletes it', async () => {
      const [group, one, two] = [await makeGroup(), await person(), await person()];
      await grant(`groups/${group.id}`, `domains/${domain.id}`, 'manager');
      for (const user of [one, two]) await join(group, user);
      const path = `/Groups/${group.id}`;
      const renamed = { ...group, name: uniqueName('renamed') };
      assertOk(await scim.put(path, listing(renamed, one, two)));
      assertOk(await scim.patch(path, adding(one)), 204);
      const named = { op: 'add', path: 'members', value: [{ value: one.id, display: 'One' }] };
      assertOk(await scim.patch(path, patchOf(named)), 204);
      assertOk(await scim.patch(path, patchOf({ op: 'remove', path: `members[value eq "${two.id}"]` })), 204);
      assert.deepEqual(await members(group), [one.id]);
      assertOk(await scim.put(path, listing(renamed)));
      assert.deepEqual(await members(group), []);
      assertOk(await scim.delete(path), 204);
    });

    it('fills every other group, whatever roles of other services and plain ones it holds', async () => {
      const [organization, user] = [await organize(), await person()];
      await assign(api, { organization, application: await makeApplication(api), role: { id: 'purchaser' } });
      for (const role of ['member', 'reader', 'owner', 'basic', 'auditor']) {
        const group = await makeGroup();
        await grant(`groups/${group.id}`, `projects/${organization.id}`, role);
        for (const answer of await attempts(scim, group, user)) assert.ok(answer.status < 300, `${role}: ${answer.text}`);
      }
    });

    it('people who manage the domain fill its groups themselves', async () => {
      const within = { domain_id: domain.id };
      const { token } = await api.persona(['manager', 'reader'], { domain: domain.id }, within);
      const [group, one, two] = [await makeGroup(), await person(), await person()];
      await grant(`groups/${group.id}`, `domains/${domain.id}`, 'manager');
      assertOk(await api.put(`/v3/groups/${group.id}/users/${one.id}`, undefined, { token }), 204);
      assertOk(await new ScimClient(api, token).patch(`/Groups/${group.id}`, adding(two)), 204);
      assert.deepEqual(await members(group), [one.id, two.id].sort());
    });
  });

  describe('does not sign in as who manages an application', () => {
    const PASSWORD = 'the password of the application';
    const replacing = (path: string, value: unknown) => patchOf({ op: 'replace', path, value });
    /** A user with a role of an application in an organization of the domain. */
    async function holderOf(role: (application: { id: string }) => Promise<{ id: string }>) {
      const [user, organization, application] = [await person(), await organize(), await makeApplication(api)];
      await grant(`users/${user.id}`, `projects/${organization.id}`, 'member');
      await assign(api, { user, organization, application, role: await role(application) });
      return user;
    }
    async function owner(roleOfOrganization: string) {
      const [user, organization] = [await person(), await organize()];
      await grant(`users/${user.id}`, `projects/${organization.id}`, 'owner');
      await assign(api, { organization, application: await makeApplication(api), role: { id: roleOfOrganization } });
      return user;
    }
    const managing = async (application: { id: string }) => {
      const role = await makeRole(api, application);
      await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/manage-roles`);
      return role;
    };
    const changes = async ({ id }: { id: string }): Promise<ApiAnswer[]> => [
      await scim.patch(`/Users/${id}`, replacing('password', PASSWORD)),
      await scim.patch(`/Users/${id}`, replacing('userName', uniqueName('mine'))),
      await scim.patch(`/Users/${id}`, replacing('emails', [{ value: 'mine@example.org', primary: true }])),
    ];

    it('themselves, or as owner of an organization that does; their accounts are kept up to date and closed', async () => {
      const provider = async () => ({ id: 'provider' });
      for (const user of [await holderOf(provider), await holderOf(managing), await owner('provider')]) {
        for (const answer of await changes(user)) assertScimRefused(answer, 403);
        assertOk(await scim.patch(`/Users/${user.id}`, replacing('title', 'Head')), 204);
        assertOk(await scim.patch(`/Users/${user.id}`, replacing('active', false)), 204);
      }
    });

    it('but looks after who only uses one, or owns an organization that lets its people in', async () => {
      for (const user of [await holderOf((application) => makeRole(api, application)), await owner('purchaser')])
        for (const answer of await changes(user)) assert.ok(answer.status < 300, answer.text);
    });

    it('while people who manage the domain look after both', async () => {
      const { token } = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id });
      for (const { id } of [await holderOf(async () => ({ id: 'provider' })), await owner('provider')])
        assertOk(await api.patch(`/v3/users/${id}`, { user: { password: 'given by a manager' } }, { token }));
    });
  });
});
