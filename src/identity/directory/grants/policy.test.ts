import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onDatabase, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { aShareOf } from '../../../../test/support/extent.ts';
import { identityRoutes, isBase, isChange, isOpen, nameOfRoute } from '../../../../test/support/routes.ts';
import type { Route, Schema } from '../../../platform/http/index.ts';

const PASSWORD = 'a password of a test';
const ENFORCED = { GATEHOUSE_IDENTITY_ENFORCE_SCOPE: 'on' };

/** `reader@domain` has the role reader on the domain acme; `reader@elsewhere` on another one; `nobody` has no role at all. */
const PLACES = ['system', 'domain', 'project', 'elsewhere'] as const;
type Role = 'admin' | 'manager' | 'member' | 'reader' | 'service';
type Persona = `${Role}@${(typeof PLACES)[number]}` | 'nobody';
const PERSONAS: readonly Persona[] = [
  ...(['admin', 'manager', 'reader'] as const).flatMap((role) => PLACES.map((place) => `${role}@${place}` as const)),
  'member@system',
  'member@domain',
  'member@project',
  'service@project',
  'nobody',
];
const A_FEW: readonly Persona[] = ['admin@project', 'manager@domain', 'reader@elsewhere'];

const at = (places: readonly string[], ...roles: string[]): Persona[] =>
  PERSONAS.filter((persona) => {
    const [role, place] = persona.split('@');
    return roles.includes(role!) && places.includes(place ?? '');
  });
/** `isEnforced`: Keystone's `enforce_scope`. Without it, the role admin counts for everything, wherever it was granted. */
interface Sets {
  readonly isEnforced: boolean;
  readonly ADMINS: readonly Persona[];
  /** A manager is a member, and a member is a reader. So is an administrator, but not a manager. */
  readonly SYSTEM_READERS: readonly Persona[];
  readonly DOMAIN_READERS: readonly Persona[];
  readonly MANAGERS: readonly Persona[];
  readonly DOMAIN_ADMINS: readonly Persona[];
  readonly PROJECT_ADMINS: readonly Persona[];
  /** Lists show whoever is scoped to a domain that domain: their own, which is allowed. */
  readonly LISTERS: readonly Persona[];
}
function setsOf(isEnforced: boolean): Sets {
  const SYSTEM_READERS = at(['system'], 'manager', 'member', 'reader');
  const inDomains = isEnforced ? ['admin', 'manager', 'member', 'reader'] : ['manager', 'member', 'reader'];
  return {
    isEnforced,
    ADMINS: at(isEnforced ? ['system'] : ['system', 'domain', 'project', 'elsewhere'], 'admin'),
    SYSTEM_READERS,
    DOMAIN_READERS: at(['domain'], ...inDomains),
    MANAGERS: at(['domain'], ...(isEnforced ? ['admin', 'manager'] : ['manager'])),
    DOMAIN_ADMINS: isEnforced ? at(['domain'], 'admin') : [],
    PROJECT_ADMINS: isEnforced ? at(['project'], 'admin') : [],
    LISTERS: [...SYSTEM_READERS, ...at(['domain', 'elsewhere'], ...inDomains)],
  };
}

interface World {
  readonly acme: any;
  readonly shop: any;
  readonly ann: any;
  readonly staff: any;
  /** Has a role on the system, which protects it from managers of the domain. */
  readonly auditors: any;
  readonly foreigner: any;
  readonly abroad: any;
  readonly local: any;
  readonly role: Readonly<Record<string, string>>;
  readonly service: any;
  readonly endpoint: any;
  readonly region: any;
}

interface Operation {
  readonly allowed: readonly Persona[];
  /** Created for each persona, so that one can delete it without affecting the next. */
  request(world: World, api: TestApi): Promise<GrantCall> | GrantCall;
}
interface GrantCall {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly headers?: Record<string, string>;
}

