// A caller who may not see something must not learn whether it exists: its id gets the same answer as an unknown id.
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { onDatabase, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication, makePerson, makeRole } from '../../../../test/support/applications.ts';
import { askRoute, type Ids, idsFor, makeWorld, told, type World } from '../../../../test/support/every-route.ts';
import { aShareOf } from '../../../../test/support/extent.ts';
import { identityRoutes, nameOfRoute } from '../../../../test/support/routes.ts';
import { connect } from '../../../../test/support/scim.ts';
import type { Route } from '../../../platform/http/index.ts';

const UNKNOWN = 'f'.repeat(31);

/** Routes without secrets: what they show is open to every caller, or the path itself is the secret. */
const OPEN: readonly string[] = [
  'GET /v3/regions/:region_id',
  'GET /v3/registered_limits/:registered_limit_id',
  'GET /scim/v2/ResourceTypes/:id',
  'GET /scim/v2/Schemas/:id',
  'GET /v3/access-tokens/:token',
  'GET /openid/status-lists/:list_id',
  'GET /openid/status-lists/:list_id/bitstring',
  'GET /openid/status-lists/:list_id/suspension',
  'GET /openid/credential-types/:type_id',
  'GET /openid/credentials/offers/:offer_id',
  'GET /v4/issuers/:did',
  // As Keystone: whoever knows the id of a trust, which is random, learns that it has ended.
  'GET /v3/OS-TRUST/trusts/:trust_id',
  'DELETE /v3/OS-TRUST/trusts/:trust_id',
  'GET /v3/OS-TRUST/trusts/:trust_id/roles',
  'GET /v3/OS-TRUST/trusts/:trust_id/roles/:role_id',
];
/** Services ask on behalf of others, so they get an answer. */
const TOLD: Readonly<Record<string, readonly string[]>> = {
  service: ['GET /v3/OS-ROLES/users/:user_id/applications/:application_id/permissions'],
  // Managers may read the roles they may grant.
  'manager of another domain': ['GET /v3/roles/:role_id'],
};

onDatabase('SQLite', 'What exists', {}, (api) => {
  let world: World;
  const personas: Record<string, Record<string, string>> = {};
  before(async () => {
    world = await makeWorld(api);
    const elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
    const abroad = { domain_id: elsewhere.id };
    const withToken = (token: string) => ({ 'X-Auth-Token': token });
    const provider = await makePerson(api);
    await makeApplication(api, {}, provider.token);
    const [project, { user, password }] = [
      await api.make('project', { name: uniqueName('own') }),
      await api.persona(['member'], { domain: elsewhere.id }, abroad),
    ];
    personas['plain member'] = withToken((await makePerson(api)).token);
    personas['someone without a role'] = withToken(await api.logIn({ id: user.id, password }));
    personas['provider of an application'] = withToken(provider.token);
    personas.service = withToken((await api.persona(['service'], { project: project.id })).token);
    const transaction = { domain_id: world.domain.id };
    const beside = await api.make('project', { name: uniqueName('beside'), ...transaction });
    personas['member of this domain'] = withToken((await api.persona(['member'], { project: beside.id }, transaction)).token);
    for (const role of ['manager', 'reader'])
      personas[`${role} of another domain`] = withToken((await api.persona([role], { domain: elsewhere.id }, abroad)).token);
    personas['connection of another domain'] = { Authorization: `Bearer ${(await connect(api)).scim.token}` };
  });

  const routes = identityRoutes().filter((route) => route.path.includes(':') && !OPEN.includes(nameOfRoute(route)));

  const ask = (route: Route<never>, ids: Ids, headers: Record<string, string>) => askRoute(api, route, ids, headers);

  for (const [turn, persona] of [
    'plain member',
    'someone without a role',
    'provider of an application',
    'service',
    'member of this domain',
    'manager of another domain',
    'reader of another domain',
    'connection of another domain',
  ].entries()) {
    it(`is not told to: ${persona}`, async () => {
      const headers = personas[persona] ?? assert.fail(persona);
      const seen: string[] = [];
      for (const route of aShareOf(routes, 4, turn).filter((one) => !TOLD[persona]?.includes(nameOfRoute(one)))) {
        const ids = idsFor(route.path, world);
        // They may see their own domain.
        const open = persona === 'member of this domain' ? 'domain_id' : undefined;
        const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name!).filter((name) => name !== open);
        const answer = await ask(route, ids, headers);
        // A request refused for its format reveals nothing.
        assert.notEqual(answer.status, 400, `${nameOfRoute(route)}: ${answer.text}`);
        const real = told(answer, ids);
        const unknown = names.map((name, at) => ({ name, with: { ...ids, [name]: `${UNKNOWN}${at}` } }));
        const answers = await Promise.all(unknown.map((one) => ask(route, one.with, headers)));
        for (const [at, one] of unknown.entries()) {
          const missing = told(answers[at]!, one.with);
          if (missing !== real) seen.push(`${nameOfRoute(route)} without ${one.name}:\n    ${missing}\n    ${real}`);
        }
      }
      assert.deepEqual(seen, [], seen.join('\n'));
    });
  }
});

