import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import {
  enable,
  logInWith,
  makeTwoFactorPerson,
  NO_BODY,
  QUESTION,
  tokenByCode,
} from '../../../../test/support/second-factor.ts';

const CHECK = '/v3/OS-TWO-FACTOR/two_factor_auth';
const own = (user: { id: string }, what: string) => `/v3/users/${user.id}/OS-TWO-FACTOR/${what}`;

onEachDatabase('Two-factor authentication', (api) => {
  describe('HEAD two_factor_auth', () => {
    it('is 204 when enabled, by id, and by name with the id or name of the domain', async () => {
      const { user } = await makeTwoFactorPerson(api);
      for (const query of [
        `user_id=${user.id}`,
        `user_name=${user.name}&domain_id=default`,
        `user_name=${user.name}&domain_name=Default`,
      ]) {
        const answer = await api.head(`${CHECK}?${query}`);
        assert.equal(answer.status, 204, query);
        assert.equal(answer.text, '');
      }
    });

    it('is 404 when not enabled, or for nobody, and 400 when nobody is named', async () => {
      const { user } = await makePerson(api);
      for (const query of [
        `user_id=${user.id}`,
        'user_id=nobody',
        'user_name=nobody&domain_id=default',
        `user_name=${user.name}&domain_name=Nowhere`,
      ]) {
        assert.equal((await api.head(`${CHECK}?${query}`)).status, 404, query);
      }
      for (const query of [
        '',
        `user_name=${user.name}`,
        'domain_id=default',
        'user_id=',
        `user_id=${user.id}&user_id=${user.id}`,
      ]) {
        assert.equal((await api.head(`${CHECK}?${query}`)).status, 400, query);
      }
    });
  });

  describe('POST two_factor_auth', () => {
    it('enables, and answers 201 with key, address for the app, question and answer', async () => {
      const { user } = await makePerson(api);
      const answer = await enable(api, user);
      assert.equal(answer.status, 201);
      const { two_factor_auth: factor } = answer.body;
      assert.match(factor.two_factor_key, /^[A-Z2-7]{32}$/);
      const secret = `secret=${factor.two_factor_key}&issuer=Gatehouse&algorithm=SHA1&digits=6&period=30`;
      assert.deepEqual(factor, {
        two_factor_key: factor.two_factor_key,
        uri: `otpauth://totp/Gatehouse:${encodeURIComponent(user.name)}?${secret}`,
        user_id: user.id,
        ...QUESTION,
        links: { self: `${api.url}${own(user, 'two_factor_auth')}` },
      });
    });

    it('makes a new key without a body, keeps the question, and tells no answer', async () => {
      const person = await makeTwoFactorPerson(api);
      for (const body of [NO_BODY, {}, { two_factor_auth: {} }, { two_factor_auth: null }]) {
        const answer = await enable(api, person.user, body);
        assert.equal(answer.status, 201);
        const { two_factor_auth: factor } = answer.body;
        assert.notEqual(factor.two_factor_key, person.key);
        assert.equal(factor.security_question, QUESTION.security_question);
        assert.ok(!('security_answer' in factor));
      }
      assert.equal(
        (await logInWith(api, person, { verification_code: person.phone.fresh() })).status,
        401,
        'the old key is void',
      );
      assert.equal((await api.head(`${own(person.user, 'sec_question')}?security_answer=rex%20the%20dog`)).status, 204);
    });

    it('replaces question and answer when it has them', async () => {
      const { user } = await makeTwoFactorPerson(api);
      assertRefused(await enable(api, user, { two_factor_auth: { security_answer: 'Main' } }), 400, /security_question/);
      await enable(api, user, { two_factor_auth: { security_question: 'Street', security_answer: 'Main' } });
      assert.equal((await api.get(own(user, 'two_factor_data'))).body.two_factor_auth.security_question, 'Street');
      assert.equal((await api.head(`${own(user, 'sec_question')}?security_answer=main`)).status, 204);
      assert.equal((await api.head(`${own(user, 'sec_question')}?security_answer=rex%20the%20dog`)).status, 401);
    });

    it('refuses the first time without both, long ones, wrong types, and nobody', async () => {
      const { user } = await makePerson(api);
      const refusals: [unknown, RegExp][] = [
        [NO_BODY, /security_question/],
        [{ two_factor_auth: {} }, /security_question/],
        [{ two_factor_auth: { security_question: 'q' } }, /security_answer/],
        [{ two_factor_auth: { security_answer: 'a' } }, /security_question/],
        [{ two_factor_auth: { security_question: 'q'.repeat(256), security_answer: 'a' } }, /security_question/],
        [{ two_factor_auth: { security_question: 'q', security_answer: 'a'.repeat(1025) } }, /security_answer/],
        [{ two_factor_auth: { security_question: 7, security_answer: 'a' } }, /security_question/],
        [{ two_factor_auth: 'yes' }, /two_factor_auth/],
      ];
      for (const [body, message] of refusals) assertRefused(await enable(api, user, body), 400, message);
      assert.equal((await api.head(`${CHECK}?user_id=${user.id}`)).status, 404);
      assertRefused(await enable(api, { id: 'nobody' }), 404, /user: nobody/);
    });
  });

  describe('DELETE two_factor_auth', () => {
    it('disables, forgets the devices, and is 404 the second time', async () => {
      const person = await makeTwoFactorPerson(api);
      await api.post(`/v3/OS-TWO-FACTOR/devices?user_id=${person.user.id}`, {});
      const answer = await api.delete(own(person.user, 'two_factor_auth'));
      assert.equal(answer.status, 204);
      assert.equal(answer.text, '');
      assert.deepEqual((await api.get(own(person.user, 'devices'))).body.devices, []);
      assert.equal((await logInWith(api, person)).status, 201);
      assertRefused(await api.delete(own(person.user, 'two_factor_auth')), 404, /not enabled/);
      assertRefused(await api.delete(own({ id: 'nobody' }, 'two_factor_auth')), 404);
    });
  });

  describe('GET two_factor_auth', () => {
    it('shows whether it is enabled, to the person and to an administrator only', async () => {
      const [person, other] = [await makeTwoFactorPerson(api), await makePerson(api)];
      const path = own(person.user, 'two_factor_auth');
      const links = { self: `${api.url}${path}` };
      assert.deepEqual((await api.get(path)).body, {
        two_factor_auth: { enabled: true, recovery_codes_left: 0, user_id: person.user.id, links },
      });
      assertRefused(await api.get(path, { token: other.token }), 403);
      const without = await api.get(own(other.user, 'two_factor_auth'), { token: other.token });
      assert.equal(without.body.two_factor_auth.enabled, false);
      assertRefused(await api.get(own({ id: 'nobody' }, 'two_factor_auth')), 404, /user: nobody/);
    });
  });

  describe('GET two_factor_data', () => {
    it('shows the question and nothing sensitive, and is 404 when not enabled', async () => {
      const { user } = await makeTwoFactorPerson(api);
      const answer = await api.get(own(user, 'two_factor_data'));
      assert.equal(answer.status, 200);
      const links = { self: `${api.url}${own(user, 'two_factor_data')}` };
      assert.deepEqual(answer.body, {
        two_factor_auth: { security_question: QUESTION.security_question, user_id: user.id, links },
      });
      assertRefused(await api.get(own((await makePerson(api)).user, 'two_factor_data')), 404, /not enabled/);
      assertRefused(await api.get(own({ id: 'nobody' }, 'two_factor_data')), 404, /user: nobody/);
    });
  });

  describe('HEAD sec_question', () => {
    it('is 204 for the answer, trimmed and in any case, under both names of the parameter', async () => {
      const { user } = await makeTwoFactorPerson(api);
      for (const query of [
        'security_answer=Rex%20the%20Dog',
        'security_answer=%20REX%20THE%20DOG%20',
        'sec_answer=rex%20the%20dog',
      ]) {
        assert.equal((await api.head(`${own(user, 'sec_question')}?${query}`)).status, 204, query);
      }
    });

    it('is 401 for another answer, 400 for none, 404 when not enabled', async () => {
      const { user } = await makeTwoFactorPerson(api);
      assert.equal((await api.head(`${own(user, 'sec_question')}?security_answer=cat`)).status, 401);
      assert.equal((await api.head(own(user, 'sec_question'))).status, 400);
      assert.equal((await api.head(`${own(user, 'sec_question')}?security_answer=`)).status, 400);
      assert.equal((await api.head(`${own((await makePerson(api)).user, 'sec_question')}?security_answer=x`)).status, 404);
      assert.equal((await api.head(`${own({ id: 'nobody' }, 'sec_question')}?security_answer=x`)).status, 404);
    });
  });

  describe('Recovery codes', () => {
    it('are ten, shown once, counted, replaced as a set, and work once each, however they are typed', async () => {
      const person = await makeTwoFactorPerson(api);
      const path = own(person.user, 'recovery_codes');
      const old = (await api.post(path, {})).body.two_factor_auth.recovery_codes;
      const answer = await api.request('POST', path);
      assert.equal(answer.status, 201);
      const codes: string[] = answer.body.two_factor_auth.recovery_codes;
      assert.equal(new Set(codes).size, 10);
      for (const code of codes) assert.match(code, /^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
      const left = async () => (await api.get(own(person.user, 'two_factor_auth'))).body.two_factor_auth.recovery_codes_left;
      assert.equal(await left(), 10);
      assert.equal((await logInWith(api, person, { recovery_code: old[0] })).status, 401, 'the former set is void');
      assert.equal((await logInWith(api, person, { recovery_code: codes[0] })).status, 201);
      assert.equal((await logInWith(api, person, { recovery_code: codes[0] })).status, 401, 'used');
      assert.equal((await logInWith(api, person, { recovery_code: codes[1]!.replaceAll('-', ' ').toLowerCase() })).status, 201);
      assert.equal(await left(), 8);
    });

    it('need two-factor authentication', async () => {
      const { user } = await makePerson(api);
      assertRefused(await api.post(own(user, 'recovery_codes'), {}), 404, /not enabled/);
    });
  });

  it('is for administrators and the user alone: others get 403 and learn nothing', async () => {
    const [person, stranger] = [await makeTwoFactorPerson(api), await makePerson(api)];
    const { user } = person;
    const token = await tokenByCode(api, person);
    const requests: [string, string, unknown?][] = [
      ['HEAD', `${CHECK}?user_id=${user.id}`],
      ['HEAD', `${CHECK}?user_name=${user.name}&domain_id=default`],
      ['GET', own(user, 'two_factor_data')],
      ['HEAD', `${own(user, 'sec_question')}?security_answer=rex%20the%20dog`],
      ['POST', own(user, 'recovery_codes'), {}],
      ['GET', own(user, 'devices')],
      ['POST', own(user, 'two_factor_auth'), {}],
      ['DELETE', own(user, 'devices')],
      ['DELETE', own(user, 'two_factor_auth')],
    ];
    for (const [method, path, body] of requests) {
      const missing = path.replace(user.id, 'nobody').replace(user.name, uniqueName('nobody'));
      assert.equal((await api.request(method, path, { body, token: null })).status, 401, path);
      assert.equal((await api.request(method, path, { body, token: stranger.token })).status, 403, path);
      assert.equal((await api.request(method, missing, { body, token: stranger.token })).status, 403, missing);
      assert.ok((await api.request(method, path, { body, token })).status < 300, `${method} ${path}`);
    }
  });
});
