// What a user passes on: credentials, application credentials with access rules, trusts.
import { type ApiRequest, type Area, as, become, del, get, head, patch, post, put } from '../request.ts';
import { tour } from '../tour.ts';

export const credentials: Area = {
  title: 'credentials',
  requests: [
    ...tour({
      path: '/v3/credentials',
      one: 'credential',
      name: 'toured credential',
      good: { type: 'cert', blob: 'a certificate', user_id: '{project-member}' },
      again: true,
      bad: [
        { type: undefined },
        { type: 7 },
        { blob: undefined },
        { blob: 7 },
        { user_id: undefined },
        { user_id: 7 },
        { user_id: 'no-such' },
        { project_id: 'no-such' },
        { project_id: 7 },
        { type: 'ec2' },
        { type: 'ec2', blob: 'no JSON', project_id: '{web}' },
        { type: 'ec2', blob: '{"access": "one", "secret": "s"}' },
        { type: 'ec2', blob: '{"access": "one", "secret": "s"}', project_id: '{web}' },
        { type: 'ec2', blob: '{"access": "one", "secret": "s"}', project_id: '{web}' },
        { type: 'totp', blob: 'not base32!' },
        { type: 'totp', blob: 'ONSWG4TFOQQGWZLZ' },
        { anything: 'else' },
      ],
      change: { blob: 'changed' },
      badChanges: [
        { type: 7 },
        { blob: 7 },
        { project_id: 'no-such' },
        { user_id: '{domain-admin}' },
        { type: 'ec2' },
        { anything: 'else' },
      ],
      filters: ['type=cert', 'type=no-such', 'user_id={project-member}', 'user_id=no-such', 'type=cert&type=ec2'],
    }),
    post(
      '/v3/credentials',
      { credential: { type: 'cert', blob: 'mine', user_id: '{project-member}' } },
      { as: 'project-member', keep: { mine: 'credential.id' } },
    ),
    post('/v3/credentials', { credential: { type: 'cert', blob: 'x', user_id: '{domain-admin}' } }, { as: 'project-member' }),
    ...['project-member', 'project-reader', 'system-reader', 'system-admin', 'domain-admin', 'unscoped', 'nobody'].flatMap(
      (persona) =>
        as(
          persona,
          get('/v3/credentials'),
          get('/v3/credentials/{mine}'),
          get('/v3/credentials?user_id={project-member}'),
          patch('/v3/credentials/{mine}', { credential: { blob: 'again' } }),
        ),
    ),
    del('/v3/credentials/{mine}', { as: 'project-reader' }),
    del('/v3/credentials/{mine}', { as: 'project-member' }),
  ],
};

const own = '/v3/users/{project-member}';
const rule = { path: '/v2.1/servers', method: 'GET', service: 'compute' };

const program = (part: object = {}, extra: object = {}): ApiRequest =>
  post(
    `${own}/application_credentials`,
    { application_credential: { name: 'job', ...part } },
    { as: 'project-member', ...extra },
  );
const programLogin = (part: object, scope?: unknown): ApiRequest =>
  post(
    '/v3/auth/tokens',
    {
      auth: {
        identity: { methods: ['application_credential'], application_credential: part },
        ...(scope === undefined ? {} : { scope }),
      },
    },
    { as: 'nobody' },
  );
const one = `${own}/application_credentials/{job}`;

