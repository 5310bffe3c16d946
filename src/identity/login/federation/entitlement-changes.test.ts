// Memberships and roles that providers give: how long they last, and who takes them back when several gave them.
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assign, makeApplication, makePermission, makeRole } from '../../../../test/support/applications.ts';
import { connectProvider, providerFor } from '../../../../test/support/federation.ts';
import { informationOf, KeyrockClient } from '../../../../test/support/keyrock-client.ts';
import type { PlainProvider } from '../../../../test/support/plain-provider.ts';
import { ProviderTokens } from '../../../../test/support/provider-tokens.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { assertScimRefused, connect, GROUP, patchOf, type ScimClient } from '../../../../test/support/scim.ts';
import { linkOf } from '../../../../test/support/ways-in.ts';

const RULES = [
  { local: [{ user: { name: '{0}' } }], remote: [{ type: 'preferred_username' }] },
  { local: [{ groups: '{0}', domain: { id: 'default' } }], remote: [{ type: 'groups' }] },
  {
    local: [{ projects: [{ name: '{0}', roles: [{ name: 'member' }] }] }],
    remote: [{ type: 'project' }],
  },
];
const MINUTE = 60;

onEachDatabase('What providers give', (api) => {
  const db = usesDatabaseOf(api);
  const ids = { one: uniqueName('one'), two: uniqueName('two') };
  let provider: PlainProvider;
  let one: ProviderTokens;
  let two: ProviderTokens;
  before(async () => {
    provider = await providerFor(ids.one);
    for (const id of Object.values(ids))
      await connectProvider(api, provider, { id, rules: RULES, settings: { accepts_tokens: true } });
    [one, two] = [new ProviderTokens(api, provider, ids.one), new ProviderTokens(api, provider, ids.two)];
  });
  after(() => provider.stop());

  /** Somebody whom both providers know, with a group that they may give, and a project. */
  async function scene() {
    const { user, password } = await makeUser(api);
    const [group, project] = [
      await api.make('group', { name: uniqueName('group') }),
      await api.make('project', { name: uniqueName('project') }),
    ];
    const member = await api.roleId('member');
    assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${member}`), 204);
    await db().write(async (tx) => {
      for (const id of Object.values(ids))
        await tx
          .insertInto('provider_links')
          .values(linkOf(user.id, id, provider.issuer))
          .execute();
    });
    const membership = `/v3/groups/${group.id}/users/${user.id}`;
    return {
      user,
      password,
      group,
      project,
      membership,
      /** A sign-in at which the provider gives the group for some minutes, or for good. */
      async give(by: ProviderTokens, minutes: number | null = null, groups = [group.name]): Promise<string> {
        assertOk(await api.patch(by.path, { identity_provider: { authorization_ttl: minutes } }));
        return by.enter(user.id, { groups });
      },
      takeBack: (by: ProviderTokens): Promise<string> => by.enter(user.id, { groups: [] }),
      add: async () => assertOk(await api.put(membership), 204),
      isMember: async (): Promise<boolean> => (await api.head(membership)).status === 204,
      /** Minutes that are left of it; null for no end, undefined for no member. */
      async left(): Promise<number | null | undefined> {
        const { groups } = assertOk(await api.get(`/v3/users/${user.id}/groups`));
        const found = groups.find(({ id }: { id: string }) => id === group.id);
        if (!found?.membership_expires_at) return found?.membership_expires_at;
        return Math.ceil((Date.parse(found.membership_expires_at) - api.clock.now()) / 60_000);
      },
    };
  }

  describe('for a time', () => {
    it('counts nowhere from that moment on, also before it is removed', async () => {
      const { user, group, project, membership, give, left } = await scene();
      const application = await makeApplication(api);
      const role = await makeRole(api, application);
      const permission = await makePermission(api, application);
      await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`);
      await give(one, 5);
      await assign(api, { user, organization: project, application, role });
      const permissions = async () => {
        const path = `/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`;
        const { organizations } = assertOk(await api.get(path));
        return organizations.flatMap((of: { permissions: { id: string }[] }) => of.permissions.map(({ id }) => id));
      };
      const everywhere = async () => ({
        left: await left(),
        check: (await api.get(membership)).status,
        users: assertOk(await api.get(`/v3/groups/${group.id}/users`)).users.length,
        projects: assertOk(await api.get(`/v3/users/${user.id}/projects`)).projects.length,
        assignments: assertOk(await api.get(`/v3/role_assignments?effective&user.id=${user.id}&scope.project.id=${project.id}`))
          .role_assignments.length,
        ofProject: assertOk(await api.get(`/v3/role_assignments?effective&scope.project.id=${project.id}`)).role_assignments
          .length,
        permissions: await permissions(),
      });
      const before = { left: 5, check: 204, users: 1, projects: 1, assignments: 2, ofProject: 2, permissions: [permission.id] };
      assert.deepEqual(await everywhere(), before);
      api.clock.advance(5 * MINUTE);
      const after = { left: undefined, check: 404, users: 0, projects: 0, assignments: 0, ofProject: 0, permissions: [] };
      assert.deepEqual(await everywhere(), after);
    });

    it('is not in what access tokens of applications say any more', async () => {
      const { user, password, project, give } = await scene();
      const client = await KeyrockClient.make(api);
      const role = await makeRole(api, client.application);
      await give(one, 5);
      await assign(api, { user, organization: project, application: client.application, role });
      const tokens = await client.tokens({ token: await api.logIn({ id: user.id, password }) });
      const organizations = async () => assertOk(await informationOf(api, tokens.access_token)).organizations.length;
      assert.equal(await organizations(), 1);
      api.clock.advance(5 * MINUTE);
      assert.equal(await organizations(), 0);
    });

    it('is longer with each sign-in', async () => {
      const { give, left } = await scene();
      await give(one, 5);
      api.clock.advance(3 * MINUTE);
      await give(one, 5);
      assert.equal(await left(), 5);
      api.clock.advance(5 * MINUTE);
      await give(one, 7);
      assert.equal(await left(), 7);
    });
  });

  describe('that an administrator gives, too,', () => {
    it('has no end, and is not taken back', async () => {
      const { give, takeBack, add, left, isMember } = await scene();
      await give(one, 5);
      await add();
      assert.equal(await left(), null);
      await give(one, 5);
      assert.equal(await left(), null);
      await takeBack(one);
      assert.ok(await isMember());
    });

    it('before the provider did', async () => {
      const { give, takeBack, add, left, isMember } = await scene();
      await add();
      await give(one, 5);
      assert.equal(await left(), null);
      await takeBack(one);
      assert.ok(await isMember());
    });

    it('also if a former version stored it, which did not say who gave it', async () => {
      const { user, group, give, takeBack, left, isMember } = await scene();
      await db().write((tx) =>
        tx.insertInto('group_members').values({ group_id: group.id, user_id: user.id, display: null, kept: 0 }).execute(),
      );
      await give(one, 5);
      assert.equal(await left(), null);
      await takeBack(one);
      assert.ok(await isMember());
    });

    it('is gone when the administrator takes it, until the next sign-in', async () => {
      const { give, add, membership, left } = await scene();
      await give(one, 5);
      await add();
      assertOk(await api.delete(membership), 204);
      assert.equal(await left(), undefined);
      await give(one, 5);
      assert.equal(await left(), 5);
    });
  });

  describe('that a provisioning client gives, too,', () => {
    let scim: ScimClient;
    before(async () => {
      scim = (await connect(api, 'default')).scim;
    });
    const add = async (group: { id: string }, user: { id: string }) => {
      const operation = { op: 'add', path: 'members', value: [{ value: user.id }] };
      return scim.patch(`/Groups/${group.id}`, patchOf(operation));
    };

    it('has no end, and is not taken back', async () => {
      const { user, group, give, takeBack, left, isMember } = await scene();
      await give(one, 5);
      assertOk(await add(group, user), 204);
      assert.equal(await left(), null);
      await takeBack(one);
      assert.ok(await isMember());
    });

    it('also one that had no end; the group stays as it was', async () => {
      const { user, group, give, takeBack, isMember } = await scene();
      await give(one);
      const versionOf = async () => (await scim.show(`/Groups/${group.id}`)).meta.version;
      const version = await versionOf();
      assertOk(await add(group, user), 204);
      assert.equal(await versionOf(), version);
      await takeBack(one);
      assert.ok(await isMember());
    });

    it('by the whole list of members', async () => {
      const { user, group, give, takeBack, isMember } = await scene();
      await give(two);
      const body = { schemas: [GROUP], displayName: group.name, members: [{ value: user.id }] };
      assertOk(await scim.put(`/Groups/${group.id}`, body));
      await takeBack(two);
      assert.ok(await isMember());
    });

    it('is checked as a new member: these clients make nobody a manager', async () => {
      const { user, group, give, left } = await scene();
      await give(one, 5);
      const grant = `/v3/domains/default/groups/${group.id}/roles/${await api.roleId('manager')}`;
      assertOk(await api.put(grant), 204);
      assertScimRefused(await add(group, user), 403);
      assert.equal(await left(), 5);
      assertOk(await api.delete(grant), 204);
      assertOk(await add(group, user), 204);
      assert.equal(await left(), null);
    });
  });

  describe('by two of them', () => {
    it('ends with the later', async () => {
      for (const [first, second] of [
        [5, 9],
        [9, 5],
      ] as const) {
        const { give, left } = await scene();
        await give(one, first);
        await give(two, second);
        assert.equal(await left(), 9);
        await give(one, 2);
        assert.equal(await left(), second === 9 ? 9 : 5);
      }
      const { give, left } = await scene();
      await give(one, 5);
      await give(two);
      assert.equal(await left(), null);
      await give(one, 5);
      assert.equal(await left(), null);
    });

    it('stays, with the end that the other gave it, when one takes it back', async () => {
      const { give, takeBack, left, isMember } = await scene();
      await give(one, 5);
      await give(two);
      await takeBack(two);
      assert.equal(await left(), 5);
      await give(two, 9);
      await takeBack(one);
      assert.equal(await left(), 9);
      await takeBack(two);
      assert.equal(await isMember(), false);
    });

    it('ends when what the other gave has ended', async () => {
      const { give, takeBack, isMember } = await scene();
      await give(one, 5);
      await give(two, 9);
      api.clock.advance(6 * MINUTE);
      assert.ok(await isMember());
      await takeBack(two);
      assert.equal(await isMember(), false);
    });

    it('stays when one of them is deleted, and its roles, too', async () => {
      const { user, group, project, left, isMember } = await scene();
      const third = uniqueName('three');
      await connectProvider(api, provider, { id: third, rules: RULES, settings: { accepts_tokens: true } });
      await db().write((tx) =>
        tx
          .insertInto('provider_links')
          .values(linkOf(user.id, third, provider.issuer))
          .execute(),
      );
      const three = new ProviderTokens(api, provider, third);
      const grant = `/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`;
      const both = { groups: [group.name], project: project.name };
      assertOk(await api.patch(one.path, { identity_provider: { authorization_ttl: 5 } }));
      for (const by of [three, one]) await by.enter(user.id, both);
      assert.equal(await left(), null);
      assert.equal((await api.head(grant)).status, 204);
      assertOk(await api.delete(three.path), 204);
      assert.ok(await isMember());
      assert.equal(await left(), 5);
      assert.equal((await api.head(grant)).status, 204);
      await one.enter(user.id, { groups: [] });
      assert.deepEqual([await isMember(), (await api.head(grant)).status], [false, 404]);
    });

    it('is not theirs any more after an administrator took it', async () => {
      const { membership, give, takeBack, isMember, left } = await scene();
      await give(one);
      await give(two, 5);
      assertOk(await api.delete(membership), 204);
      await give(two, 5);
      assert.equal(await left(), 5);
      await takeBack(two);
      assert.equal(await isMember(), false);
    });
  });

  it('as a role, stays when an administrator grants it, too', async () => {
    const { user, project } = await scene();
    const grant = `/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`;
    await one.enter(user.id, { project: project.name });
    assert.equal((await api.head(grant)).status, 204);
    await one.enter(user.id);
    assert.equal((await api.head(grant)).status, 404);
    await one.enter(user.id, { project: project.name });
    assertOk(await api.put(grant), 204);
    await one.enter(user.id);
    assert.equal((await api.head(grant)).status, 204);
  });
});
