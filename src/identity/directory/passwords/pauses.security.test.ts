// Wrong passwords for one account from many addresses: further tries have to wait, but nobody can lock another user out.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { type ApiAnswer, onUsualDatabase, type TestApi, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';

let addresses = 0;
const newAddress = (): string => `203.0.${++addresses >> 8}.${addresses & 255}`;

function logIn(api: TestApi, address: string, user: Record<string, unknown>): Promise<ApiAnswer> {
  return api.post(
    '/v3/auth/tokens',
    { auth: { identity: { methods: ['password'], password: { user } } } },
    { token: null, headers: { 'X-Forwarded-For': address } },
  );
}

async function hashes(api: TestApi): Promise<number> {
  const { values } = await api.service.metrics.registry.getSingleMetric('gatehouse_password_hashes_total')!.get();
  return values[0]!.value;
}

underAttack(
  'Wrong passwords for one account',
  (api) => {
    api.clock.hold();

    /** So many wrong passwords, each from an address of its own, as far apart as the pauses ask for. */
    async function attack(user: Record<string, unknown>, count: number): Promise<void> {
      for (let tries = 0; tries < count; ) {
        const { status } = await logIn(api, newAddress(), { ...user, password: 'wrong' });
        if (status === 401) tries++;
        else api.clock.advance(1);
      }
    }

    const retryAfter = ({ headers }: ApiAnswer): number => Number(headers.get('retry-after'));

    it('from many addresses slow the next try from anywhere, with 429 and a hint, and nothing is hashed for it', async () => {
      const { user, password } = await makeUser(api);
      await attack({ id: user.id }, 13);
      const before = await hashes(api);
      const answer = await logIn(api, newAddress(), { id: user.id, password });
      assert.equal(answer.status, 429);
      assert.ok(retryAfter(answer) >= 1 && retryAfter(answer) <= 2);
      assert.equal(await hashes(api), before);
    });

    it('do not delay a user with the right password for more than two seconds, however many they were', async () => {
      const { user, password } = await makeUser(api);
      await attack({ id: user.id }, 40);
      api.clock.advance(2);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password })).status, 201);
    });

    it('from one address make that address wait longer and longer, thirty seconds at most', async () => {
      const { user, password } = await makeUser(api);
      const address = newAddress();
      const waits: number[] = [];
      for (let tries = 0; tries < 18; tries++) {
        let waited = 0;
        for (;;) {
          const answer = await logIn(api, address, { id: user.id, password: 'wrong' });
          if (answer.status === 401) break;
          assert.equal(answer.status, 429);
          api.clock.advance(retryAfter(answer));
          waited += retryAfter(answer);
        }
        waits.push(waited);
      }
      // The first ones by the count of the address, six seconds each; then by the pause.
      assert.deepEqual(waits.slice(10), [6, 6, 6, 8, 16, 30, 30, 30]);
      assert.equal((await logIn(api, address, { id: user.id, password })).status, 429);
      api.clock.advance(30);
      assert.equal((await logIn(api, address, { id: user.id, password })).status, 201);
    });

    it('do not slow an address after a successful login, until it fails', async () => {
      const { user, password } = await makeUser(api);
      const address = newAddress();
      assert.equal((await logIn(api, address, { id: user.id, password })).status, 201);
      await attack({ id: user.id }, 16);
      assert.equal((await logIn(api, address, { id: user.id, password })).status, 201);
      assert.equal((await logIn(api, address, { id: user.id, password: 'wrong' })).status, 401);
      assert.equal((await logIn(api, address, { id: user.id, password })).status, 429);
    });

    it('of a user who then logs in are forgiven', async () => {
      const { user, password } = await makeUser(api);
      const address = newAddress();
      for (let i = 0; i < 9; i++) assert.equal((await logIn(api, address, { id: user.id, password: 'typo' })).status, 401);
      assert.equal((await logIn(api, address, { id: user.id, password })).status, 201);
      await attack({ id: user.id }, 9);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password })).status, 201);
    });

    it('are not reset by logins from other addresses', async () => {
      const { user, password } = await makeUser(api);
      await attack({ id: user.id }, 14);
      api.clock.advance(2);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password })).status, 201);
      await attack({ id: user.id }, 1);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password })).status, 429);
    });

    it('and the right one of a disabled account or domain count alike: neither the pause nor the count reveals it', async () => {
      const probe = async (close: (user: { id: string; domain_id: string }) => Promise<unknown>, right: boolean) => {
        const domain = await api.make('domain', { name: uniqueName('d') });
        const { user, password } = await makeUser(api, { domain_id: domain.id });
        await close(user);
        await attack({ id: user.id }, 13);
        api.clock.advance(2);
        const address = newAddress();
        const tries = [await logIn(api, address, { id: user.id, password: right ? password : 'wrong' })];
        for (let i = 0; i < 2; i++) tries.push(await logIn(api, address, { id: user.id, password: 'wrong' }));
        return tries.map(({ status }) => status);
      };
      const ways = [
        ({ id }: { id: string }) => api.patch(`/v3/users/${id}`, { user: { enabled: false } }),
        ({ domain_id: id }: { domain_id: string }) => api.patch(`/v3/domains/${id}`, { domain: { enabled: false } }),
      ];
      for (const close of ways) {
        assert.deepEqual(await probe(close, true), [401, 429, 429]);
        assert.deepEqual(await probe(close, false), [401, 429, 429]);
      }
    });

    it('that come at once after a pause are checked one per pause', async () => {
      const { user } = await makeUser(api);
      await attack({ id: user.id }, 13);
      for (let round = 0; round < 3; round++) {
        api.clock.advance(2);
        const before = await hashes(api);
        const answers = await Promise.all(
          Array.from({ length: 20 }, () => logIn(api, newAddress(), { id: user.id, password: 'wrong' })),
        );
        assert.equal(answers.filter(({ status }) => status === 401).length, 1);
        assert.ok(answers.every((answer) => answer.status === 401 || retryAfter(answer) === 2));
        assert.equal(await hashes(api), before + 1);
      }
    });

    it('are forgotten when there were no more for a quarter of an hour', async () => {
      const { user, password } = await makeUser(api);
      await attack({ id: user.id }, 16);
      api.clock.advance(901);
      await attack({ id: user.id }, 1);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password })).status, 201);
    });

    it('look the same for an account that does not exist, and what was typed is not written down', async () => {
      const name = uniqueName('a password typed as a name');
      await attack({ name, domain: { id: 'default' } }, 13);
      const answer = await logIn(api, newAddress(), { name, domain: { id: 'default' }, password: 'wrong' });
      assert.equal(answer.status, 429);
      const db = await databaseOf(api);
      try {
        const rows = await db.read.selectFrom('wrong_passwords').selectAll().execute();
        assert.ok(rows.length > 0);
        for (const { account } of rows) assert.match(account, /^[\w-]{43}$/);
      } finally {
        await db.close();
      }
      assert.ok(!api.logged.some((line) => line.includes(name)));
    });

    it('do not slow its remembered devices, and a device has its own limit', async () => {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      const entered = await logIn(api, newAddress(), { id: user.id, password, verification_code: phone.fresh() });
      const token = entered.headers.get('x-subject-token')!;
      const remembered = await api.post(`/v3/OS-TWO-FACTOR/devices?user_id=${user.id}`, undefined, { token });
      const { device_id, device_token } = remembered.body.two_factor_auth;
      let device_data = { device_id, device_token };
      await attack({ id: user.id }, 16);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password, verification_code: '000000' })).status, 429);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password, device_data })).status, 201);
      const made_up = { device_id, device_token: 'made up' };
      assert.equal((await logIn(api, newAddress(), { id: user.id, password, device_data: made_up })).status, 429);
      const renewed = await api.post(
        `/v3/OS-TWO-FACTOR/devices?user_id=${user.id}&device_id=${device_id}&device_token=${device_token}`,
        undefined,
        { token },
      );
      const replaced = device_data;
      device_data = { device_id, device_token: renewed.body.two_factor_auth.device_token };
      assert.equal((await logIn(api, newAddress(), { id: user.id, password, device_data: replaced })).status, 429);
      for (let i = 0; i < 10; i++)
        assert.equal((await logIn(api, newAddress(), { id: user.id, password: 'wrong', device_data })).status, 401);
      assert.equal((await logIn(api, newAddress(), { id: user.id, password: 'wrong', device_data })).status, 429);
    });

    it('and a clock that is set back keep nobody out for as long as the step', async () => {
      const { user, password } = await makeUser(api);
      await attack({ id: user.id }, 16);
      api.clock.advance(-7200);
      try {
        assert.equal((await logIn(api, newAddress(), { id: user.id, password })).status, 201);
      } finally {
        api.clock.advance(7200);
      }
    });
  },
  { rateLimits: true, trustedProxies: ['127.0.0.1'] },
);

