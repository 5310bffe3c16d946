// Who may ask why, and what an explanation must not tell.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';

onUsualDatabase('An explanation', (api) => {
  it('is given to readers of a domain about its users in it, and shows no names of other domains', async () => {
    const [domain, elsewhere] = [
      await api.make('domain', { name: uniqueName('domain') }),
      await api.make('domain', { name: uniqueName('elsewhere') }),
    ];
    const within = { domain_id: domain.id };
    const project = await api.make('project', { name: uniqueName('project'), ...within });
    const user = await api.make('user', { name: uniqueName('user'), ...within });
    const abroad = await api.make('project', { name: uniqueName('abroad'), domain_id: elsewhere.id });
    const foreigner = await api.make('user', { name: uniqueName('foreigner'), domain_id: elsewhere.id });
    const group = await api.make('group', { name: uniqueName('secret'), domain_id: elsewhere.id });
    const role = await api.make('role', { name: uniqueName('hidden'), domain_id: elsewhere.id });
    const member = await api.roleId('member');
    assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`), 204);
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${member}`), 204);
    assertOk(await api.put(`/v3/projects/${abroad.id}/users/${user.id}/roles/${member}`), 204);

    const { token } = await api.persona(['reader'], { domain: domain.id }, within);
    const path = (id: string, query: string): string => `/v3/users/${id}/OS-ACCESS/explanation?${query}`;
    const answer = assertOk(await api.get(path(user.id, `project_id=${project.id}`), { token })).explanation;
    assert.deepEqual([answer.allowed, answer.sign_in_needs], [true, undefined]);
    assert.deepEqual(answer.paths[0].steps[0], { kind: 'group', group: { id: group.id } });
    const there = assertOk(await api.get(path(user.id, `domain_id=${domain.id}`), { token }));
    assert.deepEqual(
      there.explanation.missing.map(({ kind, scope }: { kind: string; scope?: unknown }) => [kind, scope]),
      [
        ['no_role', undefined],
        ['held_elsewhere', { project: { id: project.id, name: project.name } }],
      ],
    );
    assert.ok(!JSON.stringify(there).includes(abroad.id));

    for (const refused of [
      path(user.id, `project_id=${abroad.id}`),
      path(foreigner.id, `project_id=${project.id}`),
      path(user.id, 'system=all'),
      path('nothing', `project_id=${project.id}`),
      path(user.id, 'project_id=nothing'),
    ])
      await assertForbidden(api, [token], 'GET', refused);
    // A role of another domain is like one that does not exist.
    const text = async (id: string) => {
      const unknown = await api.get(path(user.id, `project_id=${project.id}&role_id=${id}`), { token });
      assertRefused(unknown, 404);
      return unknown.text.replaceAll(id, '');
    };
    assert.equal(await text(role.id), await text('f'.repeat(32)));

    const own = await makePerson(api);
    const stranger = await makePerson(api);
    const asked = path(own.user.id, `project_id=${own.organization.id}`);
    await assertForbidden(api, [own.token, stranger.token], 'GET', asked);
    assertOk(await api.get(asked, { token: (await api.persona(['reader'], 'system')).token }));
  });

  it('of an application is given to those who manage or assign in it, without the state of the account', async () => {
    const [provider, other, person] = [await makePerson(api), await makePerson(api), await makePerson(api)];
    const application = await makeApplication(api, {}, provider.token);
    await makeApplication(api, {}, other.token);
    const role = await makeRole(api, application);
    await assign(api, { user: person.user, application, role });
    const path = `/v3/OS-ROLES/users/${person.user.id}/applications/${application.id}/explanation`;
    assert.equal(assertOk(await api.get(path, { token: provider.token })).explanation.allowed, true);
    const reader = await api.persona(['reader'], 'system');
    await assertForbidden(api, [other.token, person.token, reader.token], 'GET', path);
    await assertForbidden(api, [other.token], 'GET', path.replace(person.user.id, 'nothing'));

    const stranger = await makePerson(api);
    const about = path.replace(person.user.id, stranger.user.id);
    const unknown = await api.get(about, { token: provider.token });
    assert.deepEqual(assertOk(unknown).explanation.user, { id: stranger.user.id }, 'an id does not tell a name');
    assert.ok(!unknown.text.includes(stranger.user.name));
    assert.equal(assertOk(await api.get(path, { token: provider.token })).explanation.user.name, person.user.name);
    assert.equal(assertOk(await api.get(about)).explanation.user.name, stranger.user.name);

    assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { enabled: false } }));
    const { explanation } = assertOk(await api.get(path, { token: provider.token }));
    assert.deepEqual([explanation.allowed, explanation.missing], [false, [{ kind: 'user_not_usable' }]]);
    assert.equal(explanation.sign_in_needs, undefined);
    assert.deepEqual(assertOk(await api.get(path)).explanation.missing, [{ kind: 'user_disabled' }]);
  });
});
