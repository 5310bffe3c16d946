// A stolen token or an unattended session must not be enough to change how its owner signs in.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type ApiAnswer, onUsualDatabase, type TestApi, uniqueName } from '../../../../test/support/api.ts';
import { makePerson } from '../../../../test/support/applications.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { patchOf, ScimClient, USER } from '../../../../test/support/scim.ts';
import { codesOn, makeTwoFactorPerson, QUESTION, tokenByCode } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { makeTrust, trustPerson, trustToken } from '../../../../test/support/trusts.ts';

const TOO_OLD = 901;

/** Everything by which people change how they sign in. */
const changesOf = (api: TestApi, { id }: { id: string }, token: string): (() => Promise<ApiAnswer>)[] => {
  const own = `/v3/users/${id}/OS-TWO-FACTOR`;
  return [
    () => api.post(`${own}/two_factor_auth`, { two_factor_auth: QUESTION }, { token }),
    () => api.post(`${own}/recovery_codes`, {}, { token }),
    () => api.post(`/v3/OS-TWO-FACTOR/devices?user_id=${id}`, {}, { token }),
    () => api.delete(`${own}/two_factor_auth`, { token }),
    () => api.post('/v3/credentials', { credential: { type: 'totp', blob: 'GEZDGNBVGY3TQOJQ', user_id: id } }, { token }),
  ];
};

const statuses = async (work: readonly (() => Promise<ApiAnswer>)[]): Promise<number[]> => {
  const found: number[] = [];
  for (const one of work) found.push((await one()).status);
  return found;
};

