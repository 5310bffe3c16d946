// A token or a session that somebody left behind must not be enough to change how its owner signs in.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Answer, onEachDatabase, type TestApi } from '../../../test/support/api.ts';
import { makePerson } from '../../../test/support/applications.ts';
import { Browser, stepOf } from '../../../test/support/browser-less.ts';
import { makeUser } from '../../../test/support/relying-party.ts';
import { logInWith, makeCarefulPerson, QUESTION } from '../../../test/support/second-factor.ts';

const TOO_OLD = 901;

/** Everything by which people change how they sign in. */
const changesOf = (api: TestApi, { id }: { id: string }, token: string): (() => Promise<Answer>)[] => {
  const own = `/v3/users/${id}/OS-TWO-FACTOR`;
  return [
    () => api.post(`${own}/two_factor_auth`, { two_factor_auth: QUESTION }, { token }),
    () => api.post(`${own}/recovery_codes`, {}, { token }),
    () => api.post(`/v3/OS-TWO-FACTOR/devices?user_id=${id}`, {}, { token }),
    () => api.delete(`${own}/two_factor_auth`, { token }),
    () => api.post('/v3/credentials', { credential: { type: 'totp', blob: 'GEZDGNBVGY3TQOJQ', user_id: id } }, { token }),
  ];
};

const statuses = async (work: readonly (() => Promise<Answer>)[]): Promise<number[]> => {
  const found: number[] = [];
  for (const one of work) found.push((await one()).status);
  return found;
};

onEachDatabase('Changing how one signs in', (api) => {
  const administrator = (): Promise<string> =>
    api.logIn(
      { name: 'admin', password: 'the administrator of the tests' },
      { project: { name: 'admin', domain: { id: 'default' } } },
    );

  async function later(): Promise<void> {
    api.clock.advance(TOO_OLD);
    api.adminToken = await administrator();
  }

  describe('by the API', () => {
    it('takes a login that is not long ago', async () => {
      const { user, token } = await makePerson(api);
      assert.deepEqual(await statuses(changesOf(api, user, token)), [201, 201, 200, 204, 201]);
    });

    it('is refused to a token that was left behind', async () => {
      const person = await makeCarefulPerson(api);
      const login = await logInWith(api, person, { verification_code: person.phone.fresh() });
      const token = login.headers.get('x-subject-token')!;
      await later();
      assert.deepEqual(await statuses(changesOf(api, person.user, token)), [401, 401, 401, 401, 401]);
      assert.equal((await api.get(`/v3/users/${person.user.id}/OS-TWO-FACTOR/two_factor_data`, { token })).status, 200);
    });

    it('is refused to a new token made from an old one, and not to one from a new login', async () => {
      const { user, password, token, organization } = await makePerson(api);
      const rescope = async (id: string): Promise<string> => {
        const identity = { methods: ['token'], token: { id } };
        const scope = { project: { id: organization.id } };
        const answer = await api.post('/v3/auth/tokens', { auth: { identity, scope } }, { token: null });
        assert.equal(answer.status, 201, answer.text);
        return answer.headers.get('x-subject-token')!;
      };
      await later();
      const [enable] = changesOf(api, user, await rescope(await rescope(token)));
      assert.equal((await enable!()).status, 401);
      const fresh = await rescope(await rescope(await api.logIn({ id: user.id, password })));
      assert.deepEqual(await statuses(changesOf(api, user, fresh)), [201, 201, 200, 204, 201]);
    });

    it('is what administrators do for others with any token of theirs', async () => {
      const { user } = await makePerson(api);
      const token = api.adminToken;
      api.clock.advance(TOO_OLD);
      assert.deepEqual(await statuses(changesOf(api, user, token)), [201, 201, 200, 204, 201]);
      api.adminToken = await administrator();
    });
  });

  describe('at the account page', () => {
    it('asks whoever signed in long ago to do so again', async () => {
      const [person, browser] = [await makeUser(api), new Browser(api)];
      const page = await browser.signIn('/account', person);
      assert.match(page.text, /Two-factor/i);
      await later();
      const asked = await browser.submit(await browser.go('/account'), 'two-factor-on');
      assert.equal(stepOf(asked), 'password');
      const back = await browser.submit(asked, 'password', { name: person.name, password: person.password });
      const proposed = await browser.submit(back, 'two-factor-on');
      const { fields } = proposed.forms.find((form) => form.fields.step === 'two-factor-confirm')!;
      assert.ok(fields.proposed);
      await later();
      const { proposed: kept } = fields as { proposed: string };
      const late = await browser.submit(await browser.go('/account'), 'two-factor-on', {
        step: 'two-factor-confirm',
        proposed: kept,
      });
      assert.equal(stepOf(late), 'password', 'the second half of it as well');
    });

    it('asks for the second factor again, where there is one, for whatever it guards', async () => {
      const person = await makeCarefulPerson(api);
      const answers = { name: person.user.name as string, password: person.password, code: () => person.phone.fresh() };
      const browser = new Browser(api);
      await browser.signIn('/account', answers);
      await later();
      for (const step of ['recovery-codes', 'two-factor-off', 'password']) {
        const proof = { password: person.password, current_password: person.password };
        const given = { ...proof, new_password: 'another password', new_password_again: 'another password' };
        assert.equal(stepOf(await browser.submit(await browser.go('/account'), step, given)), 'password', step);
      }
      const asked = await browser.submit(await browser.go('/account'), 'recovery-codes');
      const again = await browser.through(asked, answers);
      const codes = await browser.submit(again, 'recovery-codes');
      assert.equal(codes.text.match(/(?:[A-Z2-7]{4}-){3}[A-Z2-7]{4}/g)?.length, 10);
    });

    it('leaves what only takes away as it was', async () => {
      const [person, browser] = [await makeUser(api), new Browser(api)];
      await browser.signIn('/account', person);
      await new Browser(api).signIn('/account', person);
      await later();
      assert.equal((await browser.submit(await browser.go('/account'), 'end-sessions')).status, 200);
    });
  });
});
