// Two replicas on one PostgreSQL: who is locked out at one is at the other, and unlocked at one is unlocked at both at once.
import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { assertOk } from './support/answers.ts';
import { onDatabase, type TestApi } from './support/api.ts';
import { makeUser } from './support/relying-party.ts';

const settings = {
  GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '3',
  GATEHOUSE_IDENTITY_LOCKOUT_DURATION: '86400',
};

onDatabase('PostgreSQL', 'A locked account on two replicas', { settings, rateLimits: true }, (a) => {
  let b: TestApi;
  before(async () => {
    b = await a.replica();
  });
  after(() => b.stop());

  it('is shown, and opened at once, by either of them', async () => {
    const { id, password } = await makeUser(a);
    const path = `/v3/users/${id}/OS-LOCK/lock`;
    const state = async (api: TestApi): Promise<string> => assertOk(await api.get(path)).lock.state;
    const statuses = () => Promise.all([a, b].map(async (api) => (await api.authenticate({ id, password })).status));
    for (const [one, other] of [
      [a, b],
      [b, a],
    ] as const) {
      for (let i = 0; i < 3; i++) assert.equal((await one.authenticate({ id, password: 'wrong' })).status, 401);
      assert.deepEqual([await state(a), await state(b)], ['locked_out', 'locked_out']);
      assert.deepEqual(await statuses(), [401, 401]);
      assertOk(await other.delete(path), 204);
      assert.deepEqual([await state(a), await state(b)], ['open', 'open']);
      assert.deepEqual(await statuses(), [201, 201]);
    }
  });
});