onUsualDatabase(
  'A clock that is set back',
  (api) => {
    api.clock.hold();

    it('does not make a lock-out last for as long as the step', async () => {
      const { user, password } = await makeUser(api);
      const wrong = () => api.authenticate({ id: user.id, password: 'wrong' });
      for (let i = 0; i < 3; i++) assert.equal((await wrong()).status, 401);
      api.clock.advance(-7200);
      try {
        assert.equal((await api.authenticate({ id: user.id, password })).status, 401);
        api.clock.advance(61);
        assert.equal((await api.authenticate({ id: user.id, password })).status, 201);
      } finally {
        api.clock.advance(7200);
      }
    });

    it('does not keep codes shut for as long as the step', async () => {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      const logInBy = (code: string) => logIn(api, newAddress(), { id: user.id, password, verification_code: code });
      for (let i = 0; i < 6; i++) assert.equal((await logInBy(phone.wrong())).status, 401);
      api.clock.advance(-7200);
      try {
        assert.equal((await logInBy(phone.code())).status, 401, 'it begins to wait now');
        api.clock.advance(301);
        assert.equal((await logInBy(phone.code())).status, 201);
      } finally {
        api.clock.advance(7200);
      }
    });
  },
  { settings: { GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '3', GATEHOUSE_IDENTITY_LOCKOUT_DURATION: '60' } },
);

