import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import {
  ADMIN_PASSWORD,
  type ApiAnswer,
  onEachDatabase,
  onUsualDatabase,
  type TestApi,
  uniqueName,
} from '../../../../test/support/api.ts';
import { assertGuarded } from '../../../../test/support/guarded.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { enable, logInWith, makeTwoFactorPerson, QUESTION } from '../../../../test/support/second-factor.ts';
import { TestBrowser } from '../../../../test/support/test-browser.ts';

const pathOf = (id: string): string => `/v3/users/${id}/OS-LOCK/lock`;
const DURATION = 600;
const LOCKING = {
  GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '3',
  GATEHOUSE_IDENTITY_LOCKOUT_DURATION: String(DURATION),
};

let addresses = 0;
const newAddress = (): string => `203.1.${++addresses >> 8}.${addresses & 255}`;

const lockOf = async (api: TestApi, id: string) => assertOk(await api.get(pathOf(id))).lock;
const isoAt = (seconds: number): string => `${new Date(seconds * 1000).toISOString().slice(0, 19)}.000000Z`;
const nowIn = (api: TestApi): number => Math.floor(api.clock.now() / 1000);

function logIn(api: TestApi, user: Record<string, unknown>, address = newAddress()): Promise<ApiAnswer> {
  const identity = { methods: ['password'], password: { user } };
  return api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers: { 'X-Forwarded-For': address } });
}

async function guess(api: TestApi, user: Record<string, unknown>, times: number): Promise<void> {
  for (let time = 0; time < times; time++) assert.equal((await logIn(api, { ...user, password: 'wrong' })).status, 401);
}

