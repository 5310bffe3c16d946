// Somebody who knows the password is signed in before the owner turns a second factor on. That login must not undo it.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { type ApiAnswer, onDatabase, underAttack } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { usesDatabaseOf } from '../../../../test/support/restartable-api.ts';
import { codesOn, enable, logInWith, NO_BODY, Phone, QUESTION, tokenByCode } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { lockRow } from '../../../platform/database/index.ts';
import { newKey, toBase32 } from './totp.ts';

const SECURITY = '/account/security';
const own = ({ id }: { id: string }, what: string) => `/v3/users/${id}/OS-TWO-FACTOR/${what}`;

underAttack('A login with the password alone', (api) => {
  type Person = Awaited<ReturnType<typeof makePerson>>;

  const logIn = ({ user, password }: Pick<Person, 'user' | 'password'>): Promise<string> => api.logIn({ id: user.id, password });
  const turnOn = async ({ user }: Pick<Person, 'user'>, token: string): Promise<Phone> => {
    const answer = await api.post(own(user, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token });
    return new Phone(api, assertOk(answer, 201).two_factor_auth.two_factor_key);
  };
  const isGood = async (token: string): Promise<boolean> => (await api.get('/v3/auth/projects', { token })).status === 200;
  const isOn = async ({ id }: { id: string }): Promise<boolean> =>
    (await api.head(`/v3/OS-TWO-FACTOR/two_factor_auth?user_id=${id}`)).status === 204;
  const byCode = (person: Pick<Person, 'user' | 'password'>, phone: Phone): Promise<string> =>
    tokenByCode(api, { ...person, phone });

  /** Every change of a way in that a person makes by the API. */
  const changesOf = ({ id }: { id: string }, token: string): Record<string, () => Promise<ApiAnswer>> => ({
    'a new key': () => api.request('POST', own({ id }, 'two_factor_auth'), { token }),
    'another question': () => api.post(own({ id }, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token }),
    'recovery codes': () => api.request('POST', own({ id }, 'recovery_codes'), { token }),
    'a remembered device': () => api.request('POST', `/v3/OS-TWO-FACTOR/devices?user_id=${id}`, { token }),
    'no devices': () => api.delete(own({ id }, 'devices'), { token }),
    'one device less': () => api.delete(own({ id }, 'devices/some'), { token }),
    'the key of an app': () =>
      api.post('/v3/credentials', { credential: { type: 'totp', blob: toBase32(newKey()), user_id: id } }, { token }),
    'a program': () => api.post(`/v3/users/${id}/application_credentials`, { application_credential: { name: 'x' } }, { token }),
    'a trust': () =>
      api.post('/v3/OS-TRUST/trusts', { trust: { trustor_user_id: id, trustee_user_id: id, impersonation: false } }, { token }),
    'an EC2 key': () => api.post(`/v3/users/${id}/credentials/OS-EC2`, { tenant_id: 'x' }, { token }),
    off: () => api.delete(own({ id }, 'two_factor_auth'), { token }),
  });
  const isRefusedAll = async (user: { id: string }, token: string): Promise<void> => {
    for (const [what, send] of Object.entries(changesOf(user, token))) {
      const answer = await send();
      assert.equal(answer.status, 401, `${what}: ${answer.text}`);
      assert.ok(!answer.text.includes('two_factor_key'), what);
    }
  };

  describe('at the API', () => {
    it('ends when its owner turns the second factor on elsewhere, and so do its sessions; what turned it on stays', async () => {
      const person = await makePerson(api);
      const [attacker, owner] = [await logIn(person), await logIn(person)];
      const browser = new TestBrowser(api);
      await browser.signIn(SECURITY, { name: person.user.name, password: person.password });
      const rescoped = assertOk(
        await api.post(
          '/v3/auth/tokens',
          { auth: { identity: { methods: ['token'], token: { id: attacker } } } },
          { token: null },
        ),
        201,
      );
      assert.ok(rescoped.token);
      await turnOn(person, owner);
      assert.equal(await isGood(attacker), false);
      assert.equal(await isGood(person.token), false);
      assert.equal(await isGood(owner), true, 'the client goes on');
      assert.equal(stepOf(await browser.go(SECURITY)), 'password');
    });

    it('changes no way in, also if it turned the factor on itself', async () => {
      const person = await makePerson(api);
      const phone = await turnOn(person, person.token);
      assert.equal(await isGood(person.token), true);
      await isRefusedAll(person.user, person.token);
      assert.ok(await isOn(person.user));
      await byCode(person, phone);
    });

    it('ends with its project, also if it turned the factor on itself', async () => {
      const person = await makePerson(api);
      await turnOn(person, person.token);
      assert.equal(await isGood(person.token), true);
      for (const enabled of [false, true])
        assertOk(await api.patch(`/v3/projects/${person.organization.id}`, { project: { enabled } }));
      assert.equal(await isGood(person.token), false);
    });

    it('is told what is missing, and a login with it is enough', async () => {
      const person = await makePerson(api);
      const phone = await turnOn(person, person.token);
      const refused = await api.delete(own(person.user, 'two_factor_auth'), { token: person.token });
      assertRefused(refused, 401, /^The request you have made requires authentication\.$/);
      assert.deepEqual(refused.body.error.identity, { methods: ['totp'] });
      const codes = assertOk(
        await api.request('POST', own(person.user, 'recovery_codes'), { token: await byCode(person, phone) }),
        201,
      ).two_factor_auth.recovery_codes;
      const byRecovery = await logInWith(api, person, { recovery_code: codes[0] });
      assertOk(byRecovery, 201);
      const token = byRecovery.headers.get('x-subject-token')!;
      assertOk(await api.delete(own(person.user, 'two_factor_auth'), { token }), 204);
    });

    it('does not pass for more when it is exchanged, or brought together with a receipt', async () => {
      const person = await makePerson(api);
      await turnOn(person, person.token);
      const identity = { methods: ['token'], token: { id: person.token } };
      const scope = { project: { id: person.organization.id } };
      const answer = await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
      assertOk(answer, 201);
      await isRefusedAll(person.user, answer.headers.get('x-subject-token')!);
      const receipt = (await logInWith(api, person)).headers.get('openstack-auth-receipt')!;
      const brought = await api.post(
        '/v3/auth/tokens',
        { auth: { identity } },
        { token: null, headers: { 'Openstack-Auth-Receipt': receipt } },
      );
      assertOk(brought, 201);
      await isRefusedAll(person.user, brought.headers.get('x-subject-token')!);
    });

    it('ends when an administrator turns the factor on for its owner, who is not asked for the factor', async () => {
      const person = await makePerson(api);
      assertOk(await enable(api, person.user), 201);
      assert.equal(await isGood(person.token), false);
      assertOk(await enable(api, person.user, NO_BODY), 201);
      assertOk(await api.request('POST', own(person.user, 'recovery_codes')), 201);
      assertOk(await api.delete(own(person.user, 'two_factor_auth')), 204);
    });

    it('is not enough where an administrator requires two methods of its owner', async () => {
      const person = await makePerson(api);
      const blob = toBase32(newKey());
      assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob, user_id: person.user.id } }), 201);
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
      const attacker = await logIn(person);
      assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { options } }));
      const change = () => api.post(own(person.user, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token: attacker });
      assert.equal((await change()).status, 401);
      const list = await api.get('/v3/credentials?type=totp', { token: attacker });
      assert.equal(list.status, 401);
      assert.ok(!list.text.includes(blob));
      const phone = new Phone(api, blob);
      const token = await byCode(person, phone);
      assertOk(await api.post(own(person.user, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token }), 201);
    });

    it('is not made new by a receipt: a stolen token and a code are no login without the password', async () => {
      const person = await makePerson(api);
      const blob = toBase32(newKey());
      assertOk(await api.post('/v3/credentials', { credential: { type: 'totp', blob, user_id: person.user.id } }), 201);
      const stolen = await logIn(person);
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
      assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { options } }));
      const phone = new Phone(api, blob);
      const code = () => ({ methods: ['totp'], totp: { user: { id: person.user.id, passcode: phone.fresh() } } });
      const send = (identity: object, headers: Record<string, string> = {}) =>
        api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
      const receiptOf = ({ headers }: ApiAnswer) => ({ 'Openstack-Auth-Receipt': headers.get('openstack-auth-receipt')! });
      const ofToken = await send({ methods: ['token'], token: { id: stolen } });
      assert.deepEqual([ofToken.status, ofToken.body.receipt.methods], [401, ['token']]);
      assert.equal((await send(code(), receiptOf(ofToken))).status, 401);
      const ofPassword = await logInWith(api, person);
      assertOk(await send(code(), receiptOf(ofPassword)), 201);
    });

    it('does not change the password without the second factor, nor uses a code up with a wrong one', async () => {
      const person = await makePerson(api);
      const phone = await turnOn(person, person.token);
      const next = 'another password of a test';
      const change = (original_password: string, more: object = {}) =>
        api.post(
          `/v3/users/${person.user.id}/password`,
          { user: { original_password, password: next, ...more } },
          { token: null },
        );
      const refused = await change(person.password);
      assertRefused(refused, 401, /^The request you have made requires authentication\.$/);
      assert.deepEqual(refused.body.error.identity, { methods: ['totp'] });
      assertRefused(await change(person.password, { verification_code: phone.wrong() }), 401);
      assertRefused(await change(person.password, { recovery_code: 'AAAA-AAAA-AAAA-AAAA' }), 401);
      const verification_code = phone.fresh();
      const unknown = await change('not the password', { verification_code });
      assertRefused(unknown, 401);
      assert.equal(unknown.body.error.identity, undefined, 'nobody else learns that there is a factor');
      assertOk(await change(person.password, { verification_code }), 204);
      await byCode({ ...person, password: next }, phone);
    });

    it('that is being used while the factor is turned on changes nothing any more', async () => {
      for (let round = 0; round < 5; round++) {
        const person = await makePerson(api);
        const [attacker, owner] = [await logIn(person), await logIn(person)];
        const [on, ...attacks] = await Promise.all([
          api.post(own(person.user, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token: owner }),
          ...[0, 1, 2, 3].map(() => api.request('POST', own(person.user, 'two_factor_auth'), { token: attacker })),
          ...[0, 1].map(() => api.delete(own(person.user, 'two_factor_auth'), { token: attacker })),
        ]);
        const phone = new Phone(api, assertOk(on, 201).two_factor_auth.two_factor_key);
        for (const answer of attacks) assert.ok([400, 401, 404].includes(answer.status), answer.text);
        await byCode(person, phone);
      }
    });
  });

  describe('a new key', () => {
    it('ends devices, recovery codes, sessions and tokens of the old one, and keeps the question and the token that made it', async () => {
      for (const byAdministrator of [true, false]) {
        const person = await makePerson(api);
        const phone = await turnOn(person, person.token);
        const [token, other] = [await byCode(person, phone), await byCode(person, phone)];
        const { device_id, device_token } = assertOk(
          await api.request('POST', `/v3/OS-TWO-FACTOR/devices?user_id=${person.user.id}`, { token }),
        ).two_factor_auth;
        const codes = assertOk(await api.request('POST', own(person.user, 'recovery_codes'), { token }), 201).two_factor_auth
          .recovery_codes;
        const made = await api.request('POST', own(person.user, 'two_factor_auth'), byAdministrator ? {} : { token });
        const { two_factor_key, security_question } = assertOk(made, 201).two_factor_auth;
        assert.equal(security_question, QUESTION.security_question);
        for (const more of [
          { device_data: { device_id, device_token } },
          { recovery_code: codes[0] },
          { verification_code: phone.fresh() },
        ])
          assert.equal((await logInWith(api, person, more)).status, 401, JSON.stringify(more));
        assert.equal((await api.head(`${own(person.user, 'sec_question')}?security_answer=rex%20the%20dog`)).status, 204);
        assert.equal(await isGood(other), false);
        assert.equal(await isGood(token), !byAdministrator);
        await byCode(person, new Phone(api, two_factor_key));
      }
    });

    it('may be made twice with one token, which ends with the next change of the password', async () => {
      const person = await makePerson(api);
      const phone = await turnOn(person, person.token);
      const token = await byCode(person, phone);
      for (let i = 0; i < 2; i++) assertOk(await api.request('POST', own(person.user, 'two_factor_auth'), { token }), 201);
      assert.equal(await isGood(token), true);
      assertOk(await api.patch(`/v3/users/${person.user.id}`, { user: { password: 'another password' } }));
      assert.equal(await isGood(token), false);
    });
  });

  describe('at the account page', () => {
    const confirm = async (browser: TestBrowser) => {
      const proposed = await browser.submit(await browser.go(SECURITY), 'two-factor-on');
      const key = proposed.forms.find(({ fields }) => fields.step === 'two-factor-confirm')!;
      const phone = new Phone(
        api,
        /\b[A-Z2-7]{32}\b/.exec(proposed.text.replaceAll(/(?<=[A-Z2-7]{4}) (?=[A-Z2-7]{4})/g, ''))![0],
      );
      assert.ok(key);
      const done = await browser.submit(proposed, 'two-factor-confirm', {
        code: phone.fresh(),
        question: QUESTION.security_question,
        answer: QUESTION.security_answer,
      });
      assert.equal(codesOn(done).length, 10, done.text);
      return phone;
    };

    it('ends in every other browser and at the API when the owner turns the factor on; the owner goes on, with both factors', async () => {
      const person = await makeUser(api);
      const [attacker, owner] = [new TestBrowser(api), new TestBrowser(api)];
      await attacker.signIn(SECURITY, person);
      const token = await api.logIn({ id: person.id, password: person.password });
      await owner.signIn(SECURITY, person);
      await confirm(owner);
      assert.equal(stepOf(await attacker.go(SECURITY)), 'password');
      assert.equal(await isGood(token), false);
      const page = await owner.go(SECURITY);
      assert.notEqual(stepOf(page), 'password', 'signed in');
      const again = await owner.submit(page, 'recovery-codes');
      assert.equal(codesOn(again).length, 10, 'the code was given a moment ago');
    });

    it('with a form that was open already turns nothing off and adds nothing', async () => {
      const person = await makeUser(api);
      const [attacker, owner] = [new TestBrowser(api), new TestBrowser(api)];
      const open = await attacker.signIn(SECURITY, person);
      await owner.signIn(SECURITY, person);
      await confirm(owner);
      for (const step of ['two-factor-off', 'recovery-codes', 'change-password', 'change-email', 'two-factor-on']) {
        const answer = await attacker.submit(open, 'two-factor-on', {
          step,
          password: person.password,
          current_password: person.password,
        });
        assert.equal(stepOf(answer), 'password', `${step}: ${answer.status}`);
      }
      assert.ok(await isOn(person));
    });

    it('asks for the rest when a rule of the account asks for more, whatever is changed', async () => {
      const person = await makeUser(api);
      const browser = new TestBrowser(api);
      await browser.signIn(SECURITY, person);
      const page = await browser.go(SECURITY);
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'totp']] };
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { options } }));
      for (const step of ['two-factor-on', 'change-password', 'change-email']) {
        const proof = { password: person.password, current_password: person.password };
        const form = {
          ...proof,
          new_password: 'another password',
          new_password_again: 'another password',
          email: 'x@example.org',
        };
        assert.equal(stepOf(await browser.submit(page, step, form)), 'password', step);
      }
      assert.ok(!(await isOn(person)));
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { options: { multi_factor_auth_rules: null } } }));
      await api.logIn({ id: person.id, password: person.password });
    });
  });
});

