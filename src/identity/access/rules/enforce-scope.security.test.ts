// Attacks of administrators of one domain or one project, with the scope enforced: none of them reaches another domain, or the system.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, type RequestOptions, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { askRoute, idsFor, makeWorld, told, type World } from '../../../../test/support/every-route.ts';
import { aShareOf } from '../../../../test/support/extent.ts';
import { identityRoutes, isChange, nameOfRoute } from '../../../../test/support/routes.ts';

const settings = { GATEHOUSE_IDENTITY_ENFORCE_SCOPE: 'on' };
const UNKNOWN = 'f'.repeat(31);
const PASSWORD = 'a password of a test';

/** What everybody reads. */
const OPEN = [
  'GET /v3/regions/:region_id',
  'GET /v3/registered_limits/:registered_limit_id',
  'GET /v3/domains/:domain_id/config/security_compliance',
  'GET /v3/domains/:domain_id/config/security_compliance/:option',
  'GET /scim/v2/ResourceTypes/:id',
  'GET /scim/v2/Schemas/:id',
  'GET /v3/access-tokens/:token',
];
/** As Keystone: these are looked for before the rule is asked. All of these ids are random. */
const TELLS_MISSING = [
  'PATCH /v3/domains/:domain_id',
  'DELETE /v3/groups/:group_id',
  'GET /v3/groups/:group_id/OS-IMPACT/deletion',
  'DELETE /scim/v2/Groups/:id',
  'GET /v3/roles/:role_id',
  'PATCH /v3/roles/:role_id',
  'DELETE /v3/roles/:role_id',
  'GET /v3/roles/:role_id/OS-IMPACT/deletion',
  'GET /v3/endpoints/:endpoint_id',
  'PATCH /v3/endpoints/:endpoint_id',
  'DELETE /v3/endpoints/:endpoint_id',
  'GET /v3/users/:user_id/credentials/OS-EC2/:credential_id',
  'DELETE /v3/users/:user_id/credentials/OS-EC2/:credential_id',
  'GET /v3/OS-TRUST/trusts/:trust_id',
  'DELETE /v3/OS-TRUST/trusts/:trust_id',
  'GET /v3/OS-TRUST/trusts/:trust_id/roles',
  'GET /v3/OS-TRUST/trusts/:trust_id/roles/:role_id',
];
/** Lists of what is open to everybody, and of what the service has for all domains: no list of it shows anything of a domain. */
const OPEN_LISTS = ['GET /v3/auth/catalog', 'GET /v3/regions', 'GET /v3/registered_limits'];

