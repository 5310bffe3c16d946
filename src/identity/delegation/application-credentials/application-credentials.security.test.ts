import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, it } from 'node:test';
import type { KyselyPlugin } from 'kysely';
import { onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { allowsRequest } from '../../access/context/index.ts';
import { applicationCredentialDelegation } from './delegation.ts';

const READ_PROJECTS = { service: 'identity', method: 'GET', path: '/v3/projects/*' };

async function programOf(api: TestApi, roles: readonly string[], values: Record<string, unknown> = {}) {
  const project = await api.make('project', { name: uniqueName('project') });
  const person = await api.persona(roles, { project: project.id });
  const path = `/v3/users/${person.user.id}/application_credentials`;
  const answer = await api.post(
    path,
    { application_credential: { name: uniqueName('program'), ...values } },
    { token: person.token },
  );
  assert.equal(answer.status, 201, answer.text);
  const credential = answer.body.application_credential as { id: string; name: string; secret: string };
  return { ...person, project, path, credential };
}

const logIn = (api: TestApi, application_credential: Record<string, unknown>, scope?: unknown) =>
  api.post(
    '/v3/auth/tokens',
    { auth: { identity: { methods: ['application_credential'], application_credential }, scope } },
    { token: null },
  );

async function tokenOf(api: TestApi, { id, secret }: { id: string; secret: string }): Promise<string> {
  const answer = await logIn(api, { id, secret });
  assert.equal(answer.status, 201, answer.text);
  return answer.headers.get('x-subject-token')!;
}

/** By a socket, because other clients remove fragments. */
async function rawStatus(url: string, lines: readonly string[]): Promise<number> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1');
  socket.write(`${lines.join('\r\n')}\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += chunk;
  return Number(text.split(' ')[1]);
}

const isValid = async (api: TestApi, token: string): Promise<boolean> =>
  (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status === 200;

onUsualDatabase('An application credential', (api) => {
  it('does not outlive a role, a project, an account or its user being disabled', async () => {
    const ends: ((person: Awaited<ReturnType<typeof programOf>>) => Promise<unknown>)[] = [
      async ({ project, user }) => api.delete(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`),
      ({ project }) => api.patch(`/v3/projects/${project.id}`, { project: { enabled: false } }),
      ({ project }) => api.delete(`/v3/projects/${project.id}`),
      ({ user }) => api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }),
      ({ user }) => api.delete(`/v3/users/${user.id}`),
    ];
    for (const end of ends) {
      const program = await programOf(api, ['member']);
      const token = await tokenOf(api, program.credential);
      assert.ok(await isValid(api, token));
      await end(program);
      assert.ok(!(await isValid(api, token)), end.toString());
      assert.equal((await logIn(api, program.credential)).status, 401, end.toString());
    }
  });

  it('loses everything with one of several roles, and does not come back with an account', async () => {
    const program = await programOf(api, ['member', 'manager']);
    const token = await tokenOf(api, program.credential);
    await api.delete(`/v3/projects/${program.project.id}/users/${program.user.id}/roles/${await api.roleId('manager')}`);
    assert.ok(!(await isValid(api, token)));
    const other = await programOf(api, ['member']);
    await api.patch(`/v3/users/${other.user.id}`, { user: { enabled: false } });
    await api.patch(`/v3/users/${other.user.id}`, { user: { enabled: true } });
    assert.equal((await logIn(api, other.credential)).status, 401);
  });

  it('gets no other scope, at login or afterwards', async () => {
    const program = await programOf(api, ['member']);
    const scopes = [
      'unscoped',
      { project: { id: program.project.id } },
      { domain: { id: 'default' } },
      { system: { all: true } },
    ];
    for (const scope of scopes) assert.equal((await logIn(api, program.credential, scope)).status, 401);
    const token = await tokenOf(api, program.credential);
    for (const scope of [...scopes, undefined]) {
      const body = { auth: { identity: { methods: ['token'], token: { id: token } }, scope } };
      assert.equal((await api.post('/v3/auth/tokens', body, { token: null })).status, 403);
    }
    const both = {
      auth: {
        identity: {
          methods: ['application_credential', 'password'],
          application_credential: program.credential,
          password: { user: { id: program.user.id, password: program.password } },
        },
        scope: 'unscoped',
      },
    };
    assert.equal((await api.post('/v3/auth/tokens', both, { token: null })).status, 401);
  });

  it('manages no others unless it is unrestricted, and never gets more roles than it has', async () => {
    const restricted = await programOf(api, ['member']);
    const token = await tokenOf(api, restricted.credential);
    const body = () => ({ application_credential: { name: uniqueName('next') } });
    assert.equal((await api.post(restricted.path, body(), { token })).status, 403);
    assert.equal((await api.delete(`${restricted.path}/${restricted.credential.id}`, { token })).status, 403);

    const reader = await programOf(api, ['member'], { unrestricted: true, roles: [{ name: 'reader' }] });
    const weak = await tokenOf(api, reader.credential);
    const more = { application_credential: { name: uniqueName('next'), roles: [{ name: 'member' }] } };
    assert.equal((await api.post(reader.path, more, { token: weak })).status, 400);
    const next = await api.post(reader.path, body(), { token: weak });
    assert.deepEqual(
      next.body.application_credential.roles.map(({ name }: { name: string }) => name),
      ['reader'],
    );
  });

  it('sends no other request than its rules name, by a fragment or within a bulk request', async () => {
    const rules = [
      { service: 'identity', method: 'DELETE', path: '/v3/users/{user_id}/access_rules/{id}' },
      { service: 'identity', method: 'POST', path: '/scim/v2/**' },
    ];
    const { credential } = await programOf(api, ['admin'], { access_rules: rules });
    const token = await tokenOf(api, credential);
    const victim = await api.make('user', { name: uniqueName('victim') });
    const head = `DELETE /v3/users/${victim.id}#/access_rules/x HTTP/1.1`;
    assert.equal(await rawStatus(api.url, [head, 'Host: x', `X-Auth-Token: ${token}`, 'Connection: close']), 400);
    const bulk = {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:BulkRequest'],
      Operations: [{ method: 'DELETE', path: `/Users/${victim.id}` }],
    };
    const answer = await api.post('/scim/v2/Bulk', bulk, { token, headers: { 'Content-Type': 'application/scim+json' } });
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.Operations[0].status, '401');
    assert.equal((await api.get(`/v3/users/${victim.id}`)).status, 200);
  });

  it('makes no other that is without its limits', async () => {
    const rules = [{ service: 'identity', method: 'POST', path: '/v3/users/*/application_credentials' }];
    const limited = await programOf(api, ['member'], { unrestricted: true, access_rules: rules });
    const body = () => ({ application_credential: { name: uniqueName('next') } });
    assert.equal((await api.post(limited.path, body(), { token: await tokenOf(api, limited.credential) })).status, 403);
    const soon = new Date(api.clock.now() + 600_000).toISOString();
    const short = await programOf(api, ['member'], { unrestricted: true, expires_at: soon });
    const next = await api.post(short.path, body(), { token: await tokenOf(api, short.credential) });
    const ended = soon.replace(/\.\d+Z$/, '.000000');
    assert.equal(next.body.application_credential.expires_at, ended);
    const later = { application_credential: { name: uniqueName('next'), expires_at: ended.replace('000000', '999999') } };
    const last = await api.post(short.path, later, { token: await tokenOf(api, short.credential) });
    assert.equal(last.body.application_credential.expires_at, ended, 'not by a part of a second');
  });

  it('is made for nobody else, and others see nothing of it', async () => {
    const program = await programOf(api, ['member']);
    const stranger = await programOf(api, ['member']);
    const body = { application_credential: { name: uniqueName('planted') } };
    assert.equal((await api.post(program.path, body, { token: stranger.token })).status, 403);
    assert.equal((await api.post(program.path, body)).status, 403, 'not even by an administrator');
    const one = `${program.path}/${program.credential.id}`;
    for (const path of [program.path, one, `${program.path}/unknown`])
      assert.equal((await api.get(path, { token: stranger.token })).status, 403);
    assert.equal((await api.delete(one, { token: stranger.token })).status, 403);
    // In the address of another user it is not found, whoever asks.
    assert.equal((await api.get(`${stranger.path}/${program.credential.id}`)).status, 404);
  });

  it('belongs to its own user, whoever else is named, and wrong secrets are refused alike', async () => {
    const program = await programOf(api, ['member']);
    const { id, name, secret } = program.credential;
    const admin = { name: 'admin', domain: { id: 'default' } };
    assert.equal((await logIn(api, { id, secret, user: admin })).body.token.user.id, program.user.id);
    const refusals = [
      { id, secret: 'wrong' },
      { id: 'unknown', secret },
      { name, secret, user: admin },
      { name: 'unknown', secret, user: { id: program.user.id } },
      { name, secret, user: { name: 'nobody', domain: { id: 'default' } } },
    ];
    for (const credential of refusals) {
      const { status, body } = await logIn(api, credential);
      assert.equal(status, 401);
      assert.equal(body.error.message, (await logIn(api, refusals[0]!)).body.error.message);
    }
  });

  it('does what its roles allow, but nothing that only the person may do', async () => {
    const program = await programOf(api, ['admin'], { unrestricted: true });
    const token = await tokenOf(api, program.credential);
    assert.equal((await api.get('/v3/users?limit=1', { token })).status, 200);
    const own = `/v3/users/${program.user.id}`;
    const plain = await tokenOf(api, (await programOf(api, ['member'])).credential);
    assert.equal((await api.post('/v3/OS-OAUTH2/consumers', { consumer: { name: 'x' } }, { token: plain })).status, 403);
    assert.equal((await api.post(`${own}/OS-TWO-FACTOR/two_factor_auth`, { two_factor_auth: {} }, { token })).status, 403);
  });

  it('never has its roles without its rules, also when it is deleted while it is read', async () => {
    const db = await databaseOf(api);
    try {
      for (let reads = 1; ; reads++) {
        const { credential, path, token } = await programOf(api, ['member'], { access_rules: [READ_PROJECTS] });
        let done = 0;
        // Deletes it after so many of the queries.
        const deleting: KyselyPlugin = {
          transformQuery: ({ node }) => node,
          async transformResult({ result }) {
            if (++done === reads) await api.delete(`${path}/${credential.id}`, { token });
            return result;
          },
        };
        const read = await applicationCredentialDelegation(db.read.withPlugin(deleting), credential.id);
        assert.ok(!read || read.accessRules || read.roleIds?.length === 0, `after ${reads}`);
        if (done < reads) break;
      }
    } finally {
      await db.close();
    }
  });

  it('leaves no secret in the log', async () => {
    const { credential } = await programOf(api, ['member'], { secret: 'a secret that was chosen' });
    assert.ok(!api.logged.join('\n').includes('a secret that was chosen'));
    assert.ok(!api.logged.join('\n').includes(credential.secret));
  });
});

