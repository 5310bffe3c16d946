import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, type ApiAnswer, onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { creationRoute, itemPath, newOne } from '../../../../test/support/nouns.ts';
import { LOGO } from '../../../../test/support/pictures.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { identityRoutes, isBase, isChange, nameOfRoute } from '../../../../test/support/routes.ts';
import { allNouns } from '../../nouns.ts';
import type { AuditEventRow } from '../database/index.ts';
import { createChanges, serviceActor } from './index.ts';

const PASSWORD = 'a password of a test';

/** The routes of the base API that change something: each has to be in the table below. */
const changes = identityRoutes()
  .filter((route) => isBase(route) && isChange(route))
  .map(nameOfRoute)
  .filter((route) => route !== 'POST /v3/auth/tokens');

const ACCESS_RULE = { service: 'identity', path: '/v3/users', method: 'GET' };

onEachDatabase('The audit log', (api) => {
  const db = usesDatabaseOf(api);
  let admin: string;
  before(async () => {
    admin = assertOk(await api.get('/v3/users?name=admin')).users[0].id;
    made.administrator = { id: admin };
  });

  const eventsOf = (answer: ApiAnswer): Promise<AuditEventRow[]> =>
    db()
      .read.selectFrom('audit_events')
      .where('request_id', '=', answer.headers.get('x-openstack-request-id'))
      .selectAll()
      .orderBy('id')
      .execute();
  const count = async (): Promise<number> => {
    const { total } = await db()
      .read.selectFrom('audit_events')
      .select((eb) => eb.fn.countAll<number>().as('total'))
      .executeTakeFirstOrThrow();
    return Number(total);
  };

  // Ids of what the requests below create.
  const made: Record<string, any> = {};
  const tested = new Set<string>();

  /** One request after the other, each with the events it must leave: `action target`, by the names in `made`. */
  interface Step {
    readonly route: string;
    /** What the answer holds becomes a thing of this name. */
    readonly as?: string;
    readonly body?: () => unknown;
    readonly events: readonly string[];
    readonly params?: Readonly<Record<string, string>>;
    /** Somebody else than the administrator. */
    readonly actor?: string;
    readonly headers?: () => Promise<Record<string, string>>;
  }

  const crud = (kind: string, values: () => object, more: readonly Step[] = [], id = `${kind}_id`): Step[] => [
    { route: `POST /v3/${kind}s`, as: kind, body: () => ({ [kind]: values() }), events: [`${kind}.created ${kind}`] },
    {
      route: `PATCH /v3/${kind}s/:${id}`,
      body: () => ({ [kind]: { description: 'changed' } }),
      events: [`${kind}.updated ${kind}`],
    },
    ...more,
  ];
  const removal = (kind: string): Step => ({ route: `DELETE /v3/${kind}s/:${kind}_id`, events: [`${kind}.deleted ${kind}`] });
  const grants: Step[] = ['/v3/projects/:project_id', '/v3/domains/:domain_id', '/v3/system'].flatMap((target) =>
    ['users/:user_id', 'groups/:group_id'].flatMap((actor) =>
      [false, true]
        .filter((inherited) => !(inherited && target === '/v3/system'))
        .flatMap((inherited) => {
          const path = `${target}/${actor}/roles/:role_id`;
          const whole = inherited ? `${path.replace('/v3/', '/v3/OS-INHERIT/')}/inherited_to_projects` : path;
          return [
            { route: `PUT ${whole}`, events: ['grant.created role'] },
            { route: `DELETE ${whole}`, events: ['grant.revoked role'] },
          ];
        }),
    ),
  );

  const STEPS: readonly Step[] = [
    ...crud('domain', () => ({ name: uniqueName('domain') })),
    ...['', '/:group', '/:group/:option'].flatMap((part): Step[] => {
      const params = { group: 'ldap', option: 'url' };
      const route = `/v3/domains/:domain_id/config${part}`;
      const config = { ldap: { url: 'ldap://x' } };
      const replace: Step = {
        route: 'PUT /v3/domains/:domain_id/config',
        body: () => ({ config }),
        events: ['domain.config_replaced domain'],
      };
      return [
        replace,
        {
          route: `PATCH ${route}`,
          params,
          body: () => ({ config: part.endsWith('option') ? config.ldap : config }),
          events: ['domain.config_updated domain'],
        },
        { route: `DELETE ${route}`, params, events: ['domain.config_deleted domain'] },
      ];
    }),
    {
      route: 'PUT /v3/domains/:domain_id/config',
      body: () => ({ config: { identity: { driver: 'ldap' }, ldap: { url: 'ldap://127.0.0.1:1' } } }),
      events: ['domain.config_replaced domain'],
    },
    { route: 'POST /v3/OS-SERVICE/domains/:domain_id/directory/read', events: ['domain.directory_read domain'] },
    {
      route: 'POST /v3/OS-SERVICE/domains/:domain_id/directory/test',
      body: () => ({ test: { settings: {} } }),
      events: ['domain.directory_tested domain'],
    },
    { route: 'DELETE /v3/domains/:domain_id/config', events: ['domain.config_deleted domain'] },
    {
      route: 'PATCH /v3/OS-SERVICE/domains/:domain_id/settings',
      body: () => ({ settings: { 'passwords.expires_days': '90' } }),
      events: ['domain.config_updated domain'],
    },
    ...['logo', 'favicon'].flatMap((kind): Step[] => {
      const route = `/v3/OS-SERVICE/domains/:domain_id/look/${kind}`;
      return [
        { route: `PUT ${route}`, body: () => ({ picture: LOGO.logo }), events: ['domain.picture_changed domain'] },
        { route: `DELETE ${route}`, events: ['domain.picture_removed domain'] },
      ];
    }),
    {
      route: 'POST /v3/OS-SERVICE/domains/:domain_id/look/preview',
      body: () => ({ look: { name: 'Harbour', color: null } }),
      events: [],
    },
    ...crud('project', () => ({ name: uniqueName('project'), domain_id: made.domain.id }), [
      {
        route: 'PUT /v3/projects/:project_id/tags',
        body: () => ({ tags: ['a', 'b'] }),
        events: ['project.tags_replaced project'],
      },
      { route: 'PUT /v3/projects/:project_id/tags/:tag', params: { tag: 'c' }, events: ['project.tag_added project'] },
      { route: 'DELETE /v3/projects/:project_id/tags/:tag', params: { tag: 'c' }, events: ['project.tag_removed project'] },
      { route: 'DELETE /v3/projects/:project_id/tags', events: ['project.tags_replaced project'] },
    ]),
    ...crud('user', () => ({ name: uniqueName('user'), password: PASSWORD, domain_id: made.domain.id }), [
      {
        route: 'POST /v3/users/:user_id/password',
        body: () => ({ user: { original_password: PASSWORD, password: 'another password' } }),
        events: ['user.password_proved user', 'user.password_changed user'],
        actor: 'user',
      },
      { route: 'POST /v3/users/:user_id/OS-PASSWORD/expire', events: ['user.password_expired user'] },
      { route: 'DELETE /v3/users/:user_id/OS-LOCK/lock', events: ['user.unlocked user'] },
      { route: 'DELETE /v3/users/:user_id/tokens', events: ['user.tokens_revoked user'] },
    ]),
    ...crud('group', () => ({ name: uniqueName('group'), domain_id: made.domain.id }), [
      { route: 'PUT /v3/groups/:group_id/users/:user_id', events: ['group.member_added group'] },
      { route: 'DELETE /v3/groups/:group_id/users/:user_id', events: ['group.member_removed group'] },
    ]),
    ...crud('role', () => ({ name: uniqueName('role') })),
    {
      route: 'POST /v3/roles',
      as: 'other',
      body: () => ({ role: { name: uniqueName('role') } }),
      events: ['role.created other'],
    },
    {
      route: 'PUT /v3/roles/:prior_role_id/implies/:implied_role_id',
      params: { prior_role_id: 'role', implied_role_id: 'other' },
      events: ['role.implication_created role'],
    },
    {
      route: 'DELETE /v3/roles/:prior_role_id/implies/:implied_role_id',
      params: { prior_role_id: 'role', implied_role_id: 'other' },
      events: ['role.implication_deleted role'],
    },
    ...grants,
    ...allNouns.flatMap((noun): Step[] => [
      {
        route: creationRoute(noun),
        as: noun.one,
        params: { [noun.parameter]: `a new ${noun.one}`.replaceAll(' ', '-') },
        body: () => newOne(noun, made, uniqueName('noun')).body,
        events: [`${noun.one}.created ${noun.one}`],
      },
      {
        route: `PATCH ${itemPath(noun)}`,
        params: { [noun.parameter]: noun.one },
        body: () => ({ [noun.one]: noun.examples.change }),
        events: [`${noun.one}.updated ${noun.one}`],
      },
    ]),
    {
      route: 'PUT /v3/regions/:region_id',
      params: { region_id: 'a new region' },
      as: 'child',
      body: () => ({ region: { parent_region_id: made.region.id } }),
      events: ['region.created child'],
    },
    {
      route: 'POST /v3/endpoints',
      as: 'elsewhere',
      body: () => ({
        endpoint: { service_id: made.service.id, interface: 'public', url: 'http://test', region: 'made on the fly' },
      }),
      events: ['endpoint.created elsewhere', 'region.created made on the fly'],
    },
    ...['endpoint_groups/:endpoint_group_id/projects/:project_id', 'projects/:project_id/endpoints/:endpoint_id'].flatMap(
      (path): Step[] => {
        const kind = path.startsWith('endpoint_groups') ? 'endpoint_group' : 'endpoint';
        return [
          { route: `PUT /v3/OS-EP-FILTER/${path}`, events: [`${kind}.added_to_project ${kind}`] },
          { route: `DELETE /v3/OS-EP-FILTER/${path}`, events: [`${kind}.removed_from_project ${kind}`] },
        ];
      },
    ),
    ...['endpoints/:endpoint_id', 'services/:service_id', 'services/:service_id/regions/:region_id'].flatMap((what): Step[] => [
      { route: `PUT /v3/policies/:policy_id/OS-ENDPOINT-POLICY/${what}`, events: ['policy.associated policy'] },
      { route: `DELETE /v3/policies/:policy_id/OS-ENDPOINT-POLICY/${what}`, events: ['policy.dissociated policy'] },
    ]),
    {
      route: 'POST /v3/registered_limits',
      as: 'registered_limit',
      body: () => ({ registered_limits: [{ service_id: made.service.id, resource_name: 'things', default_limit: 5 }] }),
      events: ['registered_limit.created registered_limit'],
    },
    {
      route: 'PATCH /v3/registered_limits/:registered_limit_id',
      body: () => ({ registered_limit: { default_limit: 6 } }),
      events: ['registered_limit.updated registered_limit'],
    },
    {
      route: 'POST /v3/limits',
      as: 'limit',
      body: () => ({
        limits: [{ project_id: made.project.id, service_id: made.service.id, resource_name: 'things', resource_limit: 7 }],
      }),
      events: ['limit.created limit'],
    },
    {
      route: 'PATCH /v3/limits/:limit_id',
      body: () => ({ limit: { resource_limit: 8 } }),
      events: ['limit.updated limit'],
    },
    removal('limit'),
    removal('registered_limit'),
    {
      route: 'POST /v3/users/:user_id/application_credentials',
      params: { user_id: 'administrator' },
      as: 'application_credential',
      body: () => ({ application_credential: { name: uniqueName('program'), access_rules: [ACCESS_RULE] } }),
      events: ['application_credential.created application_credential'],
    },
    {
      route: 'DELETE /v3/users/:user_id/application_credentials/:application_credential_id',
      params: { user_id: 'administrator' },
      events: ['application_credential.deleted application_credential'],
    },
    {
      route: 'DELETE /v3/users/:user_id/access_rules/:access_rule_id',
      params: { user_id: 'administrator' },
      headers: async () => {
        [made.access_rule] = made.application_credential.access_rules;
        return {};
      },
      events: ['access_rule.deleted access_rule'],
    },
    {
      route: 'POST /v3/OS-TRUST/trusts',
      as: 'trust',
      body: () => ({
        trust: { trustor_user_id: made.administrator!.id, trustee_user_id: made.user!.id, impersonation: false },
      }),
      events: ['trust.created trust'],
    },
    { route: 'DELETE /v3/OS-TRUST/trusts/:trust_id', events: ['trust.deleted trust'] },
    {
      route: 'POST /v3/OS-OAUTH1/consumers',
      as: 'consumer',
      body: () => ({ consumer: {} }),
      events: ['oauth1_consumer.created consumer'],
    },
    {
      route: 'PATCH /v3/OS-OAUTH1/consumers/:consumer_id',
      body: () => ({ consumer: { description: 'x' } }),
      events: ['oauth1_consumer.updated consumer'],
    },
    { route: 'DELETE /v3/OS-OAUTH1/consumers/:consumer_id', events: ['oauth1_consumer.deleted consumer'] },
    {
      route: 'POST /v3/OS-OAUTH2/consumers',
      as: 'client',
      body: () => ({ consumer: { name: 'Client' } }),
      events: ['consumer.created client'],
    },
    {
      route: 'POST /v3/OS-ROLE-CREDENTIALS/types',
      as: 'credential_type',
      body: () => ({ credential_type: { id: 'workers', application_id: made.client!.id, name: 'Workers' } }),
      events: ['credential_type.created credential_type'],
    },
    {
      route: 'PATCH /v3/OS-ROLE-CREDENTIALS/types/:type_id',
      params: { type_id: 'credential_type' },
      body: () => ({ credential_type: { description: 'x' } }),
      events: ['credential_type.updated credential_type'],
    },
    {
      route: 'DELETE /v3/OS-ROLE-CREDENTIALS/types/:type_id',
      params: { type_id: 'credential_type' },
      events: ['credential_type.deleted credential_type'],
    },
    {
      route: 'PUT /v3/OS-ROLE-CREDENTIALS/targets/:application_id',
      params: { application_id: 'client' },
      body: () => ({ target: { did: 'did:web:workers.example' } }),
      events: ['credential_target.named client'],
    },
    {
      route: 'DELETE /v3/OS-ROLE-CREDENTIALS/targets/:application_id',
      params: { application_id: 'client' },
      events: ['credential_target.unnamed client'],
    },
    ...allNouns.toReversed().map(
      (noun): Step => ({
        route: `DELETE ${itemPath(noun)}`,
        params: { [noun.parameter]: noun.one },
        events: [`${noun.one}.deleted ${noun.one}`, ...(noun.one === 'region' ? ['region.deleted child'] : [])],
      }),
    ),
    {
      route: 'DELETE /v3/auth/tokens',
      headers: async () => ({ 'X-Subject-Token': await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }) }),
      events: ['token.revoked'],
    },
    removal('group'),
    removal('role'),
    removal('user'),
    removal('project'),
    { route: 'PATCH /v3/domains/:domain_id', body: () => ({ domain: { enabled: false } }), events: ['domain.updated domain'] },
    removal('domain'),
  ];

  function pathOf({ route, params = {} }: Step): string {
    const [, pattern] = route.split(' ') as [string, string];
    return pattern.replace(/:(\w+)/g, (_, name: string) => {
      const value = params[name] ?? name.replace(/_id$/, '');
      return encodeURIComponent(made[value]?.id ?? value);
    });
  }

  const nameOf = (id: string): string => Object.entries(made).find(([, thing]) => thing.id === id)?.[0] ?? id;

  describe('has of every change', () => {
    for (const step of STEPS) {
      it(`${step.events.join(' and ') || 'nothing'}: ${step.route}`, async () => {
        const [method] = step.route.split(' ') as [string];
        tested.add(step.route);
        const body = step.body?.();
        const headers = (await step.headers?.()) ?? {};
        const before = await count();
        const answer = await api.request(method, pathOf(step), { body, headers });
        assert.ok(answer.status >= 200 && answer.status < 300, `${answer.status} ${answer.text}`);
        if (step.as) [made[step.as]] = [Object.values(answer.body)[0]].flat();

        const events = await eventsOf(answer);
        assert.equal(await count(), before + events.length, 'all of them carry the id of the request');
        const shown = events.map(({ action, target_id }) =>
          action === 'token.revoked' ? action : `${action} ${nameOf(target_id)}`,
        );
        assert.deepEqual(shown.sort(), [...step.events].sort());
        for (const event of events) {
          assert.equal(event.actor_id, step.actor ? made[step.actor].id : admin);
          assert.equal(event.target_kind, event.action.split('.')[0] === 'grant' ? 'role' : event.action.split('.')[0]);
          assert.equal(event.outcome, 'success');
          assert.ok(Math.abs(event.at - Date.now() / 1000) < 60);
          assert.ok(!event.detail.includes(PASSWORD) && !event.detail.includes('another password'));
          assert.equal(typeof JSON.parse(event.detail), 'object');
        }
      });
    }

    it('and no change of the base API was left out', () => {
      assert.deepEqual(
        changes.filter((route) => !tested.has(route)),
        [],
        'each change has a step in STEPS: the request, and its events',
      );
    });
  });

  it('says what a grant was about', async () => {
    const user = await api.make('user', { name: uniqueName('user') });
    const role = await api.roleId('member');
    const direct = await api.put(`/v3/domains/default/users/${user.id}/roles/${role}`);
    const [event] = await eventsOf(direct);
    assert.deepEqual(JSON.parse(event!.detail), {
      user_id: user.id,
      target: 'domain',
      target_id: 'default',
      inherited: false,
    });
  });

  it('names the fields of a change, never what they were changed to', async () => {
    const user = await api.make('user', { name: uniqueName('user') });
    const answer = await api.patch(`/v3/users/${user.id}`, { user: { password: 'a new secret', email: 'ann@example.org' } });
    const [event] = await eventsOf(answer);
    assert.deepEqual(JSON.parse(event!.detail), { fields: ['password', 'email'] });
  });

  it('has nothing of what was refused', async () => {
    const role = await api.make('role', { name: uniqueName('role') });
    const { token } = await api.persona(['reader'], 'system');
    const admins = await api.roleId('admin');
    const before = await count();
    const refused = [
      await api.post('/v3/roles', { role: {} }),
      await api.post('/v3/roles', { role: { name: role.name } }),
      await api.post('/v3/roles', { role: { name: uniqueName('role') } }, { token: null }),
      await api.post('/v3/roles', { role: { name: uniqueName('role') } }, { token }),
      await api.patch('/v3/roles/nothing', { role: { description: '' } }),
      await api.patch(`/v3/roles/${role.id}`, { role: { id: 'other' } }),
      await api.delete(`/v3/roles/${admins}`),
      await api.delete(`/v3/roles/${role.id}`, { token }),
      await api.put(`/v3/roles/${role.id}/implies/${role.id}`),
      await api.delete(`/v3/system/users/${admin}/roles/${role.id}`),
      await api.put(`/v3/projects/nowhere/users/${admin}/roles/${role.id}`),
      await api.post('/v3/endpoints', {
        endpoint: { service_id: 'nothing', interface: 'public', url: 'http://x', region: 'new' },
      }),
      await api.post('/v3/regions', { region: { id: 'RegionOne' } }),
      await api.delete('/v3/regions/RegionOne'),
      await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': 'nothing' } }),
    ];
    for (const answer of refused) {
      assert.ok(answer.status >= 400 && answer.status < 500, answer.text);
      assert.deepEqual(await eventsOf(answer), []);
    }
    assert.equal(await count(), before);
  });

  it('has all events of a change, however many', async () => {
    const before = await count();
    const ids = Array.from({ length: 6000 }, (_, at) => `many${at}`);
    await createChanges(db(), api.clock)(serviceActor, async ({ audit }) => {
      for (const id of ids) audit('user.updated', { kind: 'user', id });
    });
    assert.equal(await count(), before + ids.length);
  });

  it('has logins, and nothing of reading', async () => {
    const before = await count();
    for (const path of ['users', 'projects', 'roles', 'role_assignments', 'regions', 'endpoints', 'auth/projects'])
      assertOk(await api.get(`/v3/${path}`));
    assert.equal(await count(), before);
    assertOk(await api.authenticate({ name: 'admin', password: ADMIN_PASSWORD }), 201);
    assert.equal(await count(), before + 1);
  });

  it('ignores request ids sent by clients', async () => {
    const answer = await api.post(
      '/v3/roles',
      { role: { name: uniqueName('role') } },
      { headers: { 'X-Openstack-Request-Id': 'req-00000000-0000-0000-0000-000000000000' } },
    );
    assert.notEqual(answer.headers.get('x-openstack-request-id'), 'req-00000000-0000-0000-0000-000000000000');
    assert.equal((await eventsOf(answer)).length, 1);
  });
});
