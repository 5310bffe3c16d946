// Who learns that somebody is locked out, and who unlocks whom. Unlocking gives as many guesses as there were before the first, and none
// beyond those.
import assert from 'node:assert/strict';
import { before, it } from 'node:test';
import { assertForbidden, assertNeedsToken, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onUsualDatabase, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { programTokenOf } from '../../../../test/support/programs.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

const pathOf = (id: string): string => `/v3/users/${id}/OS-LOCK/lock`;
const listOf = (...ids: string[]): string => `/v3/OS-LOCK/locks?user_id=${ids}`;
const LIMIT = 3;
const LOCKING = {
  GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: String(LIMIT),
  GATEHOUSE_IDENTITY_LOCKOUT_DURATION: '86400',
  GATEHOUSE_IDENTITY_TOKEN_SECONDS: '86400',
};

let addresses = 0;
const newAddress = (): string => `198.52.${++addresses >> 8}.${addresses & 255}`;

function logIn(api: TestApi, user: Record<string, unknown>, address = newAddress()): Promise<ApiAnswer> {
  const identity = { methods: ['password'], password: { user } };
  return api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers: { 'X-Forwarded-For': address } });
}

const wrong = (api: TestApi, id: string): Promise<ApiAnswer> => logIn(api, { id, password: 'wrong' });

async function lockOut(api: TestApi, id: string): Promise<void> {
  for (let time = 0; time < LIMIT; time++) assert.equal((await wrong(api, id)).status, 401);
  assert.equal(await stateOf(api, id), 'locked_out');
}

const stateOf = async (api: TestApi, id: string): Promise<string> => assertOk(await api.get(pathOf(id))).lock.state;

onUsualDatabase(
  'The lock of an account',
  (api) => {
    let domain: { id: string };
    let person: Awaited<ReturnType<typeof makeUser>>;
    let manager: Awaited<ReturnType<TestApi['persona']>>;
    let ownToken: string;
    before(async () => {
      domain = await api.make('domain', { name: uniqueName('domain') });
      person = await makeUser(api, { domain_id: domain.id });
      manager = await api.persona(['manager', 'reader'], { domain: domain.id }, { domain_id: domain.id });
      ownToken = await api.logIn(person);
      await lockOut(api, person.id);
    });

    it('is told to no stranger, no reader, no manager of another domain, and not to the person', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const outsiders = [
        ownToken,
        (await api.persona(['member'], { project: project.id })).token,
        (await api.persona(['reader'], 'system')).token,
        (await api.persona(['reader'], { domain: domain.id })).token,
        (await api.persona(['service'], 'system')).token,
      ];
      const elsewhere = (await api.persona(['manager', 'reader'], { domain: 'default' })).token;
      for (const [method, path] of [
        ['GET', pathOf(person.id)],
        ['DELETE', pathOf(person.id)],
        ['GET', listOf(person.id)],
      ] as const) {
        await assertNeedsToken(api, method, path);
        await assertForbidden(api, outsiders, method, path);
      }
      for (const method of ['GET', 'DELETE'])
        for (const id of [person.id, 'f'.repeat(32)]) await assertForbidden(api, [elsewhere], method, pathOf(id));
      assert.deepEqual(assertOk(await api.get(listOf(person.id), { token: elsewhere })).locks, []);
      assert.equal(await stateOf(api, person.id), 'locked_out');
    });

    it('does not show by the filter of a list who is locked out', async () => {
      const reader = await api.persona(['reader'], { domain: domain.id });
      const group = await api.make('group', { name: uniqueName('group'), domain_id: domain.id });
      for (const id of [person.id, manager.user.id]) assertOk(await api.put(`/v3/groups/${group.id}/users/${id}`), 204);
      for (const value of ['true', '1', '']) await assertForbidden(api, [reader.token], 'GET', `/v3/users?locked=${value}`);
      assert.equal(assertOk(await api.get('/v3/users?locked=false', { token: reader.token })).users.length, 2);
      // Members have no such filter: all are listed.
      const members = assertOk(await api.get(`/v3/groups/${group.id}/users?locked=true`, { token: reader.token }));
      assert.equal(members.users.length, 2);
      const other = await makeUser(api);
      await lockOut(api, other.id);
      const { users } = assertOk(await api.get('/v3/users?locked=true', { token: manager.token }));
      assert.deepEqual(
        users.map(({ id }: { id: string }) => id),
        [person.id],
        'a manager sees those of the domain',
      );
    });

    it('is not opened by a program, which may read it', async () => {
      const project = await api.make('project', { name: uniqueName('project') });
      const administrator = await api.persona(['admin'], { project: project.id });
      const program = await programTokenOf(api, administrator, { unrestricted: true });
      assert.equal(assertOk(await api.get(pathOf(person.id), { token: program })).lock.state, 'locked_out');
      await assertForbidden(api, [program], 'DELETE', pathOf(person.id));
      assert.equal(await stateOf(api, person.id), 'locked_out');
    });

    it('is opened by the manager of the domain, but not that of people with more rights', async () => {
      const boss = await makeUser(api, { domain_id: domain.id });
      assertOk(await api.put(`/v3/system/users/${boss.id}/roles/${await api.roleId('admin')}`), 204);
      await lockOut(api, boss.id);
      await assertForbidden(api, [manager.token], 'DELETE', pathOf(boss.id));
      const { allowed } = assertOk(await api.get(`/v3/auth/OS-ACCESS/allowed?user_id=${boss.id}`, { token: manager.token }));
      assert.ok(!allowed.includes('identity:unlock_user'));
      assert.equal(await stateOf(api, boss.id), 'locked_out');
      const other = await makeUser(api, { domain_id: domain.id });
      await lockOut(api, other.id);
      assertOk(await api.delete(pathOf(other.id), { token: manager.token }), 204);
      assert.equal(await stateOf(api, other.id), 'open');
    });

    it('is not opened by a manager who is outranked since it was allowed', async () => {
      const rising = await makeUser(api, { domain_id: domain.id });
      await lockOut(api, rising.id);
      const role = await api.roleId('admin');
      const answer = await whenAt(
        'change.before-transaction',
        async () => {
          const { status } = await api.put(`/v3/system/users/${rising.id}/roles/${role}`);
          assert.equal(status, 204);
        },
        () => api.delete(pathOf(rising.id), { token: manager.token }),
      );
      assertRefused(answer, 403);
      assert.equal(await stateOf(api, rising.id), 'locked_out');
    });

    it('of their own is opened by administrators after a recent login only: a stolen token gives no guesses', async () => {
      const administrator = await api.persona(['admin'], 'system');
      const { id } = administrator.user;
      await lockOut(api, id);
      api.clock.advance(3600);
      assertRefused(await api.delete(pathOf(id), { token: administrator.token }), 401);
      assert.equal(await stateOf(api, id), 'locked_out');
      assertOk(await api.delete(pathOf(id)), 204);
      const fresh = await api.logIn({ id, password: administrator.password }, { system: { all: true } });
      await lockOut(api, id);
      assertOk(await api.delete(pathOf(id), { token: fresh }), 204);
    });
  },
  { settings: LOCKING },
);