onUsualDatabase(
  'Guesses at the secret of an application credential',
  (api) => {
    it('are limited', async () => {
      const { credential } = await programOf(api, ['member']);
      const statuses: number[] = [];
      for (let guess = 0; guess < 12; guess++)
        statuses.push((await logIn(api, { id: credential.id, secret: `guess ${guess}` })).status);
      assert.equal(statuses[0], 401);
      assert.equal(statuses.at(-1), 429);
    });

    let addresses = 0;
    const from = (): { 'X-Forwarded-For': string } => ({ 'X-Forwarded-For': `203.0.${++addresses}.7` });
    const byLogin = (find: Record<string, unknown>) => (secret: string, headers: Record<string, string>) => {
      const identity = { methods: ['application_credential'], application_credential: { ...find, secret } };
      return api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
    };
    const byOAuth2 = (id: string) => (secret: string, headers: Record<string, string>) => {
      const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
      const form = { 'Content-Type': 'application/x-www-form-urlencoded', Authorization: authorization };
      return api.post('/v3/OS-OAUTH2/token', 'grant_type=client_credentials', { token: null, headers: { ...form, ...headers } });
    };

    it('have to wait as those at a password do, however many addresses and ways they come by', async () => {
      api.clock.hold();
      const { credential, user } = await programOf(api, ['member'], { secret: 'summer2026' });
      const named = { name: credential.name, user: { id: user.id } };
      const ways = [byLogin({ id: credential.id }), byLogin(named), byOAuth2(credential.id)];
      // The program itself, from where it always comes.
      const home = from();
      assert.equal((await ways[0]!('summer2026', home)).status, 201);
      for (let guess = 0; guess < 12; ) {
        const { status } = await ways[guess % ways.length]!(`guess ${guess}`, from());
        if (status === 401) guess++;
        else api.clock.advance(1);
      }
      for (const way of ways) assert.equal((await way('summer2026', from())).status, 429);
      assert.equal((await ways[0]!('summer2026', home)).status, 201);
      api.clock.advance(2);
      assert.equal((await ways[0]!('summer2026', from())).status, 201, 'nobody is locked out by others');
    });

    it('wait alike at one that does not exist', async () => {
      const way = byLogin({ id: 'f'.repeat(32) });
      const statuses: number[] = [];
      for (let guess = 0; guess < 12; guess++) statuses.push((await way('x', from())).status);
      assert.deepEqual([statuses[0], statuses.at(-1)], [401, 429]);
    });
  },
  { rateLimits: true, trustedProxies: ['127.0.0.1'] },
);

