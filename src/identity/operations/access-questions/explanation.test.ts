// Why a user may do something: the way to yes, and what is missing for no.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import fc from 'fast-check';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import {
  assign,
  makeApplication,
  makeOrganization,
  makePermission,
  makePerson,
  makeRole,
} from '../../../../test/support/applications.ts';

const PASSWORD = 'a password of a test';

const explain = async (api: TestApi, user: { id: string }, query: string, token?: string) =>
  assertOk(await api.get(`/v3/users/${user.id}/OS-ACCESS/explanation?${query}`, token === undefined ? {} : { token }))
    .explanation;

const explainIn = async (api: TestApi, user: { id: string }, application: { id: string }, query = '', token?: string) =>
  assertOk(
    await api.get(
      `/v3/OS-ROLES/users/${user.id}/applications/${application.id}/explanation?${query}`,
      token === undefined ? {} : { token },
    ),
  ).explanation;

/** A domain with a project below another, two groups, a role that implies another, and a user without any role. */
async function makeTree(api: TestApi) {
  const domain = await api.make('domain', { name: uniqueName('domain') });
  const within = { domain_id: domain.id };
  const top = await api.make('project', { name: uniqueName('top'), ...within });
  const below = await api.make('project', { name: uniqueName('below'), parent_id: top.id, ...within });
  const [staff, guests] = [
    await api.make('group', { name: uniqueName('staff'), ...within }),
    await api.make('group', { name: uniqueName('guests'), ...within }),
  ];
  const [chief, editor, viewer] = [
    await api.make('role', { name: uniqueName('chief') }),
    await api.make('role', { name: uniqueName('editor') }),
    await api.make('role', { name: uniqueName('viewer') }),
  ];
  const local = await api.make('role', { name: uniqueName('local'), ...within });
  assertOk(await api.put(`/v3/roles/${chief.id}/implies/${editor.id}`), 201);
  assertOk(await api.put(`/v3/roles/${editor.id}/implies/${viewer.id}`), 201);
  assertOk(await api.put(`/v3/roles/${local.id}/implies/${viewer.id}`), 201);
  const user = await api.make('user', { name: uniqueName('ann'), password: PASSWORD, ...within });
  return { domain, top, below, staff, guests, chief, editor, viewer, local, user };
}

