import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../test/support/api.ts';
import { makeWorld, type World } from '../../../test/support/every-route.ts';

onEachDatabase('What a deletion would do', (api) => {
  let world: World;
  before(async () => {
    world = await makeWorld(api);
  });

  const countsOf = async (path: string): Promise<Record<string, number>> => {
    const { impact } = assertOk(await api.get(`${path}/OS-IMPACT/deletion`));
    assert.equal(impact.most, 10_000);
    assert.equal(impact.links.self, `${api.url}${path}/OS-IMPACT/deletion`);
    return Object.fromEntries(Object.entries<number>(impact.counts).filter(([, count]) => count > 0));
  };

  it('is counted for each kind of thing', async () => {
    const { user, group, project, domain, application } = world;
    assert.deepEqual(await countsOf(`/v3/users/${user.id}`), {
      role_assignments: 2,
      application_role_assignments: 1,
      groups: 1,
      credentials: 1,
    });
    assert.deepEqual(await countsOf(`/v3/groups/${group.id}`), { users: 1, role_assignments: 2 });
    const ofProject = await countsOf(`/v3/projects/${project.id}`);
    assert.equal(ofProject.role_assignments, 2);
    assert.equal(ofProject.users_by_default, 1);
    const { projects, ...ofDomain } = await countsOf(`/v3/domains/${domain.id}`);
    assert.ok(projects! >= 1);
    assert.deepEqual(ofDomain, { users: 1, groups: 1, role_assignments: 2, identity_providers: 1, invitations: 1 });
    assert.ok((await countsOf(`/v3/roles/${world.member}`)).role_assignments! >= 4);
    const ofConsumer = await countsOf(`/v3/OS-OAUTH2/consumers/${application.id}`);
    assert.deepEqual({ roles: ofConsumer.roles, permissions: ofConsumer.permissions }, { roles: 1, permissions: 1 });
    assert.ok(ofConsumer.application_role_assignments! >= 2);
  });

  it('is told to whoever may delete the thing, and nobody else', async () => {
    const other = await api.make('project', { name: uniqueName('project') });
    const { token } = await api.persona(['member'], { project: other.id });
    const { token: reader } = await api.persona(['reader'], 'system');
    for (const path of [
      `/v3/users/${world.user.id}`,
      `/v3/groups/${world.group.id}`,
      `/v3/projects/${world.project.id}`,
      `/v3/domains/${world.domain.id}`,
      `/v3/roles/${world.member}`,
      `/v3/OS-OAUTH2/consumers/${world.application.id}`,
    ])
      await assertForbidden(api, [token, reader], 'GET', `${path}/OS-IMPACT/deletion`);
    assertRefused(await api.get(`/v3/users/${'f'.repeat(32)}/OS-IMPACT/deletion`), 404);
  });
});
