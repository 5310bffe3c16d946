// The clock of the machine is wrong for a while, and is set right: nobody is locked out for as long as it was wrong, and nothing works
// longer than it should. test/long/clock.test.ts does the same to a real process.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from './support/answers.ts';
import { ADMIN_PASSWORD, onEachDatabase } from './support/api.ts';
import { makePerson } from './support/applications.ts';
import { makeUser, RelyingParty, type TokenSet } from './support/relying-party.ts';
import { enable, logInWith, makeTwoFactorPerson } from './support/second-factor.ts';

const DAY = 86_400;
/** After wrong passwords; and the time in which the limit of an address refills. */
const LONGEST_PAUSE = 900;
const ADMIN_SCOPE = { project: { name: 'admin', domain: { id: 'default' } } };

onEachDatabase(
  'A clock that was ahead and is set back',
  (api) => {
    const isValid = async (token: string): Promise<boolean> =>
      (await api.head('/v3/auth/tokens', { headers: { 'X-Subject-Token': token } })).status === 200;

    it('ends tokens that would be valid for days, and keeps those that were made a little ahead', async () => {
      const person = await makePerson(api);
      const logIn = () => api.logIn({ id: person.user.id, password: person.password });
      api.clock.advance(10 * DAY);
      const far = await logIn();
      api.clock.advance(-10 * DAY + 600);
      const near = await logIn();
      api.clock.advance(-600);
      assert.deepEqual([await isValid(far), await isValid(near), await isValid(await logIn())], [false, true, true]);
      api.clock.advance(10 * DAY);
      api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, ADMIN_SCOPE);
      assert.equal(await isValid(far), true, 'at the time it was made for');
      api.clock.advance(-10 * DAY);
      api.adminToken = await api.logIn({ name: 'admin', password: ADMIN_PASSWORD }, ADMIN_SCOPE);
    });

    it('takes no login for a recent one that is far ahead', async () => {
      const { user, password } = await makePerson(api);
      const logIn = () => api.logIn({ id: user.id, password });
      api.clock.advance(3000);
      const ahead = await logIn();
      api.clock.advance(-3000);
      assert.equal(await isValid(ahead), true);
      assertRefused(await enable(api, user, undefined, { token: ahead }), 401);
      assertOk(await enable(api, user, undefined, { token: await logIn() }), 201);
    });

    it('ends half a login that could be continued for days', async () => {
      const person = await makeTwoFactorPerson(api);
      const { id } = person.user;
      const receiptOfNow = async () => {
        const { headers } = await logInWith(api, person);
        return { 'Openstack-Auth-Receipt': headers.get('openstack-auth-receipt')! };
      };
      const goOn = (headers: Record<string, string>) => {
        const identity = { methods: ['totp'], totp: { user: { id, passcode: person.phone.fresh() } } };
        return api.post('/v3/auth/tokens', { auth: { identity } }, { token: null, headers });
      };
      api.clock.advance(10 * DAY);
      const far = await receiptOfNow();
      api.clock.advance(-10 * DAY);
      assertRefused(await goOn(far), 401);
      assertOk(await goOn(await receiptOfNow()), 201);
    });

    it('ends access tokens that would be valid for days', async () => {
      const [party, person] = [await RelyingParty.make(api), await makeUser(api)];
      const isActive = async ({ access_token: token }: TokenSet) => party.isActive(token);
      api.clock.advance(10 * DAY);
      const far = await party.tokensFor(person);
      api.clock.advance(-10 * DAY);
      const near = await party.tokensFor(person);
      assert.deepEqual([await isActive(far), await isActive(near)], [false, true]);
      // Also what is answered from memory.
      api.clock.advance(-DAY);
      assert.equal(await isActive(near), false);
      api.clock.advance(DAY);
      assert.equal(await isActive(near), true);
    });

    it('accepts one-time codes, though a later one was used already, and none twice', async () => {
      const person = await makeTwoFactorPerson(api);
      const logIn = async (code: string) => (await logInWith(api, person, { verification_code: code })).status;
      api.clock.advance(10 * DAY);
      assert.equal(await logIn(person.phone.code()), 201);
      api.clock.advance(-10 * DAY);
      const code = person.phone.code();
      assert.equal(await logIn(code), 201);
      assert.equal(await logIn(code), 401);
      api.clock.advance(30);
      assert.equal(await logIn(person.phone.code()), 201);
    });

    it('does not make the next code wait for days', async () => {
      const person = await makeTwoFactorPerson(api);
      const logIn = async (code: string) => (await logInWith(api, person, { verification_code: code })).status;
      api.clock.advance(10 * DAY);
      for (let i = 0; i < 6; i++) await logIn(person.phone.wrong());
      assert.equal(await logIn(person.phone.code()), 401);
      api.clock.advance(-10 * DAY);
      // The service notices at the next attempt, and a pause of usual length begins.
      assert.equal(await logIn(person.phone.code()), 401);
      api.clock.advance(LONGEST_PAUSE);
      assert.equal(await logIn(person.phone.code()), 201);
    });

    it('does not make the next password wait for days', async () => {
      const person = await makePerson(api);
      const attempt = async (password: string) => (await api.authenticate({ id: person.user.id, password })).status;
      api.clock.advance(10 * DAY);
      for (let i = 0; i < 20; i++) await attempt('a wrong password');
      assert.equal(await attempt(person.password), 429);
      api.clock.advance(-10 * DAY);
      // The service notices at the next attempt, and a pause of usual length begins.
      await attempt(person.password);
      api.clock.advance(LONGEST_PAUSE);
      assert.equal(await attempt(person.password), 201);
    });
  },
  { rateLimits: true },
);