onDatabase('SQLite', 'Every route, for administrators of another domain', { settings }, (api) => {
  let world: World;
  const tokens: Record<string, string> = {};
  before(async () => {
    world = await makeWorld(api);
    const elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
    const within = { domain_id: elsewhere.id };
    const project = await api.make('project', { name: uniqueName('project'), ...within });
    tokens['of the domain'] = (await api.persona(['admin', 'manager'], { domain: elsewhere.id }, within)).token;
    tokens['of a project'] = (await api.persona(['admin', 'manager'], { project: project.id }, within)).token;
    // Of the same domain, but only on a project beside that of the others.
    const beside = await api.make('project', { name: uniqueName('beside'), domain_id: world.domain.id });
    tokens['of a project of this domain'] = (
      await api.persona(['admin'], { project: beside.id }, { domain_id: world.domain.id })
    ).token;
  });

  const routes = identityRoutes();
  const isOpen = (name: string): boolean => OPEN.includes(name);

  for (const [turn, who] of ['of the domain', 'of a project', 'of a project of this domain'].entries()) {
    it(`is closed to the administrator ${who}`, async () => {
      const headers = { 'X-Auth-Token': tokens[who]! };
      const passed: string[] = [];
      const seen: string[] = [];
      for (const route of aShareOf(routes, 3, turn).filter(({ path, spec }) => path.includes(':') && spec.rule !== 'anyone')) {
        const name = nameOfRoute(route);
        if (isOpen(name)) continue;
        const ids = idsFor(route.path, world);
        const answer = await askRoute(api, route, ids, headers);
        // A project belongs to its domain, which its users may see. Managers may read the roles they may grant.
        const own =
          (who === 'of a project of this domain' && name === 'GET /v3/domains/:domain_id') ||
          (who !== 'of a project of this domain' && name === 'GET /v3/roles/:role_id');
        if (own) continue;
        if (![401, 403, 404].includes(answer.status)) passed.push(`${name}: ${answer.status} ${answer.text}`);
        if (TELLS_MISSING.includes(name)) continue;
        for (const [, part] of route.path.matchAll(/:(\w+)/g)) {
          if (part === 'domain_id' && who === 'of a project of this domain') continue;
          const unknown = { ...ids, [part!]: `${UNKNOWN}0` };
          const missing = told(await askRoute(api, route, unknown, headers), unknown);
          if (missing !== told(answer, ids)) seen.push(`${name} without ${part}:\n    ${missing}\n    ${told(answer, ids)}`);
        }
      }
      assert.deepEqual(passed, [], passed.join('\n'));
      assert.deepEqual(seen, [], seen.join('\n'));
    });

    it(`shows nothing of it in the lists of the administrator ${who}`, async () => {
      const { domain, project, user, group, application, credential, trust, invitation, connection, idp } = world;
      // The last one knows the domain.
      const ids = [project, user, group, application, credential, trust, invitation, connection].map(({ id }) => id).concat(idp);
      if (who !== 'of a project of this domain') ids.push(domain.id);
      const lists = routes.filter((route) => !isChange(route) && !route.path.includes(':') && route.spec.rule !== 'anyone');
      assert.ok(lists.length > 30, `${lists.length} lists`);
      for (const route of lists.filter((one) => !OPEN_LISTS.includes(nameOfRoute(one)))) {
        for (const query of [
          '',
          `?domain_id=${domain.id}`,
          `?user_id=${user.id}`,
          `?user.id=${user.id}&include_names&effective`,
        ]) {
          const { status, text } = await api.get(`${route.path}${query}`, { token: tokens[who]! });
          assert.ok(status < 500, text);
          // The answer repeats the question in its link.
          const shown = text
            .replaceAll(`domain_id=${domain.id}`, '')
            .replaceAll(`user_id=${user.id}`, '')
            .replaceAll(`user.id=${user.id}`, '');
          for (const id of ids) if (status < 300) assert.ok(!shown.includes(id), `${route.path}${query} shows ${id}: ${text}`);
        }
      }
    });
  }
});

/** Two domains, and the administrator of the first. */
async function makeDomains(api: TestApi) {
  const own = await api.make('domain', { name: uniqueName('own') });
  const other = await api.make('domain', { name: uniqueName('other') });
  const within = { domain_id: own.id };
  const abroad = { domain_id: other.id };
  const admin = await api.persona(['admin'], { domain: own.id }, within);
  return {
    own,
    other,
    admin: admin.user,
    as: { token: admin.token } as const,
    project: await api.make('project', { name: uniqueName('project'), ...within }),
    user: await api.make('user', { name: uniqueName('user'), password: PASSWORD, ...within }),
    group: await api.make('group', { name: uniqueName('group'), ...within }),
    foreignProject: await api.make('project', { name: uniqueName('project'), ...abroad }),
    foreigner: await api.make('user', { name: uniqueName('foreigner'), password: PASSWORD, ...abroad }),
    foreignGroup: await api.make('group', { name: uniqueName('group'), ...abroad }),
  };
}

