// Fuzzing of the identity service: personas, existing ids, and usual values of fields.
import { identityOpenApi } from '../../src/openapi.ts';
import { type TestApi, uniqueName } from '../support/api.ts';
import { makeApplication, makePermission, makeRole } from '../support/applications.ts';
import { basic } from '../support/keyrock-client.ts';
import { connect, ENTERPRISE, GROUP, ORGANIZATION, patchOf, USER } from '../support/scim.ts';
import type { FuzzPlan, FuzzTarget } from './fuzz.ts';
import { IdPool } from './id-pool.ts';
import type { Random } from './random.ts';
import type { FuzzPersona, Header } from './requests.ts';
import type { UsualValues } from './values.ts';
import { type ErrorSchemas, type FuzzOperation, operationsOf } from './verdict.ts';
import { type WireResponse, wireAddressOf } from './wire.ts';

/** A target may be a whole URL. */
const ORIGIN = /^https?:\/\/[^/]*/i;
const { operations, errors } = operationsOf(identityOpenApi());
const formatAt = (path: string): ErrorSchemas => operations.find((one) => one.path === path)!.errors;
const BY_PREFIX: readonly (readonly [string, ErrorSchemas])[] = [
  ['/scim/', formatAt('/scim/v2/Users')],
  ['/openid/', formatAt('/openid/token')],
  ['/openid/', formatAt('/openid/authorize')],
  ['/v3/OS-OAUTH2/token', formatAt('/v3/OS-OAUTH2/token')],
];

export { operations as identityOperations };

export const identityTarget = (api: TestApi): FuzzTarget => ({
  peer: wireAddressOf(api.url),
  expectationsOf: (target, operation) => ({
    operation,
    formats: [
      errors,
      ...BY_PREFIX.filter(([prefix]) => target.replace(ORIGIN, '').startsWith(prefix)).map(([, format]) => format),
    ],
    isDocumented: () => false,
  }),
});

const SCIM_KINDS: Readonly<Record<string, string>> = {
  Users: 'user',
  Groups: 'group',
  Organizations: 'project',
  Roles: 'app_role',
};
const KINDS: Readonly<Record<string, string>> = {
  organization: 'project',
  application: 'consumer',
  prior_role: 'role',
  implied_role: 'role',
};

/** The kind of resource that a parameter or an envelope names, at this path. */
function kindOf(path: string, name: string | undefined): string | undefined {
  if (name === undefined || name === 'id') return SCIM_KINDS[/(Users|Groups|Organizations|Roles)\b/.exec(path)?.[1] ?? ''];
  const noun = name.replace(/_id$/, '');
  if (noun === 'role' && path.includes('/OS-ROLES/')) return 'app_role';
  return KINDS[noun] ?? noun;
}

const isRead = ({ method }: FuzzOperation): boolean => method === 'GET' || method === 'HEAD';
/** Assigning one's own role to someone else does no harm. */
const mayHarm = (operation: FuzzOperation, kind: string): boolean =>
  !isRead(operation) &&
  !(
    operation.method === 'PUT' &&
    !/scim/i.test(operation.path) &&
    ['role', 'app_role', 'domain', 'project', 'consumer'].includes(kind)
  );

function wordsOf(random: Random, pool: IdPool): UsualValues {
  const fixed: Readonly<Record<string, () => string>> = {
    name: () => `fuzz-${random.below(1e9)}`,
    userName: () => `fuzz-${random.below(1e9)}`,
    password: () => `correct horse ${random.below(1e9)}`,
    original_password: () => 'a password of a test',
    schemas: () => random.pick([USER, ENTERPRISE, GROUP, ORGANIZATION, patchOf().schemas[0]!]),
    filter: () =>
      random.pick([
        'userName eq "a"',
        'name.familyName sw "a" or not (active eq true)',
        'emails[type eq "work"].value co "@"',
        'meta.created gt "2020-01-01T00:00:00Z"',
        'id pr',
      ]),
    path: () =>
      random.pick([
        'active',
        'emails[type eq "work"].value',
        'members',
        'name.givenName',
        '/Users',
        `/Users/${pool.pick('user', true)}`,
        `${ENTERPRISE}:department`,
      ]),
    op: () => random.pick(['add', 'replace', 'remove', 'Add']),
    method: () => random.pick(['POST', 'PUT', 'PATCH', 'DELETE']),
    methods: () => random.pick(['password', 'token', 'totp', 'oauth2']),
    grant_type: () =>
      random.pick([
        'authorization_code',
        'client_credentials',
        'refresh_token',
        'password',
        'urn:ietf:params:oauth:grant-type:device_code',
      ]),
    response_type: () => random.pick(['code', 'none', 'token']),
    client_type: () => random.pick(['confidential', 'public']),
    redirect_uri: () => 'https://app.example/callback',
    redirect_uris: () => 'https://app.example/callback',
    scope: () => random.pick(['openid', 'openid profile email', 'all_info', 'openid offline_access']),
    scopes: () => random.pick(['all_info', 'openid']),
    url: () => 'https://service.example/v1',
    interface: () => random.pick(['public', 'internal', 'admin']),
    type: () => random.pick(['totp', 'work', 'identity', 'cert']),
    blob: () => random.pick(['GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', '{}', 'blob']),
    limit: () => random.pick(['1', '10', '0', '100000']),
    count: () => random.pick(['1', '10', '0', '-1']),
    startIndex: () => random.pick(['1', '3', '-5']),
    cursor: () => '',
    sortBy: () => random.pick(['userName', 'meta.created', 'emails.value', 'nothing']),
    sortOrder: () => random.pick(['ascending', 'descending']),
    attributes: () => random.pick(['userName', 'emails.value,name', '*']),
    enabled: () => random.pick(['true', 'false']),
    security_question: () => 'Which?',
    security_answer: () => 'That',
    password_expires_at: () => 'lt:2030-01-01T00:00:00Z',
    email: () => 'somebody@example.org',
    code_challenge: () => 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: () => 'S256',
    client_id: () => pool.pick('consumer', false) ?? 'none',
    token: () => pool.pick('token', false) ?? 'none',
    'X-Subject-Token': () => pool.pick('token', false) ?? 'none',
    id: () => pool.pick(random.pick(['user', 'project', 'domain', 'role']), false) ?? 'none',
    value: () => pool.pick('user', true) ?? 'value',
  };
  return (name) => {
    const word = fixed[name]?.();
    if (word !== undefined) return word;
    const kind = kindOf('', name.replace(/^scope\./, '').replace('.', '_'));
    return kind === undefined ? undefined : pool.pick(kind, false);
  };
}

