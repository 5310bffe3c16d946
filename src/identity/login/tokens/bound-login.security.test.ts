// A login takes time. When the password is changed meanwhile, a login with the old one must fail.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Client } from 'pg';
import { onDatabase, type TestApi, underAttack } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { KeyrockClient, logInByAccessToken } from '../../../../test/support/keyrock-client.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { logInWith } from '../../../../test/support/second-factor.ts';
import { tagOf } from '../../access/context/index.ts';
import { createChanges } from '../../ground/audit/index.ts';

const NEW = 'another password of a person';

/** Nobody reads the table until `meanwhile` is done, which begins when `request` waits for it. */
async function whileWaiting<T>(
  api: TestApi,
  table: string,
  request: () => Promise<T>,
  meanwhile: () => Promise<unknown>,
): Promise<T> {
  const other = new Client({ connectionString: api.databaseUrl! });
  await other.connect();
  try {
    await other.query('begin');
    await other.query(`lock table ${table} in access exclusive mode`);
    const answer = request();
    for (;;) {
      const { rows } = await other.query('select 1 from pg_locks where not granted and relation = $1::regclass', [table]);
      if (rows.length > 0) break;
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    await meanwhile();
    await other.query('commit');
    return await answer;
  } finally {
    await other.end();
  }
}

const changePassword = async (api: TestApi, userId: string): Promise<void> => {
  const answer = await api.patch(`/v3/users/${userId}`, { user: { password: NEW } });
  assert.equal(answer.status, 200, answer.text);
};

/** What every change of a password does, without reading the table that is locked; here it comes as from another replica. */
async function endTokens(api: TestApi, userId: string): Promise<void> {
  const db = await databaseOf(api);
  await db.write(async (tx, invalidate) => {
    await tx
      .updateTable('users')
      .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
      .where('id', '=', userId)
      .execute();
    await tx.deleteFrom('openid_records').where('user_id', '=', userId).execute();
    invalidate(tagOf.user(userId));
  });
  await db.close();
}

/** At the latest when the news of the change is here. */
async function assertEnds(api: TestApi, token: string): Promise<void> {
  const until = Date.now() + 20_000;
  while ((await api.get('/v3/auth/projects', { token })).status !== 401) {
    assert.ok(Date.now() < until, 'the token outlives the change');
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

onDatabase('PostgreSQL', 'A login while the password changes', {}, (api) => {
  it('gives no token that outlives the change', async () => {
    const person = await makePerson(api);
    const answer = await whileWaiting(
      api,
      'two_factor',
      () => logInWith(api, person),
      () => changePassword(api, person.user.id),
    );
    const token = answer.headers.get('x-subject-token');
    if (token) assert.equal((await api.get('/v3/auth/projects', { token })).status, 401, 'a token of the old password');
    else assert.ok([401, 404].includes(answer.status), answer.text);
    assert.equal((await logInWith(api, { ...person, password: NEW })).status, 201);
  });

  it('gives no token for another scope either, from one that ends', async () => {
    const person = await makePerson(api);
    const project = await api.make('project', { name: `project-of-${person.user.id}` });
    const role = await api.roleId('member');
    assert.equal((await api.put(`/v3/projects/${project.id}/users/${person.user.id}/roles/${role}`)).status, 204);
    const token = await api.logIn({ id: person.user.id, password: person.password });
    const scope = { project: { name: project.name, domain: { id: 'default' } } };
    const answer = await whileWaiting(
      api,
      'projects',
      () =>
        api.post('/v3/auth/tokens', { auth: { identity: { methods: ['token'], token: { id: token } }, scope } }, { token: null }),
      () => endTokens(api, person.user.id),
    );
    const made = answer.headers.get('x-subject-token');
    if (made) await assertEnds(api, made);
    else assert.ok([401, 404].includes(answer.status), answer.text);
  });

  it('gives no token for an access token that ends', async () => {
    const [person, client] = [await makePerson(api), await KeyrockClient.make(api)];
    const { access_token: token } = await client.tokens(person);
    const answer = await whileWaiting(
      api,
      'grants',
      () => logInByAccessToken(api, token),
      () => endTokens(api, person.user.id),
    );
    const made = answer.headers.get('x-subject-token');
    if (made) await assertEnds(api, made);
    else assert.ok([401, 404].includes(answer.status), answer.text);
  });
});

underAttack('Changes while others change the same', (api) => {
  describe('a password', () => {
    it('is changed once by those who know the old one', async () => {
      const person = await makePerson(api);
      const tries = ['one new password', 'second new password', 'third new password'];
      const answers = await Promise.all(
        tries.map((password) =>
          api.post(`/v3/users/${person.user.id}/password`, { user: { original_password: person.password, password } }),
        ),
      );
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 401, 401]);
      const won = tries[answers.findIndex(({ status }) => status === 204)]!;
      assert.equal((await logInWith(api, { ...person, password: won })).status, 201);
    });
  });

  it('are refused when the caller was verified before the password changed', async () => {
    const person = await makePerson(api);
    const db = await databaseOf(api);
    try {
      const change = createChanges(db, api.clock);
      const { epoch } = await db.read
        .selectFrom('users')
        .where('id', '=', person.user.id)
        .select('epoch')
        .executeTakeFirstOrThrow();
      const rename = () =>
        change({ userId: person.user.id, requestId: null, epoch }, async ({ audit }) =>
          audit('user.updated', { kind: 'user', id: person.user.id }),
        );
      await rename();
      await changePassword(api, person.user.id);
      await assert.rejects(rename, { code: 'auth.required' });
    } finally {
      await db.close();
    }
  });
});
