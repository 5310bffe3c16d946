// A program that uses what a person passed on to it, or an application that acts for them, manages no application and gives nobody a role in
// it, whatever the person may do there. What was passed on are base roles only.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, assignmentPath, makeApplication, makeRole } from '../../../../test/support/applications.ts';
import { logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { makeAccessToken, signedLogin } from '../../../../test/support/oauth1.ts';
import { programTokenOf } from '../../../../test/support/programs.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { makeTrust, trustToken } from '../../../../test/support/trusts.ts';

const tokenOf = (answer: ApiAnswer): string => {
  assertOk(answer, 201);
  return answer.headers.get('x-subject-token')!;
};

onUsualDatabase('An application is not managed, nor are its roles assigned,', (api) => {
  let project: { id: string };
  /** May assign every role of the application: by a role of their own, and by one of the organization, which they own. */
  let person: { user: any; password: string; token: string; project: { id: string } };
  let colleague: { id: string; name: string; password: string; user: any };
  let application: { id: string };
  let role: { id: string };
  before(async () => {
    project = await api.make('project', { name: uniqueName('organization') });
    // Only administrators of a project let a consumer of OAuth1 in. The role is not passed on.
    person = {
      ...(await api.persona(['admin', 'member', 'owner'], { project: project.id }, { default_project_id: project.id })),
      project,
    };
    colleague = await makeUser(api, { default_project_id: project.id });
    assertOk(await api.put(`/v3/projects/${project.id}/users/${colleague.id}/roles/${await api.roleId('member')}`), 204);
    application = await makeApplication(api);
    role = await makeRole(api, application);
    await assign(api, { user: person.user, application, role: { id: 'provider' } });
    await assign(api, { organization: project, application, role: { id: 'provider' } });
    await assign(api, { user: colleague, application, role: { id: 'provider' } });
  });

  const PASSED = [{ name: 'member' }, { name: 'owner' }];
  const programToken = (values: object): Promise<string> => programTokenOf(api, person, { roles: PASSED, ...values });
  const trusted = async (impersonation: boolean): Promise<string> =>
    trustToken(api, colleague, await makeTrust(api, person, colleague, { impersonation, roles: PASSED }));

  const WAYS: Readonly<Record<string, () => Promise<string>>> = {
    'an application credential': () => programToken({}),
    'an unrestricted application credential': () => programToken({ unrestricted: true }),
    'a trust in the name of who gave it': () => trusted(true),
    'a trust, also not by what the trustee may do': () => trusted(false),
    'an OAuth1 access token': async () => {
      const { consumer, token } = await makeAccessToken(api, person);
      return tokenOf(await signedLogin(api, { consumer, token }));
    },
    // No access token logs in an administrator.
    'an access token of an application': async () => {
      const party = await RelyingParty.make(api);
      const { access_token: token } = await party.tokensFor(colleague, { scope: 'openid all_info' });
      return tokenOf(await logInByAccessToken(api, token, { project: { id: project.id } }));
    },
  };

  /** The paths of the role: of a user, of a user in the organization, of the organization. */
  const paths = (): string[] =>
    [{ user: colleague }, { user: colleague, organization: project }, { organization: project }].map((where) =>
      assignmentPath({ ...where, application, role }),
    );

  /** Of those who manage the application, and of the person themselves. */
  const managing = (userId: string): readonly (readonly [method: string, path: string, body?: object])[] => [
    ['PATCH', `/v3/OS-OAUTH2/consumers/${application.id}`, { consumer: { description: 'changed' } }],
    ['GET', `/v3/OS-OAUTH2/consumers/${application.id}/grants`],
    ['POST', '/v3/OS-ROLES/roles', { role: { name: uniqueName('role'), application_id: application.id } }],
    ['GET', `/v3/OS-ROLES/roles/${role.id}`],
    ['GET', `/v3/OS-ROLES/users/role_assignments?application_id=${application.id}`],
    ['GET', `/v3/users/${userId}/OS-SESSIONS/sessions`],
  ];

  /** The applications in the list of those that one manages. */
  const managed = async (token: string): Promise<string[]> =>
    assertOk(await api.get('/v3/OS-OAUTH2/consumers', { token })).consumers.map(({ id }: { id: string }) => id);

  describe('with the token of', () => {
    for (const [name, enter] of Object.entries(WAYS))
      it(name, async () => {
        const token = await enter();
        const { user } = assertOk(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).token;
        // By a trust, people may read trusts, as in Keystone.
        const trusts = await api.get(`/v3/OS-TRUST/trusts?trustor_user_id=${user.id}`, { token });
        assert.equal(trusts.status, name.startsWith('a trust') ? 200 : 403, trusts.text);
        for (const [method, path, body] of managing(user.id))
          assertRefused(await api.request(method, path, { token, body }), 403);
        assert.deepEqual(await managed(token), []);
        for (const path of paths())
          for (const method of ['PUT', 'DELETE']) assertRefused(await api.request(method, path, { token }), 403);
        const { role_assignments: held } = assertOk(
          await api.get(`/v3/OS-ROLES/users/role_assignments?application_id=${application.id}`),
        );
        assert.deepEqual([...new Set(held.map((one: { role_id: string }) => one.role_id))], ['provider']);
      });
  });

  it('in another way than in person', async () => {
    const own = await api.logIn({ id: colleague.id, password: colleague.password });
    assertOk(await api.get(`/v3/OS-TRUST/trusts?trustor_user_id=${colleague.id}`, { token: own }));
    assert.deepEqual(await managed(own), [application.id]);
    for (const [method, path, body] of managing(colleague.id)) assertOk(await api.request(method, path, { token: own, body }));
    const [first, ...others] = paths();
    assertOk(await api.put(first!, undefined, { token: own }));
    assertOk(await api.delete(first!, { token: own }), 204);
    for (const path of others) {
      assertOk(await api.put(path, undefined, { token: person.token }));
      assertOk(await api.delete(path, { token: person.token }), 204);
    }
  });
});
