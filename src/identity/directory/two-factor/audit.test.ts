// What the audit log says of codes and devices. People see it on their page, and find out there that somebody guesses.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { logInWith, makeTwoFactorPerson } from '../../../../test/support/second-factor.ts';

const DEVICES = '/v3/OS-TWO-FACTOR/devices';

onEachDatabase('The audit log of a second factor', (api) => {
  /** Events of one kind, the oldest first. */
  const eventsOf = async (user: { id: string }, kind: string): Promise<any[]> =>
    assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${user.id}&limit=100`))
      .events.filter(({ action }: { action: string }) => action.startsWith(kind))
      .reverse();
  const actions = (events: readonly any[]): string[] => events.map(({ action }) => action);
  const remember = (user: { id: string }, query = '') => api.request('POST', `${DEVICES}?user_id=${user.id}${query}`);
  const pair = ({ device_id, device_token }: any) => `&device_id=${device_id}&device_token=${device_token}`;

  it('tells codes that were right, wrong, and not looked at any more', async () => {
    const person = await makeTwoFactorPerson(api);
    const logIn = (code: string) => logInWith(api, person, { verification_code: code });
    await logIn(person.phone.fresh());
    for (let i = 0; i < 5; i++) await logIn(person.phone.wrong());
    await logIn(person.phone.fresh());
    const expected = ['code_accepted', ...Array(5).fill('code_refused'), 'code_locked_out'].map((what) => `two_factor.${what}`);
    assert.deepEqual(actions(await eventsOf(person.user, 'two_factor.code_')), expected);
  });

  it('tells that a device was copied, however that was found out, and how many were forgotten', async () => {
    for (const isRenewal of [true, false]) {
      const { user } = await makeTwoFactorPerson(api);
      const device = assertOk(await remember(user), 200).two_factor_auth;
      await remember(user);
      await remember(user, pair(device));
      const answer = await api.request(isRenewal ? 'POST' : 'HEAD', `${DEVICES}?user_id=${user.id}${pair(device)}`);
      assert.equal(answer.status, 403);
      const events = await eventsOf(user, 'device.');
      const last = isRenewal ? 'device.renewal_stolen' : 'device.check_stolen';
      assert.deepEqual(actions(events), ['device.remembered', 'device.remembered', 'device.renewal_good', 'device.stolen', last]);
      assert.deepEqual(events.find(({ action }) => action === 'device.stolen').detail, {
        device_id: device.device_id,
        devices: 2,
      });
    }
  });
});