const get = (path: string): GrantCall => ({ method: 'GET', path });
const put = (path: string): GrantCall => ({ method: 'PUT', path });
const remove = (path: string): GrantCall => ({ method: 'DELETE', path });
const post = (kind: string, values: object): GrantCall => ({ method: 'POST', path: `/v3/${kind}s`, body: { [kind]: values } });
const patch = (kind: string, id: string, values: object): GrantCall => ({
  method: 'PATCH',
  path: `/v3/${kind}s/${id}`,
  body: { [kind]: values },
});
const fresh = (kind: Parameters<TestApi['make']>[0], values: object = {}) => [kind, values] as const;
const doomed = async (api: TestApi, [kind, values]: ReturnType<typeof fresh>): Promise<GrantCall> => {
  const thing = await api.make(kind, { name: uniqueName('doomed'), ...values });
  return remove(`/v3/${kind}s/${thing.id}`);
};
const name = () => uniqueName('new');

/** Grants of `role` to Ann on shop, given by the administrator before somebody tries to revoke them. */
const revocation = async (api: TestApi, path: string): Promise<GrantCall> => {
  assertOk(await api.put(path), 204);
  return remove(path);
};

const tableOf = ({
  isEnforced,
  ADMINS,
  SYSTEM_READERS,
  DOMAIN_READERS,
  MANAGERS,
  DOMAIN_ADMINS,
  PROJECT_ADMINS,
  LISTERS,
}: Sets): Record<string, Operation> => ({
  'list users': { allowed: [...ADMINS, ...LISTERS], request: () => get('/v3/users') },
  'show a user': { allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS], request: ({ ann }) => get(`/v3/users/${ann.id}`) },
  'create a user': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme }) => post('user', { name: name(), domain_id: acme.id }),
  },
  'create a user in another domain': { allowed: ADMINS, request: () => post('user', { name: name(), domain_id: 'default' }) },
  'change a user': { allowed: [...ADMINS, ...MANAGERS], request: ({ ann }) => patch('user', ann.id, { email: 'a@example.org' }) },
  'change a user of another domain': { allowed: ADMINS, request: ({ foreigner }) => patch('user', foreigner.id, { x: 1 }) },
  'delete a user': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme }, api) => doomed(api, fresh('user', { domain_id: acme.id })),
  },

  'list groups': { allowed: [...ADMINS, ...LISTERS], request: () => get('/v3/groups') },
  'show a group': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS],
    request: ({ staff }) => get(`/v3/groups/${staff.id}`),
  },
  'list the members of a group': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS],
    request: ({ staff }) => get(`/v3/groups/${staff.id}/users`),
  },
  'list the groups of a user': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS],
    request: ({ ann }) => get(`/v3/users/${ann.id}/groups`),
  },
  'create a group': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme }) => post('group', { name: name(), domain_id: acme.id }),
  },
  'change a group': { allowed: [...ADMINS, ...MANAGERS], request: ({ staff }) => patch('group', staff.id, { description: '' }) },
  'delete a group': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme }, api) => doomed(api, fresh('group', { domain_id: acme.id })),
  },
  'add a member': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ staff, ann }) => put(`/v3/groups/${staff.id}/users/${ann.id}`),
  },
  'add a member of another domain': {
    allowed: ADMINS,
    request: ({ staff, foreigner }) => put(`/v3/groups/${staff.id}/users/${foreigner.id}`),
  },
  'check a member': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS],
    request: ({ staff, ann }) => get(`/v3/groups/${staff.id}/users/${ann.id}`),
  },
  'remove a member': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ staff, ann }, api) => revocation(api, `/v3/groups/${staff.id}/users/${ann.id}`),
  },

  'list projects': { allowed: [...ADMINS, ...LISTERS], request: () => get('/v3/projects') },
  'show a project': {
    allowed: [
      ...ADMINS,
      ...SYSTEM_READERS,
      ...DOMAIN_READERS,
      ...PROJECT_ADMINS,
      ...at(['project'], 'manager', 'member', 'reader', 'service'),
    ],
    request: ({ shop }) => get(`/v3/projects/${shop.id}`),
  },
  'create a project': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme }) => post('project', { name: name(), domain_id: acme.id }),
  },
  'create a project in another domain': {
    allowed: ADMINS,
    request: () => post('project', { name: name(), domain_id: 'default' }),
  },
  'change a project': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ shop }) => patch('project', shop.id, { description: '' }),
  },
  'delete a project': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme }, api) => doomed(api, fresh('project', { domain_id: acme.id })),
  },
  'tag a project': {
    allowed: [...ADMINS, ...MANAGERS, ...PROJECT_ADMINS],
    request: ({ shop }) => put(`/v3/projects/${shop.id}/tags/${name()}`),
  },
  'list the projects of a user': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS],
    request: ({ ann }) => get(`/v3/users/${ann.id}/projects`),
  },

  'list domains': { allowed: [...ADMINS, ...(isEnforced ? SYSTEM_READERS : LISTERS)], request: () => get('/v3/domains') },
  'show a domain': {
    allowed: PERSONAS.filter(
      (persona) => !/elsewhere|service@system|nobody/.test(persona) || (persona === 'admin@elsewhere' && !isEnforced),
    ),
    request: ({ acme }) => get(`/v3/domains/${acme.id}`),
  },
  'create a domain': { allowed: ADMINS, request: () => post('domain', { name: name() }) },
  'change a domain': { allowed: ADMINS, request: ({ acme }) => patch('domain', acme.id, { description: '' }) },
  'delete a domain': { allowed: ADMINS, request: (_, api) => doomed(api, fresh('domain', { enabled: false })) },

  'list roles': {
    allowed: [...ADMINS, ...SYSTEM_READERS, 'manager@domain', 'manager@elsewhere'],
    request: () => get('/v3/roles'),
  },
  'show a role': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...at(['domain', 'project', 'elsewhere'], 'manager')],
    request: ({ role }) => get(`/v3/roles/${role.member}`),
  },
  'show the role of the administrator': {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: ({ role }) => get(`/v3/roles/${role.admin}`),
  },
  'create a role': { allowed: ADMINS, request: () => post('role', { name: name() }) },
  'change a role': { allowed: ADMINS, request: ({ role }) => patch('role', role.plain!, { description: '' }) },
  'delete a role': { allowed: ADMINS, request: (_, api) => doomed(api, fresh('role')) },
  'list the roles of a domain': {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: ({ acme }) => get(`/v3/roles?domain_id=${acme.id}`),
  },
  'show a role of a domain': { allowed: [...ADMINS, ...SYSTEM_READERS], request: ({ local }) => get(`/v3/roles/${local.id}`) },
  'create a role of a domain': { allowed: ADMINS, request: ({ acme }) => post('role', { name: name(), domain_id: acme.id }) },
  'change a role of a domain': { allowed: ADMINS, request: ({ local }) => patch('role', local.id, { description: '' }) },
  'delete a role of a domain': {
    allowed: ADMINS,
    request: ({ acme }, api) => doomed(api, fresh('role', { domain_id: acme.id })),
  },
  'list what roles imply': { allowed: [...ADMINS, ...SYSTEM_READERS], request: () => get('/v3/role_inferences') },
  'list what a role implies': {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: ({ role }) => get(`/v3/roles/${role.member}/implies`),
  },
  'make a role imply another': {
    allowed: ADMINS,
    request: async ({ role }, api) => put(`/v3/roles/${(await api.make('role', { name: name() })).id}/implies/${role.reader}`),
  },

  'check a grant': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS],
    request: ({ shop, ann, role }) => get(`/v3/projects/${shop.id}/users/${ann.id}/roles/${role.plain}`),
  },
  'list grants': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS],
    request: ({ shop, ann }) => get(`/v3/projects/${shop.id}/users/${ann.id}/roles`),
  },
  'list grants of a user of another domain': {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: ({ shop, foreigner }) => get(`/v3/projects/${shop.id}/users/${foreigner.id}/roles`),
  },
  'list grants on a project of another domain': {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: ({ abroad, ann }) => get(`/v3/projects/${abroad.id}/users/${ann.id}/roles`),
  },
  'grant a role a manager may give': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ shop, ann, role }) => put(`/v3/projects/${shop.id}/users/${ann.id}/roles/${role.member}`),
  },
  'grant a role a manager may give, to a group on the domain': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme, staff, role }) => put(`/v3/domains/${acme.id}/groups/${staff.id}/roles/${role.manager}`),
  },
  'grant a role a manager may give, inherited': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ acme, ann, role }) =>
      put(`/v3/OS-INHERIT/domains/${acme.id}/users/${ann.id}/roles/${role.reader}/inherited_to_projects`),
  },
  'grant the role of the administrator': {
    allowed: [...ADMINS, ...DOMAIN_ADMINS],
    request: ({ shop, ann, role }) => put(`/v3/projects/${shop.id}/users/${ann.id}/roles/${role.admin}`),
  },
  'grant any other role': {
    allowed: [...ADMINS, ...DOMAIN_ADMINS],
    request: ({ shop, ann, role }) => put(`/v3/projects/${shop.id}/users/${ann.id}/roles/${role.plain}`),
  },
  'grant a role of the domain': {
    allowed: [...ADMINS, ...DOMAIN_ADMINS],
    request: ({ shop, ann, local }) => put(`/v3/projects/${shop.id}/users/${ann.id}/roles/${local.id}`),
  },
  'grant the role of services': {
    allowed: ADMINS,
    request: ({ shop, ann, role }) => put(`/v3/projects/${shop.id}/users/${ann.id}/roles/${role.service}`),
  },
  'grant a role to a user of another domain': {
    allowed: ADMINS,
    request: ({ shop, foreigner, role }) => put(`/v3/projects/${shop.id}/users/${foreigner.id}/roles/${role.member}`),
  },
  'grant a role on a project of another domain': {
    allowed: ADMINS,
    request: ({ abroad, ann, role }) => put(`/v3/projects/${abroad.id}/users/${ann.id}/roles/${role.member}`),
  },
  'revoke a role a manager may give': {
    allowed: [...ADMINS, ...MANAGERS],
    request: ({ shop, ann, role }, api) => revocation(api, `/v3/projects/${shop.id}/users/${ann.id}/roles/${role.member}`),
  },
  'revoke the role of the administrator': {
    allowed: [...ADMINS, ...DOMAIN_ADMINS],
    request: ({ shop, ann, role }, api) => revocation(api, `/v3/projects/${shop.id}/users/${ann.id}/roles/${role.admin}`),
  },
  'list grants on the system': {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: ({ ann }) => get(`/v3/system/users/${ann.id}/roles`),
  },
  'check a grant on the system': {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: ({ auditors, role }) => get(`/v3/system/groups/${auditors.id}/roles/${role.plain}`),
  },
  'grant a role on the system': {
    allowed: ADMINS,
    request: ({ ann, role }) => put(`/v3/system/users/${ann.id}/roles/${role.reader}`),
  },
  'revoke a role on the system': {
    allowed: ADMINS,
    request: ({ ann, role }, api) => revocation(api, `/v3/system/users/${ann.id}/roles/${role.reader}`),
  },
  'list role assignments': { allowed: [...ADMINS, ...LISTERS], request: () => get('/v3/role_assignments') },
  'list role assignments of a tree': {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...DOMAIN_READERS, ...PROJECT_ADMINS],
    request: ({ shop }) => get(`/v3/role_assignments?include_subtree&scope.project.id=${shop.id}`),
  },

  'list regions': { allowed: PERSONAS, request: () => get('/v3/regions') },
  'show a region': { allowed: PERSONAS, request: ({ region }) => get(`/v3/regions/${region.id}`) },
  'create a region': { allowed: ADMINS, request: () => post('region', {}) },
  'create a region by its id': {
    allowed: ADMINS,
    request: () => ({ method: 'PUT', path: `/v3/regions/${name()}`, body: { region: {} } }),
  },
  'change a region': { allowed: ADMINS, request: ({ region }) => patch('region', region.id, { description: '' }) },
  'delete a region': { allowed: ADMINS, request: (_, api) => doomed(api, fresh('region')) },
  'list services': { allowed: [...ADMINS, ...SYSTEM_READERS], request: () => get('/v3/services') },
  'show a service': { allowed: [...ADMINS, ...SYSTEM_READERS], request: ({ service }) => get(`/v3/services/${service.id}`) },
  'create a service': { allowed: ADMINS, request: () => post('service', { type: 'test' }) },
  'change a service': { allowed: ADMINS, request: ({ service }) => patch('service', service.id, { description: '' }) },
  'delete a service': { allowed: ADMINS, request: (_, api) => doomed(api, fresh('service', { type: 'test' })) },
  'list endpoints': { allowed: [...ADMINS, ...SYSTEM_READERS], request: () => get('/v3/endpoints') },
  'show an endpoint': { allowed: [...ADMINS, ...SYSTEM_READERS], request: ({ endpoint }) => get(`/v3/endpoints/${endpoint.id}`) },
  'create an endpoint': {
    allowed: ADMINS,
    request: ({ service }) => post('endpoint', { service_id: service.id, interface: 'public', url: 'http://test' }),
  },
  'change an endpoint': { allowed: ADMINS, request: ({ endpoint }) => patch('endpoint', endpoint.id, { url: 'http://test' }) },
  'delete an endpoint': {
    allowed: ADMINS,
    request: ({ service }, api) =>
      doomed(api, fresh('endpoint', { service_id: service.id, interface: 'admin', url: 'http://test' })),
  },

  "validate somebody's token": {
    allowed: [...ADMINS, ...SYSTEM_READERS, ...at(['system', 'domain', 'project', 'elsewhere'], 'service')],
    request: async ({ ann }, api) => ({ ...get('/v3/auth/tokens'), headers: await subject(ann, api) }),
  },
  "check somebody's token": {
    allowed: [...ADMINS, ...SYSTEM_READERS],
    request: async ({ ann }, api) => ({ method: 'HEAD', path: '/v3/auth/tokens', headers: await subject(ann, api) }),
  },
  "revoke somebody's token": {
    allowed: ADMINS,
    request: async ({ ann }, api) => ({ ...remove('/v3/auth/tokens'), headers: await subject(ann, api) }),
  },
});

