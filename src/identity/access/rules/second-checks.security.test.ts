// The rules are asked again in the transaction of a change: whom it is about, or who makes it, may have become somebody else since.
import assert from 'node:assert/strict';
import { before, beforeEach, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, underAttack, uniqueName } from '../../../../test/support/api.ts';
import {
  assignmentPath,
  makeApplication,
  makeOrganization,
  makePerson,
  makeRole,
} from '../../../../test/support/applications.ts';
import { askType, makeType, TYPES } from '../../../../test/support/role-credentials.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

type Request = () => Promise<ApiAnswer>;

underAttack('A change that was allowed, but is not stored yet, is refused', (api) => {
  const meanwhile = (act: () => Promise<void>, request: Request): Promise<ApiAnswer> =>
    whenAt('change.before-transaction', act, request);

  describe('to a manager of a domain', () => {
    let domain: { id: string };
    let token: string;
    let user: { id: string };
    let member: { id: string };
    let group: { id: string };
    before(async () => {
      domain = await api.make('domain', { name: uniqueName('domain') });
      ({ token } = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id }));
    });
    beforeEach(async () => {
      user = await api.make('user', { name: uniqueName('user'), domain_id: domain.id });
      member = await api.make('user', { name: uniqueName('member'), domain_id: domain.id });
      group = await api.make('group', { name: uniqueName('group'), domain_id: domain.id });
      assertOk(await api.put(`/v3/groups/${group.id}/users/${member.id}`), 204);
    });
    const makeAdministrator = async (who: string): Promise<void> =>
      assertOk(await api.put(`/v3/domains/${domain.id}/${who}/roles/${await api.roleId('admin')}`), 204);

    const OF_USER: Readonly<Record<string, Request>> = {
      'an update': () => api.patch(`/v3/users/${user.id}`, { user: { description: 'mine' } }, { token }),
      'another password': () => api.patch(`/v3/users/${user.id}`, { user: { password: 'mine from now on' } }, { token }),
      'a deletion': () => api.delete(`/v3/users/${user.id}`, { token }),
    };
    for (const [name, request] of Object.entries(OF_USER))
      it(`${name} of somebody who became an administrator`, async () => {
        const former = assertOk(await api.get(`/v3/users/${user.id}`)).user;
        assertRefused(await meanwhile(() => makeAdministrator(`users/${user.id}`), request), 403);
        assert.deepEqual(assertOk(await api.get(`/v3/users/${user.id}`)).user, former);
      });

    const OF_GROUP: Readonly<Record<string, Request>> = {
      'a new member': () => api.put(`/v3/groups/${group.id}/users/${user.id}`, undefined, { token }),
      'the removal of a member': () => api.delete(`/v3/groups/${group.id}/users/${member.id}`, { token }),
      'an update': () => api.patch(`/v3/groups/${group.id}`, { group: { description: 'mine' } }, { token }),
      'a deletion': () => api.delete(`/v3/groups/${group.id}`, { token }),
    };
    const stateOf = async () => [
      assertOk(await api.get(`/v3/groups/${group.id}`)).group,
      assertOk(await api.get(`/v3/groups/${group.id}/users`)).users.map(({ id }: { id: string }) => id),
    ];
    for (const [name, request] of Object.entries(OF_GROUP))
      it(`${name} of a group that became one of administrators`, async () => {
        const former = await stateOf();
        assertRefused(await meanwhile(() => makeAdministrator(`groups/${group.id}`), request), 403);
        assert.deepEqual(await stateOf(), former);
      });
  });

  describe('to somebody who manages the application no longer', () => {
    let owner: Awaited<ReturnType<typeof makePerson>>;
    let other: Awaited<ReturnType<typeof makePerson>>;
    let organization: { id: string };
    let application: { id: string };
    let role: { id: string };
    let typeId: string;
    before(async () => {
      [owner, other] = [await makePerson(api), await makePerson(api)];
      organization = await makeOrganization(api);
    });
    beforeEach(async () => {
      application = await makeApplication(api, {}, owner.token);
      role = await makeRole(api, application, {}, owner.token);
      typeId = (await makeType(api, application)).id;
    });

    const dismiss = async (): Promise<void> => {
      const query = `user_id=${owner.user.id}&application_id=${application.id}`;
      const held = assertOk(await api.get(`/v3/OS-ROLES/users/role_assignments?${query}`)).role_assignments;
      assert.ok(held.length > 0);
      for (const { organization_id: id, role_id: roleId } of held) {
        const path = assignmentPath({ user: owner.user, organization: { id }, application, role: { id: roleId } });
        assertOk(await api.delete(path), 204);
      }
    };

    const REQUESTS: Readonly<Record<string, (token: string) => Promise<ApiAnswer>>> = {
      'a role for a user': (token) => api.put(assignmentPath({ user: other.user, application, role }), undefined, { token }),
      'the end of a role of a user': (token) => api.delete(assignmentPath({ user: other.user, application, role }), { token }),
      'a role for an organization': (token) => api.put(assignmentPath({ organization, application, role }), undefined, { token }),
      'the end of a role of an organization': (token) =>
        api.delete(assignmentPath({ organization, application, role }), { token }),
      'a new type of credential': (token) => askType(api, application, {}, token),
      'another type of credential': (token) =>
        api.patch(`${TYPES}/${typeId}`, { credential_type: { name: 'Another' } }, { token }),
      'the end of a type of credential': (token) => api.delete(`${TYPES}/${typeId}`, { token }),
    };
    for (const [name, request] of Object.entries(REQUESTS))
      it(name, async () => {
        assertRefused(await meanwhile(dismiss, () => request(owner.token)), 403);
      });
  });
});
