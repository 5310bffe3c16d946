import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeWorld, type World } from '../../../../test/support/every-route.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import {
  issuedTo,
  makeHolder,
  makeRoleWorld,
  TestCredentialWallet,
  TYPES,
  withdraw,
} from '../../../../test/support/role-credentials.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

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
      credentials: 2,
    });
    assert.deepEqual(await countsOf(`/v3/groups/${group.id}`), { users: 1, role_assignments: 2 });
    const ofProject = await countsOf(`/v3/projects/${project.id}`);
    assert.equal(ofProject.role_assignments, 2);
    assert.equal(ofProject.users_by_default, 1);
    const { projects, ...ofDomain } = await countsOf(`/v3/domains/${domain.id}`);
    assert.ok(projects! >= 1);
    const { users, groups, identity_providers: providers, invitations } = ofDomain;
    assert.deepEqual({ users, groups, providers, invitations }, { users: 1, groups: 1, providers: 1, invitations: 1 });
    assert.ok((await countsOf(`/v3/roles/${world.member}`)).role_assignments! >= 4);
    const ofConsumer = await countsOf(`/v3/OS-OAUTH2/consumers/${application.id}`);
    assert.deepEqual({ roles: ofConsumer.roles, permissions: ofConsumer.permissions }, { roles: 1, permissions: 1 });
    assert.ok(ofConsumer.application_role_assignments! >= 2);
  });

  it('has the credentials in wallets that would be revoked', async () => {
    const roleWorld = await makeRoleWorld(api);
    const person = await makeHolder(api, roleWorld);
    const wallet = new TestCredentialWallet(api);
    for (const id of [roleWorld.sdJwt, roleWorld.sdJwt, roleWorld.jwtVc]) await wallet.receiveFor(person, id);
    await withdraw(api, (await issuedTo(api, person))[0].id, 'revoke');
    const type = `${TYPES}/${roleWorld.typeId}`;
    const paths = [type, `/v3/users/${person.id}`, `/v3/OS-OAUTH2/consumers/${roleWorld.application.id}`];
    for (const path of [...paths, '/v3/domains/default']) assert.equal((await countsOf(path)).issued_credentials, 2, path);
    assertRefused(await api.get(`${type}/OS-IMPACT/deletion`, { token: person.token }), 403);
    assertOk(await api.delete(type), 204);
    for (const path of paths.slice(1)) assert.equal((await countsOf(path)).issued_credentials, undefined, path);
  });

  it('of a domain is what its deletion removes, also what its people have elsewhere', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const inside = { domain_id: domain.id };
    const person = await makeUser(api, inside);
    const other = await makeUser(api, inside);
    const group = await api.make('group', { name: uniqueName('group'), ...inside });
    const [project, outside] = [
      await api.make('project', { name: uniqueName('project'), ...inside }),
      await api.make('project', { name: uniqueName('project') }),
    ];
    const elsewhere = await api.make('group', { name: uniqueName('group') });
    const put = async (path: string) => assert.ok((await api.request('PUT', path)).status < 300, path);
    for (const path of [
      `/v3/groups/${group.id}/users/${person.id}`,
      `/v3/groups/${elsewhere.id}/users/${person.id}`,
      // One that is of the domain in two ways counts once.
      `/v3/projects/${project.id}/users/${person.id}/roles/${world.member}`,
      `/v3/projects/${outside.id}/users/${person.id}/roles/${world.member}`,
      `/v3/projects/${outside.id}/groups/${group.id}/roles/${world.member}`,
      `/v3/projects/${project.id}/users/${world.user.id}/roles/${world.member}`,
      `/v3/domains/${domain.id}/users/${other.id}/roles/${world.member}`,
    ])
      await put(path);
    const role = assertOk(
      await api.post('/v3/OS-ROLES/roles', { role: { name: uniqueName('role'), application_id: world.application.id } }),
    ).role;
    const application = `applications/${world.application.id}/roles/${role.id}`;
    await put(`/v3/OS-ROLES/users/${person.id}/organizations/${outside.id}/${application}`);
    await put(`/v3/OS-ROLES/organizations/${project.id}/${application}`);
    const blob = { user_id: person.id, type: 'cert', blob: 'x' };
    assertOk(await api.post('/v3/credentials', { credential: blob }), 201);
    await new TestBrowser(api).signIn('/account', { ...person, domain: domain.name });
    const told = await countsOf(`/v3/domains/${domain.id}`);

    const db = await databaseOf(api);
    const tables = {
      users: ['users'],
      groups: ['groups'],
      projects: ['projects'],
      role_assignments: ['grants'],
      application_role_assignments: ['app_user_roles', 'app_organization_roles'],
      memberships: ['group_members'],
      credentials: ['credentials'],
    } as const;
    const count = async (): Promise<Record<string, number>> => {
      const found: Record<string, number> = {};
      for (const [name, parts] of Object.entries(tables))
        for (const table of parts) {
          const { rows } = await db.read
            .selectFrom(table)
            .select((eb) => eb.fn.countAll<number>().as('rows'))
            .executeTakeFirstOrThrow();
          found[name] = (found[name] ?? 0) + Number(rows);
        }
      return found;
    };
    try {
      const before = await count();
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertOk(await api.delete(`/v3/domains/${domain.id}`), 204);
      const after = await count();
      const removed = Object.fromEntries(Object.keys(before).map((name) => [name, before[name]! - after[name]!]));
      // The domain is a row of `projects`, too.
      assert.deepEqual(told, { ...removed, projects: removed.projects! - 1, sessions: 1 });
    } finally {
      await db.close();
    }
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