export const applicationCredentials: Area = {
  title: 'application credentials',
  requests: [
    become('project-member', '{project-member}', { project: { id: '{web}' } }),
    ...as('project-member', get(`${own}/application_credentials`), get(`${own}/access_rules`)),
    ...[
      { name: undefined },
      { name: '' },
      { name: 7 },
      { name: 'x'.repeat(256) },
      { secret: 7 },
      { description: 7 },
      { expires_at: 'no date' },
      { expires_at: '2020-01-01T00:00:00.000000Z' },
      { expires_at: '2040-01-01T00:00:00.000000Z', name: 'with-an-end' },
      { expires_at: null, name: 'without-an-end' },
      { roles: 'text' },
      { roles: [{}] },
      { roles: [{ name: 'no-such-role' }] },
      { roles: [{ id: 'no-such-role' }] },
      { roles: [{ name: 'admin' }] },
      { roles: [], name: 'no-roles' },
      { unrestricted: 'yes' },
      { access_rules: 'text' },
      { access_rules: [{ path: '/x' }] },
      { access_rules: [{ ...rule, method: 'NO-SUCH' }] },
      { access_rules: [{ ...rule, path: 'no slash' }] },
      { access_rules: [{ id: 'no-such' }] },
      { anything: 'else' },
    ].map((part) => program(part)),
    post(`${own}/application_credentials`, {}, { as: 'project-member' }),
    post(`${own}/application_credentials`, { application_credential: 'text' }, { as: 'project-member' }),
    program(
      { secret: 'the secret', roles: [{ name: 'member' }], description: 'x' },
      { keep: { job: 'application_credential.id' } },
    ),
    program(),
    program(
      { name: 'ruled', secret: 's', access_rules: [rule, { ...rule, method: 'POST' }] },
      { keep: { ruled: 'application_credential.id', 'the rule': 'application_credential.access_rules.0.id' } },
    ),
    program({ name: 'free', secret: 's', unrestricted: true }, { keep: { free: 'application_credential.id' } }),
    ...as(
      'project-member',
      get(`${own}/application_credentials`),
      head(`${own}/application_credentials`),
      get(`${own}/application_credentials?name=job`),
      get(`${own}/application_credentials?name=no-such`),
      get(`${own}/application_credentials?no_such=1`),
      get(one),
      head(one),
      get(`${own}/application_credentials/no-such`),
      patch(one, { application_credential: { name: 'x' } }),
      put(one, {}),
      get(`${own}/access_rules`),
      get(`${own}/access_rules?service=compute`),
      get(`${own}/access_rules?service=no-such`),
      get(`${own}/access_rules/{the rule}`),
      head(`${own}/access_rules/{the rule}`),
      get(`${own}/access_rules/no-such`),
      del(`${own}/access_rules/{the rule}`),
      del(`${own}/access_rules/no-such`),
    ),
    ...['admin', 'system-reader', 'system-admin', 'domain-admin', 'project-reader', 'unscoped', 'nobody'].flatMap((persona) =>
      as(
        persona,
        get(`${own}/application_credentials`),
        get(one),
        get(`${own}/access_rules`),
        post(`${own}/application_credentials`, { application_credential: { name: 'for-another' } }),
      ),
    ),
    programLogin({ id: '{job}', secret: 'the secret' }),
    programLogin({ id: '{job}', secret: 'wrong' }),
    programLogin({ id: '{job}' }),
    programLogin({ name: 'job', secret: 'the secret' }),
    programLogin({ name: 'job', secret: 'the secret', user: { id: '{project-member}' } }),
    programLogin({ name: 'job', secret: 'the secret', user: { name: 'project-member', domain: { id: '{acme}' } } }),
    programLogin({ name: 'no-such', secret: 'the secret', user: { id: '{project-member}' } }),
    programLogin({ id: '{job}', secret: 'the secret' }, { project: { id: '{web}' } }),
    programLogin({ id: '{job}', secret: 'the secret' }, { project: { id: '{lonely}' } }),
    programLogin({ id: '{job}', secret: 'the secret' }, 'unscoped'),
    { ...programLogin({ id: '{job}', secret: 'the secret' }), keep: { 'token of program': 'header x-subject-token' } },
    { ...programLogin({ id: '{ruled}', secret: 's' }), keep: { 'token of ruled-program': 'header x-subject-token' } },
    { ...programLogin({ id: '{free}', secret: 's' }), keep: { 'token of free-program': 'header x-subject-token' } },
    ...['program', 'ruled-program', 'free-program'].flatMap((persona) =>
      as(
        persona,
        get(own),
        get('/v3/auth/projects'),
        get('/v3/auth/tokens', { headers: { 'x-subject-token': `{token of ${persona}}` } }),
        get(`${own}/application_credentials`),
        post(`${own}/application_credentials`, { application_credential: { name: `by-${persona}` } }),
        post('/v3/auth/tokens', { auth: { identity: { methods: ['token'], token: { id: `{token of ${persona}}` } } } }),
        post('/v3/OS-TRUST/trusts', { trust: {} }),
        get('/v3/users'),
      ),
    ),
    ...as(
      'project-member',
      del(`${own}/application_credentials/no-such`),
      del(`${own}/application_credentials/{ruled}`),
      del(`${own}/access_rules/{the rule}`),
    ),
    ...as('ruled-program', get(own)),
    ...as('project-reader', del(one)),
    del(one),
    ...as('project-member', del(one), get(one)),
  ],
};

const trust = {
  trustor_user_id: '{project-member}',
  trustee_user_id: '{unscoped}',
  project_id: '{web}',
  impersonation: false,
  roles: [{ name: 'member' }],
};
const give = (part: object = {}, extra: object = {}): ApiRequest =>
  post('/v3/OS-TRUST/trusts', { trust: { ...trust, ...part } }, { as: 'project-member', ...extra });
const trustPath = '/v3/OS-TRUST/trusts/{trust}';

