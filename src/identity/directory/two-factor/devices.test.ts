import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onBothDatabases } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { renewAdministrator } from '../../../../test/support/directory-domain.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { logInWith, makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';
import { sweepDevices } from './devices.store.ts';

const DEVICES = '/v3/OS-TWO-FACTOR/devices';
const DAY = 86_400;

onBothDatabases('Remembered devices', (api) => {
  const db = usesDatabaseOf(api);
  const listed = async (user: { id: string }): Promise<any[]> =>
    (await api.get(`/v3/users/${user.id}/OS-TWO-FACTOR/devices`)).body.devices;
  const remember = async (user: { id: string }, query = '') =>
    api.request('POST', `${DEVICES}?user_id=${user.id}${query}`, { headers: { 'User-Agent': 'Test browser 1.0' } });
  const check = async (user: { id: string }, device: { device_id: string; device_token: string }) =>
    (await api.head(`${DEVICES}?user_id=${user.id}&device_id=${device.device_id}&device_token=${device.device_token}`)).status;
  const pair = ({ device_id, device_token }: any) => `&device_id=${device_id}&device_token=${device_token}`;

  describe('POST devices', () => {
    it('remembers a new device, and gives a remembered one a new token', async () => {
      const { user } = await makeTwoFactorPerson(api);
      const first = await remember(user);
      assert.equal(first.status, 200);
      const device = first.body.two_factor_auth;
      assert.deepEqual(Object.keys(device).sort(), ['device_id', 'device_token', 'links']);
      assert.match(device.device_token, /^[\w-]{43}$/);
      const second = await remember(user, pair(device));
      assert.equal(second.status, 200);
      assert.equal(second.body.two_factor_auth.device_id, device.device_id);
      assert.notEqual(second.body.two_factor_auth.device_token, device.device_token);
      assert.equal((await listed(user)).length, 1);
    });

    it('finds the user by name and domain', async () => {
      const { user } = await makeTwoFactorPerson(api);
      assert.equal((await api.request('POST', `${DEVICES}?user_name=${user.name}&domain_name=Default`)).status, 200);
    });

    it('is 400 when a rule is broken, 404 for nobody, without two-factor, and for an unknown device', async () => {
      const { user } = await makeTwoFactorPerson(api);
      for (const query of ['', '?user_name=x', `?user_id=${user.id}&device_id=x`, `?user_id=${user.id}&device_token=x`]) {
        assertRefused(await api.request('POST', DEVICES + query), 400);
      }
      assertRefused(await remember({ id: 'nobody' }), 404, /user: nobody/);
      assertRefused(await remember((await makePerson(api)).user), 404, /not enabled/);
      assertRefused(await remember(user, '&device_id=nothing&device_token=x'), 404, /device: nothing/);
    });

    it('takes a replaced token for theft: 403, and every device is forgotten', async () => {
      const { user } = await makeTwoFactorPerson(api);
      const stolen = (await remember(user)).body.two_factor_auth;
      const other = (await remember(user)).body.two_factor_auth;
      const renewed = (await remember(user, pair(stolen))).body.two_factor_auth;
      assertRefused(await remember(user, pair(stolen)), 403, /replaced/);
      assert.equal(await check(user, renewed), 404);
      assert.equal(await check(user, other), 404);
      assert.deepEqual(await listed(user), []);
    });
  });

  describe('HEAD devices', () => {
    it('is 204 for a good pair, 404 for any other, 400 without both, and 403 for a replaced token', async () => {
      const { user } = await makeTwoFactorPerson(api);
      const device = (await remember(user)).body.two_factor_auth;
      assert.equal(await check(user, device), 204);
      assert.equal(await check(user, { ...device, device_token: 'wrong' }), 404);
      assert.equal(await check(user, { ...device, device_id: 'wrong' }), 404);
      assert.equal(await check((await makeTwoFactorPerson(api)).user, device), 404, 'someone else');
      assert.equal((await api.head(`${DEVICES}?user_id=${user.id}&device_id=${device.device_id}`)).status, 400);
      assert.equal((await api.head(`${DEVICES}?user_id=${user.id}`)).status, 400);
      assert.equal((await api.head(`${DEVICES}?device_id=x&device_token=y`)).status, 400);
      assert.equal(await check({ id: 'nobody' }, device), 404);
      await remember(user, pair(device));
      assert.equal(await check(user, device), 403);
      assert.deepEqual(await listed(user), []);
    });
  });

  it('are listed with when, what and since when, and forgotten one by one', async () => {
    const { user } = await makeTwoFactorPerson(api);
    const device = (await remember(user)).body.two_factor_auth;
    await remember(user);
    const rows = await listed(user);
    assert.equal(rows.length, 2);
    const row = rows.find((one) => one.id === device.device_id);
    assert.equal(row.user_agent, 'Test browser 1.0');
    assert.match(row.created_at, /^\d{4}-\d\d-\d\dT/);
    assert.ok(!JSON.stringify(rows).includes(device.device_token));
    const path = `/v3/users/${user.id}/OS-TWO-FACTOR/devices`;
    assert.equal((await api.delete(`${path}/${device.device_id}`)).status, 204);
    assertRefused(await api.delete(`${path}/${device.device_id}`), 404, /device/);
    assert.equal((await listed(user)).length, 1);
  });

  it('show when they were last used: when they were asked for or renewed, not when somebody guessed', async () => {
    const { user } = await makeTwoFactorPerson(api);
    const device = (await remember(user)).body.two_factor_auth;
    const wrong = { ...device, device_token: 'wrong' };
    const isUsedBy = async (request: () => Promise<unknown>): Promise<boolean> => {
      const [before] = await listed(user);
      api.clock.advance(60);
      await request();
      return (await listed(user))[0].last_used_at !== before.last_used_at;
    };
    assert.equal(await isUsedBy(() => check(user, wrong)), false);
    assert.equal(await isUsedBy(() => remember(user, pair(wrong))), false);
    assert.equal(await isUsedBy(() => check(user, device)), true);
    assert.equal(await isUsedBy(() => remember(user, pair(device))), true);
  });

  it('are good for 90 days, however often they get a new token', async () => {
    const later = async (days: number): Promise<void> => {
      api.clock.advance(days * DAY);
      await renewAdministrator(api);
    };
    const person = await makeTwoFactorPerson(api);
    const first = (await remember(person.user)).body.two_factor_auth;
    await later(89);
    const { device_id, device_token } = (await remember(person.user, pair(first))).body.two_factor_auth;
    const device_data = { device_id, device_token };
    assert.equal((await logInWith(api, person, { device_data })).status, 201);
    await later(2);
    assert.equal((await logInWith(api, person, { device_data })).status, 401);
    assert.equal(await check(person.user, { device_id, device_token }), 404);
    assert.deepEqual(await listed(person.user), []);
    await later(-91);
  });

  it('are deleted when they have expired, all of them, and no other', async () => {
    const { user } = await makeTwoFactorPerson(api);
    const { device_id: kept } = assertOk(await remember(user)).two_factor_auth;
    const row = { user_id: user.id, user_agent: '', created_at: 1000, last_used_at: 1000 };
    // More than are deleted at once.
    const old = Array.from({ length: 1001 }, (_, index) => ({ ...row, id: `${user.id}-${index}` }));
    for (let from = 0; from < old.length; from += 100)
      await db().write((tx) =>
        tx
          .insertInto('devices')
          .values(old.slice(from, from + 100))
          .execute(),
      );
    assert.equal(await sweepDevices(db(), 1000), 0);
    assert.equal(await sweepDevices(db(), 1001), old.length);
    assert.deepEqual(
      (await listed(user)).map(({ id }) => id),
      [kept],
    );
  });

  it('keep the fifty newest of their replaced tokens, and no more', async () => {
    const { user } = await makeTwoFactorPerson(api);
    let device = assertOk(await remember(user), 200).two_factor_auth;
    const old: any[] = [];
    for (let i = 0; i < 52; i++) {
      old.push(device);
      api.clock.advance(1);
      device = assertOk(await remember(user, pair(device)), 200).two_factor_auth;
    }
    const { rows } = await db()
      .read.selectFrom('device_tokens')
      .where('device_id', '=', device.device_id)
      .select(({ fn }) => fn.countAll().as('rows'))
      .executeTakeFirstOrThrow();
    assert.equal(Number(rows), 51);
    assertRefused(await remember(user, pair(old[0])), 404);
    assertRefused(await remember(user, pair(old[2])), 403);
  });

  it('are all forgotten by DELETE, 204 also when there are none, 404 for nobody', async () => {
    const { user } = await makeTwoFactorPerson(api);
    await remember(user);
    for (let i = 0; i < 2; i++) assert.equal((await api.delete(`/v3/users/${user.id}/OS-TWO-FACTOR/devices`)).status, 204);
    assert.deepEqual(await listed(user), []);
    assertRefused(await api.delete('/v3/users/nobody/OS-TWO-FACTOR/devices'), 404, /user: nobody/);
  });

  it('let in without a code, until the password changes, the account is disabled, or the factor is turned off', async () => {
    const cuts: ((person: Awaited<ReturnType<typeof makeTwoFactorPerson>>) => Promise<unknown>)[] = [
      ({ user, password, phone }) =>
        api.post(
          `/v3/users/${user.id}/password`,
          { user: { original_password: password, password: 'another one', verification_code: phone.fresh() } },
          { token: null },
        ),
      ({ user }) => api.patch(`/v3/users/${user.id}`, { user: { password: 'another one' } }),
      async ({ user }) => {
        await api.patch(`/v3/users/${user.id}`, { user: { enabled: false } });
        await api.patch(`/v3/users/${user.id}`, { user: { enabled: true } });
      },
    ];
    for (const cut of cuts) {
      const person = await makeTwoFactorPerson(api);
      const { device_id, device_token } = (await remember(person.user)).body.two_factor_auth;
      const device_data = { device_id, device_token };
      assert.equal((await logInWith(api, person, { device_data })).status, 201);
      await cut(person);
      assert.deepEqual(await listed(person.user), []);
      const passwords = [person.password, 'another one'];
      for (const password of passwords)
        assert.equal((await logInWith(api, { ...person, password }, { device_data })).status, 401);
    }
  });
});
