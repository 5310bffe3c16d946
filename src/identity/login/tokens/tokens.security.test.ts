import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { request as httpRequest } from 'node:http';
import { before, describe, it } from 'node:test';
import { assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, type ApiAnswer, onDatabase, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { createUsers } from '../../directory/users/index.ts';
import { createChanges, serviceActor } from '../../ground/audit/index.ts';
import { newAuditId, sealToken } from './token-format.ts';

const PASSWORD = 'a password of a test';

/** Headers with any bytes in them: fetch would refuse to send some. */
function rawStatus(url: string, header: string, value: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(`${url}/v3/regions`, { headers: { [header]: value } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode!);
    });
    sent.on('error', reject).end();
  });
}

function forgeries(good: string): Record<string, string> {
  const bytes = Buffer.from(good, 'base64url');
  const changed = (at: number): string => {
    const copy = Buffer.from(bytes);
    copy[at]! ^= 1;
    return copy.toString('base64url');
  };
  const otherKey = (id: number): string =>
    sealToken(
      {
        userId: 'admin',
        methods: ['password'],
        scope: { kind: 'system' },
        issuedAt: Date.now(),
        expiresAt: Date.now() + 3600_000,
        generation: 0,
        auditId: newAuditId(),
        parentAuditId: undefined,
      },
      { id, key: createSecretKey(randomBytes(32)) },
    );
  return {
    'a word': 'token',
    'an id': '0123456789abcdef0123456789abcdef',
    'a Fernet token': `gAAAAA${'B'.repeat(180)}`,
    'a JWT': 'eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.',
    'random bytes': randomBytes(120).toString('base64url'),
    zeros: Buffer.alloc(120).toString('base64url'),
    SQL: "' or '1'='1",
    'a path': '../../../etc/passwd',
    'a long text': 'A'.repeat(8000),
    'letters with accents': 'é'.repeat(40),
    'a good one, cut': good.slice(0, -4),
    'a good one and more': `${good}AAAA`,
    'the end of a good one': good.slice(-12),
    'a good one behind another start': `${randomBytes(good.length - 12)
      .toString('base64url')
      .slice(0, good.length - 12)}${good.slice(-12)}`,
    'a good one with padding': `${good}=`,
    'a good one, its key id changed': changed(3),
    'a good one, its nonce changed': changed(8),
    'a good one, its content changed': changed(30),
    'a good one, its seal changed': changed(bytes.length - 1),
    'a good one in capitals': good.toUpperCase(),
    'a good one twice': `${good}, ${good}`,
    'one sealed with a key of the forger': otherKey(1),
    'one sealed with a key nobody has': otherKey(4_000_000_000),
  };
}

