import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertOk, assertRefused, isAlive } from '../../../../../test/support/answers.ts';
import { onEachDatabase, type TestApi, uniqueName } from '../../../../../test/support/api.ts';
import { enable, Phone, tokenByCode } from '../../../../../test/support/second-factor.ts';

const USERS = '/v3/OS-SCIM/v2/Users';
const PASSWORD = 'a password by SCIM';

async function register(api: TestApi, values: Record<string, unknown> = {}): Promise<any> {
  return assertOk(await api.post(USERS, { userName: uniqueName('scim'), password: PASSWORD, ...values }));
}

onEachDatabase('SCIM as Keyrock serves it: users whose access ends', (api) => {
  describe('active', () => {
    it('when false cuts tokens and devices at once, however it is said', async () => {
      const ways: ((id: string) => ReturnType<TestApi['put']>)[] = [
        (id) => api.put(`${USERS}/${id}`, { active: false }),
        (id) => api.patch(`${USERS}/${id}`, { active: false }),
        (id) => api.patch(`${USERS}/${id}`, { Operations: [{ op: 'replace', path: 'active', value: false }] }),
        (id) => api.patch(`/v3/OS-SCIM/v1/Users/${id}`, { active: false }),
      ];
      for (const closeAccount of ways) {
        const user = await register(api);
        const { two_factor_auth: factor } = assertOk(await enable(api, user), 201);
        const token = await tokenByCode(api, { user, password: PASSWORD, phone: new Phone(api, factor.two_factor_key) });
        const remembered = assertOk(await api.post(`/v3/OS-TWO-FACTOR/devices?user_id=${user.id}`, {}));
        const { device_id, device_token } = remembered.two_factor_auth;
        const device = `/v3/OS-TWO-FACTOR/devices?user_id=${user.id}&device_id=${device_id}&device_token=${device_token}`;
        assert.equal((await api.head(device)).status, 204);
        assert.equal(await isAlive(api, token), true);

        assert.equal(assertOk(await closeAccount(user.id)).active, false);
        assert.equal(await isAlive(api, token), false);
        assert.equal((await api.head(device)).status, 404);
        assertRefused(await api.authenticate({ id: user.id, password: PASSWORD }), 401);

        assert.equal(assertOk(await api.put(`${USERS}/${user.id}`, { active: true })).active, true);
        assert.equal(await isAlive(api, token), false);
        assert.equal((await api.head(device)).status, 404);
      }
    });

    it('left out changes nothing', async () => {
      const user = await register(api);
      const token = await api.logIn({ id: user.id, password: PASSWORD });
      assertOk(await api.put(`${USERS}/${user.id}`, { displayName: 'Still here' }));
      assert.equal(await isAlive(api, token), true);
    });
  });

  describe('DELETE /v3/OS-SCIM/v2/Users/{user_id}', () => {
    it('answers 204, and the user and their tokens are gone', async () => {
      const user = await register(api);
      const token = await api.logIn({ id: user.id, password: PASSWORD });
      assertOk(await api.delete(`${USERS}/${user.id}`), 204);
      assertRefused(await api.get(`${USERS}/${user.id}`), 404, /Could not find user/);
      assertRefused(await api.get(`/v3/users/${user.id}`), 404);
      assert.equal(await isAlive(api, token), false);
    });
  });

  it('lets the id of a deleted user be used again, without any right of the one before', async () => {
    const id = uniqueName('phoenix');
    await register(api, { id });
    const old = await api.logIn({ id, password: PASSWORD });
    assertOk(await api.delete(`${USERS}/${id}`), 204);
    assert.equal(await isAlive(api, old), false);
    await register(api, { id });
    const token = await api.logIn({ id, password: PASSWORD });
    assert.deepEqual([await isAlive(api, token), await isAlive(api, old)], [true, false]);
  });
});
