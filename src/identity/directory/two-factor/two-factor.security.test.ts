// What an attacker tries against the second factor: replay, guessing, races, stolen devices, and reading what must not be read.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { assertEachStatus, assertForbidden, assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onDatabase, underAttack, uniqueName } from '../../../../test/support/api.ts';
import { makeApplication, makePerson } from '../../../../test/support/applications.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { enable, logInWith, makeTwoFactorPerson, NO_BODY, Phone, QUESTION } from '../../../../test/support/second-factor.ts';
import { newKey, toBase32 } from './totp.ts';

const GENERIC = /^The request you have made requires authentication\.$/;
const MISSING = '0'.repeat(32);
const DEVICES = '/v3/OS-TWO-FACTOR/devices';
const ANSWER = 'rex the dog';
/** As long as a lock-out of codes lasts, and a moment more. */
const WAIT_SECONDS = 301;

type Person = Awaited<ReturnType<typeof makeTwoFactorPerson>>;

const own = (user: { id: string }, what: string) => `/v3/users/${user.id}/OS-TWO-FACTOR/${what}`;
const times = <T>(count: number, work: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, index) => work(index)));
const statuses = (answers: readonly ApiAnswer[]): number[] => answers.map(({ status }) => status).sort();

underAttack('Two-factor authentication under attack', (api) => {
  const post = (identity: unknown, headers: Record<string, string> = {}) =>
    api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
  const code = (person: { user: { id: string }; password: string }, verification_code: string) =>
    logInWith(api, person, { verification_code });
  /** Keystone's own method, beside the password. */
  const method = (person: { user: { id: string }; password: string }, passcode: string, of = person) =>
    post({
      methods: ['password', 'totp'],
      password: { user: { id: person.user.id, password: person.password } },
      totp: { user: { id: of.user.id, passcode } },
    });
  /** Keystone's own method, with nothing else. */
  const alone = (person: { user: { id: string } }, passcode: string, headers: Record<string, string> = {}) =>
    post({ methods: ['totp'], totp: { user: { id: person.user.id, passcode } } }, headers);
  const answerStatus = async (person: { user: { id: string } }, answer: string) =>
    (await api.head(`${own(person.user, 'sec_question')}?security_answer=${encodeURIComponent(answer)}`)).status;
  const remember = async (user: { id: string }, device?: Device): Promise<ApiAnswer> =>
    api.request(
      'POST',
      `${DEVICES}?user_id=${user.id}${device ? `&device_id=${device.device_id}&device_token=${device.device_token}` : ''}`,
    );
  const deviceOf = (answer: ApiAnswer): Device => {
    const { device_id, device_token } = assertOk(answer).two_factor_auth;
    return { device_id, device_token };
  };
  const newDevice = async (user: { id: string }): Promise<Device> => deviceOf(await remember(user));
  const devicesLeft = async (user: { id: string }): Promise<number> =>
    assertOk(await api.get(own(user, 'devices'))).devices.length;
  const recoveryCodes = async (user: { id: string }): Promise<string[]> =>
    assertOk(await api.request('POST', own(user, 'recovery_codes')), 201).two_factor_auth.recovery_codes;
  const receiptOf = async (person: { user: { id: string }; password: string }): Promise<Record<string, string>> => {
    const answer = await logInWith(api, person);
    assert.equal(answer.status, 401);
    return { 'Openstack-Auth-Receipt': answer.headers.get('openstack-auth-receipt')! };
  };
  interface Device {
    device_id: string;
    device_token: string;
  }

  describe('a code', () => {
    it('gives exactly one token to ten logins at once, whichever way they bring it', async () => {
      for (const way of [code, method]) {
        const person = await makeTwoFactorPerson(api);
        const now = person.phone.fresh();
        const answers = await times(10, () => way(person, now));
        assert.deepEqual(statuses(answers), [201, ...Array(9).fill(401)]);
      }
      const person = await makeTwoFactorPerson(api);
      const now = person.phone.fresh();
      const answers = await times(10, (index) => (index % 2 ? code : method)(person, now));
      assert.deepEqual(statuses(answers), [201, ...Array(9).fill(401)]);
    });

    it('of a TOTP credential gives exactly one token as well', async () => {
      const person = await makePerson(api);
      const blob = toBase32(newKey());
      assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob, user_id: person.user.id } }), 201);
      const now = new Phone(api, blob).fresh();
      const answers = await times(10, (index) => (index % 2 ? code : method)(person, now));
      assert.deepEqual(statuses(answers), [201, ...Array(9).fill(401)]);
    });

    it('of a TOTP credential that is there twice is good once all the same', async () => {
      const person = await makePerson(api);
      const blob = toBase32(newKey());
      for (let i = 0; i < 2; i++)
        assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob, user_id: person.user.id } }), 201);
      const now = new Phone(api, blob).fresh();
      assertOk(await code(person, now), 201);
      assertRefused(await code(person, now), 401, GENERIC);
      assertRefused(await method(person, now), 401, GENERIC);
    });

    it('that was used is refused later, also the other way', async () => {
      const orders = [
        [code, method],
        [method, code],
      ] as const;
      for (const [first, second] of orders) {
        const person = await makeTwoFactorPerson(api);
        const now = person.phone.fresh();
        assertOk(await first(person, now), 201);
        assertRefused(await second(person, now), 401, GENERIC);
        assertRefused(await first(person, now), 401, GENERIC);
        assertRefused(await alone(person, now, await receiptOf(person)), 401, GENERIC);
        assertOk(await second(person, person.phone.fresh()), 201);
      }
    });

    it('of an earlier step is refused once a later one was accepted', async () => {
      const person = await makeTwoFactorPerson(api);
      const [before, now, after] = [person.phone.code(-1), person.phone.code(), person.phone.code(1)];
      assertOk(await code(person, after), 201);
      assertRefused(await code(person, now), 401, GENERIC);
      assertRefused(await method(person, before), 401, GENERIC);
    });

    it('of a step that is too far away is refused', async () => {
      const person = await makeTwoFactorPerson(api);
      for (const drift of [-3, 3]) assertRefused(await code(person, person.phone.code(drift)), 401, GENERIC);
    });

    it('of someone else, of the former key, or of a factor that is off is refused', async () => {
      const [person, other] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
      assertRefused(await code(person, other.phone.fresh()), 401, GENERIC);
      assertOk(await enable(api, person.user, NO_BODY), 201);
      assertRefused(await code(person, person.phone.fresh()), 401, GENERIC);
      assertOk(await api.delete(own(other.user, 'two_factor_auth')), 204);
      assertRefused(await code(other, other.phone.fresh()), 401, GENERIC);
    });
  });

  describe('guessing codes', () => {
    it('ends after five: then the right one is refused too, until the wait is over', async () => {
      const person = await makeTwoFactorPerson(api);
      for (let i = 0; i < 5; i++) assertRefused(await (i % 2 ? code : method)(person, person.phone.wrong()), 401, GENERIC);
      assertRefused(await code(person, person.phone.fresh()), 401, GENERIC);
      assertRefused(await method(person, person.phone.fresh()), 401, GENERIC);
      const [recovery] = await recoveryCodes(person.user);
      assertRefused(await logInWith(api, person, { recovery_code: recovery }), 401, GENERIC);
      assert.equal(await answerStatus(person, ANSWER), 401);
      api.clock.advance(WAIT_SECONDS);
      assertOk(await code(person, person.phone.fresh()), 201);
    });

    it('goes on counting though the attacker does not stop, but the wait ends', async () => {
      const person = await makeTwoFactorPerson(api);
      for (let i = 0; i < 5; i++) await code(person, person.phone.wrong());
      for (let i = 0; i < 3; i++) {
        api.clock.advance(90);
        assertRefused(await code(person, person.phone.wrong()), 401, GENERIC);
        assertRefused(await code(person, person.phone.fresh()), 401, GENERIC);
      }
      api.clock.advance(60);
      assertOk(await code(person, person.phone.fresh()), 201);
    });

    it('all at once gains nothing: after twenty wrong ones the right one is refused', async () => {
      const person = await makeTwoFactorPerson(api);
      const wrong = person.phone.wrong();
      const answers = await times(20, (index) => (index % 2 ? code : method)(person, wrong));
      for (const answer of answers) assertRefused(answer, 401, GENERIC);
      assertRefused(await code(person, person.phone.fresh()), 401, GENERIC);
    });

    it('starts anew after a right one, and four wrong ones lock nobody out', async () => {
      const person = await makeTwoFactorPerson(api);
      for (let round = 0; round < 3; round++) {
        for (let i = 0; i < 4; i++) await code(person, person.phone.wrong());
        assertOk(await code(person, person.phone.fresh()), 201);
      }
    });

    it('of a former key keeps nobody from using a new one', async () => {
      const person = await makeTwoFactorPerson(api);
      for (let i = 0; i < 5; i++) await code(person, person.phone.wrong());
      const { two_factor_key: key } = assertOk(await enable(api, person.user, NO_BODY), 201).two_factor_auth;
      assertOk(await code(person, new Phone(api, key).fresh()), 201);
    });

    it('of one user does not lock out another', async () => {
      const [person, other] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
      await times(10, () => code(person, person.phone.wrong()));
      assertOk(await code(other, other.phone.fresh()), 201);
    });

    it('of a TOTP credential is limited as well', async () => {
      const person = await makePerson(api);
      const blob = toBase32(newKey());
      assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob, user_id: person.user.id } }), 201);
      const phone = new Phone(api, blob);
      await times(5, () => method(person, phone.wrong()));
      assertRefused(await code(person, phone.fresh()), 401, GENERIC);
    });

    it('recovery codes are limited too', async () => {
      const person = await makeTwoFactorPerson(api);
      const [good] = await recoveryCodes(person.user);
      await times(5, () => logInWith(api, person, { recovery_code: 'AAAA-AAAA-AAAA-AAAA' }));
      assertRefused(await logInWith(api, person, { recovery_code: good }), 401, GENERIC);
      api.clock.advance(WAIT_SECONDS);
      assertOk(await logInWith(api, person, { recovery_code: good }), 201);
    });
  });

  describe('without the password', () => {
    /** Every way to bring a code for someone whose password one does not have. */
    const ways = async (person: Person): Promise<((passcode: string) => Promise<ApiAnswer>)[]> => {
      const attacker = await makePerson(api);
      const wrong = { ...person, password: 'not the password' };
      const receipt = await receiptOf(await makeTwoFactorPerson(api));
      return [
        (passcode) => code(wrong, passcode),
        (passcode) => method(wrong, passcode),
        (passcode) => alone(person, passcode),
        (passcode) => alone(person, passcode, receipt),
        (passcode) => alone(person, passcode, { 'Openstack-Auth-Receipt': attacker.token }),
        (passcode) => method(attacker, passcode, person),
        (passcode) =>
          post({
            methods: ['totp', 'token'],
            totp: { user: { id: person.user.id, passcode } },
            token: { id: attacker.token },
          }),
        (passcode) =>
          post({ methods: ['totp', 'token'], totp: { user: { id: person.user.id, passcode } }, token: { id: 'no token' } }),
      ];
    };

    it('nobody spends the code of another', async () => {
      const person = await makeTwoFactorPerson(api);
      const now = person.phone.fresh();
      for (const way of await ways(person)) {
        const answer = await way(now);
        assert.ok(answer.status === 401 || answer.status === 404, answer.text);
        assert.equal(answer.headers.get('x-subject-token'), null);
        assert.equal(answer.headers.get('openstack-auth-receipt'), null, 'nothing was proved');
      }
      assertOk(await code(person, now), 201);
    });

    it('nobody guesses codes, and so nobody locks another out', async () => {
      const person = await makeTwoFactorPerson(api);
      const tries = await ways(person);
      await times(tries.length * 6, (index) => tries[index % tries.length]!(person.phone.wrong()));
      assertOk(await code(person, person.phone.fresh()), 201);
    });

    it('nobody spends a recovery code, or finds out that a device was replaced', async () => {
      const person = await makeTwoFactorPerson(api);
      const wrong = { ...person, password: 'not the password' };
      const [recovery] = await recoveryCodes(person.user);
      const old = await newDevice(person.user);
      const device = deviceOf(await remember(person.user, old));
      assertRefused(await logInWith(api, wrong, { recovery_code: recovery }), 401, GENERIC);
      assertRefused(await logInWith(api, wrong, { device_data: old }), 401, GENERIC);
      assertOk(await logInWith(api, person, { device_data: device }), 201);
      assertOk(await logInWith(api, person, { recovery_code: recovery }), 201);
    });

    it('nobody learns who exists: one answer for a wrong password, a wrong code, and nobody', async () => {
      const [person, plain] = [await makeTwoFactorPerson(api), await makePerson(api)];
      const wrong = { ...person, password: 'not the password' };
      const nobody = { user: { id: MISSING }, password: 'not the password' };
      const answers = [
        await code(person, person.phone.wrong()),
        await code(wrong, person.phone.fresh()),
        await code(wrong, person.phone.wrong()),
        await code(nobody, '123456'),
        await method(nobody, '123456'),
        await method(wrong, person.phone.fresh()),
        await alone(nobody, '123456'),
        await alone(person, person.phone.wrong()),
        await alone(person, person.phone.fresh()),
        await alone(plain, '123456'),
        await logInWith(api, wrong),
        await logInWith(api, nobody),
        await logInWith(api, nobody, { recovery_code: 'AAAA-AAAA-AAAA-AAAA' }),
        await logInWith(api, nobody, { device_data: { device_id: 'x', device_token: 'y' } }),
        await logInWith(api, person, { device_data: { device_id: 'x', device_token: 'y' } }),
        await post({
          methods: ['password'],
          password: {
            user: { name: uniqueName('nobody'), domain: { id: 'default' }, password: 'x', verification_code: '123456' },
          },
        }),
      ];
      for (const answer of answers) assertRefused(answer, 401, GENERIC);
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1);
    });
  });

  describe('guessing the answer', () => {
    it('ends after five: then the right one is refused too, until the wait is over', async () => {
      const person = await makeTwoFactorPerson(api);
      for (let i = 0; i < 5; i++) assert.equal(await answerStatus(person, `guess ${i}`), 401);
      assert.equal(await answerStatus(person, ANSWER), 401);
      api.clock.advance(WAIT_SECONDS);
      assert.equal(await answerStatus(person, ANSWER), 204);
    });

    it('starts anew after the right one', async () => {
      const person = await makeTwoFactorPerson(api);
      for (let round = 0; round < 2; round++) {
        for (let i = 0; i < 4; i++) assert.equal(await answerStatus(person, `guess ${i}`), 401);
        assert.equal(await answerStatus(person, ANSWER), 204);
      }
    });

    it('all at once gains nothing, and does not lock out another', async () => {
      const [person, other] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
      const found = await times(20, (index) => answerStatus(person, `guess ${index}`));
      assert.deepEqual(new Set(found), new Set([401]));
      assert.equal(await answerStatus(person, ANSWER), 401);
      assert.equal(await answerStatus(other, ANSWER), 204);
    });

    it('has no answer that is empty once it is trimmed', async () => {
      const { user } = await makePerson(api);
      const body = { two_factor_auth: { security_question: 'q', security_answer: ' \t ' } };
      assertRefused(await enable(api, user, body), 400, /security_answer/);
    });
  });

  describe('a recovery code', () => {
    it('gives exactly one token to ten logins at once, and none later', async () => {
      const person = await makeTwoFactorPerson(api);
      const [recovery, next] = await recoveryCodes(person.user);
      const answers = await times(10, () => logInWith(api, person, { recovery_code: recovery }));
      assert.deepEqual(statuses(answers), [201, ...Array(9).fill(401)]);
      api.clock.advance(WAIT_SECONDS);
      assertRefused(await logInWith(api, person, { recovery_code: recovery }), 401, GENERIC);
      assertOk(await logInWith(api, person, { recovery_code: next }), 201);
    });

    it('of someone else, and of a factor that was turned off, is refused', async () => {
      const [person, other] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
      const [recovery] = await recoveryCodes(person.user);
      assertRefused(await logInWith(api, other, { recovery_code: recovery }), 401, GENERIC);
      assertOk(await api.delete(own(person.user, 'two_factor_auth')), 204);
      assertOk(await enable(api, person.user), 201);
      assertRefused(await logInWith(api, person, { recovery_code: recovery }), 401, GENERIC);
    });
  });

  describe('a stolen device', () => {
    it('is found out at a login with a replaced token: refused, and all devices are forgotten', async () => {
      const person = await makeTwoFactorPerson(api);
      const [old, other] = [await newDevice(person.user), await newDevice(person.user)];
      const renewed = deviceOf(await remember(person.user, old));
      assertOk(await logInWith(api, person, { device_data: renewed }), 201);
      assertRefused(await logInWith(api, person, { device_data: old }), 401, GENERIC);
      assert.equal(await devicesLeft(person.user), 0);
      for (const device_data of [renewed, other, old]) assertRefused(await logInWith(api, person, { device_data }), 401, GENERIC);
    });

    it('is found out when one token is renewed many times at once', async () => {
      const person = await makeTwoFactorPerson(api);
      const device = await newDevice(person.user);
      const answers = await times(10, () => remember(person.user, device));
      assertEachStatus(answers, [200, 403, 404]);
      assert.ok(answers.filter(({ status }) => status === 200).length <= 1);
      assert.ok(answers.some(({ status }) => status === 403));
      assert.equal(await devicesLeft(person.user), 0, 'whoever had it, neither keeps it');
      for (const { body } of answers.filter(({ status }) => status === 200)) {
        const { device_id, device_token } = body.two_factor_auth;
        assertRefused(await logInWith(api, person, { device_data: { device_id, device_token } }), 401, GENERIC);
      }
    });

    it('does not serve another user, whose devices stay', async () => {
      const [person, other] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
      const [device, others] = [await newDevice(person.user), await newDevice(other.user)];
      assertRefused(await logInWith(api, other, { device_data: device }), 401, GENERIC);
      const mixed = { device_id: others.device_id, device_token: device.device_token };
      assertRefused(await logInWith(api, other, { device_data: mixed }), 401, GENERIC);
      assertRefused(await remember(other.user, device), 404, /device/);
      const renewed = deviceOf(await remember(person.user, device));
      assertRefused(await logInWith(api, other, { device_data: device }), 401, GENERIC);
      assertOk(await logInWith(api, person, { device_data: renewed }), 201);
      assertOk(await logInWith(api, other, { device_data: others }), 201);
    });

    it('is refused after the password was changed, with the old password and the new', async () => {
      const person = await makeTwoFactorPerson(api);
      const device_data = await newDevice(person.user);
      const password = 'quite another password';
      const change = { user: { original_password: person.password, password, verification_code: person.phone.fresh() } };
      assertOk(await api.post(`/v3/users/${person.user.id}/password`, change, { token: null }), 204);
      assertRefused(await logInWith(api, person, { device_data }), 401, GENERIC);
      assertRefused(await logInWith(api, { ...person, password }, { device_data }), 401, GENERIC);
    });

    it('is of no use once two-factor authentication was turned off and on again', async () => {
      const person = await makeTwoFactorPerson(api);
      const device_data = await newDevice(person.user);
      assertOk(await api.delete(own(person.user, 'two_factor_auth')), 204);
      assertOk(await enable(api, person.user), 201);
      assertRefused(await logInWith(api, person, { device_data }), 401, GENERIC);
    });
  });

  describe('a receipt', () => {
    it('gives nothing by itself, and one token for each new code', async () => {
      const person = await makeTwoFactorPerson(api);
      const receipt = await receiptOf(person);
      const again = await logInWith(api, person, {}, receipt);
      assert.equal(again.status, 401);
      assert.equal(again.headers.get('x-subject-token'), null);
      const now = person.phone.fresh();
      const answers = await times(10, () => alone(person, now, receipt));
      assert.deepEqual(statuses(answers), [201, ...Array(9).fill(401)]);
      assertRefused(await alone(person, now, receipt), 401, GENERIC);
    });

    it('counts guesses like any login', async () => {
      const person = await makeTwoFactorPerson(api);
      const receipt = await receiptOf(person);
      await times(5, () => alone(person, person.phone.wrong(), receipt));
      assertRefused(await alone(person, person.phone.fresh(), receipt), 401, GENERIC);
      assertRefused(await code(person, person.phone.fresh()), 401, GENERIC);
    });

    it('does not stand for the code of a factor that was made after it', async () => {
      const person = await makeTwoFactorPerson(api);
      const receipt = await receiptOf(person);
      assertOk(await api.delete(own(person.user, 'two_factor_auth')), 204);
      assertRefused(await alone(person, person.phone.fresh(), receipt), 401, GENERIC);
      const { two_factor_key: key } = assertOk(await enable(api, person.user), 201).two_factor_auth;
      assertRefused(await alone(person, person.phone.fresh(), receipt), 401, GENERIC);
      assert.equal((await logInWith(api, person, {}, receipt)).status, 401);
      assertRefused(await alone(person, new Phone(api, key).fresh(), receipt), 401, GENERIC);
      assertOk(await alone(person, new Phone(api, key).fresh(), await receiptOf(person)), 201);
    });

    it('that holds a code of before does not stand for the code of a new factor', async () => {
      const person = await makePerson(api);
      const blob = toBase32(newKey());
      assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob, user_id: person.user.id } }), 201);
      const rules = (multi_factor_auth_rules: unknown) =>
        api.patch(`/v3/users/${person.user.id}`, { user: { options: { multi_factor_auth_rules } } });
      assertOk(await rules([['password', 'totp', 'token']]));
      const first = await code(person, new Phone(api, blob).fresh());
      assert.equal(first.status, 401);
      assert.deepEqual(first.body.receipt.methods.sort(), ['password', 'totp']);
      assertOk(await rules(null));
      assertOk(await enable(api, person.user), 201);
      const receipt = { 'Openstack-Auth-Receipt': first.headers.get('openstack-auth-receipt')! };
      const answer = await logInWith(api, person, {}, receipt);
      assert.equal(answer.status, 401, 'the key is another one now');
      assert.equal(answer.headers.get('x-subject-token'), null);
    });
  });

  describe('someone else', () => {
    it('may neither enable, disable nor read it, and learns nothing about who exists', async () => {
      const [person, attacker] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
      const reader = await api.persona(['reader'], 'system');
      const manager = await api.persona(['manager'], { domain: 'default' });
      const tokens = [attacker.token, reader.token, manager.token];
      const body = { two_factor_auth: QUESTION };
      for (const user of [person.user, (await makePerson(api)).user, { id: MISSING }]) {
        await assertForbidden(api, tokens, 'POST', own(user, 'two_factor_auth'), { body });
        await assertForbidden(api, tokens, 'DELETE', own(user, 'two_factor_auth'));
        await assertForbidden(api, tokens, 'GET', own(user, 'two_factor_data'));
        await assertForbidden(api, tokens, 'POST', own(user, 'recovery_codes'));
        await assertForbidden(api, tokens, 'POST', `${DEVICES}?user_id=${user.id}`);
        await assertForbidden(api, tokens, 'GET', own(user, 'devices'));
        await assertForbidden(api, tokens, 'DELETE', own(user, 'devices'));
      }
      assertOk(await code(person, person.phone.fresh()), 201);
    });

    it('gets the same answer to HEAD, whether a user exists, has a factor, or has none', async () => {
      const [person, plain, attacker] = [await makeTwoFactorPerson(api), await makePerson(api), await makePerson(api)];
      const device = await newDevice(person.user);
      const pair = `device_id=${device.device_id}&device_token=${device.device_token}`;
      const by = (name: string) => [`user_name=${name}&domain_id=default`, `user_name=${name}&domain_name=Default`];
      const ids = [person.user.id, plain.user.id, MISSING];
      const queries = [
        ...ids.map((id) => `user_id=${id}`),
        ...[person.user.name, plain.user.name, uniqueName('nobody')].flatMap(by),
        `user_name=${person.user.name}&domain_name=Nowhere`,
      ];
      const paths = [
        ...queries.map((query) => `/v3/OS-TWO-FACTOR/two_factor_auth?${query}`),
        ...queries.map((query) => `${DEVICES}?${query}&${pair}`),
        ...ids.map((id) => `${own({ id }, 'sec_question')}?security_answer=${encodeURIComponent(ANSWER)}`),
      ];
      for (const path of paths) {
        const answer = await api.head(path, { token: attacker.token });
        assert.deepEqual([answer.status, answer.text], [403, ''], path);
      }
    });

    it('gets an orderly answer when the user goes away meanwhile', async () => {
      for (let i = 0; i < 5; i++) {
        const person = await makeTwoFactorPerson(api);
        const { user } = person;
        const answers = await Promise.all([
          code(person, person.phone.fresh()),
          code(person, person.phone.wrong()),
          enable(api, user),
          remember(user),
          api.request('POST', own(user, 'recovery_codes')),
          api.delete(`/v3/users/${user.id}`),
          enable(api, user),
          remember(user),
          api.request('POST', own(user, 'recovery_codes')),
          api.head(`${own(user, 'sec_question')}?security_answer=${encodeURIComponent(ANSWER)}`),
          code(person, person.phone.wrong()),
          api.post('/v3/credentials', { credential: { type: 'x', blob: 'y', user_id: user.id } }),
        ]);
        assertEachStatus(answers, [200, 201, 204, 401, 404]);
      }
    });
  });

  describe('odd bodies', () => {
    it('are 400, and prototype keys reach nothing', async () => {
      const person = await makeTwoFactorPerson(api);
      const device = await newDevice(person.user);
      const raw = (transaction: string) =>
        api.post(
          '/v3/auth/tokens',
          `{"auth":{"identity":{"methods":["password"],"password":{"user":{"id":"${person.user.id}","password":"${person.password}",${transaction}}}}}}`,
          { token: null },
        );
      const { device_id, device_token } = device;
      for (const transaction of [
        '"device_data":null',
        '"device_data":true',
        '"device_data":[]',
        `"device_data":["${device_id}","${device_token}"]`,
        '"device_data":{}',
        `"device_data":{"device_id":"${device_id}"}`,
        `"device_data":{"device_id":"${device_id}","device_token":null}`,
        `"device_data":{"device_id":"${device_id}","device_token":["${device_token}"]}`,
        `"device_data":{"device_id":{"toString":"x"},"device_token":"${device_token}"}`,
        `"device_data":{"device_id":"","device_token":""}`,
        `"device_data":{"__proto__":{"device_id":"${device_id}","device_token":"${device_token}"}}`,
        `"device_data":{"device_id":"${device_id}","device_token":"${device_token}","constructor":{}}`,
        `"device_data":{"device_id":"${'x'.repeat(256)}","device_token":"y"}`,
        `"device_data":{"device_id":"${device_id}","device_token":"${device_token}\\u0000"}`,
        `"__proto__":{"verification_code":"${person.phone.code()}"}`,
        '"verification_code":123456',
        '"verification_code":null',
        '"verification_code":""',
        '"verification_code":["123456"]',
        `"verification_code":"${'1'.repeat(65)}"`,
        '"recovery_code":null',
        '"recovery_code":{}',
        '"recovery_code":0',
      ])
        assertRefused(await raw(transaction), 400);
      for (const totp of [null, {}, { user: null }, { user: { id: person.user.id } }, { user: { id: 7, passcode: '123456' } }])
        assertRefused(await post({ methods: ['totp'], totp }), 400);
      assertRefused(await post({ methods: ['totp'] }), 400, /totp/);
      assertRefused(await enable(api, person.user, '{"two_factor_auth":{"__proto__":{"security_question":"q"}}}'), 400);
      for (const two_factor_auth of [[], 7, { security_question: {}, security_answer: 'a' }])
        assertRefused(await enable(api, person.user, { two_factor_auth }), 400);
      const repeated = `${DEVICES}?user_id=${person.user.id}&device_id=${device_id}&device_id=x&device_token=${device_token}`;
      assertRefused(await api.request('POST', repeated), 400, /device_id/);
      const array = `${own(person.user, 'sec_question')}?security_answer=a&security_answer=b`;
      assert.equal((await api.head(array)).status, 400);
      assertOk(await logInWith(api, person, { device_data: device }), 201);
      assertOk(await code(person, person.phone.fresh()), 201);
    });

    it('with codes that only look right are refused and harm nobody', async () => {
      const person = await makeTwoFactorPerson(api);
      const right = person.phone.fresh();
      for (const odd of [` ${right}`, `${right}\n`, `0${right}`, [...right].map((digit) => `٠١٢٣٤٥٦٧٨٩`[Number(digit)]).join('')])
        assertRefused(await code(person, odd), 401, GENERIC);
      assertOk(await code(person, right), 201);
    });
  });

  it('has no secret in the log, in the audit log, or in the clear in the database', async () => {
    const person = await makeTwoFactorPerson(api);
    const { user, phone } = person;
    const answer = 'An Answer Nobody Else Gives';
    const { two_factor_key: key } = assertOk(
      await enable(api, user, { two_factor_auth: { security_question: 'q', security_answer: answer } }),
      201,
    ).two_factor_auth;
    const newPhone = new Phone(api, key);
    const codes = await recoveryCodes(user);
    const old = await newDevice(user);
    const device = deviceOf(await remember(user, old));
    const blob = toBase32(newKey());
    const credential = assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob, user_id: user.id } }), 201);
    const kept = 'a blob that is a secret of its own';
    assertOk(await api.patch(`/v3/credentials/${credential.credential.id}`, { credential: { type: 'cert', blob: kept } }));
    const application = await makeApplication(api);
    assert.ok(application.secret);
    const receipt = await receiptOf(person);
    const [right, wrong] = [newPhone.fresh(), newPhone.wrong()];
    assertOk(await code(person, right), 201);
    await code(person, wrong);
    await method(person, wrong);
    const viaReceipt = newPhone.fresh();
    const login = await alone(person, viaReceipt, receipt);
    assertOk(login, 201);
    assertOk(await logInWith(api, person, { device_data: device }), 201);
    assertOk(await logInWith(api, person, { recovery_code: codes[0] }), 201);
    await logInWith(api, person, { recovery_code: 'WRNG-WRNG-WRNG-WRNG' });
    assert.equal(await answerStatus(person, answer), 204);
    assert.equal(await answerStatus(person, 'A Wrong Answer Of Somebody'), 401);
    await api.head(`${DEVICES}?user_id=${user.id}&device_id=${device.device_id}&device_token=${device.device_token}`);
    await logInWith(api, person, { device_data: old });
    await api.post('/v3/auth/tokens', `{"broken":"${codes[1]}`, { token: null });

    const secrets: Record<string, string> = {
      'the key': key,
      'the former key': person.key,
      'the address for the app': 'otpauth://',
      'the answer': answer,
      'the answer, folded': answer.toLowerCase(),
      'a wrong answer': 'A Wrong Answer Of Somebody',
      'the old device token': old.device_token,
      'the device token': device.device_token,
      'the receipt': receipt['Openstack-Auth-Receipt']!,
      'the token': login.headers.get('x-subject-token')!,
      'the TOTP blob': blob,
      'the other blob': kept,
      'the secret of the application': application.secret,
      'the password': person.password,
      'a wrong recovery code': 'WRNG-WRNG-WRNG-WRNG',
      ...Object.fromEntries(codes.map((recovery, index) => [`recovery code ${index}`, recovery])),
      ...Object.fromEntries(codes.map((recovery, index) => [`recovery code ${index}, bare`, recovery.replaceAll('-', '')])),
    };
    const find = (where: string, text: string) => {
      for (const [what, secret] of Object.entries(secrets)) assert.ok(!text.includes(secret), `${what} is in ${where}`);
    };
    find('the log', api.logged.join(''));

    const db = await databaseOf(api);
    try {
      const events = await db.read.selectFrom('audit_events').selectAll().execute();
      assert.ok(events.some(({ action }) => action === 'two_factor.code_accepted'));
      for (const event of events) find('the audit log', JSON.stringify(event));
      // Six digits occur in ids and times by chance: only what an event says is looked at.
      const said = events.map(({ detail }) => Object.entries(JSON.parse(detail)).filter(([name]) => !name.endsWith('id')));
      for (const digits of [right, wrong, viaReceipt]) assert.ok(!JSON.stringify(said).includes(digits), 'a code');
      const lines = api.logged.map((line) => JSON.parse(line));
      for (const { time: _, request_id: __, ...line } of lines)
        for (const digits of [right, wrong, viaReceipt]) assert.ok(!JSON.stringify(line).includes(`"${digits}"`), 'a code');

      const tables = ['two_factor', 'factor_attempts', 'devices', 'device_tokens', 'recovery_codes', 'credentials'] as const;
      for (const table of [...tables, 'consumers', 'passwords', 'outbox', 'token_keys'] as const) {
        const rows = await db.read.selectFrom(table).selectAll().execute();
        find(`the table ${table}`, JSON.stringify(rows));
      }
    } finally {
      await db.close();
    }

    const files = ['', '-wal'].map((end) => `${api.folder}/identity.sqlite${end}`).filter((path) => existsSync(path));
    assert.equal(files.length > 0, api.kind === 'SQLite');
    for (const path of files) {
      const bytes = readFileSync(path);
      find(path, bytes.toString('latin1'));
      for (const raw of [phone.key, newPhone.key, createHash('sha256').update(answer).digest()])
        for (const form of [raw, raw.toString('base64'), raw.toString('base64url'), raw.toString('hex')])
          assert.equal(bytes.indexOf(form), -1, 'a key');
    }
  });
});

onDatabase('SQLite', 'Guessing the token of a remembered device', { rateLimits: true }, (api) => {
  it('is refused after ten wrong ones, and then the right one too; right ones are not counted', async () => {
    const { user } = await makeTwoFactorPerson(api);
    const { device_id: id, device_token: first } = assertOk(
      await api.request('POST', `${DEVICES}?user_id=${user.id}`),
    ).two_factor_auth;
    const ask = (method: 'HEAD' | 'POST', token: string) =>
      api.request(method, `${DEVICES}?user_id=${user.id}&device_id=${id}&device_token=${token}`);
    const renew = async (token: string): Promise<string> => assertOk(await ask('POST', token)).two_factor_auth.device_token;
    let token: string = first;
    for (let i = 0; i < 12; i++) assert.equal((await ask('HEAD', token)).status, 204);
    for (let i = 0; i < 12; i++) token = await renew(token);
    for (let i = 0; i < 10; i++) assert.equal((await ask(i % 2 ? 'HEAD' : 'POST', 'a guess')).status, 404);
    for (const method of ['HEAD', 'POST'] as const) assert.equal((await ask(method, token)).status, 429);
    api.clock.advance(61);
    await renew(token);
  });
});
