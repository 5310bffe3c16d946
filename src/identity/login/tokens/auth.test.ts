import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, type ApiAnswer, onEachDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';

const PASSWORD = 'a password of a test';
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
const AUDIT_ID = /^[\w-]{22}$/;

const tokenOf = (answer: ApiAnswer): string => answer.headers.get('x-subject-token')!;

function byToken(api: TestApi, id: string, scope?: unknown): Promise<ApiAnswer> {
  const identity = { methods: ['token'], token: { id } };
  return api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
}

const show = (api: TestApi, subject: string, query = '', token?: string): Promise<ApiAnswer> =>
  api.get(`/v3/auth/tokens${query}`, { headers: { 'X-Subject-Token': subject }, ...(token === undefined ? {} : { token }) });

onEachDatabase('Logging in', (api) => {
  let domain: any;
  let project: any;
  let user: any;
  let role: any;
  before(async () => {
    domain = await api.make('domain', { name: uniqueName('acme') });
    project = await api.make('project', { name: uniqueName('shop'), domain_id: domain.id });
    user = await api.make('user', { name: uniqueName('ann'), domain_id: domain.id, password: PASSWORD });
    role = await api.make('role', { name: uniqueName('role') });
    for (const place of [`projects/${project.id}`, `domains/${domain.id}`, 'system'])
      assertOk(await api.put(`/v3/${place}/users/${user.id}/roles/${role.id}`), 204);
  });

  const logIn = (scope?: unknown) => api.authenticate({ id: user.id, password: PASSWORD }, scope);

  it('accepts a user by id, and by name with the id or the name of the domain', async () => {
    for (const who of [
      { id: user.id },
      { name: user.name, domain: { id: domain.id } },
      { name: user.name, domain: { name: domain.name } },
      { id: user.id, name: 'ignored', domain: { id: 'ignored' } },
    ]) {
      const answer = await api.authenticate({ ...who, password: PASSWORD });
      assert.equal(assertOk(answer, 201).token.user.id, user.id);
      assert.match(tokenOf(answer), /^[\w-]{80,255}$/);
    }
  });

  it('gives a token without a scope exactly this body', async () => {
    const answer = await logIn();
    const { token } = assertOk(answer, 201);
    assert.deepEqual(token, {
      methods: ['password'],
      user: {
        id: user.id,
        name: user.name,
        domain: { id: domain.id, name: domain.name },
        password_expires_at: null,
      },
      audit_ids: token.audit_ids,
      expires_at: token.expires_at,
      issued_at: token.issued_at,
    });
    assert.equal(token.audit_ids.length, 1);
    assert.match(token.audit_ids[0], AUDIT_ID);
    assert.match(token.issued_at, TIME);
    assert.match(token.expires_at, TIME);
    assert.equal(Date.parse(token.expires_at) - Date.parse(token.issued_at), 3600_000);
    assert.equal(answer.headers.get('vary'), 'X-Auth-Token');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  });

  const scopes: Record<string, { asked: () => unknown; shown: () => object }> = {
    'a project by id': {
      asked: () => ({ project: { id: project.id } }),
      shown: () => ({
        is_domain: false,
        project: { id: project.id, name: project.name, domain: { id: domain.id, name: domain.name } },
      }),
    },
    'a project by name, in a domain by id': {
      asked: () => ({ project: { name: project.name, domain: { id: domain.id } } }),
      shown: () => scopes['a project by id']!.shown(),
    },
    'a project by name, in a domain by name': {
      asked: () => ({ project: { name: project.name, domain: { name: domain.name } } }),
      shown: () => scopes['a project by id']!.shown(),
    },
    'a domain by id': {
      asked: () => ({ domain: { id: domain.id } }),
      shown: () => ({ domain: { id: domain.id, name: domain.name } }),
    },
    'a domain by name': {
      asked: () => ({ domain: { name: domain.name } }),
      shown: () => ({ domain: { id: domain.id, name: domain.name } }),
    },
    'the system': { asked: () => ({ system: { all: true } }), shown: () => ({ system: { all: true } }) },
  };
  for (const [what, { asked, shown }] of Object.entries(scopes)) {
    it(`scopes a token to ${what}, with roles and catalog, and shows the same when it is validated`, async () => {
      const answer = await logIn(asked());
      const { token } = assertOk(answer, 201);
      const { methods, user: who, audit_ids, expires_at, issued_at, catalog, roles, ...scope } = token;
      assert.deepEqual(scope, shown());
      assert.deepEqual(roles, [{ id: role.id, name: role.name }]);
      assert.deepEqual(methods, ['password']);
      assert.equal(who.id, user.id);
      assert.ok(audit_ids && expires_at && issued_at);
      const identity = catalog.find(({ type }: { type: string }) => type === 'identity');
      assert.deepEqual(identity.endpoints.map((endpoint: any) => endpoint.interface).sort(), ['admin', 'internal', 'public']);
      assert.deepEqual(assertOk(await show(api, tokenOf(answer))).token, token);
    });
  }

  it('leaves the catalog out on request', async () => {
    const identity = { methods: ['password'], password: { user: { id: user.id, password: PASSWORD } } };
    const auth = { identity, scope: { project: { id: project.id } } };
    for (const query of ['?nocatalog', '?nocatalog=', '?nocatalog=1']) {
      const answer = await api.post(`/v3/auth/tokens${query}`, { auth }, { token: null });
      assert.equal('catalog' in assertOk(answer, 201).token, false);
      assert.equal('catalog' in assertOk(await show(api, tokenOf(answer), query)).token, false);
      assert.equal('catalog' in assertOk(await show(api, tokenOf(answer))).token, true);
    }
  });

  describe('without a scope', () => {
    const setDefault = async (id: string | null) =>
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { default_project_id: id } }));
    const scopeOf = async (scope?: unknown) => assertOk(await logIn(scope), 201).token.project?.id;

    it('goes to the default project', async () => {
      await setDefault(project.id);
      assert.equal(await scopeOf(), project.id);
    });

    it('stays without a scope when that is what was asked for, as a word or as an object', async () => {
      await setDefault(project.id);
      for (const scope of ['unscoped', { unscoped: {} }]) {
        const { token } = assertOk(await logIn(scope), 201);
        for (const key of ['project', 'domain', 'system', 'roles', 'catalog']) assert.equal(key in token, false);
      }
    });

    it('ignores a default project that cannot be used', async () => {
      const closed = await api.make('project', { name: uniqueName('closed'), domain_id: domain.id, enabled: false });
      assertOk(await api.put(`/v3/projects/${closed.id}/users/${user.id}/roles/${role.id}`), 204);
      const foreign = await api.make('project', { name: uniqueName('foreign') });
      for (const id of [closed.id, foreign.id, 'nowhere', null]) {
        await setDefault(id);
        assert.equal(await scopeOf(), undefined);
      }
    });
  });

  it('refuses every failed login with the same message', async () => {
    const foreign = await api.make('project', { name: uniqueName('foreign') });
    const silent = await api.make('user', { name: uniqueName('silent') });
    const plain = await api.make('user', { name: uniqueName('plain'), password: PASSWORD });
    const wrong: [string, Promise<ApiAnswer>][] = [
      ['wrong password', api.authenticate({ id: user.id, password: 'wrong' })],
      ['empty password', api.authenticate({ id: user.id, password: '' })],
      ['unknown id', api.authenticate({ id: 'nobody', password: PASSWORD })],
      ['unknown name', api.authenticate({ name: 'nobody', password: PASSWORD })],
      ['name in another domain', api.authenticate({ name: user.name, domain: { id: 'default' }, password: PASSWORD })],
      ['unknown domain', api.authenticate({ name: user.name, domain: { id: 'nowhere' }, password: PASSWORD })],
      ['unknown domain name', api.authenticate({ name: user.name, domain: { name: 'nowhere' }, password: PASSWORD })],
      ['user without a password', api.authenticate({ id: silent.id, password: '' })],
      ['no role in the project', logIn({ project: { id: foreign.id } })],
      ['no such project', logIn({ project: { id: 'nowhere' } })],
      ['no such project name', logIn({ project: { name: 'nowhere', domain: { id: domain.id } } })],
      ['project in no such domain', logIn({ project: { name: project.name, domain: { name: 'nowhere' } } })],
      ['no role on the domain', logIn({ domain: { id: 'default' } })],
      ['no such domain', logIn({ domain: { id: 'nowhere' } })],
      ['a project for a domain', logIn({ domain: { id: project.id } })],
      ['no role on the system', api.authenticate({ id: plain.id, password: PASSWORD }, { system: { all: true } })],
    ];
    for (const [what, answer] of wrong) {
      const got = await answer;
      assertRefused(got, 401, /^The request you have made requires authentication\.$/);
      assert.equal(got.headers.get('x-subject-token'), null, what);
    }
  });

  it('refuses what is no login, naming the field', async () => {
    const password = { user: { id: 'someone', password: PASSWORD } };
    const identity = { methods: ['password'], password };
    const cases: [string, unknown][] = [
      ['auth', {}],
      ['auth', { auth: [] }],
      ['auth.identity', { auth: {} }],
      ['auth.identity.methods', { auth: { identity: {} } }],
      ['auth.identity.methods', { auth: { identity: { methods: [] } } }],
      ['auth.identity.methods', { auth: { identity: { methods: 'password' } } }],
      ['auth.identity.methods', { auth: { identity: { methods: [7] } } }],
      ['auth.identity.password', { auth: { identity: { methods: ['password'] } } }],
      ['auth.identity.password.user', { auth: { identity: { methods: ['password'], password: {} } } }],
      [
        'auth.identity.password.user.password',
        { auth: { identity: { methods: ['password'], password: { user: { id: 'x' } } } } },
      ],
      ['auth.identity.password.user', { auth: { identity: { methods: ['password'], password: { user: { password: 'x' } } } } }],
      ['domain', { auth: { identity: { methods: ['password'], password: { user: { name: 'x', password: 'x' } } } } }],
      ['auth.identity.token', { auth: { identity: { methods: ['token'] } } }],
      ['auth.identity.totp', { auth: { identity: { methods: ['password', 'totp'], password } } }],
      ['auth.identity.external', { auth: { identity: { methods: ['external'] } } }],
      ['auth.identity.saml2', { auth: { identity: { methods: ['password', 'saml2'], password } } }],
      ['auth.identity.toString', { auth: { identity: { methods: ['toString'] } } }],
      ['auth.identity.token.id', { auth: { identity: { methods: ['token'], token: {} } } }],
      ['auth.scope', { auth: { identity, scope: {} } }],
      ['auth.scope', { auth: { identity, scope: null } }],
      ['auth.scope', { auth: { identity, scope: 'everything' } }],
      ['auth.scope', { auth: { identity, scope: { project: { id: 'x' }, domain: { id: 'x' } } } }],
      ['auth.scope', { auth: { identity, scope: { system: { all: true }, unscoped: {} } } }],
      ['auth.scope.project', { auth: { identity, scope: { project: {} } } }],
      ['auth.scope.project', { auth: { identity, scope: { project: null } } }],
      ['auth.scope.project.domain', { auth: { identity, scope: { project: { name: 'x' } } } }],
      ['auth.scope.project.id', { auth: { identity, scope: { project: { id: 7 } } } }],
      ['auth.scope.project.name', { auth: { identity, scope: { project: { name: '' } } } }],
      ['auth.scope.domain', { auth: { identity, scope: { domain: 'x' } } }],
      ['auth.scope.domain.id', { auth: { identity, scope: { domain: {} } } }],
      ['auth.scope.domain.id', { auth: { identity, scope: { domain: { id: 'x'.repeat(256) } } } }],
      ...['', 7, 'x'.repeat(256), undefined].map((id): [string, unknown] => [
        'auth.scope.OS-TRUST:trust.id',
        { auth: { identity, scope: { 'OS-TRUST:trust': { id } } } },
      ]),
      ['auth.scope.system', { auth: { identity, scope: { system: {} } } }],
    ];
    for (const [field, body] of cases) {
      const answer = await api.post('/v3/auth/tokens', body, { token: null });
      assertRefused(answer, 400);
      assert.ok(answer.body.error.message.includes(field), `${JSON.stringify(body)}: ${answer.body.error.message}`);
    }
  });

  it('refuses a method it does not know', async () => {
    for (const method of ['saml2', 'external', 'x'.repeat(64), 'toString']) {
      const auth = { identity: { methods: [method], [method]: {} } };
      const refused = await api.post('/v3/auth/tokens', { auth }, { token: null });
      assertRefused(refused, 401);
      assert.ok(refused.body.error.identity.methods.includes('password'));
      assert.ok(!refused.body.error.identity.methods.includes(method));
    }
  });

  describe('with a token', () => {
    it('gives a token of another scope that ends when the first does and names it', async () => {
      const first = await logIn('unscoped');
      const parent = first.body.token;
      const second = await byToken(api, tokenOf(first), { project: { id: project.id } });
      const token = assertOk(second, 201).token;
      assert.equal(token.project.id, project.id);
      assert.equal(token.expires_at, parent.expires_at);
      assert.ok(token.issued_at >= parent.issued_at);
      assert.deepEqual([...token.methods].sort(), ['password', 'token']);
      assert.equal(token.audit_ids.length, 2);
      assert.equal(token.audit_ids[1], parent.audit_ids[0]);
      assert.notEqual(token.audit_ids[0], parent.audit_ids[0]);

      const third = assertOk(await byToken(api, tokenOf(second), { domain: { id: domain.id } }), 201).token;
      assert.equal(third.domain.id, domain.id);
      assert.equal(third.expires_at, parent.expires_at);
      assert.equal(third.audit_ids[1], parent.audit_ids[0], 'the chain names its first link');
      assert.deepEqual([...third.methods].sort(), ['password', 'token']);
    });

    it('goes back to no scope, and to the default project', async () => {
      const first = tokenOf(await logIn({ project: { id: project.id } }));
      assert.equal('project' in assertOk(await byToken(api, first, 'unscoped'), 201).token, false);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { default_project_id: project.id } }));
      assert.equal(assertOk(await byToken(api, first), 201).token.project.id, project.id);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { default_project_id: null } }));
    });

    it('gives no scope the user has no role in', async () => {
      const first = tokenOf(await logIn('unscoped'));
      assertRefused(await byToken(api, first, { project: { id: 'nowhere' } }), 401);
      assertRefused(await byToken(api, first, { domain: { id: 'default' } }), 401);
    });

    it('refuses one that is none, or was revoked', async () => {
      assertRefused(await byToken(api, 'nothing'), 404, /Could not find token/);
      const inPerson = { methods: ['password'], password: { user: { id: user.id, password: PASSWORD } } };
      const ofAnother = { 'Openstack-Auth-Receipt': tokenOf(await logIn('unscoped')) };
      const answer = await api.post('/v3/auth/tokens', { auth: { identity: inPerson } }, { token: null, headers: ofAnother });
      assertRefused(answer, 401);
      const first = tokenOf(await logIn('unscoped'));
      assertOk(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': first } }), 204);
      assertRefused(await byToken(api, first), 404, /Could not find token/);
    });

    it('takes token and password together when both are of the same user', async () => {
      const first = tokenOf(await logIn('unscoped'));
      const both = (who: object) => ({
        auth: { identity: { methods: ['password', 'token'], password: { user: who }, token: { id: first } } },
      });
      const good = await api.post('/v3/auth/tokens', both({ id: user.id, password: PASSWORD }), { token: null });
      assert.deepEqual([...assertOk(good, 201).token.methods].sort(), ['password', 'token']);
      const other = { name: 'admin', domain: { id: 'default' }, password: ADMIN_PASSWORD };
      assertRefused(await api.post('/v3/auth/tokens', both(other), { token: null }), 401);
      assertRefused(await api.post('/v3/auth/tokens', both({ id: user.id, password: 'wrong' }), { token: null }), 401);
    });
  });

  describe('a token that is asked about', () => {
    it('is shown and checked, with its own text in a header', async () => {
      const token = tokenOf(await logIn());
      const headers = { 'X-Subject-Token': token };
      const shown = await api.get('/v3/auth/tokens', { headers });
      assert.equal(assertOk(shown).token.user.id, user.id);
      assert.equal(shown.headers.get('x-subject-token'), token);
      const checked = await api.head('/v3/auth/tokens', { headers });
      assert.equal(checked.status, 200);
      assert.equal(checked.text, '');
      assert.equal(checked.headers.get('x-subject-token'), token);
    });

    it('is revoked at once, once, and alone', async () => {
      const [doomed, other] = [tokenOf(await logIn()), tokenOf(await logIn())];
      const child = tokenOf(await byToken(api, doomed, 'unscoped'));
      const headers = { 'X-Subject-Token': doomed };
      assertOk(await api.delete('/v3/auth/tokens', { headers }), 204);
      assert.equal(await isAlive(api, doomed), false);
      assertRefused(await api.get('/v3/auth/tokens', { headers }), 404, /Could not find token/);
      assert.equal((await api.head('/v3/auth/tokens', { headers })).status, 404);
      assertRefused(await api.delete('/v3/auth/tokens', { headers }), 404);
      assert.equal(await isAlive(api, other), true);
      assert.equal(await isAlive(api, child), true);
    });

    it('has to be named', async () => {
      for (const method of ['GET', 'DELETE'])
        assertRefused(await api.request(method, '/v3/auth/tokens'), 404, /Could not find token/);
      assert.equal((await api.head('/v3/auth/tokens')).status, 404);
      const own = tokenOf(await logIn());
      for (const method of ['GET', 'DELETE']) {
        assertRefused(await api.request(method, '/v3/auth/tokens', { token: own }), 403, /not authorized/);
        const headers = { 'X-Subject-Token': 'nothing' };
        assertRefused(await api.request(method, '/v3/auth/tokens', { token: own, headers }), 404);
      }
      assert.equal(await isAlive(api, own), true);
    });

    it('is asked about with a token, and nobody asks about that of another', async () => {
      const subject = tokenOf(await logIn());
      const outsider = (await api.persona(['member'], { project: project.id })).token;
      const headers = { 'X-Subject-Token': subject };
      for (const method of ['GET', 'DELETE']) {
        assertRefused(await api.request(method, '/v3/auth/tokens', { token: null, headers }), 401);
        assertRefused(await api.request(method, '/v3/auth/tokens', { token: outsider, headers }), 403);
      }
      assert.equal((await api.head('/v3/auth/tokens', { token: outsider, headers })).status, 403);
      assert.equal(await isAlive(api, subject), true);
    });
  });

  describe('ends', () => {
    const cases = {
      'when the user is disabled': () => ({ path: `/v3/users/${user.id}`, kind: 'user' }),
      'when the domain of the user is disabled': () => ({ path: `/v3/domains/${domain.id}`, kind: 'domain' }),
      'when the project is disabled': () => ({ path: `/v3/projects/${project.id}`, kind: 'project' }),
    };
    for (const [what, thing] of Object.entries(cases)) {
      it(`${what}, and what was given before stays ended`, async () => {
        const { path, kind } = thing();
        const scope = { project: { id: project.id } };
        const token = tokenOf(await logIn(scope));
        assert.equal(await isAlive(api, token), true);
        assertOk(await api.patch(path, { [kind]: { enabled: false } }));
        assert.equal(await isAlive(api, token), false);
        assertRefused(await show(api, token), 404);
        assertRefused(await logIn(scope), 401);
        if (kind !== 'project') assertRefused(await logIn('unscoped'), 401);
        assertOk(await api.patch(path, { [kind]: { enabled: true } }));
        assert.equal(await isAlive(api, token), false, 'a new login is needed');
        assert.equal(await isAlive(api, tokenOf(await logIn(scope))), true);
      });
    }

    it('when the domain of the project is disabled, though the user is of another', async () => {
      const own = await api.make('domain', { name: uniqueName('domain') });
      const transaction = await api.make('project', { name: uniqueName('project'), domain_id: own.id });
      const { token, user: guest, password } = await api.persona(['member'], { project: transaction.id });
      assertOk(await api.patch(`/v3/domains/${own.id}`, { domain: { enabled: false } }));
      assert.equal(await isAlive(api, token), false);
      assertRefused(await api.authenticate({ id: guest.id, password }, { project: { id: transaction.id } }), 401);
      assertOk(await api.authenticate({ id: guest.id, password }), 201);
      assertOk(await api.patch(`/v3/domains/${own.id}`, { domain: { enabled: true } }));
      assert.equal(await isAlive(api, token), false);
      assertOk(await api.authenticate({ id: guest.id, password }, { project: { id: transaction.id } }), 201);
    });

    it('when the user, the project or the domain is deleted', async () => {
      const own = await api.make('domain', { name: uniqueName('domain') });
      const transaction = await api.make('project', { name: uniqueName('project'), domain_id: own.id });
      const [one, two] = [
        await api.persona(['member'], { project: transaction.id }),
        await api.persona(['member'], { domain: own.id }),
      ];
      const three = await api.persona(['member'], { project: project.id });
      assertOk(await api.delete(`/v3/users/${three.user.id}`), 204);
      assert.equal(await isAlive(api, three.token), false);
      assertOk(await api.delete(`/v3/projects/${transaction.id}`), 204);
      assert.equal(await isAlive(api, one.token), false);
      assert.equal(await isAlive(api, two.token), true);
      assertOk(await api.patch(`/v3/domains/${own.id}`, { domain: { enabled: false } }));
      assertOk(await api.delete(`/v3/domains/${own.id}`), 204);
      assert.equal(await isAlive(api, two.token), false);
    });

    it('when the user gets another password', async () => {
      const other = await api.make('user', { name: uniqueName('user'), password: PASSWORD });
      const token = await api.logIn({ id: other.id, password: PASSWORD });
      assertOk(await api.patch(`/v3/users/${other.id}`, { user: { password: 'another password' } }));
      assert.equal(await isAlive(api, token), false);
    });
  });

  it('shows a new name of the user, the project or the domain at once', async () => {
    const own = await api.make('domain', { name: uniqueName('domain') });
    const transaction = await api.make('project', { name: uniqueName('project'), domain_id: own.id });
    const { token, user: who } = await api.persona(['member'], { project: transaction.id }, { domain_id: own.id });
    const name = uniqueName('renamed');
    assertOk(await api.patch(`/v3/users/${who.id}`, { user: { name } }));
    assertOk(await api.patch(`/v3/projects/${transaction.id}`, { project: { name } }));
    assertOk(await api.patch(`/v3/domains/${own.id}`, { domain: { name } }));
    const shown = assertOk(await show(api, token)).token;
    assert.equal(shown.user.name, name);
    assert.deepEqual(shown.user.domain, { id: own.id, name });
    assert.deepEqual(shown.project, { id: transaction.id, name, domain: { id: own.id, name } });
  });
});