onUsualDatabase('The marker of a list', (api) => {
  /** The first item of each list, as an administrator sees it. */
  async function markers(world: World): Promise<Record<string, string>> {
    const { user, project, application, role } = world;
    const grants = (await api.get(`/v3/role_assignments?user.id=${user.id}&limit=1`)).body.links.next;
    return {
      '/v3/users': user.id,
      '/v3/groups': world.group.id,
      '/v3/projects': project.id,
      '/v3/domains': world.domain.id,
      '/v3/role_assignments': new URL(grants).searchParams.get('marker')!,
      '/v3/auth/projects': project.id,
      '/v3/auth/domains': world.domain.id,
      '/v3/credentials': world.credential.id,
      '/v3/OS-OAUTH2/consumers': application.id,
      '/v3/OS-ROLES/consumers': application.id,
      '/v3/OS-ROLES/roles': role.id,
      '/v3/OS-ROLES/permissions': world.permission.id,
      '/v3/OS-ROLES/users/role_assignments': [user.id, project.id, application.id, role.id].join(':'),
      '/v3/OS-ROLES/organizations/role_assignments': [project.id, application.id, role.id].join(':'),
    };
  }
  const asked = async (path: string, marker: string, headers: { token: string }): Promise<string> => {
    const answer = await api.get(`${path}${path.includes('?') ? '&' : '?'}marker=${encodeURIComponent(marker)}`, headers);
    return `${answer.status} ${answer.text.replaceAll(marker, '{marker}')}`;
  };

  describe('tells nothing of an id outside of what the caller may list', () => {
    it('to readers and managers of another domain, to members, and to managers of another application', async () => {
      const world = await makeWorld(api);
      const elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
      const abroad = { domain_id: elsewhere.id };
      const provider = await makePerson(api);
      const own = await makeApplication(api, {}, provider.token);
      const ownRole = await makeRole(api, own, {}, provider.token);
      const callers: [string, string, string[]][] = [
        ['reader', (await api.persona(['reader'], { domain: elsewhere.id }, abroad)).token, []],
        ['manager', (await api.persona(['manager', 'reader'], { domain: elsewhere.id }, abroad)).token, []],
        ['member', (await makePerson(api)).token, []],
        [
          'provider',
          provider.token,
          [
            `/v3/OS-ROLES/roles?application_id=${own.id}`,
            `/v3/OS-ROLES/permissions?application_id=${own.id}`,
            `/v3/OS-ROLES/users/role_assignments?application_id=${own.id}`,
            `/v3/OS-ROLES/organizations/role_assignments?application_id=${own.id}`,
            `/v3/OS-ROLES/users/role_assignments?user_id=${provider.user.id}`,
            `/v3/OS-ROLES/roles/${ownRole.id}/permissions`,
            `/v3/users/${provider.user.id}/groups`,
            `/v3/users/${provider.user.id}/projects`,
          ],
        ],
      ];
      const known = await markers(world);
      const more = (path: string): string =>
        path.endsWith('/groups')
          ? world.group.id
          : path.endsWith('/projects')
            ? world.project.id
            : path.endsWith('/permissions')
              ? world.permission.id
              : (known[path.split('?')[0]!] ?? assert.fail(path));
      for (const [name, token, paths] of callers) {
        for (const path of [...Object.keys(known), ...paths]) {
          const marker = known[path] ?? more(path);
          const unknown = await asked(path, 'f'.repeat(32), { token });
          assert.equal(await asked(path, marker, { token }), unknown, `${name}: ${path}`);
        }
      }
      for (const [path, marker] of Object.entries(known).filter(([path]) => !path.startsWith('/v3/auth/')))
        assert.match(await asked(path, marker, { token: api.adminToken }), /^200 /, path);
    });

    it('and continues after a row that no longer matches the filter', async () => {
      const prefix = uniqueName('page');
      const users = [];
      for (const letter of ['a', 'b', 'c']) users.push(await api.make('user', { name: `${prefix}-${letter}` }));
      const path = `/v3/users?name__startswith=${prefix}&enabled=true&limit=1`;
      const { next } = (await api.get(path)).body.links;
      await api.patch(`/v3/users/${users[0].id}`, { user: { enabled: false } });
      const { body } = await api.get(next.slice(api.url.length));
      assert.deepEqual(
        body.users.map((user: { id: string }) => user.id),
        [users[1].id],
      );
    });
  });
});
