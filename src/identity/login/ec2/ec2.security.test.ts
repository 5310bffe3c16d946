import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused, isValid } from '../../../../test/support/answers.ts';
import { ADMIN_PASSWORD, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { type Ec2Person, ec2Person, exchange, signedS3, signedV2 } from '../../../../test/support/ec2.ts';
import { programTokenOf } from '../../../../test/support/programs.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';

async function tokenOf(api: TestApi, { key }: Pick<Ec2Person, 'key'>): Promise<string> {
  const answer = await exchange(api, signedV2(key, api.clock.now()));
  assertOk(answer);
  return answer.headers.get('x-subject-token')!;
}

onUsualDatabase('An EC2 key', (api) => {
  const db = usesDatabaseOf(api);

  it('and its tokens end with it, with its secret, and with what its owner may do', async () => {
    const credentialOf = async ({ user }: Ec2Person) =>
      assertOk(await api.get(`/v3/credentials?user_id=${user.id}&type=ec2`)).credentials[0];
    const ends: ((person: Ec2Person) => Promise<unknown>)[] = [
      ({ path, key }) => api.delete(`${path}/${key.access}`),
      async (person) => {
        const { id } = await credentialOf(person);
        const blob = JSON.stringify({ access: person.key.access, secret: 'another secret of the same key' });
        return assertOk(await api.patch(`/v3/credentials/${id}`, { credential: { blob } }));
      },
      async (person) => api.patch(`/v3/credentials/${(await credentialOf(person)).id}`, { credential: { type: 'note' } }),
      async ({ project, user }) => api.delete(`/v3/projects/${project.id}/users/${user.id}/roles/${await api.roleId('member')}`),
      ({ project }) => api.patch(`/v3/projects/${project.id}`, { project: { enabled: false } }),
      ({ project }) => api.delete(`/v3/projects/${project.id}`),
      ({ user }) => api.patch(`/v3/users/${user.id}`, { user: { enabled: false } }),
      ({ user }) => api.delete(`/v3/users/${user.id}`),
    ];
    for (const end of ends) {
      const person = await ec2Person(api);
      const token = await tokenOf(api, person);
      assert.ok(await isValid(api, token));
      await end(person);
      assert.ok(!(await isValid(api, token)), end.toString());
      assertRefused(await exchange(api, signedV2(person.key, api.clock.now())), 401);
      assertRefused(await api.post('/v3/s3tokens', { credentials: signedS3(person.key) }), 401);
    }
  });

  it('that is made again after it was deleted brings no tokens back', async () => {
    const person = await ec2Person(api);
    const token = await tokenOf(api, person);
    const { id, blob } = assertOk(await api.get(`/v3/credentials?user_id=${person.user.id}`)).credentials[0];
    assertOk(await api.delete(`/v3/credentials/${id}`), 204);
    const credential = { type: 'ec2', blob, user_id: person.user.id, project_id: person.project.id };
    assert.equal(assertOk(await api.post('/v3/credentials', { credential }), 201).credential.id, id);
    assert.ok(!(await isValid(api, token)));
    assert.ok(await isValid(api, await tokenOf(api, person)));
  });

  it('gives a token that can be used for nothing here, and not be exchanged', async () => {
    const person = await ec2Person(api, ['admin']);
    const token = await tokenOf(api, person);
    for (const path of ['/v3/users', `/v3/users/${person.user.id}`, '/v3/auth/projects', '/v3/auth/catalog', person.path])
      assertRefused(await api.get(path, { token }), 403, /EC2/);
    assertRefused(await api.get('/v3/auth/tokens', { token, headers: { 'X-Subject-Token': token } }), 403);
    assertRefused(await api.delete(`${person.path}/${person.key.access}`, { token }), 403);
    const bearer = { Authorization: `Bearer ${token}` };
    assert.equal((await api.get('/scim/v2/Users', { token: null, headers: bearer })).status, 403);
    const body = { auth: { identity: { methods: ['token'], token: { id: token } } } };
    assertRefused(await api.post('/v3/auth/tokens', body, { token: null }), 403);
  });

  it('is not read, made or deleted with what was passed on to a program, were it an administrator', async () => {
    const person = await ec2Person(api, ['admin']);
    const token = await programTokenOf(api, person, { unrestricted: true });
    const other = await ec2Person(api);
    const blob = JSON.stringify({ access: uniqueName('access'), secret: 'x' });
    for (const { path, user, project, key } of [person, other]) {
      const credential = { type: 'ec2', blob, user_id: user.id, project_id: project.id };
      for (const answer of [
        await api.get(path, { token }),
        await api.get(`${path}/${key.access}`, { token }),
        await api.post(path, { tenant_id: project.id }, { token }),
        await api.delete(`${path}/${key.access}`, { token }),
        await api.post('/v3/credentials', { credential }, { token }),
        await api.get('/v3/credentials', { token }),
      ])
        assertRefused(answer, 403);
    }
  });

  it('of a user who was disabled works again when the user is enabled, as in Keystone; its tokens do not come back', async () => {
    const person = await ec2Person(api);
    const token = await tokenOf(api, person);
    for (const enabled of [false, true]) assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { enabled } }));
    assert.ok(!(await isValid(api, token)));
    assert.ok(await isValid(api, await tokenOf(api, person)));
  });

  it('that claims to come from a trust or a program is not accepted', async () => {
    const { user, project } = await ec2Person(api);
    for (const name of ['trust_id', 'app_cred_id', 'access_token_id']) {
      const key = { access: uniqueName('access'), secret: 'f'.repeat(32) };
      const blob = JSON.stringify({ ...key, [name]: 'something' });
      const credential = { type: 'ec2', blob, user_id: user.id, project_id: project.id };
      assertOk(await api.post('/v3/credentials', { credential }), 201);
      assertRefused(await exchange(api, signedV2(key, api.clock.now())), 401);
    }
  });

  it('does not sign for others, for another request, or for another time', async () => {
    const [ann, bob] = [await ec2Person(api), await ec2Person(api)];
    const good = signedV2(ann.key, api.clock.now());
    const bad = [
      { ...good, access: bob.key.access },
      { ...good, verb: 'DELETE' },
      { ...good, path: '/other' },
      { ...good, params: { ...good.params, Action: 'Other' } },
      { ...good, signature: good.signature.toLowerCase() },
      signedV2(ann.key, api.clock.now() - 901_000),
      signedV2(ann.key, api.clock.now() + 920_000),
    ];
    for (const request of bad) assertRefused(await exchange(api, request), 401);
    const s3 = signedS3(ann.key);
    const altered = Buffer.from('DELETE\n\n\nx\n/bucket/file').toString('base64');
    for (const request of [
      { ...s3, token: altered },
      { ...s3, access: bob.key.access },
      { ...s3, token: '' },
    ])
      assertRefused(await api.post('/v3/s3tokens', { credentials: request }), 401);
    // As in Keystone, a request may come again while its time is right: services ask more than once about one.
    assertOk(await exchange(api, good));
    assertOk(await exchange(api, good));
    api.clock.advance(901);
    assertRefused(await exchange(api, good), 401);
  });

  it('leaves neither secret nor a flood of events, and wrong signatures do not close it', async () => {
    const { key, user } = await ec2Person(api);
    const wrong = { ...signedV2(key, api.clock.now()), signature: 'wrong' };
    for (let i = 0; i < 30; i++) assertRefused(await exchange(api, wrong), 401);
    assertOk(await exchange(api, signedV2(key, api.clock.now())));
    const events = await db()
      .read.selectFrom('audit_events')
      .where('action', '=', 'user.login_refused')
      .where('target_id', '=', user.id)
      .select('detail')
      .execute();
    assert.ok(events.length >= 10 && events.length < 20, String(events.length));
    assert.match(events[0]!.detail, /signature wrong/);
    assert.ok(!api.logged.join('\n').includes(key.secret));
  });
});

