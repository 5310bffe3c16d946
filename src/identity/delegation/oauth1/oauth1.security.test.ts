import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { type TestApi, underAttack } from '../../../../test/support/api.ts';
import {
  askAccessToken,
  askRequestToken,
  authorizationOf,
  authorize,
  keyOf,
  makeAccessToken,
  makeConsumer,
  oauth1Person,
  signedLogin,
} from '../../../../test/support/oauth1.ts';
import { databaseOf, usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { enable } from '../../../../test/support/second-factor.ts';
import { askForTrust, makeTrust, trustPerson, trustToken } from '../../../../test/support/trusts.ts';
import type { Database } from '../../ground/database/index.ts';
import { deleteConsumer, insertAccessToken } from './oauth1.store.ts';

/** Until a transaction waits for another one. SQLite has one writer, and the other waits in a queue. */
async function someoneWaits({ dialect, read }: Database): Promise<void> {
  if (dialect !== 'postgres') return;
  const waiting = sql`select 1 from pg_locks join pg_stat_activity using (pid) where not granted and datname = current_database()`;
  for (const end = Date.now() + 20_000; Date.now() < end; await sleep(10))
    if ((await waiting.execute(read)).rows.length > 0) return;
  assert.fail('nobody waits');
}

/** A consumer with a request token that a user has authorized. */
async function authorizedRequest(api: TestApi, ann: Awaited<ReturnType<typeof oauth1Person>>) {
  const consumer = await makeConsumer(api);
  const request = keyOf(await askRequestToken(api, ann.project.id, { consumer }));
  const { body } = await authorize(api, ann.token, request);
  return { consumer, token: request, verifier: body.token.oauth_verifier as string };
}

underAttack('A consumer of OAuth1', (api) => {
  const db = usesDatabaseOf(api);
  const isValid = async (token: string) =>
    (await api.get('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status === 200;

  it('takes nothing that was authorized before the password was changed, or before a second factor was turned on', async () => {
    const changes: ((user: { id: string }) => Promise<{ status: number }>)[] = [
      ({ id }) => api.patch(`/v3/users/${id}`, { user: { password: 'another password' } }),
      (user) => enable(api, user),
    ];
    for (const change of changes) {
      const ann = await oauth1Person(api);
      const [before, other] = [await authorizedRequest(api, ann), await authorizedRequest(api, await oauth1Person(api))];
      assert.ok((await change(ann.user)).status < 300);
      assert.equal((await askAccessToken(api, before)).status, 401, 'nobody sees that it is there');
      assert.equal((await askAccessToken(api, other)).status, 201);
    }
  });

  it('cannot send a signed request twice, to any of the three addresses, nor at the same time', async () => {
    const ann = await oauth1Person(api);
    const consumer = await makeConsumer(api);
    const first = authorizationOf(api, `${api.url}/v3/OS-OAUTH1/request_token`, { consumer });
    const answers = await Promise.all([1, 2, 3].map(() => askRequestToken(api, ann.project.id, { consumer }, first)));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 401, 401]);
    const request = keyOf(answers.find(({ status }) => status === 201)!);
    const verifier = (await authorize(api, ann.token, request)).body.token.oauth_verifier;
    const signing = { consumer, token: request, verifier };
    const second = authorizationOf(api, `${api.url}/v3/OS-OAUTH1/access_token`, signing);
    const changed = await Promise.all([1, 2, 3].map(() => askAccessToken(api, signing, second)));
    assert.deepEqual(changed.map(({ status }) => status).sort(), [201, 401, 401]);
    const token = keyOf(changed.find(({ status }) => status === 201)!);
    const third = authorizationOf(api, `${api.url}/v3/auth/tokens`, { consumer, token });
    const logins = await Promise.all([1, 2, 3].map(() => signedLogin(api, { consumer, token }, undefined, third)));
    assert.deepEqual(logins.map(({ status }) => status).sort(), [201, 401, 401]);
  });

  it('cannot use an old or a future time, another address, another method of signing, or parameters twice', async () => {
    const ann = await oauth1Person(api);
    const { consumer, token } = await makeAccessToken(api, ann);
    const now = Math.floor(api.clock.now() / 1000);
    for (const timestamp of [now - 610, now + 610, 0, 99999999999])
      assert.equal((await signedLogin(api, { consumer, token, timestamp })).status, 400, String(timestamp));
    for (const url of [
      `${api.url}/v3/OS-OAUTH1/access_token`,
      `https://127.0.0.1/v3/auth/tokens`,
      `${api.url}/v3/auth/tokens?x=1`,
    ])
      assert.equal(
        (await signedLogin(api, {} as never, undefined, authorizationOf(api, url, { consumer, token }))).status,
        401,
        url,
      );
    const good = () => authorizationOf(api, `${api.url}/v3/auth/tokens`, { consumer, token });
    for (const [bad, status] of [
      [good().replace('HMAC-SHA1', 'PLAINTEXT'), 400],
      [good().replace('HMAC-SHA1', 'RSA-SHA1'), 400],
      [good().replace('HMAC-SHA1', '__proto__'), 400],
      [`${good()}, oauth_token="x"`, 400],
      [`${good()}, oauth_more="x"`, 401],
      [good().replace(/oauth_nonce="[^"]*"/, 'oauth_nonce="1"'), 401],
      [good().replace(/oauth_signature="[^"]*"/, 'oauth_signature=""'), 400],
      [good().replace(/oauth_version="1.0"/, 'oauth_version="2.0"'), 400],
      ['OAuth', 400],
      [`OAuth ${'a="b",'.repeat(2000)}`, 400],
    ] as const)
      assert.equal((await signedLogin(api, {} as never, undefined, bad)).status, status, bad.slice(0, 200));
  });

  it('cannot log in with a wrong secret, with the token of another, or as one that does not exist; the answers are the same', async () => {
    const ann = await oauth1Person(api);
    const [own, other] = [await makeAccessToken(api, ann), await makeAccessToken(api, ann)];
    const attempts = [
      { consumer: { ...own.consumer, secret: 'x' }, token: own.token },
      { consumer: own.consumer, token: { ...own.token, secret: 'x' } },
      { consumer: own.consumer, token: other.token },
      { consumer: own.consumer, token: own.request },
      { consumer: own.consumer, token: { id: 'f'.repeat(32), secret: '' } },
      { consumer: { id: 'f'.repeat(32), secret: '' }, token: own.token },
    ];
    const told = new Set<string>();
    for (const attempt of attempts) {
      const { status, body } = await signedLogin(api, attempt);
      assert.equal(status, 401);
      told.add(body.error.message);
    }
    assert.ok(told.size <= 2, [...told].join());
    const request = keyOf(await askRequestToken(api, ann.project.id, { consumer: own.consumer }));
    const verifier = (await authorize(api, ann.token, request)).body.token.oauth_verifier;
    assert.equal((await askAccessToken(api, { consumer: other.consumer, token: request, verifier })).status, 401);
  });

  it('ends with its token, its consumer, a role, the project and the user', async () => {
    type Made = Awaited<ReturnType<typeof makeAccessToken>> & { ann: Awaited<ReturnType<typeof oauth1Person>> };
    const ends: ((made: Made) => Promise<unknown>)[] = [
      ({ consumer }) => api.delete(`/v3/OS-OAUTH1/consumers/${consumer.id}`),
      async ({ ann }) =>
        api
          .delete(`/v3/projects/${ann.project.id}/users/${ann.user.id}/roles/${await api.roleId('member')}`)
          .then(async () => api.delete(`/v3/projects/${ann.project.id}/users/${ann.user.id}/roles/${await api.roleId('admin')}`)),
      ({ ann }) => api.patch(`/v3/projects/${ann.project.id}`, { project: { enabled: false } }),
      ({ ann }) => api.delete(`/v3/projects/${ann.project.id}`),
      ({ ann }) => api.patch(`/v3/users/${ann.user.id}`, { user: { enabled: false } }),
      ({ ann }) => api.delete(`/v3/users/${ann.user.id}`),
    ];
    for (const end of ends) {
      const ann = await oauth1Person(api);
      const made = { ...(await makeAccessToken(api, ann)), ann };
      const text = (await signedLogin(api, made)).headers.get('x-subject-token')!;
      assert.ok(await isValid(text));
      await end(made);
      assert.ok(!(await isValid(text)), end.toString());
      assert.equal((await signedLogin(api, { consumer: made.consumer, token: made.token })).status, 401, end.toString());
    }
    const ann = await oauth1Person(api);
    const { consumer, token } = await makeAccessToken(api, ann);
    for (const enabled of [false, true]) await api.patch(`/v3/users/${ann.user.id}`, { user: { enabled } });
    assert.equal((await signedLogin(api, { consumer, token })).status, 401, 'it does not come back with the account');
  });

  it('gets the roles that were passed on, and nothing that lasts longer', async () => {
    const ann = await oauth1Person(api);
    const { consumer, token } = await makeAccessToken(api, ann);
    await api.put(`/v3/projects/${ann.project.id}/users/${ann.user.id}/roles/${await api.roleId('manager')}`);
    const answer = await signedLogin(api, { consumer, token });
    assert.deepEqual(
      answer.body.token.roles.map(({ name }: { name: string }) => name),
      ['member', 'reader'],
    );
    const text = answer.headers.get('x-subject-token')!;
    const rescope = { auth: { identity: { methods: ['token'], token: { id: text } } } };
    assert.equal((await api.post('/v3/auth/tokens', rescope, { token: null })).status, 403);
    const bob = await trustPerson(api);
    assert.equal((await askForTrust(api, { ...ann, token: text }, bob)).status, 403);
    const program = { application_credential: { name: 'program' } };
    assert.equal((await api.post(`/v3/users/${ann.user.id}/application_credentials`, program, { token: text })).status, 403);
    const all = `/v3/users/${ann.user.id}/OS-OAUTH1/access_tokens`;
    assert.equal((await api.get(all, { token: text })).status, 403);
    assert.equal((await api.delete(`${all}/${token.id}`, { token: text })).status, 403);
    assert.equal((await api.get('/v3/OS-OAUTH1/consumers', { token: text })).status, 403);
  });

  it('is authorized by an administrator in person, with a recent login, and only once', async () => {
    const ann = await oauth1Person(api);
    const consumer = await makeConsumer(api);
    const ask = async () => keyOf(await askRequestToken(api, ann.project.id, { consumer }));
    const member = await trustPerson(api, ['member']);
    assert.equal((await authorize(api, member.token, await ask())).status, 403);
    const trust = await makeTrust(api, ann, member, { impersonation: true, roles: [{ name: 'admin' }] });
    const byTrust = await trustToken(api, member, trust);
    assert.equal((await authorize(api, byTrust, await ask())).status, 403);
    const request = await ask();
    assert.equal((await authorize(api, ann.token, request)).status, 200);
    const other = await oauth1Person(api);
    await api.put(`/v3/projects/${ann.project.id}/users/${other.user.id}/roles/${await api.roleId('member')}`);
    assert.equal((await authorize(api, other.token, request)).status, 404, 'somebody else');
    const late = await ask();
    api.clock.advance(901);
    assert.equal((await authorize(api, ann.token, late)).status, 401);
  });

  it('has secrets that are stored sealed, and nonces only of what was signed', async () => {
    const ann = await oauth1Person(api);
    const { consumer, request, token, verifier } = await makeAccessToken(api, ann);
    const db = await databaseOf(api);
    try {
      const count = async () => (await db.read.selectFrom('oauth1_nonces').select('hash').execute()).length;
      const before = await count();
      await signedLogin(api, { consumer: { ...consumer, secret: 'x' }, token });
      assert.equal(await count(), before);
      const rows = JSON.stringify([
        await db.read.selectFrom('oauth1_consumers').selectAll().execute(),
        await db.read.selectFrom('oauth1_access_tokens').selectAll().execute(),
      ]);
      for (const secret of [consumer.secret, token.secret]) assert.ok(!rows.includes(secret));
    } finally {
      await db.close();
    }
    for (const secret of [consumer.secret, token.secret, request.secret, verifier])
      assert.ok(!api.logged.some((line) => line.includes(secret)));
  });

  it('that is deleted takes a token along that is just being made', async () => {
    const ann = await oauth1Person(api);
    const { consumer, token } = await makeAccessToken(api, ann);
    const row = await db()
      .read.selectFrom('oauth1_access_tokens')
      .where('id', '=', token.id)
      .selectAll()
      .executeTakeFirstOrThrow();
    const [written, commit] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const making = db().write(async (tx) => {
      await insertAccessToken(tx, { ...row, id: 'made meanwhile' }, [await api.roleId('member')]);
      written.resolve();
      await commit.promise;
    });
    await written.promise;
    const deleting = db().write((tx) => deleteConsumer(db(), tx, consumer.id));
    await someoneWaits(db());
    commit.resolve();
    await making;
    assert.deepEqual(new Set(await deleting), new Set([token.id, 'made meanwhile']), 'tokens of both end');
  });

  it('that is deleted while it gets an access token keeps none, and nobody waits for ever', async () => {
    const ann = await oauth1Person(api);
    for (let time = 0; time < 6; time++) {
      const signing = await authorizedRequest(api, ann);
      const [made, deleted] = await Promise.all([
        askAccessToken(api, signing),
        api.delete(`/v3/OS-OAUTH1/consumers/${signing.consumer.id}`),
      ]);
      assert.equal(deleted.status, 204, deleted.text);
      assert.ok([201, 401].includes(made.status), made.text);
      if (made.status !== 201) continue;
      assert.equal((await signedLogin(api, { consumer: signing.consumer, token: keyOf(made) })).status, 401);
    }
    const left = await api.get(`/v3/users/${ann.user.id}/OS-OAUTH1/access_tokens`);
    assert.deepEqual(left.body.access_tokens, []);
  });
});

underAttack(
  'The number of request tokens of OAuth1',
  (api) => {
    it('of one consumer is limited, also at the same time; strangers and other consumers do not count', async () => {
      const ann = await oauth1Person(api);
      const consumer = await makeConsumer(api);
      const ask = () => askRequestToken(api, ann.project.id, { consumer });
      const forged = await askRequestToken(api, ann.project.id, { consumer: { ...consumer, secret: 'guessed' } });
      assert.equal(forged.status, 401);
      const answers = await Promise.all([1, 2, 3, 4, 5].map(ask));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 403, 403, 403]);
      const other = await makeConsumer(api);
      assert.equal((await askRequestToken(api, ann.project.id, { consumer: other })).status, 201);
      const request = keyOf(answers.find(({ status }) => status === 201)!);
      const verifier = (await authorize(api, ann.token, request)).body.token.oauth_verifier;
      assert.equal((await ask()).status, 403, 'one that was authorized is not used yet');
      assert.equal((await askAccessToken(api, { consumer, token: request, verifier })).status, 201);
      assert.equal((await ask()).status, 201);
      assert.equal((await ask()).status, 403);
      api.clock.advance(8 * 3600 + 1);
      assert.equal((await ask()).status, 201, 'the others have ended');
    });
  },
  { settings: { GATEHOUSE_IDENTITY_OAUTH1_REQUEST_TOKEN_LIMIT: '2' } },
);