const subject = async (user: { id: string }, api: TestApi) => ({
  'X-Subject-Token': await api.logIn({ id: user.id, password: PASSWORD }),
});

function walk(api: TestApi, isEnforced: boolean): void {
  let world: World;
  const tokens = new Map<Persona, string>();

  before(async () => {
    const acme = await api.make('domain', { name: uniqueName('acme') });
    const elsewhere = await api.make('domain', { name: uniqueName('elsewhere') });
    const shop = await api.make('project', { name: uniqueName('shop'), domain_id: acme.id });
    const plain = await api.make('role', { name: uniqueName('plain') });
    const role = { plain: plain.id } as Record<string, string>;
    for (const one of ['admin', 'manager', 'member', 'reader', 'service']) role[one] = await api.roleId(one);
    assertOk(await api.put(`/v3/roles/${role.manager}/implies/${role.member}`), 201);
    const service = await api.make('service', { type: 'test' });
    world = {
      acme,
      shop,
      role,
      service,
      ann: await api.make('user', { name: uniqueName('ann'), domain_id: acme.id, password: PASSWORD }),
      staff: await api.make('group', { name: uniqueName('staff'), domain_id: acme.id }),
      auditors: await api.make('group', { name: uniqueName('auditors'), domain_id: acme.id }),
      foreigner: await api.make('user', { name: uniqueName('foreigner') }),
      abroad: await api.make('project', { name: uniqueName('abroad') }),
      local: await api.make('role', { name: uniqueName('local'), domain_id: acme.id }),
      region: await api.make('region', {}),
      endpoint: await api.make('endpoint', { service_id: service.id, interface: 'public', url: 'http://test' }),
    };
    assertOk(await api.put(`/v3/projects/${shop.id}/users/${world.ann.id}/roles/${plain.id}`), 204);
    assertOk(await api.put(`/v3/system/groups/${world.auditors.id}/roles/${plain.id}`), 204);
    assertOk(await api.put(`/v3/groups/${world.staff.id}/users/${world.ann.id}`), 204);

    const scopes = {
      system: 'system',
      domain: { domain: acme.id },
      project: { project: shop.id },
      elsewhere: { domain: elsewhere.id },
    } as const;
    // The rules are the same code on both databases: the second is asked for a few personas, the first for all.
    for (const persona of api.kind === 'SQLite' ? PERSONAS : A_FEW) {
      if (persona === 'nobody') continue;
      const [held, place] = persona.split('@') as [string, keyof typeof scopes];
      const values = { domain_id: place === 'elsewhere' ? elsewhere.id : acme.id };
      tokens.set(persona, (await api.persona([held], scopes[place], values)).token);
    }
    const nobody = await api.make('user', { name: uniqueName('nobody'), password: PASSWORD });
    if (api.kind === 'SQLite') tokens.set('nobody', await api.logIn({ id: nobody.id, password: PASSWORD }));
  });

  for (const [turn, [what, operation]] of Object.entries(tableOf(setsOf(isEnforced))).entries()) {
    it(`may ${what}: only those the policy names`, async () => {
      const outcomes: Record<string, number> = {};
      const expected: Record<string, number> = {};
      for (const persona of aShareOf([...tokens.keys()], 2, turn + Number(isEnforced))) {
        const { method, path, body, headers } = await operation.request(world, api);
        const { status } = await api.request(method, path, {
          token: tokens.get(persona)!,
          body,
          ...(headers ? { headers } : {}),
        });
        outcomes[persona] = status < 300 ? 200 : status;
        expected[persona] = operation.allowed.includes(persona) ? 200 : 403;
      }
      assert.deepEqual(outcomes, expected);
    });
  }

  it('lets everyone see, check and revoke their own token, and nobody else', async () => {
    for (const [role, scope] of [
      ['reader', { project: world.shop.id }],
      ['member', { domain: world.acme.id }],
    ] as const) {
      const { token, user, password } = await api.persona([role], scope);
      const other = await api.logIn({ id: user.id, password });
      const headers = { 'X-Subject-Token': other };
      assert.equal(assertOk(await api.get('/v3/auth/tokens', { token, headers })).token.user.id, user.id);
      assert.equal((await api.head('/v3/auth/tokens', { token, headers })).status, 200);
      assertOk(await api.delete('/v3/auth/tokens', { token, headers }), 204);
      assertOk(await api.delete('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } }), 204);
    }
  });

  it('lets everyone see themselves, their groups and their projects', async () => {
    const { user, token } = await api.persona(['member'], { project: world.shop.id });
    for (const path of ['', '/groups', '/projects']) assertOk(await api.get(`/v3/users/${user.id}${path}`, { token }));
  });
}

onUsualDatabase('Who may do what', (api) => walk(api, false));
onDatabase('SQLite', 'Who may do what, with the scope enforced', { settings: ENFORCED }, (api) => walk(api, true));

/** By a sign of their pattern. */
const SAMPLES = [
  [':', 'http://test'],
  ['#', '#1d4ed8'],
] as const;

/** A body the schema accepts, so that a request is refused for its caller and not for its format. */
function sampleOf(schema: Schema): unknown {
  if (Array.isArray(schema.enum)) return schema.enum[0];
  const type = [schema.type].flat()[0];
  if (type === 'string') return SAMPLES.find(([sign]) => schema.pattern?.toString().includes(sign))?.[1] ?? 'test';
  if (type === 'integer') return 1;
  if (type === 'array') return (schema.minItems as number) > 0 ? [sampleOf(schema.items as Schema)] : [];
  if (type !== 'object') return true;
  const properties = (schema.properties ?? {}) as Record<string, Schema>;
  const required = (schema.required ?? []) as string[];
  const keys = required.length === 0 && schema.minProperties ? Object.keys(properties).slice(0, 1) : required;
  return Object.fromEntries(keys.map((key) => [key, sampleOf(properties[key]!)]));
}

onDatabase('SQLite', 'Every route', {}, (api) => {
  const routes = identityRoutes();
  const guarded = routes.filter((route) => !isOpen(route));
  const pathOf = ({ path }: Route<never>): string => path.replace(/:\w+/g, 'nothing');
  const bodyOf = ({ spec }: Route<never>): unknown => (spec.body ? sampleOf(spec.body) : undefined);
  let nobody: string;
  before(async () => {
    const user = await api.make('user', { name: uniqueName('nobody'), password: PASSWORD });
    nobody = await api.logIn({ id: user.id, password: PASSWORD });
  });

  // Those that ask for no token are listed in test/enumeration.security.test.ts, with the reason.
  it('is known to this test', () => assert.ok(guarded.length > 80, `${guarded.length} routes`));

  it('names the rule that the server asks', () => {
    assert.deepEqual(routes.filter(({ spec }) => spec.rule === undefined).map(nameOfRoute), []);
  });

  describe('without a token', () => {
    for (const route of guarded) {
      it(`refuses ${nameOfRoute(route)}`, async () => {
        const { status, headers } = await api.request(route.method, pathOf(route), { token: null, body: bodyOf(route) });
        assert.equal(status, 401);
        const challenge = route.path.startsWith('/scim/')
          ? `Bearer realm="scim", resource_metadata="${api.url}/.well-known/oauth-protected-resource/scim/v2"`
          : `Keystone uri="${api.url}"`;
        assert.equal(headers.get('www-authenticate'), challenge);
        const refusal = route.spec.withoutHead ? 405 : 401;
        if (route.method === 'GET') assert.equal((await api.head(pathOf(route), { token: null })).status, refusal);
      });
    }
  });

  describe('with a token that has no role', () => {
    /** What everyone may read or keep of their own. */
    const OPEN = [
      '/v3/auth/projects',
      '/v3/auth/domains',
      '/v3/auth/system',
      '/v3/OS-FEDERATION/projects',
      '/v3/OS-FEDERATION/domains',
      '/v3/regions',
      '/v3/registered_limits',
      '/v3/limits',
      '/v3/limits/model',
    ]
      .map((path) => `GET ${path}`)
      .concat('POST /v3/credentials');
    for (const route of guarded) {
      const name = nameOfRoute(route);
      // Additions to the base API let people read what is their own, each by rules of its own.
      if (!isBase(route) && !isChange(route)) continue;
      it(`${OPEN.includes(name) ? 'allows' : 'refuses'} ${name}`, async () => {
        const { status, text } = await api.request(route.method, pathOf(route), { token: nobody, body: bodyOf(route) });
        if (OPEN.includes(name)) assert.ok(status < 300, text);
        // Regions and registered limits are for everyone to read, so that one is missing is no secret.
        else if (/^GET \/v3\/(regions|registered_limits)\/:/.test(name)) assert.equal(status, 404);
        else if (isBase(route)) assert.equal(status, 403, text);
        else assert.ok([400, 401, 403, 404].includes(status), `${status} ${text}`);
      });
    }
  });
});
