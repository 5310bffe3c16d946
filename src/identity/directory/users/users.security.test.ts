import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { assertEachStatus, assertOk, assertRefused, isAlive } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, type ApiAnswer, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';

const MISSING = '0'.repeat(32);
const GENERIC = /^The request you have made requires authentication\.$/;

/** A request whose bytes fetch must not touch. */
async function sendBytes(api: TestApi, path: string, body: Uint8Array<ArrayBuffer>, contentType?: string): Promise<ApiAnswer> {
  const response = await fetch(api.url + path, {
    method: 'POST',
    headers: { 'X-Auth-Token': api.adminToken, ...(contentType === undefined ? {} : { 'Content-Type': contentType }) },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text) as Uint8Array<ArrayBuffer>;

onUsualDatabase('Users under attack', (api) => {
  describe('guessing', () => {
    it('gets the same answer for a wrong password, nobody, no password, and a user or domain that is disabled', async () => {
      const password = 'a password of a test';
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const user = await api.make('user', { name: uniqueName('user'), password });
      const without = await api.make('user', { name: uniqueName('without') });
      const disabled = await api.make('user', { name: uniqueName('disabled'), password, enabled: false });
      const shut = await api.make('user', { name: uniqueName('shut'), password, domain_id: domain.id });
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      const answers = [
        await api.authenticate({ id: user.id, password: 'wrong' }),
        await api.authenticate({ id: MISSING, password }),
        await api.authenticate({ name: user.name, password: 'wrong' }),
        await api.authenticate({ name: 'nobody of that name', password }),
        await api.authenticate({ name: user.name, password, domain: { id: MISSING } }),
        await api.authenticate({ name: user.name, password, domain: { name: 'no such domain' } }),
        await api.authenticate({ id: without.id, password: 'x' }),
        await api.authenticate({ id: disabled.id, password }),
        await api.authenticate({ id: disabled.id, password: 'wrong' }),
        await api.authenticate({ id: shut.id, password }),
        await api.authenticate({ id: user.id, password: '' }),
      ];
      for (const answer of answers) assertRefused(answer, 401, GENERIC);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    });

    it('does not get in with SQL in the place of a name', async () => {
      for (const name of ["' or '1'='1", "admin'--", 'admin"; drop table users; --', '%', '_____'])
        assertRefused(await api.authenticate({ name, password: ADMIN_PASSWORD }), 401, GENERIC);
      assertOk(await api.authenticate({ name: 'admin', password: ADMIN_PASSWORD }), 201);
    });
  });

  describe('mass assignment', () => {
    it('cannot choose what the service decides', async () => {
      const user = await api.make('user', {
        name: uniqueName('user'),
        id: MISSING,
        links: { self: 'https://evil.example' },
        password_expires_at: '2001-01-01T00:00:00.000000Z',
        original_password: 'x',
      });
      assert.notEqual(user.id, MISSING);
      assert.deepEqual(user, {
        id: user.id,
        name: user.name,
        domain_id: 'default',
        enabled: true,
        options: {},
        password_expires_at: null,
        links: { self: `${api.url}/v3/users/${user.id}` },
      });
      const changes = { links: { self: 'x' }, password_expires_at: '2001-01-01T00:00:00.000000Z', original_password: 'x' };
      assert.deepEqual(assertOk(await api.patch(`/v3/users/${user.id}`, { user: changes })).user, { ...user, extra: {} });
    });

    it('reaches no column of the table', async () => {
      const password = 'a password of a test';
      const columns = { name_key: 'admin', epoch: 0, created_at: 0, last_active_at: 0, extra: '{}', hash: 'x', serial: 0 };
      const user = await api.make('user', { name: uniqueName('user'), password, ...columns });
      assertRefused(await api.authenticate({ name: 'admin', password }), 401, GENERIC);
      const token = await api.logIn({ name: user.name, password });
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { ...columns, epoch: 1 } }));
      assert.equal(await isAlive(api, token), true);
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }));
      assertOk(await api.patch(`/v3/users/${user.id}`, { user: { enabled: true, epoch: 0 } }));
      assert.equal(await isAlive(api, token), false);
      assertOk(await api.authenticate({ name: user.name, password }), 201);
      assertOk(await api.authenticate({ name: 'admin', password: ADMIN_PASSWORD }), 201);
    });

    it('gives no rights to whoever claims them', async () => {
      const password = 'a password of a test';
      const claims = { is_admin: true, roles: [{ name: 'admin' }], role: 'admin', system: { all: true }, groups: ['admin'] };
      const user = await api.make('user', { name: uniqueName('user'), password, ...claims });
      const token = await api.logIn({ id: user.id, password });
      assertRefused(await api.get('/v3/users', { token }), 403);
      assertRefused(await api.authenticate({ id: user.id, password }, { system: { all: true } }), 401);
    });
  });

  describe('twin accounts', () => {
    const variants: [name: string, ...twins: string[]][] = [
      ['Anna', 'anna', 'ANNA', 'aNNa', ' Anna '],
      ['Straße', 'STRASSE', 'strasse', 'STRAẞE'],
      ['Νίκος', 'ΝΊΚΟΣ', 'νίκοσ'],
      ['fiona', 'Fiona', 'FIONA'],
      ['Ａｌｉｃｅ', 'alice', 'ALICE'],
      ['Kelvin', '\u212aelvin'],
      ['José', 'Jose\u0301', 'JOSE\u0301'],
      ['DŽuro', 'Džuro', 'džuro'],
      ['İpek', 'i\u0307pek', 'I\u0307PEK'],
    ];
    for (const [name, ...twins] of variants) {
      it(`of ${name} are refused, and every spelling logs in to the one`, async () => {
        const domain = await api.make('domain', { name: uniqueName('domain') });
        const password = 'a password of a test';
        const user = await api.make('user', { name, password, domain_id: domain.id });
        const other = await api.make('user', { name: 'other', domain_id: domain.id });
        assert.equal(user.name, name);
        for (const twin of twins) {
          const values = { name: twin, domain_id: domain.id };
          assertRefused(await api.post('/v3/users', { user: values }), 409, /Duplicate Entry/);
          assertRefused(await api.patch(`/v3/users/${other.id}`, { user: { name: twin } }), 409, /Duplicate Entry/);
          const login = await api.authenticate({ name: twin.trim(), password, domain: { id: domain.id } });
          assert.equal(assertOk(login, 201).token.user.id, user.id);
        }
      });
    }
  });

  it('a spelling in other forms of the letters is no name for anyone new, and logs in to the one', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const password = 'a password of a test';
    for (const [name, spelled] of [
      ['fiona', 'ﬁona'],
      ['user1', 'user①'],
      ['DŽuro', 'Ǆuro'],
    ] as const) {
      const user = await api.make('user', { name, password, domain_id: domain.id });
      assertRefused(await api.post('/v3/users', { user: { name: spelled, domain_id: domain.id } }), 400, /'name'/);
      const login = await api.authenticate({ name: spelled, password, domain: { id: domain.id } });
      assert.equal(assertOk(login, 201).token.user.id, user.id);
    }
  });

  describe('bodies made to break things', () => {
    const refusedBodies: [what: string, body: string, why: RegExp][] = [
      ['a key that reaches the prototype', '{"user":{"name":"evil","__proto__":{"enabled":false}}}', /__proto__/],
      ['one beside the envelope', '{"user":{"name":"evil"},"__proto__":{"polluted":1}}', /__proto__/],
      ['one spelled with escapes', '{"user":{"name":"evil","\\u005f_proto__":1}}', /__proto__/],
      ['a constructor', '{"user":{"name":"evil","deep":[{"constructor":{"prototype":{"polluted":1}}}]}}', /constructor/],
      ['a NUL in the name', '{"user":{"name":"evil\\u0000"}}', /NUL/],
      ['a NUL in an attribute', '{"user":{"name":"evil","colour":["\\u0000"]}}', /NUL/],
      ['a NUL in a key', '{"user":{"name":"evil","co\\u0000lour":1}}', /NUL/],
      ['a raw NUL', '{"user":{"name":"evil\0"}}', /not valid JSON/],
      ['half a surrogate pair in the name', '{"user":{"name":"evil\\ud800"}}', /surrogate/],
      ['half a surrogate pair in an attribute', '{"user":{"name":"evil","x":{"y":"\\udc00"}}}', /surrogate/],
      ['half a surrogate pair in a key', '{"user":{"name":"evil","\\ud800":1}}', /surrogate/],
      ['33 levels', `{"user":{"name":"evil","deep":${'['.repeat(31)}${']'.repeat(31)}}}`, /nested deeper/],
      ['thousands of levels', `{"user":{"name":"evil","deep":${'['.repeat(20_000)}${']'.repeat(20_000)}}}`, /nested deeper/],
      ['levels without end', '['.repeat(50_000), /not valid JSON/],
      ['two documents', '{"user":{"name":"evil"}}{"user":{"name":"evil"}}', /not valid JSON/],
      ['NaN', '{"user":{"name":"evil","x":NaN}}', /not valid JSON/],
      ['a text', '"user"', /must be a JSON object/],
      ['null', 'null', /must be a JSON object/],
    ];
    for (const [what, body, why] of refusedBodies) {
      it(`refuses ${what} and stores nothing`, async () => {
        assertRefused(await api.post('/v3/users', body), 400, why);
        assert.deepEqual((await api.get('/v3/users?name__startswith=evil')).body.users, []);
        assert.equal('polluted' in {}, false);
      });
    }

    it('takes 32 levels, and names of properties that objects have', async () => {
      const name = uniqueName('odd');
      const odd = `"toString":1,"hasOwnProperty":"x","valueOf":null,"toJSON":"y","then":[],"length":5,"":"empty"`;
      const body = `{"user":{"name":"${name}","deep":${'['.repeat(30)}${']'.repeat(30)},${odd}}}`;
      const { user } = assertOk(await api.post('/v3/users', body), 201);
      assert.deepEqual(user, { ...JSON.parse(body).user, ...user });
      assert.deepEqual(assertOk(await api.get(`/v3/users/${user.id}`)).user, user);
    });

    it('counts the letters of a name, not their halves', async () => {
      const name = '\u{20000}'.repeat(255 - 40) + uniqueName('');
      assert.equal((await api.make('user', { name })).name, name);
      assertRefused(await api.post('/v3/users', { user: { name: '\u{1f600}'.repeat(256) } }), 400, /'user\.name'/);
    });

    it('takes numbers of any size without failing', async () => {
      const body = `{"user":{"name":"${uniqueName('number')}","a":1e999,"b":-1e999,"c":123456789012345678901234567890}}`;
      assertOk(await api.post('/v3/users', body), 201);
    });

    it('refuses a body over the limit with 413, and takes a long attribute below it', async () => {
      const name = uniqueName('large');
      assertRefused(await api.post('/v3/users', { user: { name, x: 'x'.repeat(120_000) } }), 413, /too large/);
      assertRefused(await api.post('/v3/users', { user: { name, [`${'k'.repeat(120_000)}`]: 1 } }), 413, /too large/);
      const user = await api.make('user', { name, x: 'x'.repeat(100_000) });
      assert.equal(user.x.length, 100_000);
    });

    it('refuses bytes that are not UTF-8', async () => {
      const name = uniqueName('utf8');
      const [head, tail] = [bytes(`{"user":{"name":"${name}`), bytes('"}}')];
      for (const bad of [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0xe2, 0x82]]) {
        const answer = await sendBytes(api, '/v3/users', new Uint8Array([...head, ...bad, ...tail]), 'application/json');
        assertRefused(answer, 400, /not UTF-8/);
      }
      const marked = new Uint8Array([0xef, 0xbb, 0xbf, ...head, ...tail]);
      assertRefused(await sendBytes(api, '/v3/users', marked, 'application/json'), 400, /not valid JSON/);
    });

    it('refuses other content types with 415', async () => {
      const body = bytes(JSON.stringify({ user: { name: uniqueName('type') } }));
      for (const type of [
        'text/plain',
        'application/xml',
        'application/x-www-form-urlencoded',
        'application/jsonx',
        'json',
        '*/*',
      ])
        assertRefused(await sendBytes(api, '/v3/users', body, type), 415, /application\/json/);
      assertRefused(await sendBytes(api, '/v3/users', body), 415, /application\/json/);
      assertRefused(await sendBytes(api, '/v3/users', new Uint8Array(), 'application/json'), 400, /'user'/);
      assertOk(await sendBytes(api, '/v3/users', body, 'Application/JSON; charset=UTF-8'), 201);
    });
  });

  describe('addresses made to break things', () => {
    it('finds nobody under ids that are no ids', async () => {
      const odd = ['__proto__', 'constructor', 'toString', '..%2f..%2fetc', "'%20or%201=1--", '%F0%9F%98%80', '%2500', '*', '-1'];
      for (const id of [...odd, 'x'.repeat(64), 'x'.repeat(65), 'x'.repeat(255), 'x'.repeat(1000)]) {
        assertRefused(await api.get(`/v3/users/${id}`), 404, /Could not find user/);
        assertRefused(await api.patch(`/v3/users/${id}`, { user: { enabled: false } }), 404, /Could not find user/);
        assertRefused(await api.delete(`/v3/users/${id}`), 404, /Could not find user/);
        const change = { user: { original_password: 'a', password: 'b' } };
        assertRefused(await api.post(`/v3/users/${id}/password`, change), 401, GENERIC);
      }
    });

    it('answers addresses that are too long, or no text, with a refusal', async () => {
      const odd = [
        'x'.repeat(2000),
        'x'.repeat(10_000),
        'x'.repeat(20_000),
        '%00',
        'a%00b',
        '%zz',
        '%',
        '%ff',
        '%c0%80',
        '%ed%a0%80',
      ];
      for (const id of odd) {
        for (const path of [
          `/v3/users/${id}`,
          `/v3/users/${id}/groups`,
          `/v3/groups/${id}/users/${id}`,
          `/v3/users?name=${id}`,
        ]) {
          const answer = await api.get(path);
          assertEachStatus([answer], [200, 400, 404, 414, 431]);
          if (answer.status !== 200) assert.equal(answer.body.error.code, answer.status);
        }
      }
    });

    it('refuses a token that is too long or no token, like any other', async () => {
      for (const token of ['x'.repeat(8000), '\u00ff\u00fe', '{}', 'gAAAAA', '../../etc/passwd', "' or 1=1"])
        assertRefused(await api.get('/v3/users', { token }), 401, GENERIC);
    });
  });

  describe('anything at all', () => {
    const text = fc.oneof(fc.string({ unit: 'binary', maxLength: 40 }), fc.string({ maxLength: 300 }), fc.constant('default'));
    const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }), fc.constantFrom(null, true, -0, 1e308, '', [], {}));
    const known = fc.constantFrom(
      'name',
      'domain_id',
      'enabled',
      'default_project_id',
      'password',
      'options',
      'description',
      'email',
      'id',
      'links',
    );
    const attributes = fc.dictionary(fc.oneof(known, text), value, { maxKeys: 6 });
    const runs = { numRuns: 80 };

    it('as a new user or a change of one is taken or refused, never a failure', async () => {
      const user = await api.make('user', { name: uniqueName('fuzz') });
      await fc.assert(
        fc.asyncProperty(attributes, fc.boolean(), async (values, create) => {
          const answer = create
            ? await api.post('/v3/users', { user: { name: uniqueName('fuzz'), ...values } })
            : await api.patch(`/v3/users/${user.id}`, { user: values });
          assertEachStatus([answer], create ? [201, 400, 404, 409] : [200, 400, 409]);
        }),
        runs,
      );
    });

    it('in a query is taken or refused, never a failure', async () => {
      const key = fc.constantFrom('limit', 'marker', 'name', 'enabled', 'domain_id', 'name__icontains', 'password_expires_at');
      await fc.assert(
        fc.asyncProperty(fc.array(fc.tuple(fc.oneof(key, text), text), { maxLength: 4 }), async (pairs) => {
          const query = pairs.map((pair) => pair.map((part) => encodeURIComponent(part.toWellFormed())).join('=')).join('&');
          assertEachStatus([await api.get(`/v3/users?${query}`)], [200, 400]);
        }),
        runs,
      );
    });
  });

  describe('secrets', () => {
    it('are in no answer and in no line of the log', async () => {
      const secret = 'Tr0ub4dor-and-3';
      const name = uniqueName('discreet');
      const answers: ApiAnswer[] = [];
      const keep = async (answer: Promise<ApiAnswer>): Promise<ApiAnswer> => {
        answers.push(await answer);
        return answer;
      };
      const { user } = (await keep(api.post('/v3/users', { user: { name, password: `${secret} 1` } }))).body;
      const path = `/v3/users/${user.id}`;
      await keep(api.post('/v3/users', { user: { name, password: `${secret} 2` } }));
      await keep(api.post('/v3/users', { user: { password: `${secret} 3` } }));
      await keep(api.post('/v3/users', { user: { name, password: [`${secret} 4`] } }));
      await keep(api.post('/v3/users', `{"user": {"password": "${secret} 5"`));
      await keep(api.patch(path, { user: { password: `${secret} 6`, options: { lock_password: `${secret} 6` } } }));
      await keep(api.patch(path, { user: { password: `${secret} 7` } }));
      await keep(api.get(path));
      await keep(api.get(`/v3/users?name=${name}`));
      await keep(api.authenticate({ id: user.id, password: `${secret} 8` }));
      const login = await keep(api.authenticate({ id: user.id, password: `${secret} 7` }));
      await keep(api.post(`${path}/password`, { user: { original_password: `${secret} 9`, password: `${secret} 10` } }));
      await keep(api.post(`${path}/password`, { user: { original_password: `${secret} 7`, password: `${secret} 7` } }));
      await keep(api.post(`${path}/password`, { user: { original_password: `${secret} 7`, password: `${secret} 11` } }));
      await keep(api.delete(path));

      const statuses = answers.map(({ status }) => status);
      assert.deepEqual(statuses, [201, 409, 400, 400, 400, 400, 200, 200, 200, 401, 201, 401, 400, 204, 204]);
      const said = answers.map(({ text }) => text).join('\n');
      const logged = api.logged.join('\n');
      for (const place of [said, logged]) {
        assert.ok(!place.includes(secret), 'a password');
        assert.ok(!place.includes('argon2'), 'a hash of a password');
      }
      assert.ok(!logged.includes(login.headers.get('x-subject-token')!), 'a token');
      assert.ok(!logged.includes(api.adminToken), 'the token of the administrator');
      assert.ok(!logged.includes(ADMIN_PASSWORD), 'the password of the administrator');
      assert.ok(api.logged.length > 0);
    });
  });
});

