// Logging in with a second factor: inside the password method, as Keystone's own method, by rules and receipts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TOTP } from 'otpauth';
import { assertRefused } from '../../../../test/support/answers.ts';
import { onEachDatabase } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { logInWith, makeTwoFactorPerson, Phone } from '../../../../test/support/second-factor.ts';
import { newKey, toBase32 } from './totp.ts';

onEachDatabase('Logging in with a second factor', (api) => {
  const bothMethods = (person: any, passcode: string) => ({
    auth: {
      identity: {
        methods: ['password', 'totp'],
        password: { user: { id: person.user.id, password: person.password } },
        totp: { user: { id: person.user.id, passcode } },
      },
    },
  });
  const post = (body: unknown, headers: Record<string, string> = {}) =>
    api.post('/v3/auth/tokens', body, { token: null, headers });

  it('asks for it, saying what is missing, with a receipt for the password', async () => {
    const person = await makeTwoFactorPerson(api);
    const answer = await logInWith(api, person);
    assert.equal(answer.status, 401);
    assert.equal(answer.headers.get('x-subject-token'), null);
    assert.ok(answer.headers.get('openstack-auth-receipt'));
    assert.match(answer.headers.get('www-authenticate')!, /^Keystone uri=/);
    assert.deepEqual(answer.body.error.identity, { methods: ['totp'] });
    assert.deepEqual(answer.body.required_auth_methods, [['password', 'totp']]);
    assert.deepEqual(answer.body.receipt.methods, ['password']);
    assert.equal(answer.body.receipt.user.id, person.user.id);
  });

  it('takes a code inside the password method', async () => {
    const person = await makeTwoFactorPerson(api);
    const answer = await logInWith(api, person, { verification_code: person.phone.fresh() });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body.token.methods.sort(), ['password', 'totp']);
    assertRefused(
      await logInWith(api, person, { verification_code: person.phone.wrong() }),
      401,
      /^The request you have made requires authentication\.$/,
    );
  });

  it('takes Keystone’s own method totp beside password, in any order, and not alone', async () => {
    const person = await makeTwoFactorPerson(api);
    assert.equal((await post(bothMethods(person, person.phone.fresh()))).status, 201);
    const reversed = bothMethods(person, person.phone.fresh());
    reversed.auth.identity.methods.reverse();
    assert.equal((await post(reversed)).status, 201);
    assertRefused(await post(bothMethods(person, person.phone.wrong())), 401);
    const alone = await post({
      auth: { identity: { methods: ['totp'], totp: { user: { id: person.user.id, passcode: person.phone.fresh() } } } },
    });
    assert.equal(alone.status, 401);
    assert.equal(alone.headers.get('x-subject-token'), null);
  });

  it('goes on from a receipt with the rest', async () => {
    const person = await makeTwoFactorPerson(api);
    const receipt = (await logInWith(api, person)).headers.get('openstack-auth-receipt')!;
    const rest = () => ({
      auth: { identity: { methods: ['totp'], totp: { user: { id: person.user.id, passcode: person.phone.fresh() } } } },
    });
    const answer = await post(rest(), { 'Openstack-Auth-Receipt': receipt });
    assert.equal(answer.status, 201);
    assert.deepEqual(answer.body.token.methods.sort(), ['password', 'totp']);
    api.clock.advance(400);
    assert.equal((await post(rest(), { 'Openstack-Auth-Receipt': receipt })).status, 401, 'ended');
  });

  it('voids receipts of someone else, forged ones, and those from before a password change', async () => {
    const [person, other] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
    const receipt = (await logInWith(api, person)).headers.get('openstack-auth-receipt')!;
    const rest = (who: any) => ({
      auth: { identity: { methods: ['totp'], totp: { user: { id: who.user.id, passcode: who.phone.fresh() } } } },
    });
    assert.equal((await post(rest(other), { 'Openstack-Auth-Receipt': receipt })).status, 401);
    assert.equal((await post(rest(person), { 'Openstack-Auth-Receipt': `${receipt.slice(0, -2)}AA` })).status, 401);
    assert.equal((await post(rest(person), { 'Openstack-Auth-Receipt': person.token })).status, 401, 'a token is no receipt');
    assert.equal((await api.get('/v3/auth/projects', { token: receipt })).status, 401, 'a receipt is no token');
    await api.patch(`/v3/users/${person.user.id}`, { user: { password: 'changed' } });
    assert.equal((await post(rest(person), { 'Openstack-Auth-Receipt': receipt })).status, 401);
  });

  it('does not ask again when a token is rescoped', async () => {
    const person = await makeTwoFactorPerson(api);
    const token = (await logInWith(api, person, { verification_code: person.phone.fresh() })).headers.get('x-subject-token')!;
    const answer = await post({
      auth: { identity: { methods: ['token'], token: { id: token } }, scope: { project: { id: person.organization.id } } },
    });
    assert.equal(answer.status, 201);
  });

  it('accepts a code that another implementation computed', async () => {
    const person = await makeTwoFactorPerson(api);
    const code = new TOTP({ secret: person.key }).generate({ timestamp: api.clock.now() });
    assert.equal((await logInWith(api, person, { verification_code: code })).status, 201);
  });

  describe('By Keystone’s credentials and rules', () => {
    async function withCredential() {
      const person = await makePerson(api);
      const key = toBase32(newKey());
      const answer = await api.post('/v3/credentials', { credential: { type: 'totp', blob: key, user_id: person.user.id } });
      assert.equal(answer.status, 201, answer.text);
      return { ...person, phone: new Phone(api, key) };
    }
    const setRules = (person: any, rules: unknown, enabled: boolean | null = true) =>
      api.patch(`/v3/users/${person.user.id}`, {
        user: { options: { multi_factor_auth_rules: rules, multi_factor_auth_enabled: enabled } },
      });

    it('a TOTP credential serves the method, each code once', async () => {
      const person = await withCredential();
      const code = person.phone.fresh();
      assert.equal((await post(bothMethods(person, code))).status, 201);
      assertRefused(await post(bothMethods(person, code)), 401);
      assert.equal((await logInWith(api, person, { verification_code: person.phone.fresh() })).status, 201);
      assert.equal((await logInWith(api, person)).status, 201, 'without rules the password is enough');
    });

    it('rules are kept: what is missing is said, and a receipt goes on', async () => {
      const person = await withCredential();
      assert.equal(
        (
          await setRules(person, [
            ['password', 'totp'],
            ['password', 'carrier-pigeon'],
          ])
        ).status,
        200,
      );
      const other = await logInWith(api, person);
      assert.equal(other.status, 201, 'a method that is not served does not count, as in Keystone');
      await setRules(person, [['password', 'totp']]);
      const first = await logInWith(api, person);
      assert.equal(first.status, 401);
      assert.deepEqual(first.body.required_auth_methods, [['password', 'totp']]);
      const receipt = first.headers.get('openstack-auth-receipt')!;
      const rest = {
        auth: { identity: { methods: ['totp'], totp: { user: { id: person.user.id, passcode: person.phone.fresh() } } } },
      };
      assert.equal((await post(rest, { 'Openstack-Auth-Receipt': receipt })).status, 201);
      assert.equal((await post(bothMethods(person, person.phone.fresh()))).status, 201);
      await setRules(person, [['password', 'totp']], false);
      assert.equal((await logInWith(api, person)).status, 201, 'switched off');
    });
  });

  it('leaves people without a second factor alone, whatever they send', async () => {
    const person = await makePerson(api);
    assert.equal((await logInWith(api, person)).status, 201);
    assert.equal(
      (await logInWith(api, person, { verification_code: '123456' })).status,
      401,
      'a code nobody can check is not good',
    );
    for (const more of [
      { verification_code: 123456 },
      { device_data: 'x' },
      { device_data: { device_id: 'x' } },
      { recovery_code: [] },
    ]) {
      assert.equal((await logInWith(api, person, more)).status, 400, JSON.stringify(more));
    }
  });
});