onUsualDatabase(
  'The administrator of a domain',
  (api) => {
    let world: Awaited<ReturnType<typeof makeDomains>>;
    let as: RequestOptions;
    const role: Record<string, string> = {};
    before(async () => {
      world = await makeDomains(api);
      as = world.as;
      for (const name of ['admin', 'manager', 'member', 'reader', 'service']) role[name] = await api.roleId(name);
    });
    const grantedTo = async (userId: string): Promise<number> =>
      assertOk(await api.get(`/v3/role_assignments?user.id=${userId}`)).role_assignments.length;

    it('administers it', async () => {
      const { own, project, user, group } = world;
      const made = assertOk(await api.post('/v3/users', { user: { name: uniqueName('new') } }, as), 201).user;
      assert.equal(made.domain_id, own.id);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { password: PASSWORD } }, as));
      assertOk(await api.put(`/v3/groups/${group.id}/users/${user.id}`, undefined, as), 204);
      assertOk(await api.put(`/v3/domains/${own.id}/users/${made.id}/roles/${role.admin}`, undefined, as), 204);
      assertOk(await api.put(`/v3/projects/${project.id}/groups/${group.id}/roles/${role.member}`, undefined, as), 204);
      // Who is as much an administrator of the domain can be managed by the others.
      assertOk(await api.patch(`/v3/users/${made.id}`, { user: { password: PASSWORD } }, as));
      const second = { token: await api.logIn({ id: made.id, password: PASSWORD }, { domain: { id: own.id } }) };
      assertOk(await api.delete(`/v3/domains/${own.id}/users/${made.id}/roles/${role.admin}`, second), 204);
      assertOk(await api.delete(`/v3/users/${made.id}`, as), 204);
    });

    it('grants nothing on another domain, to its people, or on the system', async () => {
      const { own, other, admin, project, user, group, foreignProject, foreigner, foreignGroup } = world;
      const before = [await grantedTo(user.id), await grantedTo(foreigner.id), await grantedTo(admin.id)];
      for (const roleId of ['admin', 'member'].map((name) => role[name]))
        for (const path of [
          `projects/${foreignProject.id}/users/${user.id}`,
          `projects/${foreignProject.id}/groups/${group.id}`,
          `projects/${foreignProject.id}/users/${admin.id}`,
          `projects/${project.id}/users/${foreigner.id}`,
          `projects/${project.id}/groups/${foreignGroup.id}`,
          `domains/${other.id}/users/${user.id}`,
          `domains/${other.id}/groups/${group.id}`,
          `domains/${own.id}/users/${foreigner.id}`,
          `system/users/${admin.id}`,
          `system/groups/${group.id}`,
        ]) {
          assertRefused(await api.put(`/v3/${path}/roles/${roleId}`, undefined, as), 403);
          assertRefused(await api.delete(`/v3/${path}/roles/${roleId}`, as), 403);
          if (path.startsWith('system')) continue;
          const below = `/v3/OS-INHERIT/${path}/roles/${roleId}/inherited_to_projects`;
          assertRefused(await api.put(below, undefined, as), 403);
        }
      assert.deepEqual([await grantedTo(user.id), await grantedTo(foreigner.id), await grantedTo(admin.id)], before);
    });

    it('grants neither roles of another domain nor the role of services, however it is named', async () => {
      const { own, other, project, user } = world;
      const foreign = await api.make('role', { name: uniqueName('foreign'), domain_id: other.id });
      const giving = await api.make('role', { name: uniqueName('giving') });
      const local = await api.make('role', { name: uniqueName('local'), domain_id: own.id });
      const harmless = await api.make('role', { name: uniqueName('harmless'), domain_id: own.id });
      for (const { id } of [giving, local]) assertOk(await api.put(`/v3/roles/${id}/implies/${role.service}`), 201);
      for (const id of [foreign.id, giving.id, local.id, role.service])
        assertRefused(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${id}`, undefined, as), 403);
      assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${harmless.id}`, undefined, as), 204);
      // Making a role give more is for administrators of the system.
      assertRefused(await api.put(`/v3/roles/${harmless.id}/implies/${role.service}`, undefined, as), 403);
      assertRefused(await api.post('/v3/roles', { role: { name: uniqueName('x'), domain_id: own.id } }, as), 403);
      assertRefused(await api.patch(`/v3/roles/${harmless.id}`, { role: { name: 'service' } }, as), 403);
    });

    it('gives no more by an invitation', async () => {
      const { own, other, project, foreignProject, foreignGroup, group } = world;
      const invite = (invitation: object) =>
        api.post(
          '/v3/OS-REGISTRATION/invitations',
          { invitation: { email: `${uniqueName('eve')}@example.org`, ...invitation } },
          as,
        );
      assertRefused(await invite({ domain_id: other.id }), 403);
      const within = { domain_id: own.id };
      assertRefused(await invite({ ...within, organization_id: foreignProject.id, role_id: role.member }), 403);
      assertRefused(await invite({ ...within, organization_id: project.id, role_id: role.service }), 403);
      assertRefused(await invite({ ...within, groups: [foreignGroup.id] }), 403);
      assertOk(await invite({ ...within, organization_id: project.id, role_id: role.member, groups: [group.id] }), 201);
    });

    it('takes over nobody who has rights beyond the domain', async () => {
      const { own, other, admin } = world;
      const auditors = await api.make('group', { name: uniqueName('auditors'), domain_id: own.id });
      assertOk(await api.put(`/v3/system/groups/${auditors.id}/roles/${role.reader}`), 204);
      assertRefused(await api.put(`/v3/groups/${auditors.id}/users/${admin.id}`, undefined, as), 403);
      assertRefused(await api.patch(`/v3/groups/${auditors.id}`, { group: { name: 'x' } }, as), 403);
      const rights = [
        ['system', 'admin'],
        [`domains/${other.id}`, 'admin'],
        [`domains/${other.id}`, 'manager'],
        [`domains/${own.id}`, 'service'],
      ];
      for (const [where, name] of rights) {
        const user = await api.make('user', { name: uniqueName('mighty'), password: PASSWORD, domain_id: own.id });
        assertOk(await api.put(`/v3/${where}/users/${user.id}/roles/${role[name!]}`), 204);
        for (const change of [{ password: 'another' }, { email: 'eve@example.org' }, { enabled: false }])
          assertRefused(await api.patch(`/v3/users/${user.id}`, { user: change }, as), 403);
        assertRefused(await api.delete(`/v3/users/${user.id}`, as), 403);
        await api.logIn({ id: user.id, password: PASSWORD });
      }
    });

    it('does not protect the administrators of the domain from themselves, but from its managers', async () => {
      const { own } = world;
      const within = { domain_id: own.id };
      const [boss, manager] = [
        await api.persona(['admin'], { domain: own.id }, within),
        await api.persona(['manager'], { domain: own.id }, within),
      ];
      const path = `/v3/users/${boss.user.id}`;
      assertRefused(await api.patch(path, { user: { password: 'another' } }, { token: manager.token }), 403);
      assertOk(await api.patch(path, { user: { description: 'x' } }, as));
    });

    it('moves nothing into another domain, and nothing from there', async () => {
      const { own, other, project, user, group, foreignProject, foreigner } = world;
      for (const [kind, { id }] of [
        ['user', user],
        ['group', group],
        ['project', project],
      ] as const) {
        const answer = await api.patch(`/v3/${kind}s/${id}`, { [kind]: { domain_id: other.id } }, as);
        assert.ok([400, 403].includes(answer.status), answer.text);
        assert.equal(assertOk(await api.get(`/v3/${kind}s/${id}`))[kind].domain_id, own.id);
      }
      assertRefused(await api.patch(`/v3/users/${foreigner.id}`, { user: { domain_id: own.id } }, as), 403);
      for (const values of [
        { domain_id: own.id, parent_id: foreignProject.id },
        { parent_id: foreignProject.id },
        { domain_id: other.id },
        { parent_id: other.id },
        { is_domain: true },
      ]) {
        const name = uniqueName('child');
        const answer = await api.post('/v3/projects', { project: { name, ...values } }, as);
        assert.ok([400, 403].includes(answer.status), answer.text);
        assert.deepEqual(assertOk(await api.get(`/v3/projects?name=${name}`)).projects, []);
      }
      const moved = await api.patch(`/v3/projects/${project.id}`, { project: { parent_id: foreignProject.id } }, as);
      assert.ok([400, 403].includes(moved.status), moved.text);
    });

    it('changes no domain, not even its own, by either of its addresses', async () => {
      const { own, other } = world;
      for (const { id } of [own, other])
        for (const [kind, path] of [
          ['domain', `/v3/domains/${id}`],
          ['project', `/v3/projects/${id}`],
        ] as const) {
          assertRefused(await api.patch(path, { [kind]: { enabled: false } }, as), 403);
          assertRefused(await api.delete(path, as), 403);
        }
      assertRefused(await api.post('/v3/domains', { domain: { name: uniqueName('x') } }, as), 403);
      assertRefused(await api.get('/v3/domains', as), 403);
      assertOk(await api.get(`/v3/domains/${own.id}`, as));
      assertRefused(await api.put(`/v3/domains/${own.id}/config`, { config: { ldap: { url: 'ldap://x' } } }, as), 403);
    });

    it('has nothing of the service, the applications and the second factors of others', async () => {
      const { own, user } = world;
      for (const path of [
        '/v3/OS-SERVICE/settings',
        '/v3/OS-SERVICE/keys',
        '/v3/OS-SERVICE/deliveries',
        '/v3/OS-SERVICE/backups',
        '/v3/credentials',
        '/v3/roles',
        `/v3/roles?domain_id=${own.id}`,
        '/v3/OS-OAUTH1/consumers',
        '/v3/OS-TRUST/trusts',
        `/v3/users/${user.id}/application_credentials`,
        `/v3/users/${user.id}/credentials/OS-EC2`,
        '/v3/OS-FEDERATION/identity_providers',
        '/v3/services',
        '/v3/policies',
      ])
        assertRefused(await api.get(path, as), 403);
      const secret = { credential: { type: 'note', blob: 'x', user_id: user.id } };
      assertRefused(await api.post('/v3/credentials', secret, as), 403);
      assertRefused(await api.get(`/v3/users/${user.id}/OS-TWO-FACTOR/two_factor_auth`, as), 403);
      assert.deepEqual(assertOk(await api.get('/v3/OS-OAUTH2/consumers', as)).consumers, []);
    });

    it('has no keys and programs of others, nor has an administrator of a project, whatever the address says', async () => {
      const { project, user } = world;
      assertOk(await api.put(`/v3/projects/${project.id}/users/${user.id}/roles/${role.member}`), 204);
      const owner = { token: await api.logIn({ id: user.id, password: PASSWORD }, { project: { id: project.id } }) };
      const keys = (id: string) => `/v3/users/${id}/credentials/OS-EC2`;
      const programs = (id: string) => `/v3/users/${id}/application_credentials`;
      const key = assertOk(await api.post(keys(user.id), { tenant_id: project.id }, owner), 201).credential.access;
      const made = { application_credential: { name: uniqueName('program') } };
      const program = assertOk(await api.post(programs(user.id), made, owner), 201).application_credential.id;
      const mighty = await api.persona(['admin'], { project: project.id });
      for (const [id, caller] of [
        [world.admin.id, as],
        [mighty.user.id, { token: mighty.token }],
      ] as const)
        for (const path of [user.id, id].flatMap((one) => [`${keys(one)}/${key}`, `${programs(one)}/${program}`])) {
          assertRefused(await api.get(path, caller), 403);
          assertRefused(await api.delete(path, caller), 403);
        }
      assertOk(await api.get(`${keys(user.id)}/${key}`, owner));
      assertOk(await api.get(`${programs(user.id)}/${program}`, owner));
    });

    it('does not become an administrator of the system by another scope', async () => {
      const { project, other } = world;
      const { token } = as;
      for (const scope of [{ system: { all: true } }, { domain: { id: other.id } }]) {
        const identity = { methods: ['token'], token: { id: token } };
        const answer = await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
        assert.ok([401, 403].includes(answer.status), answer.text);
      }
      // The role on a project of the domain gives nothing beyond the project.
      const { token: ofProject } = await api.persona(['admin'], { project: project.id });
      for (const path of ['/v3/users', '/v3/projects', '/v3/domains', '/v3/role_assignments', '/v3/groups', '/v3/credentials?x'])
        assert.equal((await api.get(path, { token: ofProject })).status, path.startsWith('/v3/credentials') ? 200 : 403, path);
    });

    it('is told by the questions about rights what the requests do', async () => {
      const { user, foreigner, foreignProject } = world;
      const allowed = async (query: string): Promise<string[]> =>
        assertOk(await api.get(`/v3/auth/OS-ACCESS/allowed?${query}`, as)).allowed;
      const ofOwn = await allowed(`user_id=${user.id}`);
      assert.ok(ofOwn.includes('identity:update_user') && ofOwn.includes('identity:get_user'), ofOwn.join());
      for (const query of [`user_id=${foreigner.id}`, `project_id=${foreignProject.id}`]) {
        const rules = await allowed(query);
        for (const rule of [
          'update_user',
          'get_user',
          'delete_user',
          'update_project',
          'delete_project',
          'get_project',
          'create_grant',
        ])
          if (!query.startsWith(rule.endsWith('user') ? 'project' : 'user'))
            assert.ok(!rules.includes(`identity:${rule}`), `${query} ${rule}`);
      }
      const general = await allowed('');
      assert.ok(general.includes('identity:create_user') && !general.includes('identity:create_domain'), general.join());
    });
  },
  { settings },
);
