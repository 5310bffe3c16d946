// Somebody changes an account while its owner changes how they sign in, after that was allowed and before it is stored.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onDatabase, underAttack } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { enable, logInWith, makeTwoFactorPerson, QUESTION, tokenByCode } from '../../../../test/support/second-factor.ts';
import { whenAt } from '../../../../test/support/test-points.ts';

underAttack('A change of how one signs in that was allowed, but is not stored yet,', (api) => {
  const own = (id: string): string => `/v3/users/${id}/OS-TWO-FACTOR`;
  /** `act`: what an administrator does. */
  const meanwhile = (act: () => Promise<ApiAnswer>, request: () => Promise<ApiAnswer>): Promise<ApiAnswer> => {
    const succeed = async (): Promise<void> => {
      const { status, text } = await act();
      assert.ok(status < 300, text);
    };
    return whenAt('change.before-transaction', succeed, request);
  };
  const isOn = async (id: string): Promise<boolean> =>
    assertOk(await api.get(`${own(id)}/two_factor_auth`)).two_factor_auth.enabled;

  it('is refused when two methods are required since', async () => {
    const { user, token } = await makePerson(api);
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
    const answer = await meanwhile(
      () => api.patch(`/v3/users/${user.id}`, { user: { options } }),
      () => enable(api, user, { two_factor_auth: QUESTION }, { token }),
    );
    assertRefused(answer, 401);
    assert.equal(await isOn(user.id), false);
  });

  it('is refused when the password was changed since', async () => {
    const { user, token } = await makePerson(api);
    const answer = await meanwhile(
      () => api.patch(`/v3/users/${user.id}`, { user: { password: 'another password' } }),
      () => enable(api, user, { two_factor_auth: QUESTION }, { token }),
    );
    assertRefused(answer, 401);
    assert.equal(await isOn(user.id), false);
  });

  it('makes no recovery codes for a factor that was turned off since', async () => {
    const person = await makeTwoFactorPerson(api);
    const token = await tokenByCode(api, person);
    const answer = await meanwhile(
      () => api.delete(`${own(person.user.id)}/two_factor_auth`),
      () => api.post(`${own(person.user.id)}/recovery_codes`, {}, { token }),
    );
    assertRefused(answer, 404);
  });

  it('refuses a code of a factor that was turned off since, as any wrong one', async () => {
    const person = await makeTwoFactorPerson(api);
    const answer = await meanwhile(
      () => api.delete(`${own(person.user.id)}/two_factor_auth`),
      () => logInWith(api, person, { verification_code: person.phone.fresh() }),
    );
    assertRefused(answer, 401);
  });

  it('leaves no factor without a question when the former one was turned off since', async () => {
    const person = await makeTwoFactorPerson(api);
    const token = await tokenByCode(api, person);
    const answer = await meanwhile(
      () => api.delete(`${own(person.user.id)}/two_factor_auth`),
      () => api.post(`${own(person.user.id)}/two_factor_auth`, {}, { token }),
    );
    assertRefused(answer, 400, /security_question/);
    assert.equal(await isOn(person.user.id), false);
    assertOk(await enable(api, person.user), 201);
  });
});

/** In a transaction others can only write on PostgreSQL. */
onDatabase('PostgreSQL', 'A code that is right', {}, (api) => {
  it('is refused when its factor was turned off before it is used up', async () => {
    const person = await makeTwoFactorPerson(api);
    const turnOff = async () => assertOk(await api.delete(`/v3/users/${person.user.id}/OS-TWO-FACTOR/two_factor_auth`), 204);
    const logIn = () => logInWith(api, person, { verification_code: person.phone.fresh() });
    assertRefused(await whenAt('code.in-transaction', turnOff, logIn), 401);
  });
});

onDatabase('PostgreSQL', 'The token of a remembered device that two requests use at the same moment', {}, (api) => {
  it('is taken for stolen: no device is remembered any more', async () => {
    const { user } = await makeTwoFactorPerson(api);
    const remember = (more = '') => api.post(`/v3/OS-TWO-FACTOR/devices?user_id=${user.id}${more}`, undefined);
    const { device_id: id, device_token: token } = assertOk(await remember()).two_factor_auth;
    const renew = () => remember(`&device_id=${id}&device_token=${token}`);
    assertRefused(await whenAt('device-renewal.in-transaction', async () => assertOk(await renew()), renew), 403, /replaced/);
    assert.deepEqual(assertOk(await api.get(`/v3/users/${user.id}/OS-TWO-FACTOR/devices`)).devices, []);
  });
});