export const trusts: Area = {
  title: 'trusts',
  requests: [
    become('project-member', '{project-member}', { project: { id: '{web}' } }),
    get('/v3/OS-TRUST/trusts'),
    ...[
      { trustor_user_id: undefined },
      { trustor_user_id: '{project-reader}' },
      { trustee_user_id: undefined },
      { trustee_user_id: 'no-such' },
      { trustee_user_id: 7 },
      { impersonation: undefined },
      { impersonation: 'yes' },
      { project_id: '{lonely}' },
      { project_id: 'no-such' },
      { project_id: undefined, roles: [] },
      { roles: [] },
      { roles: undefined },
      { roles: 'text' },
      { roles: [{ name: 'no-such' }] },
      { roles: [{ id: 'no-such' }] },
      { roles: [{ name: 'admin' }] },
      { roles: [{}] },
      { expires_at: 'no date' },
      { expires_at: '2020-01-01T00:00:00.000000Z' },
      { expires_at: '2040-01-01T00:00:00.000000Z' },
      { remaining_uses: 0 },
      { remaining_uses: -1 },
      { remaining_uses: 'one' },
      { remaining_uses: 2 },
      { remaining_uses: null },
      { allow_redelegation: 'yes' },
      { allow_redelegation: true, redelegation_count: 1 },
      { allow_redelegation: true, redelegation_count: 99 },
      { allow_redelegation: true, remaining_uses: 1 },
      { redelegation_count: -1 },
      { anything: 'else' },
    ].map((part) => give(part)),
    post('/v3/OS-TRUST/trusts', {}, { as: 'project-member' }),
    post('/v3/OS-TRUST/trusts', { trust: 'text' }, { as: 'project-member' }),
    give({}, { as: 'admin' }),
    give({}, { as: 'nobody' }),
    give({}, { keep: { trust: 'trust.id' } }),
    give({ impersonation: true }, { keep: { 'impersonating trust': 'trust.id' } }),
    ...['admin', 'project-member', 'unscoped', 'project-reader', 'system-reader', 'nobody'].flatMap((persona) =>
      as(
        persona,
        get('/v3/OS-TRUST/trusts'),
        get('/v3/OS-TRUST/trusts?trustor_user_id={project-member}'),
        get('/v3/OS-TRUST/trusts?trustee_user_id={unscoped}'),
        get(trustPath),
        get(`${trustPath}/roles`),
        get(`${trustPath}/roles/{role member}`),
        head(`${trustPath}/roles/{role member}`),
        get(`${trustPath}/roles/{role admin}`),
      ),
    ),
    ...as(
      'project-member',
      get('/v3/OS-TRUST/trusts?trustor_user_id={project-member}&trustee_user_id={unscoped}'),
      head(trustPath),
      get('/v3/OS-TRUST/trusts/no-such'),
      patch(trustPath, { trust: { impersonation: true } }),
      put(trustPath, {}),
    ),
    ...['trust', 'impersonating trust'].flatMap((name) => [
      post(
        '/v3/auth/tokens',
        {
          auth: {
            identity: { methods: ['token'], token: { id: '{token of unscoped}' } },
            scope: { 'OS-TRUST:trust': { id: `{${name}}` } },
          },
        },
        { as: 'nobody', keep: { [`token of ${name.replace(' ', '-')}ed`]: 'header x-subject-token' } },
      ),
      ...as(
        `${name.replace(' ', '-')}ed`,
        get('/v3/auth/tokens', { headers: { 'x-subject-token': `{token of ${name.replace(' ', '-')}ed}` } }),
        get('/v3/auth/projects'),
        get('/v3/projects/{web}'),
        get('/v3/users'),
        give({}, {}),
      ),
    ]),
    ...[{ id: 'no-such' }, {}, 'text'].map((scope) =>
      post(
        '/v3/auth/tokens',
        { auth: { identity: { methods: ['token'], token: { id: '{token of unscoped}' } }, scope: { 'OS-TRUST:trust': scope } } },
        { as: 'nobody' },
      ),
    ),
    post(
      '/v3/auth/tokens',
      {
        auth: {
          identity: { methods: ['token'], token: { id: '{token of project-reader}' } },
          scope: { 'OS-TRUST:trust': { id: '{trust}' } },
        },
      },
      { as: 'nobody' },
    ),
    ...as('unscoped', del(trustPath)),
    ...as('project-member', del(trustPath), del(trustPath), get(trustPath)),
    ...as('trusted', get('/v3/auth/projects')),
    del('/v3/OS-TRUST/trusts/{impersonating trust}'),
  ],
};