onUsualDatabase('The work of a login', (api) => {
  const hashes = async (): Promise<number> => {
    const { values } = await api.service.metrics.registry.getSingleMetric('gatehouse_password_hashes_total')!.get();
    return values[0]!.value;
  };

  // What takes time is the hash; that of nobody costs as much as that of somebody (argon2.test.ts).
  it('does not tell whether the user exists: it is one hash for everybody', async () => {
    const user = await api.make('user', { name: uniqueName('user'), password: 'a password of a test' });
    const without = await api.make('user', { name: uniqueName('without') });
    const attempts = {
      wrong: () => api.authenticate({ name: user.name, password: 'wrong' }),
      nobody: () => api.authenticate({ name: 'nobody of that name', password: 'wrong' }),
      nobodyById: () => api.authenticate({ id: MISSING, password: 'wrong' }),
      without: () => api.authenticate({ name: without.name, password: 'wrong' }),
      change: () => api.post(`/v3/users/${user.id}/password`, { user: { original_password: 'wrong', password: 'x' } }),
      changeOfNobody: () => api.post(`/v3/users/${MISSING}/password`, { user: { original_password: 'wrong', password: 'x' } }),
    };
    const begun: Record<string, number> = {};
    for (const [name, attempt] of Object.entries(attempts)) {
      const before = await hashes();
      assertRefused(await attempt(), 401, GENERIC);
      begun[name] = (await hashes()) - before;
    }
    assert.deepEqual(begun, Object.fromEntries(Object.keys(attempts).map((name) => [name, 1])));
  });
});