underAttack('Security of tokens', (api) => {
  describe('forged tokens', () => {
    const kinds = Object.keys(forgeries('AAAA'.repeat(40)));
    for (const kind of kinds) {
      it(`open nothing: ${kind}`, async () => {
        const forged = forgeries(api.adminToken)[kind]!;
        assertRefused(await api.get('/v3/users', { token: forged }), 401, /requires authentication/);
        assertRefused(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': forged } }), 404, /Could not find token/);
        assertRefused(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': forged } }), 404);
        const identity = { methods: ['token'], token: { id: forged } };
        const { status } = await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null });
        assert.ok([400, 401, 404].includes(status), `${status}`);
      });
    }

    it('open nothing, whatever bytes they are made of', async () => {
      for (let i = 0; i < 40; i++) {
        const bytes = randomBytes(1 + (i % 100)).map((byte) => (byte < 0x80 ? 0x21 + (byte % 0x5e) : byte));
        assert.equal(await rawStatus(api.url, 'X-Auth-Token', Buffer.from(bytes).toString('latin1')), 401);
      }
      for (const id of ['\u{1f511}'.repeat(30), '\u202e', 'ﬀ', 'ø'.repeat(1024)]) {
        const identity = { methods: ['token'], token: { id } };
        const { status } = await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null });
        assert.equal(status, 404);
      }
    });

    it('are refused before they are read when they are huge', async () => {
      assert.equal(await rawStatus(api.url, 'X-Auth-Token', 'A'.repeat(15_000)), 401);
      assert.equal(await rawStatus(api.url, 'X-Auth-Token', 'A'.repeat(100_000)), 431);
      const identity = { methods: ['token'], token: { id: 'A'.repeat(200_000) } };
      assertRefused(await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null }), 413);
      assertOk(await api.get('/v3/regions'));
    });

    it('leave no trace of a failure in the log', () => {
      const errors = api.logged.map((line) => JSON.parse(line)).filter(({ level }) => level >= 50);
      assert.deepEqual(errors, []);
    });
  });

  describe('revoked tokens', () => {
    let user: any;
    before(async () => {
      user = await api.make('user', { name: uniqueName('user'), password: PASSWORD });
    });
    const logIn = () => api.logIn({ id: user.id, password: PASSWORD });
    const revoke = async (token: string) =>
      assertOk(await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } }), 204);

    it('are refused at once, everywhere', async () => {
      const token = await logIn();
      assert.equal(await isAlive(api, token), true);
      await revoke(token);
      assertRefused(await api.get('/v3/regions', { token }), 401);
      assertRefused(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } }), 404);
      const identity = { methods: ['token'], token: { id: token } };
      assertRefused(await api.post('/v3/auth/tokens', { auth: { identity } }, { token: null }), 404);
    });

    it('stay revoked in any spelling', async () => {
      const token = await logIn();
      await revoke(token);
      const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
      const bytes = Buffer.from(token, 'base64url');
      const spellings = [
        `${token}=`,
        `${token}==`,
        bytes.toString('base64'),
        token.replace(/-/g, '+').replace(/_/g, '/'),
        ...[...letters].map((letter) => token.slice(0, -1) + letter),
      ];
      for (const spelling of spellings) assertRefused(await api.get('/v3/regions', { token: spelling }), 401);
    });

    it('are all refused of those that were revoked together', async () => {
      const tokens = await Promise.all(Array.from({ length: 10 }, logIn));
      await Promise.all(tokens.map(revoke));
      assert.deepEqual(
        await Promise.all(tokens.map((token) => isAlive(api, token))),
        tokens.map(() => false),
      );
      assert.equal(await isAlive(api, await logIn()), true);
    });

    it('may revoke themselves', async () => {
      const token = await logIn();
      assertOk(await api.delete('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } }), 204);
      assert.equal(await isAlive(api, token), false);
    });

    it('do not come back with a user that is made again under the same id', async () => {
      const doomed = await api.make('user', { name: uniqueName('doomed'), password: PASSWORD });
      const token = await api.logIn({ id: doomed.id, password: PASSWORD });
      assert.equal(await isAlive(api, token), true);
      assertOk(await api.delete(`/v3/users/${doomed.id}`), 204);
      assert.equal(await isAlive(api, token), false);

      // As the extensions do that let a client choose the id.
      const db = await databaseOf(api);
      try {
        const change = createChanges(db, api.clock);
        const users = createUsers({
          db,
          change,
          clock: api.clock,
          config: undefined as never,
          passwords: undefined as never,
          access: undefined as never,
          revokeAccess: undefined as never,
          endSessions: undefined as never,
          onEmailChanged: undefined as never,
          onPasswordChanged: undefined as never,
          onDisabled: undefined as never,
          onEnabled: undefined as never,
          refuseIfOutranked: undefined as never,
          directory: { forbidNew: async () => undefined } as never,
          freshLogin: undefined as never,
          hasPasskey: undefined as never,
          hasFactor: undefined as never,
          missingNow: undefined as never,
          logins: undefined as never,
        });
        await change(serviceActor, (transaction) =>
          users.insert(transaction, { name: doomed.name }, 'default', { id: doomed.id }),
        );
      } finally {
        await db.close();
      }
      assert.equal(assertOk(await api.get(`/v3/users/${doomed.id}`)).user.name, doomed.name);
      assert.equal(await isAlive(api, token), false);
      assertRefused(await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } }), 404);
    });
  });

  describe('without a token', () => {
    /** What a stranger sees: everything but the id and the time of the request. */
    const seen = ({ status, text, headers }: ApiAnswer) => ({
      status,
      text,
      headers: Object.fromEntries([...headers].filter(([name]) => !['date', 'x-openstack-request-id'].includes(name))),
    });
    const same = (answers: ApiAnswer[]) => {
      for (const answer of answers) assert.deepEqual(seen(answer), seen(answers[0]!));
    };

    it('nobody learns whether something exists', async () => {
      const user = await api.make('user', { name: uniqueName('user') });
      for (const path of [`users/${user.id}`, 'domains/default', 'regions/RegionOne', `roles/${await api.roleId('admin')}`]) {
        const missing = path.replace(/[^/]+$/, 'nothing');
        for (const method of ['GET', 'PATCH', 'DELETE']) {
          const body = method === 'PATCH' ? {} : undefined;
          const answers = [path, missing].map((one) => api.request(method, `/v3/${one}`, { token: null, body }));
          same(await Promise.all(answers));
        }
      }
    });

    it('nobody learns whether a user exists, is disabled, or has a password', async () => {
      const names = { good: uniqueName('good'), disabled: uniqueName('disabled'), silent: uniqueName('silent') };
      const good = await api.make('user', { name: names.good, password: PASSWORD });
      await api.make('user', { name: names.disabled, password: PASSWORD, enabled: false });
      await api.make('user', { name: names.silent });
      same([
        await api.authenticate({ name: names.good, password: 'wrong' }),
        await api.authenticate({ id: good.id, password: 'wrong' }),
        await api.authenticate({ name: names.disabled, password: 'wrong' }),
        await api.authenticate({ name: names.disabled, password: PASSWORD }),
        await api.authenticate({ name: names.silent, password: PASSWORD }),
        await api.authenticate({ name: uniqueName('nobody'), password: PASSWORD }),
        await api.authenticate({ name: names.good, domain: { name: 'nowhere' }, password: PASSWORD }),
        await api.authenticate({ name: names.good, password: 'wrong' }, { project: { id: 'nowhere' } }),
      ]);
    });

    it('nobody learns which projects and domains exist', async () => {
      const user = await api.make('user', { name: uniqueName('user'), password: PASSWORD });
      const project = await api.make('project', { name: uniqueName('project') });
      const scopes = [
        { project: { id: project.id } },
        { project: { id: 'nowhere' } },
        { project: { name: project.name, domain: { id: 'default' } } },
        { project: { name: 'nowhere', domain: { id: 'default' } } },
        { domain: { id: 'default' } },
        { domain: { name: 'Default' } },
        { domain: { name: 'nowhere' } },
        { system: { all: true } },
      ];
      same(await Promise.all(scopes.map((scope) => api.authenticate({ id: user.id, password: PASSWORD }, scope))));
    });

    it('every response has a request id and must not be cached', async () => {
      for (const path of ['/v3/users', '/v3', '/v3/nothing', '/v3/roles?limit=x']) {
        const { headers } = await api.get(path, { token: path.includes('limit') ? api.adminToken : null });
        assert.match(headers.get('x-openstack-request-id')!, /^req-[0-9a-f]{8}-[0-9a-f-]{27}$/);
        assert.equal(headers.get('cache-control'), 'no-store');
        assert.match(headers.get('vary')!, /X-Auth-Token/);
      }
    });
  });

  describe('secrets', () => {
    it('never reach the log', async () => {
      const secret = `secret-${uniqueName('password')}`;
      const user = await api.make('user', { name: uniqueName('user'), password: secret });
      const good = await api.logIn({ id: user.id, password: secret });
      const rescoped = await api.post(
        '/v3/auth/tokens',
        { auth: { identity: { methods: ['token'], token: { id: good } } } },
        { token: null },
      );
      const wrong = `wrong-${secret}`;
      await api.authenticate({ id: user.id, password: wrong });
      await api.authenticate({ name: user.name, password: wrong }, { project: { id: 'nowhere' } });
      await api.post('/v3/auth/tokens', `{"auth": {"password": "${secret}"`, { token: null });
      await api.post('/v3/auth/tokens', { auth: { identity: { methods: [secret] } } }, { token: null });
      await api.post('/v3/users', { user: { name: 7, password: secret } });
      await api.patch(`/v3/users/${user.id}`, { user: { password: { no: secret } } });
      await api.post(`/v3/users/${user.id}/password`, { user: { original_password: wrong, password: secret } }, { token: null });
      await api.get(`/v3/users?name=${secret}&limit=x`, { token: good });
      await api.get(`/v3/nothing/${good}?token=${good}`, { token: good });
      await api.get(`/v3/roles/${good}`, { token: good });
      await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': good } });
      await api.delete('/v3/auth/tokens', { headers: { 'X-Subject-Token': good } });
      await api.get('/v3/users', { token: good });

      const log = api.logged.join('\n');
      assert.ok(api.logged.length > 10, 'something was logged');
      for (const text of [secret, good, rescoped.headers.get('x-subject-token')!, api.adminToken, ADMIN_PASSWORD])
        assert.ok(!log.includes(text), 'a secret was logged');
    });

    it('are in no answer', async () => {
      const secret = `secret-${uniqueName('password')}`;
      const made = await api.post('/v3/users', { user: { name: uniqueName('user'), password: secret } });
      const id = assertOk(made, 201).user.id;
      const answers = [
        made,
        await api.get(`/v3/users/${id}`),
        await api.get('/v3/users'),
        await api.patch(`/v3/users/${id}`, { user: { password: `${secret}2` } }),
        await api.authenticate({ id, password: secret }),
        await api.authenticate({ id, password: `${secret}2` }),
        await api.post('/v3/auth/tokens', `{"password": "${secret}"`, { token: null }),
      ];
      for (const { text } of answers) assert.ok(!text.includes(secret), text);
    });
  });
});