onEachDatabase(
  'The end of a token',
  (api) => {
    const asAdmin = () =>
      api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, { project: { name: 'admin', domain: { id: 'default' } } });

    it('comes at its expiry; allow_expired accepts it for a while longer', async () => {
      const old = api.adminToken;
      const rescoped = tokenOf(await byToken(api, old, 'unscoped'));
      api.clock.advance(585);
      assert.equal(await isAlive(api, old), true);
      api.clock.advance(20);
      assert.equal(await isAlive(api, old), false);
      assert.equal(await isAlive(api, rescoped), false, 'it ends with the one it was made from');
      assertRefused(await byToken(api, old), 404);

      api.adminToken = await asAdmin();
      assertRefused(await show(api, old), 404, /Could not find token/);
      assertRefused(await show(api, old, '?allow_expired=0'), 404);
      assertRefused(await show(api, old, '?allow_expired=perhaps'), 400, /allow_expired/);
      for (const query of ['?allow_expired=1', '?allow_expired=true', '?allow_expired'])
        assert.equal(assertOk(await show(api, old, query)).token.user.name, 'admin');
      const headers = { 'X-Subject-Token': old };
      assert.equal((await api.head('/v3/auth/tokens?allow_expired=1', { headers })).status, 200);
      assertRefused(await api.get('/v3/users?allow_expired=1', { token: old }), 401);

      api.clock.advance(300);
      assertRefused(await show(api, old, '?allow_expired=1'), 404);
    });

    it('is not put off by allow_expired once it was revoked', async () => {
      api.adminToken = await asAdmin();
      const doomed = await asAdmin();
      assertOk(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': doomed } }), 204);
      api.clock.advance(601);
      api.adminToken = await asAdmin();
      assertRefused(await show(api, doomed, '?allow_expired=1'), 404);
    });
  },
  { settings: { GATEHOUSE_IDENTITY_TOKEN_SECONDS: '600', GATEHOUSE_IDENTITY_ALLOW_EXPIRED_SECONDS: '300' } },
);