onEachDatabase(
  'The lock of an account',
  (api) => {
    api.clock.hold();

    it('is open until there are too many wrong passwords, and says then since when, until when and why', async () => {
      const { id } = await makeUser(api);
      const links = { self: `${api.url}${pathOf(id)}` };
      const open = { user_id: id, state: 'open', until: null, reasons: [], links };
      assert.deepEqual(await lockOf(api, id), open);
      await guess(api, { id }, 2);
      assert.deepEqual(await lockOf(api, id), open);
      api.clock.advance(30);
      await guess(api, { id }, 1);
      const [since, until] = [isoAt(nowIn(api)), isoAt(nowIn(api) + DURATION)];
      api.clock.advance(100);
      // Those at a locked account count no more.
      await guess(api, { id }, 2);
      assert.deepEqual(await lockOf(api, id), {
        user_id: id,
        state: 'locked_out',
        until,
        reasons: [{ reason: 'wrong_passwords', state: 'locked_out', failures: 3, since, until }],
        links,
      });
      api.clock.advance(DURATION - 101);
      assert.equal((await lockOf(api, id)).state, 'locked_out');
      api.clock.advance(1);
      assert.deepEqual(await lockOf(api, id), open);
    });

    it('is opened by an administrator: the right password is good at once, and wrong ones count from the first', async () => {
      const { id, password } = await makeUser(api);
      await guess(api, { id }, 3);
      assert.equal((await logIn(api, { id, password })).status, 401);
      assertOk(await api.delete(pathOf(id)), 204);
      assert.equal((await lockOf(api, id)).state, 'open');
      await guess(api, { id }, 2);
      assert.equal((await logIn(api, { id, password })).status, 201);
      await guess(api, { id }, 3);
      assert.equal((await logIn(api, { id, password })).status, 401, 'as many as before lock it again');
    });

    it('opens with an audit event that says what it was, also if there was nothing', async () => {
      const { id } = await makeUser(api);
      await guess(api, { id }, 3);
      for (const _ of [1, 2]) assertOk(await api.delete(pathOf(id)), 204);
      const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${id}&action=user.unlocked`));
      const details = events.map(({ detail, outcome }: any) => ({ ...detail, outcome }));
      assert.deepEqual(details, [
        { state: 'open', reasons: [], outcome: 'success' },
        { state: 'locked_out', reasons: ['wrong_passwords'], outcome: 'success' },
      ]);
    });

    it('is shut by wrong codes of the second factor, and opened with it', async () => {
      const person = await makeTwoFactorPerson(api);
      const { id } = person.user;
      for (let i = 0; i < 5; i++) assertRefused(await logInWith(api, person, { verification_code: person.phone.wrong() }), 401);
      assertRefused(await logInWith(api, person, { verification_code: person.phone.fresh() }), 401);
      const { state, reasons } = await lockOf(api, id);
      const { since, until, ...rest } = reasons[0];
      assert.deepEqual(
        [state, reasons.length, rest],
        ['locked_out', 1, { reason: 'wrong_codes', state: 'locked_out', failures: 5 }],
      );
      assert.equal(Date.parse(until) - Date.parse(since), 300_000);
      assertOk(await api.delete(pathOf(id)), 204);
      assert.equal((await lockOf(api, id)).state, 'open');
      assert.equal((await logInWith(api, person, { verification_code: person.phone.fresh() })).status, 201);
    });

    it('is none for an account that nothing locks, and not in the future after the clock was set back', async () => {
      const never = await makeUser(api, { options: { ignore_lockout_failure_attempts: true } });
      await guess(api, { id: never.id }, 4);
      assert.equal((await lockOf(api, never.id)).state, 'open');
      const { id } = await makeUser(api);
      await guess(api, { id }, 3);
      api.clock.advance(-7200);
      try {
        // The token of before is not good yet.
        const scope = { project: { name: 'admin', domain: { id: 'default' } } };
        const token = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, scope);
        const { until, reasons } = assertOk(await api.get(pathOf(id), { token })).lock;
        assert.deepEqual([reasons[0].since, until], [isoAt(nowIn(api)), isoAt(nowIn(api) + DURATION)]);
      } finally {
        api.clock.advance(7200);
      }
    });

    it('is listed for the ids that are asked for, in their order, without those that are missing', async () => {
      const [first, second] = [await makeUser(api), await makeUser(api)];
      await guess(api, { id: second.id }, 3);
      const ids = [second.id, 'f'.repeat(32), first.id, second.id];
      const { locks, links } = assertOk(await api.get(`/v3/OS-LOCK/locks?user_id=${ids}`));
      assert.deepEqual(
        locks.map(({ user_id: id, state }: any) => [id, state]),
        [
          [second.id, 'locked_out'],
          [first.id, 'open'],
        ],
      );
      assert.deepEqual(locks[0], await lockOf(api, second.id));
      assert.deepEqual([links.next, links.previous], [null, null]);
      for (const query of ['', '?user_id=', `?user_id=${Array.from({ length: 101 }, (_, i) => `x${i}`)}`, '?user_id=a&user_id=b'])
        assertRefused(await api.get(`/v3/OS-LOCK/locks${query}`), 400, /user_id/);
    });

    it('filters the list of users, which says nothing of it otherwise', async () => {
      const prefix = uniqueName('filtered');
      const person = (name: string, values = {}) => makeUser(api, { name: `${prefix}-${name}`, ...values });
      const [byPassword, , excepted, over] = [await person('a'), await person('b'), await person('c'), await person('d')];
      await guess(api, { id: over.id }, 3);
      api.clock.advance(DURATION + 1);
      const byCode = await person('e');
      assert.equal((await enable(api, byCode, { two_factor_auth: QUESTION })).status, 201);
      for (let i = 0; i < 5; i++) await logIn(api, { id: byCode.id, password: byCode.password, verification_code: 'not a code' });
      for (const { id } of [byPassword, excepted]) await guess(api, { id }, 3);
      assertOk(await api.patch(`/v3/users/${excepted.id}`, { user: { options: { ignore_lockout_failure_attempts: true } } }));
      const names = async (query: string) => {
        const { users } = assertOk(await api.get(`/v3/users?${query}`));
        return users.map(({ name }: { name: string }) => name.slice(prefix.length + 1));
      };
      assert.deepEqual(await names(`locked=true&search=${prefix}`), ['a', 'e']);
      assert.deepEqual(await names(`locked=true&name__startswith=${prefix}&sort=-name`), ['e', 'a']);
      assert.deepEqual(await names(`locked=true&name__startswith=${prefix}&sort=name&limit=1`), ['a']);
      assert.deepEqual(await names(`locked=true&enabled=false&name__startswith=${prefix}`), []);
      assert.equal((await names(`locked=false&name__startswith=${prefix}`)).length, 5);
      assertRefused(await api.get('/v3/users?locked=perhaps'), 400, /locked/);
      const { user } = assertOk(await api.get(`/v3/users/${byPassword.id}`));
      const { users } = assertOk(await api.get(`/v3/users?locked=true&search=${byPassword.id}`));
      assert.deepEqual(users, [user]);
      assert.ok(!('lock' in user) && !('locked' in user));
    });

    it('is shown and opened by those who may', async () => {
      const { id } = await makeUser(api);
      const [path, missing] = [pathOf(id), pathOf('f'.repeat(32))];
      const outsider = await api.persona(['reader'], 'system');
      await assertGuarded(
        api,
        [outsider.token],
        [
          { method: 'GET', path, missing },
          { method: 'DELETE', path, missing },
          { method: 'GET', path: `/v3/OS-LOCK/locks?user_id=${id}` },
        ],
      );
    });
  },
  { settings: LOCKING },
);

onEachDatabase(
  'The pause after wrong passwords',
  (api) => {
    api.clock.hold();

    async function attack(user: Record<string, unknown>, count: number): Promise<void> {
      for (let tries = 0; tries < count; ) {
        const { status } = await logIn(api, { ...user, password: 'wrong' });
        if (status === 401) tries++;
        else api.clock.advance(1);
      }
    }

    it('is shown with what is counted, until there was none for a quarter of an hour', async () => {
      const { id } = await makeUser(api);
      await attack({ id }, 9);
      assert.equal((await lockOf(api, id)).state, 'open');
      await attack({ id }, 3);
      const until = isoAt(Math.ceil(api.clock.now() / 1000) + 900);
      const { state, ...lock } = await lockOf(api, id);
      assert.deepEqual([state, lock.until], ['paused', until]);
      assert.deepEqual(lock.reasons, [{ reason: 'wrong_passwords', state: 'paused', failures: 12, since: null, until }]);
      assertOk(await api.get('/v3/users?locked=true'));
      assert.ok(!assertOk(await api.get('/v3/users?locked=true')).users.some((user: { id: string }) => user.id === id));
      api.clock.advance(901);
      assert.equal((await lockOf(api, id)).state, 'open');
    });

    it('ends when an administrator unlocks the account: everybody may try at once, as often as before the first', async () => {
      const { id, password } = await makeUser(api);
      await attack({ id }, 13);
      assert.equal((await logIn(api, { id, password })).status, 429);
      assertOk(await api.delete(pathOf(id)), 204);
      assert.equal((await lockOf(api, id)).state, 'open');
      assert.equal((await logIn(api, { id, password })).status, 201);
      await guess(api, { id }, 10);
      assert.equal((await logIn(api, { id, password })).status, 429);
    });

    it('ends for wrong passwords that were typed with the name only, at the page', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const { id, name } = await makeUser(api, { domain_id: domain.id });
      const typed = async () => {
        const browser = new TestBrowser(api, { 'X-Forwarded-For': newAddress() });
        return (await browser.signIn(new URL('/account', api.url), { name, password: 'wrong' })).status;
      };
      for (let tries = 0; tries < 12; ) {
        if ((await typed()) === 429) api.clock.advance(1);
        else tries++;
      }
      const { state, reasons } = await lockOf(api, id);
      assert.deepEqual([state, reasons[0].failures], ['paused', 12]);
      assert.equal(await typed(), 429);
      assertOk(await api.delete(pathOf(id)), 204);
      assert.equal((await lockOf(api, id)).state, 'open');
      assert.notEqual(await typed(), 429);
    });

    it('of answers to the security question is shown and ended, too', async () => {
      const person = await makeTwoFactorPerson(api);
      const { id } = person.user;
      const token = (await logInWith(api, person, { verification_code: person.phone.fresh() })).headers.get('x-subject-token')!;
      const answer = () =>
        api.head(`/v3/users/${id}/OS-TWO-FACTOR/sec_question?security_answer=wrong`, {
          token,
          headers: { 'X-Forwarded-For': newAddress() },
        });
      for (let tries = 0; tries < 10; ) {
        if ((await answer()).status === 429) api.clock.advance(1);
        else tries++;
      }
      const { reasons } = await lockOf(api, id);
      const shown = reasons.map(({ reason, state }: { reason: string; state: string }) => [reason, state]);
      assert.deepEqual(shown, [
        ['wrong_codes', 'locked_out'],
        ['wrong_answers', 'paused'],
      ]);
      assertOk(await api.delete(pathOf(id)), 204);
      assert.deepEqual((await lockOf(api, id)).reasons, []);
    });
  },
  { rateLimits: true, trustedProxies: ['127.0.0.1'] },
);

onUsualDatabase('Without limits', (api) => {
  it('only wrong codes lock anybody', async () => {
    const { id, password } = await makeUser(api);
    await guess(api, { id }, 30);
    assert.equal((await lockOf(api, id)).state, 'open');
    assert.equal((await logIn(api, { id, password })).status, 201);
    assert.deepEqual(assertOk(await api.get('/v3/users?locked=true')).users, []);
  });
});