describe('Access rules', () => {
  const rules = (path: string, method = 'GET', service = 'identity') => [{ id: '1', service, path, method }];

  it('match whole paths by segments', () => {
    const cases: [pattern: string, path: string, allowed: boolean][] = [
      ['/v3/users', '/v3/users', true],
      ['/v3/users', '/v3/users/1', false],
      ['/v3/users', '/v3/user', false],
      ['/v3/users/*', '/v3/users/1', true],
      ['/v3/users/*', '/v3/users/1/password', false],
      ['/v3/users/{user_id}/projects', '/v3/users/1/projects', true],
      ['/v3/**', '/v3/users/1/projects', true],
      ['/v3/**/projects', '/v3/users/1/projects', true],
      ['/v3/**/projects', '/v3/projects', true],
      ['/v3/u*s', '/v3/users', true],
      ['/v3/u*s', '/v3/us/ers', false],
      ['/**', '/v3/users', true],
      ['/v3/users/*', '/v3/users/', false],
      ['/v3/users/{user_id}', '/v3/users/', false],
      ['/v3/users', '/v3/users/', true],
      ['/', '/v3/users', false],
      ['/v3/.*', '/v3/users', false],
    ];
    for (const [pattern, path, allowed] of cases)
      assert.equal(allowsRequest(rules(pattern), 'GET', path), allowed, `${pattern} ${path}`);
  });

  it('are not escaped by dots, doubled slashes or encoding, nor by another method or service', () => {
    const tricks = [
      '/v3/users/../projects',
      '/v3/users/.',
      '/v3//users/1',
      '/v3/users/%2e%2e/projects',
      '/v3/users/1%2fpassword',
      '/v3/users/1#/access_rules/x',
    ];
    for (const path of tricks) assert.equal(allowsRequest(rules('/v3/**'), 'GET', path), false, path);
    assert.equal(allowsRequest(rules('/v3/users', 'POST'), 'GET', '/v3/users'), false);
    assert.equal(allowsRequest(rules('/v3/users', 'GET', 'compute'), 'GET', '/v3/users'), false);
  });

  it('take bounded time, whatever the pattern', () => {
    const pattern = `${'/**/a'.repeat(40)}/b`;
    const begin = performance.now();
    assert.equal(allowsRequest(rules(pattern), 'GET', '/a'.repeat(200)), false);
    assert.ok(performance.now() - begin < 2000);
  });
});