underAttack(
  'A guess that is checked while an administrator unlocks the account',
  (api) => {
    api.clock.hold();

    it('is the first one that counts, and locks nobody', async () => {
      const { id, password } = await makeUser(api);
      for (let time = 1; time < LIMIT; time++) await wrong(api, id);
      const answer = await whenAt(
        'change.before-transaction',
        async () => assertOk(await api.delete(pathOf(id)), 204),
        () => wrong(api, id),
      );
      assert.equal(answer.status, 401);
      assert.equal(await stateOf(api, id), 'open');
      const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${id}&action=user.locked_out`));
      assert.deepEqual(events, []);
      for (let time = 1; time < LIMIT; time++) await wrong(api, id);
      assert.equal((await logIn(api, { id, password })).status, 401, 'it was counted');
    });

    it('counts before it or after it, if many come at once: as many wrong ones as ever lock the account again', async () => {
      const { id, password } = await makeUser(api);
      await lockOut(api, id);
      const answers = await Promise.all([
        ...Array.from({ length: 8 }, () => wrong(api, id)),
        api.delete(pathOf(id)),
        ...Array.from({ length: 8 }, () => wrong(api, id)),
      ]);
      assert.deepEqual(answers.map(({ status }) => status).sort(), [204, ...Array(16).fill(401)]);
      for (let time = 0; time < LIMIT; time++) await wrong(api, id);
      assert.equal((await logIn(api, { id, password })).status, 401);
    });
  },
  { settings: LOCKING },
);

underAttack(
  'Wrong passwords that an administrator forgave',
  (api) => {
    api.clock.hold();

    it('are not given back once more by the next login, which would give others more guesses', async () => {
      const { id, password } = await makeUser(api);
      const home = newAddress();
      for (let i = 0; i < 9; i++) assert.equal((await logIn(api, { id, password: 'typo' }, home)).status, 401);
      assertOk(await api.delete(pathOf(id)), 204);
      for (let i = 0; i < 9; i++) assert.equal((await wrong(api, id)).status, 401);
      assert.equal((await logIn(api, { id, password }, home)).status, 201);
      assert.equal((await wrong(api, id)).status, 401);
      assert.equal((await wrong(api, id)).status, 429);
    });
  },
  { rateLimits: true, trustedProxies: ['127.0.0.1'] },
);
