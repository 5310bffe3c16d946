// A manager of a domain must not become an administrator by taking over an account.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makeRole } from '../../../../test/support/applications.ts';
import { connect, GROUP, patchOf, type ScimClient, USER } from '../../../../test/support/scim.ts';

onUsualDatabase('A manager of a domain', (api) => {
  it('cannot change or delete an administrator, nor join their group, but may with everyone else', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const within = { domain_id: domain.id };
    const { token, user: manager } = await api.persona(['manager', 'reader'], { domain: domain.id }, within);
    const admin = await api.roleId('admin');
    const [boss, member] = [
      await api.make('user', { name: uniqueName('boss'), ...within }),
      await api.make('user', { name: uniqueName('member'), ...within }),
    ];
    const [bosses, members] = [
      await api.make('group', { name: uniqueName('bosses'), ...within }),
      await api.make('group', { name: uniqueName('members'), ...within }),
    ];
    const indirect = await api.make('user', { name: uniqueName('indirect'), ...within });
    await api.put(`/v3/domains/${domain.id}/users/${boss.id}/roles/${admin}`);
    await api.put(`/v3/domains/${domain.id}/groups/${bosses.id}/roles/${admin}`);
    await api.put(`/v3/groups/${bosses.id}/users/${indirect.id}`);

    for (const { id } of [boss, indirect]) {
      assertRefused(await api.patch(`/v3/users/${id}`, { user: { password: 'mine now' } }, { token }), 403);
      assertRefused(await api.delete(`/v3/users/${id}`, { token }), 403);
    }
    assertRefused(await api.put(`/v3/groups/${bosses.id}/users/${manager.id}`, undefined, { token }), 403);
    assertRefused(await api.put(`/v3/domains/${domain.id}/users/${manager.id}/roles/${admin}`, undefined, { token }), 403);

    assert.equal((await api.patch(`/v3/users/${member.id}`, { user: { password: 'given' } }, { token })).status, 200);
    assert.equal((await api.put(`/v3/groups/${members.id}/users/${manager.id}`, undefined, { token })).status, 204);
  });

  describe('does not reach, by way of an account, what the person holds beyond the domain', () => {
    let domain: { id: string };
    let elsewhere: { id: string };
    let token: string;
    let scim: ScimClient;
    before(async () => {
      ({ domain, scim } = await connect(api));
      elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
      ({ token } = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id }));
    });
    const user = () => api.make('user', { name: uniqueName('user'), domain_id: domain.id });
    const grant = async (who: string, where: string, role: string): Promise<void> =>
      assertOk(await api.put(`/v3/${where}/${who}/roles/${await api.roleId(role)}`), 204);

    /** Every change of the account that a manager, or a provisioning connection, could take it over or close it by. */
    async function changes(id: string): Promise<[string, ApiAnswer][]> {
      const patch = (values: object) => api.patch(`/v3/users/${id}`, { user: values }, { token });
      return [
        ['password', await patch({ password: 'mine from now on' })],
        ['e-mail', await patch({ email: 'mine@example.org' })],
        ['name', await patch({ name: uniqueName('mine') })],
        ['enabled', await patch({ enabled: false })],
        ['second factors', await patch({ options: { multi_factor_auth_enabled: false } })],
        ['SCIM password', await scim.patch(`/Users/${id}`, patchOf({ op: 'replace', path: 'password', value: 'mine now too' }))],
        ['SCIM active', await scim.patch(`/Users/${id}`, patchOf({ op: 'replace', path: 'active', value: false }))],
        ['SCIM replace', await scim.put(`/Users/${id}`, { schemas: [USER], userName: uniqueName('mine') })],
        ['SCIM delete', await scim.delete(`/Users/${id}`)],
        ['delete', await api.delete(`/v3/users/${id}`, { token })],
      ];
    }

    it('such as another domain they manage, the system, or an organization elsewhere', async () => {
      const abroad = await api.make('project', { name: uniqueName('abroad'), domain_id: elsewhere.id });
      const own = await api.make('project', { name: uniqueName('own'), domain_id: domain.id });
      if ((await api.get('/v3/roles?name=proxy')).body.roles.length === 0) await api.make('role', { name: 'proxy' });
      await api.put(`/v3/roles/${await api.roleId('proxy')}/implies/${await api.roleId('service')}`);
      const places: [string, string][] = [
        [`domains/${elsewhere.id}`, 'manager'],
        [`projects/${abroad.id}`, 'manager'],
        [`projects/${abroad.id}`, 'owner'],
        ['system', 'reader'],
        ['system', 'member'],
        // The role service has effect in every organization.
        [`projects/${own.id}`, 'service'],
        [`projects/${own.id}`, 'proxy'],
        [`projects/${own.id}`, 'admin'],
      ];
      for (const [where, role] of places) {
        const person = await user();
        await grant(`users/${person.id}`, where, role);
        for (const [what, answer] of await changes(person.id)) assert.equal(answer.status, 403, `${role} on ${where}: ${what}`);
      }
    });

    it('such as what a group of theirs holds there, which nobody of the domain joins, changes or deletes', async () => {
      const [person, other] = [await user(), await user()];
      const group = await api.make('group', { name: uniqueName('group'), domain_id: domain.id });
      await grant(`groups/${group.id}`, `domains/${elsewhere.id}`, 'manager');
      assertOk(await api.put(`/v3/groups/${group.id}/users/${person.id}`), 204);
      for (const [what, answer] of await changes(person.id)) assert.equal(answer.status, 403, what);
      for (const answer of [
        await api.put(`/v3/groups/${group.id}/users/${other.id}`, undefined, { token }),
        await api.delete(`/v3/groups/${group.id}/users/${person.id}`, { token }),
        await api.patch(`/v3/groups/${group.id}`, { group: { name: uniqueName('mine') } }, { token }),
        await scim.patch(`/Groups/${group.id}`, patchOf({ op: 'add', path: 'members', value: [{ value: other.id }] })),
        await scim.put(`/Groups/${group.id}`, { schemas: [GROUP], displayName: 'x', members: [{ value: other.id }] }),
        await scim.delete(`/Groups/${group.id}`),
        await api.delete(`/v3/groups/${group.id}`, { token }),
      ])
        assert.equal(answer.status, 403, answer.text);
    });

    it('such as an application they manage for an organization elsewhere', async () => {
      const abroad = await api.make('project', { name: uniqueName('abroad'), domain_id: elsewhere.id });
      const [application, person] = [await makeApplication(api), await user()];
      await grant(`users/${person.id}`, `projects/${abroad.id}`, 'member');
      await assign(api, { user: person, organization: abroad, application, role: { id: 'provider' } });
      for (const [what, answer] of await changes(person.id)) assert.equal(answer.status, 403, what);
    });

    it('such as a role for an organization elsewhere that they left', async () => {
      const abroad = await api.make('project', { name: uniqueName('abroad'), domain_id: elsewhere.id });
      const [application, person] = [await makeApplication(api), await user()];
      const role = await makeRole(api, application);
      const membership = `/v3/projects/${abroad.id}/users/${person.id}/roles/${await api.roleId('member')}`;
      const rolesHeld = async (): Promise<unknown[]> => {
        const path = `/v3/OS-ROLES/users/${person.id}/applications/${application.id}/permissions`;
        const { roles, organizations } = assertOk(await api.get(path));
        return [...roles, ...organizations];
      };
      assertOk(await api.put(membership), 204);
      await assign(api, { user: person, organization: abroad, application, role });
      assert.equal((await rolesHeld()).length, 1);
      assertOk(await api.delete(membership), 204);
      assert.deepEqual(await rolesHeld(), []);

      await api.patch(`/v3/users/${person.id}`, { user: { default_project_id: abroad.id } }, { token });
      assert.deepEqual(await rolesHeld(), []);
      assertOk(await api.put(membership), 204);
      assert.equal((await rolesHeld()).length, 1, 'members have it again');
    });

    it('but their managers look after everyone else, also who is a guest elsewhere or manages the same domain', async () => {
      // A provisioning client must not change how managers of its domain sign in.
      const forPeople = ['SCIM password', 'SCIM replace'];
      const abroad = await api.make('project', { name: uniqueName('abroad'), domain_id: elsewhere.id });
      const places: [string, string][] = [
        [`domains/${domain.id}`, 'manager'],
        [`projects/${abroad.id}`, 'member'],
        [`projects/${abroad.id}`, 'reader'],
      ];
      for (const [where, role] of places) {
        const person = await user();
        await grant(`users/${person.id}`, where, role);
        for (const [what, answer] of (await changes(person.id)).slice(0, -1))
          if (role === 'manager' && forPeople.includes(what)) assert.equal(answer.status, 403, what);
          else assert.ok(answer.status < 300, `${role} on ${where}: ${what}: ${answer.text}`);
      }
    });
  });
});