interface Caller extends FuzzPersona {
  renew(): Promise<void>;
}

async function callers(api: TestApi, pool: IdPool): Promise<Caller[]> {
  const domain = await api.make('domain', { name: uniqueName('fuzzed') });
  const project = await api.make('project', { name: uniqueName('fuzzed'), domain_id: domain.id });
  const application = await makeApplication(api, { redirect_uris: ['https://app.example/callback'], scopes: ['all_info'] });
  pool.keep('domain', domain.id, 'default');
  pool.keep('project', project.id);
  pool.keep('consumer', application.id);
  for (const name of ['admin', 'member', 'manager', 'reader']) pool.keep('role', await api.roleId(name));

  const person = (name: string, role: string, scope: Parameters<TestApi['persona']>[1]): Caller & { id?: string } => {
    let token = '';
    return {
      name,
      credentials: (security): readonly Header[] => [
        security.includes('token') || security.length === 0 ? ['X-Auth-Token', token] : ['Authorization', `Bearer ${token}`],
      ],
      async renew() {
        const made = await api.persona([role], scope, { domain_id: domain.id });
        token = made.token;
        pool.keep('user', made.user.id);
        pool.keep('token', await api.logIn({ id: made.user.id, password: made.password }));
      },
    };
  };
  const { scim } = await connect(api, domain.id);
  const nothing = async (): Promise<void> => {};
  return [
    { name: 'nobody', credentials: () => [], renew: nothing },
    person('member', 'member', { project: project.id }),
    person('domain manager', 'manager', { domain: domain.id }),
    person('administrator', 'admin', { project: project.id }),
    person('system administrator', 'admin', 'system'),
    { name: 'connection', credentials: () => [['Authorization', `Bearer ${scim.token}`]], renew: nothing },
    { name: 'application', credentials: () => [['Authorization', basic(application)]], renew: nothing },
  ];
}

async function things(api: TestApi, pool: IdPool): Promise<void> {
  const domain = await api.make('domain', { name: uniqueName('thing') });
  pool.add('domain', domain.id);
  for (let n = 0; n < 3; n++) {
    for (const kind of ['user', 'group', 'project', 'role'] as const)
      pool.add(kind, (await api.make(kind, { name: uniqueName('thing') })).id);
    pool.add('region', (await api.make('region', {})).id);
    const service = await api.make('service', { type: 'thing' });
    pool.add('service', service.id);
    pool.add(
      'endpoint',
      (await api.make('endpoint', { service_id: service.id, interface: 'public', url: 'https://thing.example' })).id,
    );
    const application = await makeApplication(api);
    pool.add('consumer', application.id);
    pool.add('app_role', (await makeRole(api, application)).id);
    pool.add('permission', (await makePermission(api, application)).id);
  }
}

export async function identityPlan(api: TestApi, random: Random, count: number): Promise<FuzzPlan> {
  const pool = new IdPool(random);
  const personas = await callers(api, pool);
  for (const one of personas) await one.renew();
  await things(api, pool);
  const [, member, manager, administrator, system] = personas;
  const byName = new Map(personas.map((one) => [one.name, one]));
  return {
    operations,
    personas: [...personas, member!, manager!, administrator!, administrator!, administrator!, system!],
    count,
    source: {
      random,
      words: wordsOf(random, pool),
      idFor(operation, parameter) {
        const kind = kindOf(operation.path, parameter);
        return kind && pool.pick(kind, mayHarm(operation, kind));
      },
    },
    async learn(answers) {
      const refused = new Set<string>();
      for (const { operation, persona, sent, answer } of answers) {
        if (isMade(sent.method, answer)) pool.learn(answer.body, (name) => kindOf(operation.path, name));
        // A persona changed its own password or was disabled, so it is replaced.
        if (answer.status === 401 && sent.headers.some(([name, value]) => name === 'X-Auth-Token' && value.length < 2000))
          refused.add(persona.name);
      }
      for (const name of refused) if (!(await isLive(api, byName.get(name)!))) await byName.get(name)!.renew();
    },
  };
}

const isMade = (method: string, { status }: WireResponse): boolean => method === 'POST' && (status === 200 || status === 201);

async function isLive(api: TestApi, persona: FuzzPersona): Promise<boolean> {
  const [[, token] = ['', '']] = persona.credentials(['token']);
  if (persona.credentials(['token'])[0]?.[0] !== 'X-Auth-Token') return true;
  return (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status === 200;
}
