import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';

const PASSWORD = 'a password of a test';

/** Every kind of grant: target, actor, and whether it is inherited. */
const PLACES = (['project', 'domain', 'system'] as const).flatMap((target) =>
  (['user', 'group'] as const).flatMap((actor) =>
    [false, true].filter((inherited) => !(inherited && target === 'system')).map((inherited) => ({ target, actor, inherited })),
  ),
);

onEachDatabase('Grants', (api) => {
  let domain: any;
  let project: any;
  let group: any;
  let user: any;
  let role: any;
  let outsiders: string[];
  before(async () => {
    domain = await api.make('domain', { name: uniqueName('domain') });
    project = await api.make('project', { name: uniqueName('project'), domain_id: domain.id });
    group = await api.make('group', { name: uniqueName('group'), domain_id: domain.id });
    user = await api.make('user', { name: uniqueName('user'), password: PASSWORD, domain_id: domain.id });
    role = await api.make('role', { name: uniqueName('role') });
    outsiders = [(await api.persona(['reader'], { domain: 'default' })).token];
  });

  interface Ids {
    project?: string;
    domain?: string;
    user?: string;
    group?: string;
    role?: string;
  }

  function pathOf(place: (typeof PLACES)[number], ids: Ids = {}): { list: string; one: string } {
    const { target, actor, inherited } = place;
    const id = { project: project.id, domain: domain.id, user: user.id, group: group.id, role: role.id, ...ids };
    const where = target === 'system' ? 'system' : `${target}s/${id[target]}`;
    const base = `/v3/${inherited ? 'OS-INHERIT/' : ''}${where}/${actor}s/${id[actor]}/roles`;
    const suffix = inherited ? '/inherited_to_projects' : '';
    return { list: base + suffix, one: `${base}/${id.role}${suffix}` };
  }

  const roleNames = (answer: { body: any }): string[] => answer.body.roles.map((one: { name: string }) => one.name);

  async function rolesIn(token: string): Promise<string[] | undefined> {
    const answer = await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } });
    return answer.status === 404 ? undefined : assertOk(answer).token.roles.map((one: { name: string }) => one.name);
  }

  for (const place of PLACES) {
    const { target, actor, inherited } = place;
    const what = `a role of a ${actor} on ${target === 'system' ? 'the system' : `a ${target}`}${inherited ? ', for what is below it' : ''}`;

    describe(what, () => {
      it('is granted, shown, checked and revoked, and twice granted is once granted', async () => {
        const { list, one } = pathOf(place);
        assertOk(await api.put(one), 204);
        assertOk(await api.put(one), 204);
        assertOk(await api.head(one), 204);
        assertOk(await api.get(one), 204);
        const body = assertOk(await api.get(list));
        assert.deepEqual(body.roles, [role]);
        assert.deepEqual(body.links, { self: api.url + list, previous: null, next: null });
        assert.equal((await api.head(list)).status, 200);

        assertOk(await api.delete(one), 204);
        assert.equal((await api.head(one)).status, 404);
        assertRefused(await api.get(one), 404, new RegExp(`role assignment with role: ${role.id}`));
        assertRefused(await api.delete(one), 404, new RegExp(`role assignment with role: ${role.id}`));
        assert.deepEqual(assertOk(await api.get(list)).roles, []);
      });

      it('is not the same as any other grant of that role', async () => {
        assertOk(await api.put(pathOf(place).one), 204);
        const all = assertOk(await api.get(`/v3/role_assignments?role.id=${role.id}`)).role_assignments;
        assert.deepEqual(
          all.map(({ links }: any) => links.assignment),
          [api.url + pathOf(place).one],
        );
        assertOk(await api.delete(pathOf(place).one), 204);
      });

      it('needs parts that exist', async () => {
        const kinds = [actor, 'role', ...(target === 'system' ? [] : [target])] as const;
        for (const kind of kinds) {
          const missing = pathOf(place, { [kind]: 'nobody' });
          for (const method of ['PUT', 'GET', 'DELETE'])
            assertRefused(await api.request(method, missing.one), 404, new RegExp(`Could not find ${kind}: nobody`));
          assert.equal((await api.head(missing.one)).status, 404);
          if (kind !== 'role') assertRefused(await api.get(missing.list), 404, new RegExp(`Could not find ${kind}: nobody`));
        }
      });

      it('needs a token and the right to it', async () => {
        const { list, one } = pathOf(place);
        const missing = pathOf(place, { [actor]: 'nobody' });
        await assertGuarded(api, outsiders, [
          { method: 'GET', path: list, missing: missing.list },
          { method: 'HEAD', path: list, missing: missing.list },
          ...['GET', 'HEAD', 'PUT', 'DELETE'].map((method) => ({ method, path: one, missing: missing.one })),
        ]);
        assert.equal((await api.head(one)).status, 404, 'nothing was granted');
      });
    });
  }

  it('does not accept a project as a domain', async () => {
    const wrong = pathOf({ target: 'domain', actor: 'user', inherited: false }, { domain: project.id });
    assertRefused(await api.put(wrong.one), 404, new RegExp(`Could not find domain: ${project.id}`));
  });

  it('grants a role of a domain on domains and on projects of that domain, and never on the system', async () => {
    const local = await api.make('role', { name: uniqueName('local'), domain_id: domain.id });
    const elsewhere = await api.make('project', { name: uniqueName('project') });
    for (const place of PLACES) {
      const { one, list } = pathOf(place, { role: local.id });
      if (place.target === 'system') {
        assertRefused(await api.put(one), 400, /belongs to a domain/);
        assert.deepEqual(assertOk(await api.get(list)).roles, []);
        continue;
      }
      assertOk(await api.put(one), 204);
      const wrong = pathOf(place, { role: local.id, project: elsewhere.id, domain: 'default' });
      if (place.target === 'domain' && !place.inherited) {
        assertOk(await api.put(wrong.one), 204);
        assert.equal((await api.head(wrong.one)).status, 204);
        assertOk(await api.delete(wrong.one), 204);
        continue;
      }
      assertRefused(await api.put(wrong.one), 403, /can only be granted in that domain/);
      assert.equal((await api.head(wrong.one)).status, 404);
    }
  });

  describe('take effect at once in tokens that are there', () => {
    let holder: any;
    let token: string;
    let extra: any;
    before(async () => {
      ({ user: holder, token } = await api.persona(['reader'], { project: project.id }, { domain_id: domain.id }));
      extra = await api.make('role', { name: uniqueName('extra') });
    });

    const cases = {
      'a grant on the project': () => [`/v3/projects/${project.id}/users/${holder.id}/roles/${extra.id}`],
      'a grant to a group': () => [
        `/v3/groups/${group.id}/users/${holder.id}`,
        `/v3/projects/${project.id}/groups/${group.id}/roles/${extra.id}`,
      ],
      'a grant inherited from the domain': () => [
        `/v3/OS-INHERIT/domains/${domain.id}/users/${holder.id}/roles/${extra.id}/inherited_to_projects`,
      ],
      'a grant to a group, inherited from the domain': () => [
        `/v3/groups/${group.id}/users/${holder.id}`,
        `/v3/OS-INHERIT/domains/${domain.id}/groups/${group.id}/roles/${extra.id}/inherited_to_projects`,
      ],
    };
    for (const [what, paths] of Object.entries(cases)) {
      it(what, async () => {
        assert.deepEqual(await rolesIn(token), ['reader']);
        for (const path of paths()) assertOk(await api.put(path), 204);
        assert.deepEqual(await rolesIn(token), [extra.name, 'reader']);
        for (const path of paths()) {
          assertOk(await api.delete(path), 204);
          assert.deepEqual(await rolesIn(token), ['reader']);
        }
      });
    }

    it('a member that leaves a group', async () => {
      const [membership, grant] = cases['a grant to a group']();
      assertOk(await api.put(grant!), 204);
      assertOk(await api.put(membership!), 204);
      assert.deepEqual(await rolesIn(token), [extra.name, 'reader']);
      assertOk(await api.delete(membership!), 204);
      assert.deepEqual(await rolesIn(token), ['reader']);
      assertOk(await api.delete(grant!), 204);
    });

    it('a group that is deleted', async () => {
      const doomed = await api.make('group', { name: uniqueName('doomed') });
      assertOk(await api.put(`/v3/projects/${project.id}/groups/${doomed.id}/roles/${extra.id}`), 204);
      assertOk(await api.put(`/v3/groups/${doomed.id}/users/${holder.id}`), 204);
      assert.deepEqual(await rolesIn(token), [extra.name, 'reader']);
      assertOk(await api.delete(`/v3/groups/${doomed.id}`), 204);
      assert.deepEqual(await rolesIn(token), ['reader']);
    });

    it('the last role of a scope, without which the token is worth nothing', async () => {
      for (const scope of [{ project: project.id }, { domain: domain.id }, 'system'] as const) {
        const persona = await api.persona(['reader'], scope, { domain_id: domain.id });
        const where =
          scope === 'system' ? 'system' : 'project' in scope ? `projects/${scope.project}` : `domains/${scope.domain}`;
        const path = `/v3/${where}/users/${persona.user.id}/roles/${await api.roleId('reader')}`;
        assertOk(await api.get('/v3/regions', { token: persona.token }));
        assertOk(await api.delete(path), 204);
        assertRefused(await api.get('/v3/regions', { token: persona.token }), 401);
        assert.equal(await rolesIn(persona.token), undefined);
        assertOk(await api.put(path), 204);
        assertOk(await api.get('/v3/regions', { token: persona.token }));
      }
    });
  });

  it('applies an inherited role to every level below the target, and not to the target itself', async () => {
    const child = await api.make('project', { name: uniqueName('child'), parent_id: project.id });
    const grandchild = await api.make('project', { name: uniqueName('grandchild'), parent_id: child.id });
    const heir = await api.make('user', { name: uniqueName('heir'), password: PASSWORD });
    const statuses = async () => {
      const scopes = [
        { domain: { id: domain.id } },
        ...[project, child, grandchild].map(({ id }) => ({ project: { id } })),
        { system: { all: true } },
      ];
      return Promise.all(
        scopes.map(async (scope) => (await api.authenticate({ id: heir.id, password: PASSWORD }, scope)).status),
      );
    };
    const ofChild = `/v3/OS-INHERIT/projects/${child.id}/users/${heir.id}/roles/${role.id}/inherited_to_projects`;
    const ofDomain = `/v3/OS-INHERIT/domains/${domain.id}/users/${heir.id}/roles/${role.id}/inherited_to_projects`;
    assert.deepEqual(await statuses(), [401, 401, 401, 401, 401]);
    assertOk(await api.put(ofChild), 204);
    assert.deepEqual(await statuses(), [401, 401, 401, 201, 401]);
    assertOk(await api.put(ofDomain), 204);
    assert.deepEqual(await statuses(), [401, 201, 201, 201, 401]);
    assertOk(await api.delete(ofDomain), 204);
    assertOk(await api.delete(ofChild), 204);
    assert.deepEqual(await statuses(), [401, 401, 401, 401, 401]);
  });

  it('are deleted with their user, group, target or role', async () => {
    const rows = {
      user: await api.make('user', { name: uniqueName('doomed') }),
      group: await api.make('group', { name: uniqueName('doomed') }),
      project: await api.make('project', { name: uniqueName('doomed'), domain_id: domain.id }),
    };
    const count = async () => assertOk(await api.get(`/v3/role_assignments?role.id=${doomed.id}`)).role_assignments.length;
    const doomed = await api.make('role', { name: uniqueName('doomed') });
    for (const actor of ['user', 'group'] as const) {
      for (const target of ['project', 'domain', 'system'] as const) {
        const ids = { role: doomed.id, [actor]: rows[actor].id, project: rows.project.id };
        assertOk(await api.put(pathOf({ target, actor, inherited: false }, ids).one), 204);
      }
    }
    assert.equal(await count(), 6);
    assertOk(await api.delete(`/v3/projects/${rows.project.id}`), 204);
    assert.equal(await count(), 4);
    assertOk(await api.delete(`/v3/users/${rows.user.id}`), 204);
    assert.equal(await count(), 2);
    assertOk(await api.delete(`/v3/groups/${rows.group.id}`), 204);
    assert.equal(await count(), 0);
  });

  it('lists several roles by name', async () => {
    const holder = await api.make('user', { name: uniqueName('user') });
    const list = `/v3/projects/${project.id}/users/${holder.id}/roles`;
    for (const name of ['reader', 'admin', 'member']) assertOk(await api.put(`${list}/${await api.roleId(name)}`), 204);
    assert.deepEqual(roleNames(await api.get(list)), ['admin', 'member', 'reader']);
  });
});