onDatabase('SQLite', 'Guessing passwords', { rateLimits: true }, (api) => {
  const wrongly = (who: object) => api.authenticate({ ...who, password: 'wrong' });
  const statuses = async (count: number, attempt: () => Promise<ApiAnswer>): Promise<number[]> => {
    const found = [];
    for (let i = 0; i < count; i++) found.push((await attempt()).status);
    return found;
  };
  const times = (count: number, status: number): number[] => Array.from({ length: count }, () => status);
  /** How many guesses at one user each pass before the address is refused. */
  const untilLimited = async (): Promise<number> => {
    for (let tried = 0; tried < 1000; tried++) {
      const { status } = await wrongly({ name: uniqueName('somebody') });
      if (status === 429) return tried;
      assert.equal(status, 401);
    }
    return Number.POSITIVE_INFINITY;
  };
  const newUser = () => api.make('user', { name: uniqueName('user'), password: PASSWORD });

  // Each test starts with a full allowance of its address.
  const rest = () => api.clock.advance(61);

  it('is refused after ten wrong ones, also the right one, until time has passed', async () => {
    const user = await newUser();
    assert.deepEqual(await statuses(10, () => wrongly({ id: user.id })), times(10, 401));
    const limited = await wrongly({ id: user.id });
    assertRefused(limited, 429, /Too many attempts/);
    const wait = Number(limited.headers.get('retry-after'));
    assert.ok(wait >= 1 && wait <= 60, `Retry-After: ${wait}`);
    assertRefused(await api.authenticate({ id: user.id, password: PASSWORD }), 429);
    assertRefused(await api.authenticate({ name: user.name, password: PASSWORD }), 429);

    api.clock.advance(wait);
    assertOk(await api.authenticate({ id: user.id, password: PASSWORD }), 201);
    rest();
    assert.deepEqual(await statuses(11, () => wrongly({ id: user.id })), [...times(10, 401), 429]);
    rest();
  });

  it('is counted for each user', async () => {
    const [one, two] = [await newUser(), await newUser()];
    await statuses(11, () => wrongly({ id: one.id }));
    assertOk(await api.authenticate({ id: two.id, password: PASSWORD }), 201);
    rest();
  });

  it('does not count successful logins', async () => {
    const user = await newUser();
    const good = () => api.authenticate({ id: user.id, password: PASSWORD });
    assert.deepEqual(await statuses(30, good), times(30, 201));
    assert.deepEqual(await statuses(9, () => wrongly({ id: user.id })), times(9, 401));
    assert.deepEqual(await statuses(5, good), times(5, 201));
    rest();
  });

  it('is counted the same whether there is such a user or not, however the name is spelled', async () => {
    const user = await newUser();
    for (const name of [user.name, uniqueName('nobody')]) {
      const spellings = [name, name.toUpperCase(), name.replace(/^./, (letter: string) => letter.toUpperCase())];
      const domains = [{ id: 'default' }, { name: 'Default' }];
      let turn = 0;
      const attempt = () => {
        turn++;
        return wrongly({ name: spellings[turn % 3], domain: domains[turn % 2] });
      };
      assert.deepEqual(await statuses(12, attempt), [...times(10, 401), 429, 429]);
    }
    rest();
  });

  it('counts guesses that come at once', async () => {
    const user = await newUser();
    const answers = await Promise.all(Array.from({ length: 25 }, () => wrongly({ id: user.id })));
    assert.equal(answers.filter(({ status }) => status === 401).length, 10);
    assert.equal(answers.filter(({ status }) => status === 429).length, 15);
    rest();
  });

  it('counts guesses at the old password of a change with them', async () => {
    const user = await newUser();
    const change = () =>
      api.post(
        `/v3/users/${user.id}/password`,
        { user: { original_password: 'wrong', password: 'another password' } },
        { token: null },
      );
    assert.deepEqual(await statuses(5, change), times(5, 401));
    assert.deepEqual(await statuses(6, () => wrongly({ id: user.id })), [...times(5, 401), 429]);
    assert.deepEqual(await statuses(1, change), [429]);
    rest();
  });

  it('of many users from one address is limited too', async () => {
    const tried = await untilLimited();
    // The allowance of an address is a hundred, and grows a little while the test runs.
    assert.ok(tried >= 100 && tried < 150, `${tried} attempts`);
    rest();
    assertOk(await api.authenticate({ name: 'admin', password: ADMIN_PASSWORD }), 201);
  });

  it('does not affect callers with a token', async () => {
    await untilLimited();
    assertOk(await api.get('/v3/users'));
    rest();
  });
});