onEachDatabase('An explanation', (api) => {
  it('shows group, inherited grant and implied roles, by name', async () => {
    const { domain, below, staff, chief, editor, viewer, user } = await makeTree(api);
    assertOk(await api.put(`/v3/groups/${staff.id}/users/${user.id}`), 204);
    const grant = `/v3/OS-INHERIT/domains/${domain.id}/groups/${staff.id}/roles/${chief.id}/inherited_to_projects`;
    assertOk(await api.put(grant), 204);
    const answer = await explain(api, user, `project_id=${below.id}&role_id=${viewer.id}`);
    const [named, granted] = [({ id, name }: { id: string; name: string }) => ({ id, name }), { kind: 'grant', inherited: true }];
    assert.deepEqual(answer.paths, [
      {
        role: named(viewer),
        steps: [
          { kind: 'group', group: named(staff) },
          { ...granted, role: named(chief), scope: { domain: named(domain) } },
          { kind: 'implied', role: named(editor), by: named(chief) },
          { kind: 'implied', role: named(viewer), by: named(editor) },
        ],
      },
    ]);
    assert.deepEqual([answer.allowed, answer.missing, answer.sign_in_needs], [true, [], []]);
    assert.deepEqual(answer.user.domain, named(domain));
    // In the domain itself, the grant has no effect.
    const there = await explain(api, user, `domain_id=${domain.id}&role_id=${viewer.id}`);
    assert.equal(there.allowed, false);
    assert.deepEqual(there.missing, [
      { kind: 'no_role' },
      { kind: 'role_not_held', role: named(viewer) },
      { kind: 'held_elsewhere', role: named(chief), scope: { domain: named(domain) }, inherited: true },
    ]);
  });

  it('says everything that is missing: account, project and domain disabled, the role only elsewhere', async () => {
    const { domain, top, below, editor, viewer, local, user } = await makeTree(api);
    assertOk(await api.put(`/v3/projects/${top.id}/users/${user.id}/roles/${editor.id}`), 204);
    const kinds = async (query: string): Promise<string[]> =>
      (await explain(api, user, query)).missing.map(({ kind }: { kind: string }) => kind);
    assert.deepEqual(await kinds(`project_id=${below.id}`), ['no_role', 'held_elsewhere']);
    assert.deepEqual(await kinds('system=all'), ['no_role', 'held_elsewhere']);
    assert.deepEqual(await kinds(`project_id=${top.id}&role_id=${local.id}`), ['domain_role']);
    assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }));
    assertOk(await api.patch(`/v3/projects/${below.id}`, { project: { enabled: false } }));
    assertOk(await api.patch(`/v3/projects/${top.id}`, { project: { enabled: false } }));
    assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
    const answer = await explain(api, user, `project_id=${top.id}&role_id=${viewer.id}`);
    assert.deepEqual(
      answer.missing.map(({ kind }: { kind: string }) => kind),
      ['user_disabled', 'domain_of_user_disabled', 'scope_disabled', 'domain_of_scope_disabled'],
    );
    assert.deepEqual([answer.allowed, answer.paths.length], [false, 1]);
  });

  it('refuses questions without one place, and things that do not exist', async () => {
    const { top, user } = await makeTree(api);
    const path = `/v3/users/${user.id}/OS-ACCESS/explanation`;
    assertRefused(await api.get(path), 400);
    assertRefused(await api.get(`${path}?project_id=${top.id}&system=all`), 400);
    assertRefused(await api.get(`${path}?project_id=nothing`), 404);
    assertRefused(await api.get(`${path}?domain_id=${top.id}`), 404);
    assertRefused(await api.get(`${path}?project_id=${top.id}&role_id=nothing`), 404);
    assertRefused(await api.get('/v3/users/nothing/OS-ACCESS/explanation?system=all'), 404);
  });

  it('of an application shows organization, role and permission, or which roles have the permission', async () => {
    const person = await makePerson(api);
    const organization = await makeOrganization(api, person);
    const application = await makeApplication(api);
    const [role, other] = [await makeRole(api, application), await makeRole(api, application)];
    const permission = await makePermission(api, application, { action: 'GET', resource: '/reports' });
    assertOk(await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`));
    const request = 'action=GET&resource=/reports';
    const named = ({ id, name }: { id: string; name: string }) => ({ id, name });

    const nothing = await explainIn(api, person.user, application, request);
    assert.deepEqual(
      [nothing.allowed, nothing.missing],
      [false, [{ kind: 'no_role' }, { kind: 'roles_with_permission', roles: [named(role)] }]],
    );
    await assign(api, { user: person.user, application, role: other });
    const lacks = await explainIn(api, person.user, application, request);
    assert.deepEqual(lacks.missing[0], { kind: 'permission_not_in_roles', roles: [named(other)] });

    await assign(api, { user: person.user, organization, application, role });
    const yes = await explainIn(api, person.user, application, request);
    assert.equal(yes.allowed, true);
    assert.deepEqual(yes.paths, [
      {
        role: named(role),
        steps: [
          { kind: 'organization', organization: named(organization), default: false },
          { kind: 'assignment', role: named(role), organization: named(organization) },
          { kind: 'permission', role: named(role), permission: { ...named(permission), action: 'GET', resource: '/reports' } },
        ],
      },
    ]);
    assert.equal(
      (await explainIn(api, person.user, application, `${request}&organization_id=${person.organization.id}`)).allowed,
      false,
    );

    const member = `/v3/projects/${organization.id}/users/${person.user.id}/roles/${await api.roleId('member')}`;
    assertOk(await api.delete(member), 204);
    // The role is there, so the answer is not to give it once more.
    for (const left of [`role_id=${role.id}`, `organization_id=${organization.id}`])
      assert.deepEqual((await explainIn(api, person.user, application, left)).missing, [
        { kind: 'not_a_member', role: named(role), organization: named(organization) },
      ]);
    const path = `/v3/OS-ROLES/users/${person.user.id}/applications/${application.id}/explanation`;
    assertRefused(await api.get(`${path}?action=GET`), 400);
    assertRefused(await api.get(`${path}?permission_id=x&action=GET&resource=x`), 400);
    assertRefused(await api.get(`${path}?permission_id=nothing`), 404);
    const foreign = await makeRole(api, await makeApplication(api));
    assertRefused(await api.get(`${path}?role_id=${foreign.id}`), 404);
  });

  it('says what a token and a proxy would be told, whatever is granted', async () => {
    const tree = await makeTree(api);
    const { domain, top, below, staff, guests, chief, editor, viewer, local, user } = tree;
    const application = await makeApplication(api);
    const [role, permission] = [await makeRole(api, application), await makePermission(api, application)];
    await api.put(`/v3/OS-ROLES/roles/${role.id}/permissions/${permission.id}`);
    const places = [`domains/${domain.id}`, `projects/${top.id}`, `projects/${below.id}`];
    const actors = [`users/${user.id}`, `groups/${staff.id}`, `groups/${guests.id}`];
    const roles = [chief, editor, viewer, local].map(({ id }) => `roles/${id}`);
    const grants = actors.flatMap((actor) =>
      roles.flatMap((held) => [
        ...places.map((place) => `/v3/${place}/${actor}/${held}`),
        ...places.slice(0, 2).map((place) => `/v3/OS-INHERIT/${place}/${actor}/${held}/inherited_to_projects`),
        ...(held === roles[3] ? [] : [`/v3/system/${actor}/${held}`]),
      ]),
    );
    const switches = [
      ...grants,
      ...[staff, guests].map(({ id }) => `/v3/groups/${id}/users/${user.id}`),
      ...[top, below].map(
        ({ id }) => `/v3/OS-ROLES/users/${user.id}/organizations/${id}/applications/${application.id}/roles/${role.id}`,
      ),
    ];
    const on = new Set<string>();
    const flip = async (path: string): Promise<void> => {
      const isOn = on.delete(path);
      if (!isOn) on.add(path);
      const { status, text } = await (isOn ? api.delete(path) : api.put(path));
      assert.ok(status < 300, `${path}: ${text}`);
    };
    const scopes = [
      [`domain_id=${domain.id}`, { domain: { id: domain.id } }],
      [`project_id=${top.id}`, { project: { id: top.id } }],
      [`project_id=${below.id}`, { project: { id: below.id } }],
      ['system=all', { system: { all: true } }],
    ] as const;
    const idsOf = (named: readonly { id: string }[]): string[] => [...new Set(named.map(({ id }) => id))].sort();

    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom(...switches), { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        async (flips, enabled) => {
          for (const path of flips) await flip(path);
          assertOk(await api.patch(`/v3/projects/${below.id}`, { project: { enabled } }));
          for (const [query, scope] of scopes) {
            const login = await api.authenticate({ id: user.id, password: PASSWORD }, scope);
            const answer = await explain(api, user, query);
            assert.equal(answer.allowed, login.status === 201, `${query} ${JSON.stringify(answer)}`);
            if (answer.allowed)
              assert.deepEqual(
                idsOf(answer.paths.map((path: { role: { id: string } }) => path.role)),
                idsOf(login.body.token.roles),
              );
            else assert.ok(answer.missing.length > 0);
          }
          const told = assertOk(await api.get(`/v3/OS-ROLES/users/${user.id}/applications/${application.id}/permissions`));
          const has = [told, ...told.organizations].some(({ permissions }) => permissions.length > 0);
          const answer = await explainIn(api, user, application, `permission_id=${permission.id}`);
          assert.equal(answer.allowed, has, JSON.stringify(answer));
          const [, ...organizations] = [told, ...told.organizations];
          assert.deepEqual(
            answer.paths.map(({ steps }: { steps: { organization: { id: string } }[] }) => steps[0]!.organization.id).sort(),
            organizations
              .filter(({ permissions }) => permissions.length > 0)
              .map(({ id }) => id)
              .sort(),
          );
        },
      ),
      { numRuns: api.kind === 'SQLite' ? 40 : 10, endOnFailure: true },
    );
  });
});