underAttack(
  'A locked account',
  (api) => {
    api.clock.hold();

    it('does not reveal by the pause that a password is right', async () => {
      const probe = async (right: boolean) => {
        const { user, password } = await makeUser(api);
        for (let tries = 0; tries < 13; ) {
          if ((await logIn(api, newAddress(), { id: user.id, password: 'wrong' })).status === 401) tries++;
          else api.clock.advance(1);
        }
        api.clock.advance(2);
        const address = newAddress();
        const first = await logIn(api, address, { id: user.id, password: right ? password : 'wrong' });
        const second = await logIn(api, address, { id: user.id, password: 'wrong' });
        return [first.status, second.status];
      };
      assert.deepEqual(await probe(true), [401, 429]);
      assert.deepEqual(await probe(false), [401, 429]);
    });
  },
  {
    rateLimits: true,
    trustedProxies: ['127.0.0.1'],
    settings: { GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '5', GATEHOUSE_IDENTITY_LOCKOUT_DURATION: '1800' },
  },
);

onUsualDatabase('A remembered device', (api) => {
  it('ends after the time that is set, however often it is used', async () => {
    const { user, password, phone } = await makeTwoFactorPerson(api);
    const entered = await logIn(api, newAddress(), { id: user.id, password, verification_code: phone.fresh() });
    const token = entered.headers.get('x-subject-token')!;
    const path = `/v3/OS-TWO-FACTOR/devices?user_id=${user.id}`;
    let device = (await api.post(path, undefined, { token })).body.two_factor_auth;
    const enter = () =>
      logIn(api, newAddress(), {
        id: user.id,
        password,
        device_data: { device_id: device.device_id, device_token: device.device_token },
      });
    for (let i = 0; i < 9; i++) {
      api.clock.advance(10 * 86_400 - 60);
      const used = await enter();
      assert.equal(used.status, 201);
      const mine = { token: used.headers.get('x-subject-token')! };
      const query = `device_id=${device.device_id}&device_token=${device.device_token}`;
      device = (await api.post(`${path}&${query}`, undefined, mine)).body.two_factor_auth;
    }
    api.clock.advance(600);
    assert.equal((await enter()).status, 401);
    const fresh = await logIn(api, newAddress(), { id: user.id, password, verification_code: phone.fresh() });
    const listed = await api.get(`/v3/users/${user.id}/OS-TWO-FACTOR/devices`, { token: fresh.headers.get('x-subject-token')! });
    assert.deepEqual(listed.body.devices, []);
  });
});