onUsualDatabase('A request that was signed without a time', (api) => {
  it('is accepted, as in Keystone, until the key is deleted; a time that was signed is not taken away', async () => {
    const { key, path } = await ec2Person(api);
    const timeless = signedV2(key, undefined);
    assertOk(await exchange(api, timeless));
    api.clock.advance(7 * 86_400);
    api.adminToken = await api.logIn(
      { name: 'admin', password: ADMIN_PASSWORD },
      { project: { name: 'admin', domain: { id: 'default' } } },
    );
    assertOk(await exchange(api, timeless));
    const { params, ...old } = signedV2(key, api.clock.now() - 901_000);
    const { Timestamp: _, ...without } = params;
    assertRefused(await exchange(api, { ...old, params: without }), 401);
    assertRefused(await exchange(api, { ...old, params: { ...params, Timestamp: '' } }), 401);
    assertRefused(await exchange(api, { ...timeless, path: '/other' }), 401);
    assertOk(await api.delete(`${path}/${key.access}`), 204);
    assertRefused(await exchange(api, timeless), 401);
  });
});

onUsualDatabase(
  'A request that was signed without a time, where that is off',
  (api) => {
    it('is refused', async () => {
      const { key } = await ec2Person(api);
      assertRefused(await exchange(api, signedV2(key, undefined)), 401);
      assertOk(await exchange(api, signedV2(key, api.clock.now())));
    });
  },
  { settings: { GATEHOUSE_IDENTITY_SIGNATURES_WITHOUT_TIME: 'false' } },
);

onUsualDatabase(
  'A short secret of an EC2 key',
  (api) => {
    it('is not found by guessing', async () => {
      const { user, project } = await ec2Person(api);
      const key = { access: uniqueName('access'), secret: 'short' };
      const credential = { type: 'ec2', blob: JSON.stringify(key), user_id: user.id, project_id: project.id };
      assertOk(await api.post('/v3/credentials', { credential }), 201);
      const statuses: number[] = [];
      for (let guess = 0; guess < 12; guess++)
        statuses.push((await exchange(api, signedV2({ ...key, secret: `guess ${guess}` }, api.clock.now()))).status);
      assert.equal(statuses[0], 401);
      assert.equal(statuses.at(-1), 429);
    });
  },
  { rateLimits: true },
);