/** In an order that only PostgreSQL lets happen. */
onDatabase('PostgreSQL', 'A change of a way in by a login with the password alone', {}, (api) => {
  const db = usesDatabaseOf(api);

  it('is refused when the second factor is turned on between the check and the change', async () => {
    const changes: Record<string, (id: string, token: string) => Promise<ApiAnswer>> = {
      'the key of an app': (id, token) =>
        api.post('/v3/credentials', { credential: { type: 'totp', blob: toBase32(newKey()), user_id: id } }, { token }),
      'a program': (id, token) =>
        api.post(`/v3/users/${id}/application_credentials`, { application_credential: { name: 'x' } }, { token }),
      'another key': (id, token) => api.post(own({ id }, 'two_factor_auth'), { two_factor_auth: QUESTION }, { token }),
    };
    for (const [what, send] of Object.entries(changes)) {
      const { user, token } = await makePerson(api);
      const { asked } = await db().write(async (tx) => {
        await lockRow(db(), tx, 'users', user.id);
        const answer = send(user.id, token);
        const isWaiting = async (): Promise<boolean> => {
          const waiting = sql<{ count: string }>`select count(*) as count from pg_locks where not granted`;
          return Number((await waiting.execute(db().read)).rows[0]?.count) > 0;
        };
        while (!(await isWaiting())) await sleep(20);
        const factor = { user_id: user.id, key: '', security_question: '', security_answer: '', last_step: 0, created_at: 0 };
        await tx.insertInto('two_factor').values(factor).execute();
        return { asked: answer };
      });
      const { status, text } = await asked;
      assert.equal(status, 401, `${what}: ${text}`);
    }
  });
});