onUsualDatabase('Changing how one signs in', (api) => {
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
      const person = await makeTwoFactorPerson(api);
      const token = await tokenByCode(api, person);
      assert.deepEqual(await statuses(changesOf(api, person.user, token)), [201, 201, 200, 204, 201]);
    });

    it('is refused to whom an administrator passed their role on, for the account of the administrator', async () => {
      const [trustor, trustee] = [await trustPerson(api, ['admin']), await trustPerson(api)];
      const trust = await makeTrust(api, trustor, trustee, { roles: [{ name: 'admin' }], impersonation: true });
      const token = await trustToken(api, trustee, trust);
      const path = `/v3/users/${trustor.user.id}`;
      const password = { user: { password: 'a password of the trustee' } };
      assert.equal((await api.patch(path, password, { token })).status, 401);
      assert.equal(
        (await api.patch(`/v3/users/${trustee.user.id}`, { user: { email: 'x@example.org' } }, { token })).status,
        200,
      );
      assert.equal((await api.patch(path, password, { token: trustor.token })).status, 200);
    });

    it('is refused to a token that was left behind', async () => {
      const person = await makeTwoFactorPerson(api);
      const token = await tokenByCode(api, person);
      await later();
      assert.deepEqual(await statuses(changesOf(api, person.user, token)), [401, 401, 401, 401, 401]);
      assert.equal((await api.get(`/v3/users/${person.user.id}/OS-TWO-FACTOR/two_factor_data`, { token })).status, 200);
    });

    it('is refused to a new token made from an old one, and not to one from a new login', async () => {
      const person = await makeTwoFactorPerson(api);
      const { user, organization } = person;
      const token = await tokenByCode(api, person);
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
      const fresh = await rescope(await rescope(await tokenByCode(api, person)));
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

  describe('by those who may change accounts, their own among them', () => {
    type Change = [what: string, work: () => Promise<ApiAnswer>];

    /** What changes how a person signs in, as far as it leaves the token alive; the passwords come last. */
    const ofAccount = ({ id, name }: { id: string; name: string }, token: string, old: boolean): Change[] => {
      const patch = (user: object) => () => api.patch(`/v3/users/${id}`, { user }, { token });
      const scim = new ScimClient(api, token);
      const replacing = (path: string, value: unknown) => patchOf({ op: 'replace', path, value });
      const within = { userName: name, password: 'mine from now on' };
      return [
        ['factors', patch({ options: { multi_factor_auth_enabled: true } })],
        ['rules', patch({ options: { multi_factor_auth_rules: [['password']] } })],
        ['lock-out', patch({ options: { ignore_lockout_failure_attempts: true } })],
        ['e-mail', patch({ email: `${uniqueName('mine')}@example.org` })],
        ['SCIM e-mail', () => scim.patch('/Me', replacing('emails', [{ value: 'mine@example.org', primary: true }]))],
        ['name', patch({ name: uniqueName('mine') })],
        ...(old ? [['no password', patch({ password: null })] as Change] : []),
        ['SCIM PUT', () => scim.put(`/Users/${id}`, { schemas: [USER], ...within })],
        ['SCIM PATCH', () => scim.patch(`/Users/${id}`, replacing('password', 'mine from now on'))],
        ['SCIM PATCH of /Me', () => scim.patch('/Me', replacing('password', 'mine from now on'))],
        ['old SCIM PUT', () => api.put(`/v3/OS-SCIM/v2/Users/${id}`, within, { token })],
        ['old SCIM PATCH', () => api.patch(`/v3/OS-SCIM/v2/Users/${id}`, within, { token })],
        ['old SCIM 1.1', () => api.put(`/v3/OS-SCIM/v1/Users/${id}`, within, { token })],
        ['password', patch({ password: 'mine from now on' })],
      ];
    };
    const person = async (role: string) => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      return api.persona([role, 'reader'], { domain: domain.id }, { domain_id: domain.id });
    };

    it('is refused to a token that was left behind, of managers and of administrators, and changes nothing', async () => {
      for (const role of ['manager', 'admin']) {
        const { user, password, token } = await person(role);
        await later();
        const { body: before } = await api.get(`/v3/users/${user.id}`);
        for (const [what, work] of ofAccount(user, token, true))
          if (role === 'admin' || !what.startsWith('old SCIM')) assert.equal((await work()).status, 401, `${role}: ${what}`);
        assert.deepEqual((await api.get(`/v3/users/${user.id}`)).body, before);
        assert.equal((await api.authenticate({ id: user.id, password })).status, 201);
      }
    });

    it('takes a login that is not long ago, and leaves the rest of the account to any', async () => {
      const { user, token } = await person('admin');
      let [name, used, password] = [user.name as string, token, ''];
      for (const [index, [what]] of ofAccount(user, token, false).entries()) {
        const answer = await ofAccount({ id: user.id, name }, used, false)[index]![1]();
        assert.ok(answer.status < 300, `${what}: ${answer.status} ${answer.text}`);
        ({ name } = (await api.get(`/v3/users/${user.id}`)).body.user);
        if (!/SCIM P|1\.1|^password/.test(what)) continue;
        password = 'mine from now on';
        used = await api.logIn({ id: user.id, password }, { domain: { id: user.domain_id } });
      }
      await later();
      const patch = (values: object) => api.patch(`/v3/users/${user.id}`, { user: values }, { token: used });
      const same = { name, options: { ignore_lockout_failure_attempts: true } };
      for (const values of [{ description: 'the same person' }, same]) assert.equal((await patch(values)).status, 200);
    });

    it('is what they do for others with any token of theirs', async () => {
      const { user, token } = await person('manager');
      const other = await api.make('user', { name: uniqueName('other'), domain_id: user.domain_id });
      await later();
      const body = { user: { password: 'given to you', options: { ignore_lockout_failure_attempts: true } } };
      assert.equal((await api.patch(`/v3/users/${other.id}`, body, { token })).status, 200);
    });

    it('is refused to a token that was left behind when the credential of somebody else becomes its own', async () => {
      const [{ user, token }, other] = [await person('admin'), await makePerson(api)];
      const credential = { type: 'totp', blob: 'GEZDGNBVGY3TQOJQ', user_id: other.user.id };
      const made = await api.post('/v3/credentials', { credential });
      await later();
      const path = `/v3/credentials/${made.body.credential.id}`;
      assert.equal((await api.patch(path, { credential: { user_id: user.id } }, { token })).status, 401);
      assert.equal((await api.patch(path, { credential: { blob: 'GEZDGNBVGY3TQOJA' } }, { token })).status, 200);
    });
  });

  describe('reading the key of an authenticator app', () => {
    const seed = { type: 'totp', blob: 'GEZDGNBVGY3TQOJQ' };
    const make = async (credential: object, token: string): Promise<string> => {
      const made = await api.post('/v3/credentials', { credential }, { token });
      assert.equal(made.status, 201, made.text);
      return made.body.credential.id;
    };
    const read = (token: string, ...paths: string[]) =>
      statuses(paths.map((path) => () => api.get(`/v3/credentials${path}`, { token })));

    it('of one’s own takes a login that is not long ago, one by one and in lists', async () => {
      const { user, password, token } = await makePerson(api);
      const [key, other] = [await make(seed, token), await make({ type: 'cert', blob: 'x' }, token)];
      const showing = [`/${key}`, '', '?type=totp', `?user_id=${user.id}`, '?type__contains=to'];
      const hiding = [`/${other}`, '?type=cert'];
      assert.deepEqual(await read(token, ...showing, ...hiding), [200, 200, 200, 200, 200, 200, 200]);
      await later();
      assert.deepEqual(await read(token, ...showing, ...hiding), [401, 401, 401, 401, 401, 200, 200]);
      for (const path of showing) assert.ok(!(await api.get(`/v3/credentials${path}`, { token })).text.includes(seed.blob), path);
      const fresh = await api.logIn({ id: user.id, password });
      assert.deepEqual(await read(fresh, ...showing), [200, 200, 200, 200, 200]);
    });

    it('of others is what administrators do with any token of theirs; their own is no exception', async () => {
      const { user, token } = await api.persona(['admin'], { domain: 'default' });
      const { user: other } = await makePerson(api);
      const [mine, theirs] = [await make(seed, token), await make({ ...seed, user_id: other.id }, token)];
      await later();
      const paths = [`/${theirs}`, `?user_id=${other.id}`, `/${mine}`, `?user_id=${user.id}`, '?limit=1000'];
      assert.deepEqual(await read(token, ...paths), [200, 200, 401, 401, 401]);
    });
  });

  describe('at the account page', () => {
    it('asks whoever signed in long ago to do so again', async () => {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      const page = await browser.signIn('/account/security', person);
      assert.match(page.text, /Two-factor/i);
      await later();
      const asked = await browser.submit(await browser.go('/account/security'), 'two-factor-on');
      assert.equal(stepOf(asked), 'password');
      const back = await browser.submit(asked, 'password', { name: person.name, password: person.password });
      const proposed = await browser.submit(back, 'two-factor-on');
      const { fields } = proposed.forms.find((form) => form.fields.step === 'two-factor-confirm')!;
      assert.ok(fields.proposed);
      await later();
      const { proposed: kept } = fields as { proposed: string };
      const late = await browser.submit(await browser.go('/account/security'), 'two-factor-on', {
        step: 'two-factor-confirm',
        proposed: kept,
      });
      assert.equal(stepOf(late), 'password', 'the second half of it as well');
    });

    it('asks for the second factor again, where there is one, for whatever it guards', async () => {
      const person = await makeTwoFactorPerson(api);
      const answers = { name: person.user.name as string, password: person.password, code: () => person.phone.fresh() };
      const browser = new TestBrowser(api);
      await browser.signIn('/account/security', answers);
      await later();
      for (const step of ['recovery-codes', 'two-factor-off', 'change-password']) {
        const proof = { password: person.password, current_password: person.password };
        const form = { ...proof, new_password: 'another password', new_password_again: 'another password' };
        assert.equal(stepOf(await browser.submit(await browser.go('/account/security'), step, form)), 'password', step);
      }
      const asked = await browser.submit(await browser.go('/account/security'), 'recovery-codes');
      const again = await browser.answerForms(asked, answers);
      const codes = await browser.submit(again, 'recovery-codes');
      assert.equal(codesOn(codes).length, 10);
    });

    it('does not require it for steps that only remove something', async () => {
      const [person, browser] = [await makeUser(api), new TestBrowser(api)];
      await browser.signIn('/account/security', person);
      await new TestBrowser(api).signIn('/account/security', person);
      await later();
      assert.equal((await browser.submit(await browser.go('/account/sessions'), 'end-sessions')).status, 200);
    });
  });
});
