// Somebody knows a password that has expired. Where the account asks for more than a password, that does not change it.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { onDatabase, type TestApi, underAttack } from '../../../../test/support/api.ts';
import { AT_LOCALHOST, PasskeyPerson, passkeyOptionsOf, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { enable, makeTwoFactorPerson, Phone, tokenByCode } from '../../../../test/support/second-factor.ts';
import { type BrowserPage, stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { whenAt } from '../../../../test/support/test-points.ts';
import { actAt } from '../../ground/test-points.ts';

const NEXT = 'another password of a test';
const POINT = 'change.before-transaction';
const STEP = 'expired-passkey';
const SECURITY = '/account/security';
const WRONG_CODE = /This code is not right, or it was used already/;

const expire = async (api: TestApi, id: string): Promise<void> => {
  assertOk(await api.post(`/v3/users/${id}/OS-PASSWORD/expire`, undefined));
};
const changed = (password: string, more: Record<string, string> = {}) => ({
  password,
  new_password: NEXT,
  new_password_again: NEXT,
  ...more,
});
const asksCode = (page: BrowserPage): boolean =>
  page.forms.some(({ fields }) => fields.step === 'new-password' && 'code' in fields);

underAttack(
  'A password that has expired',
  (api) => {
    const change = (id: string, original_password: string, more: object = {}) =>
      api.post(`/v3/users/${id}/password`, { user: { original_password, password: NEXT, ...more } }, { token: null });
    const isStill = async (id: string, password: string): Promise<void> =>
      assertRefused(await api.authenticate({ id, password }), 401, /expired/);
    const recoveryCodesOf = async (person: Awaited<ReturnType<typeof makeTwoFactorPerson>>): Promise<string[]> => {
      const token = await tokenByCode(api, person);
      const made = await api.request('POST', `/v3/users/${person.user.id}/OS-TWO-FACTOR/recovery_codes`, { token });
      return assertOk(made, 201).two_factor_auth.recovery_codes;
    };

    it('is not changed by itself alone where there is a second factor; with a code it is', async () => {
      const person = await makeTwoFactorPerson(api);
      const { user, password, phone } = person;
      await expire(api, user.id);
      const refused = await change(user.id, password);
      assertRefused(refused, 401, /^The request you have made requires authentication\.$/);
      assert.deepEqual(refused.body.error.identity, { methods: ['totp'] });
      assertRefused(await change(user.id, password, { verification_code: phone.wrong() }), 401);
      assertRefused(await change(user.id, password, { recovery_code: 'AAAA-AAAA-AAAA-AAAA' }), 401);
      assert.equal(
        (await change(user.id, 'not the password')).body.error.identity,
        undefined,
        'nobody else learns of the factor',
      );
      await isStill(user.id, password);
      assertOk(await change(user.id, password, { verification_code: phone.fresh() }), 204);
      await tokenByCode(api, { ...person, password: NEXT });
    });

    it('is changed with a recovery code, and by itself where nothing else is asked for', async () => {
      const person = await makeTwoFactorPerson(api);
      const { id } = person.user;
      const codes = await recoveryCodesOf(person);
      await expire(api, id);
      assertOk(await change(id, person.password, { recovery_code: codes[0] }), 204);
      const plain = await makeUser(api);
      await expire(api, plain.id);
      assertOk(await change(plain.id, plain.password), 204);
    });

    it('does not use up a recovery code when the new one is refused, or when no code would be enough', async () => {
      const person = await makeTwoFactorPerson(api);
      const { id } = person.user;
      const recovery_code = (await recoveryCodesOf(person))[0];
      const setOptions = async (options: object): Promise<void> => {
        assertOk(await api.patch(`/v3/users/${id}`, { user: { options } }));
      };
      const rules = [['password', 'passkey']];
      await setOptions({ multi_factor_auth_enabled: true, multi_factor_auth_rules: rules });
      assertRefused(await change(id, person.password, { recovery_code }), 401);
      await setOptions({ multi_factor_auth_enabled: false, lock_password: true });
      await expire(api, id);
      assertRefused(await change(id, person.password, { recovery_code }), 400);
      await setOptions({ lock_password: false });
      assertRefused(await change(id, person.password, { recovery_code, password: 'short' }), 400);
      assertOk(await change(id, person.password, { recovery_code }), 204);
    });

    it('is not changed without the code where more than a code is asked for, nor if it is asked for meanwhile', async () => {
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'passkey']] };
      const [person, plain] = [await makeTwoFactorPerson(api), await makeUser(api)];
      const { user, password, phone } = person;
      for (const { id } of [user, plain]) {
        assertOk(await api.patch(`/v3/users/${id}`, { user: { options } }));
        await expire(api, id);
      }
      const refused = await change(user.id, password);
      assertRefused(refused, 401);
      assert.deepEqual(refused.body.error.identity, { methods: ['totp'] });
      assertRefused(await change(user.id, password, { verification_code: phone.wrong() }), 401);
      await isStill(user.id, password);
      assertOk(await change(user.id, password, { verification_code: phone.fresh() }), 204);
      const askForCode = async (): Promise<void> => {
        const rules = { ...options, multi_factor_auth_rules: [['password', 'totp']] };
        assertOk(await api.patch(`/v3/users/${plain.id}`, { user: { options: rules } }));
      };
      // The first change is the event of the password.
      const inSecond = async () => void actAt(POINT, askForCode);
      const late = await whenAt(POINT, inSecond, () => change(plain.id, plain.password));
      assertRefused(late, 401);
      await isStill(plain.id, plain.password);
    });

    it('is not kept by a passkey that no browser offers at the address of the service any more', async () => {
      const { id, password } = await makeUser(api);
      const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'passkey']] };
      assertOk(await api.patch(`/v3/users/${id}`, { user: { options } }));
      const db = await databaseOf(api);
      try {
        const key = { credential_id: id, public_key: '', counter: 0, transports: '', synced: 0, name: 'from before' };
        const row = { ...key, id, user_id: id, created_at: 0, last_used_at: null, removed_at: null };
        await db.write((tx) => tx.insertInto('passkeys').values(row).execute());
      } finally {
        await db.close();
      }
      await expire(api, id);
      assertOk(await change(id, password), 204);
    });

    it('is not changed at the sign-in page without the code; with it the person is signed in, and not asked again', async () => {
      const { user, password, phone } = await makeTwoFactorPerson(api);
      await expire(api, user.id);
      const browser = new TestBrowser(api);
      const page = await browser.signIn(SECURITY, { name: user.name, password });
      assert.equal(stepOf(page), 'new-password');
      assert.ok(asksCode(page));
      for (const code of [{}, { code: phone.wrong() }, { recovery_code: 'AAAA-AAAA-AAAA-AAAA' }]) {
        const again = await browser.submit(page, 'new-password', changed(password, code));
        assert.deepEqual([again.status, stepOf(again), asksCode(again)], [401, 'new-password', true]);
        assert.match(again.text, WRONG_CODE);
      }
      const form = page.forms.find(({ fields }) => fields.step === 'new-password')!;
      const { code: _, recovery_code: __, ...older } = form.fields;
      const without = await browser.send(form.action, { ...older, ...changed(password) });
      assert.equal(without.status, 401, 'nor by a form that does not ask for it');
      await isStill(user.id, password);
      const done = await browser.submit(page, 'new-password', changed(password, { code: phone.fresh() }));
      assert.notEqual(stepOf(done), 'code');
      const account = await browser.go(SECURITY);
      assert.ok(
        account.forms.some(({ fields }) => fields.step === 'change-password'),
        'signed in',
      );
    });

    it('is changed with a recovery code at the sign-in page, which the event of the sign-in names', async () => {
      const person = await makeTwoFactorPerson(api);
      const { user, password } = person;
      const [recovery_code] = await recoveryCodesOf(person);
      await expire(api, user.id);
      const browser = new TestBrowser(api);
      const page = await browser.signIn(SECURITY, { name: user.name, password });
      await browser.submit(page, 'new-password', changed(password, { recovery_code: recovery_code! }));
      const db = await databaseOf(api);
      try {
        const logins = db.read.selectFrom('audit_events').where('target_id', '=', user.id).where('action', '=', 'user.logged_in');
        const methods = (await logins.select('detail').execute()).map(({ detail }) => String(JSON.parse(detail).methods));
        assert.ok(methods.includes('password,recovery_code'), JSON.stringify(methods));
      } finally {
        await db.close();
      }
    });

    it('changed with a code signs nobody else in without theirs, who has the name since', async () => {
      const [mallory, victim] = [await makeTwoFactorPerson(api), await makeTwoFactorPerson(api)];
      const { name } = mallory.user;
      const set = async (id: string, values: object): Promise<void> => {
        assertOk(await api.patch(`/v3/users/${id}`, { user: values }));
      };
      await set(victim.user.id, { password: NEXT });
      await expire(api, mallory.user.id);
      const browser = new TestBrowser(api);
      const page = await browser.signIn(SECURITY, { name, password: mallory.password });
      const swap = async (): Promise<void> => {
        await set(mallory.user.id, { name: `former ${name}` });
        await set(victim.user.id, { name });
      };
      // The changes before are the event of the password, and the use of the code.
      const inLast = async () => void actAt(POINT, async () => void actAt(POINT, swap));
      const sent = changed(mallory.password, { code: mallory.phone.fresh() });
      const next = await whenAt(POINT, inLast, () => browser.submit(page, 'new-password', sent));
      assert.equal(stepOf(next), 'code', next.text);
    });

    it('does not tell strangers at the sign-in page whether there is a second factor', async () => {
      const [careful, plain] = [await makeTwoFactorPerson(api), await makeUser(api)];
      await expire(api, careful.user.id);
      await expire(api, plain.id);
      const browser = new TestBrowser(api);
      const page = await browser.signIn(SECURITY, plain);
      assert.ok(!asksCode(page));
      const form = page.forms.find(({ fields }) => fields.step === 'new-password')!;
      for (const name of [careful.user.name, plain.name]) {
        const answer = await browser.send(form.action, { ...form.fields, name, ...changed('wrong') });
        assert.deepEqual([answer.status, asksCode(answer)], [401, false]);
        assert.doesNotMatch(answer.text, WRONG_CODE);
      }
    });
  },
  { settings: { GATEHOUSE_IDENTITY_PASSWORD_MIN_LENGTH: '6' } },
);

const STRICT = 'strict for expired passwords';
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-strict-'));
writeFileSync(join(folder, `keystone.${STRICT}.conf`), '[passkeys]\npolicy = required_for_administrators\n');
const settings = { ...AT_LOCALHOST, GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder };

onDatabase('SQLite', 'An expired password of somebody who must use a passkey', { settings }, (api) => {
  servesAtLocalhost(api);
  after(() => rmSync(folder, { recursive: true }));

  let domainId: string;
  before(async () => {
    domainId = (await api.make('domain', { name: STRICT })).id;
  });
  const answersOf = ({ name, password }: PasskeyPerson) => ({ name, password, domain: STRICT });
  const addPasskey = async (person: PasskeyPerson): Promise<void> => {
    const own = new TestBrowser(api);
    const adding = await own.submit(await own.signIn(SECURITY, answersOf(person)), 'passkey-new');
    const passkey = person.authenticator.create(passkeyOptionsOf(adding, 'create'));
    assert.equal((await own.submit(adding, 'passkey-create', { passkey, passkey_name: 'a phone' })).status, 200);
  };
  /** `prepare`: what they do before they must use a passkey. */
  const makeAdministrator = async (prepare?: typeof addPasskey): Promise<PasskeyPerson> => {
    const person = await PasskeyPerson.make(api, { domain_id: domainId });
    await prepare?.(person);
    assertOk(await api.put(`/v3/domains/${domainId}/users/${person.id}/roles/${await api.roleId('admin')}`), 204);
    return person;
  };

  it('is not changed by itself alone if there is a passkey, which is asked for first; else it leads to a first one', async () => {
    const holder = await makeAdministrator(addPasskey);
    const rival = await makeAdministrator(addPasskey);
    const beginner = await makeAdministrator();
    for (const { id } of [holder, rival, beginner]) await expire(api, id);
    const original_password = holder.password;
    const byApi = await api.post(
      `/v3/users/${holder.id}/password`,
      { user: { original_password, password: NEXT } },
      { token: null },
    );
    assertRefused(byApi, 401);
    assert.deepEqual(byApi.body.error.identity, { methods: ['passkey'] });
    const browser = new TestBrowser(api);
    const page = await browser.signIn(SECURITY, answersOf(holder));
    assert.equal(stepOf(page), STEP);
    assert.match(page.text, /Your password has expired\. Use your passkey/);
    const form = page.forms.find(({ fields }) => fields.step === STEP)!;
    const fields = { form_token: form.fields.form_token!, step: 'new-password', name: holder.name, domain: STRICT };
    const without = await browser.send(form.action, { ...fields, ...changed(holder.password) });
    assert.equal(without.status, 401, 'nor by a form that was not offered');
    const use = (twist: object) =>
      browser.submit(page, STEP, { passkey: holder.authenticator.get(passkeyOptionsOf(page), twist) });
    assert.equal((await use({ foreignKey: true })).status, 401);
    // A key without a PIN cannot sign in alone.
    const fresh = await use({ isUserVerified: false });
    assert.equal(stepOf(fresh), 'new-password');
    const other = await browser.send(form.action, { ...fields, name: rival.name, ...changed(rival.password) });
    assert.equal(other.status, 401, 'nor that of somebody else with a passkey');
    const last = await browser.submit(fresh, 'new-password', changed(holder.password));
    await holder.usePasskey(browser, last, { isUserVerified: false });
    const account = await browser.go(SECURITY);
    assert.notEqual(stepOf(account), 'password', 'signed in');

    const first = new TestBrowser(api);
    const expired = await first.signIn(SECURITY, answersOf(beginner));
    assert.equal(stepOf(expired), 'new-password');
    const next = await first.submit(expired, 'new-password', changed(beginner.password));
    assert.ok(passkeyOptionsOf(next, 'create'), next.text);
  });

  it('is not changed by itself, nor with a code, where a rule of the account asks for the password and a passkey', async () => {
    const person = await PasskeyPerson.make(api, { domain_id: domainId });
    await addPasskey(person);
    const { two_factor_key: key } = assertOk(await enable(api, person), 201).two_factor_auth;
    const options = { multi_factor_auth_enabled: true, multi_factor_auth_rules: [['password', 'passkey']] };
    assertOk(await api.patch(`/v3/users/${person.id}`, { user: { options } }));
    await expire(api, person.id);
    const user = { original_password: person.password, password: NEXT };
    for (const code of [{}, { verification_code: new Phone(api, key).fresh() }]) {
      const refused = await api.post(`/v3/users/${person.id}/password`, { user: { ...user, ...code } }, { token: null });
      assertRefused(refused, 401);
      assert.deepEqual(refused.body.error.identity, { methods: ['passkey'] });
    }
    const browser = new TestBrowser(api);
    const page = await browser.signIn(SECURITY, answersOf(person));
    const passkey = person.authenticator.get(passkeyOptionsOf(page));
    const fresh = await browser.submit(page, STEP, { passkey });
    const last = await browser.submit(fresh, 'new-password', changed(person.password));
    await person.usePasskey(browser, last);
    assert.notEqual(stepOf(await browser.go(SECURITY)), 'password', 'signed in');
  });

  it('is changed with a code where the factor is on and the first passkey is missing', async () => {
    const person = await makeAdministrator();
    const { two_factor_key: key } = assertOk(await enable(api, person), 201).two_factor_auth;
    const phone = new Phone(api, key);
    await expire(api, person.id);
    const { id, password } = person;
    const byApi = await api.post(
      `/v3/users/${id}/password`,
      { user: { original_password: password, password: NEXT } },
      { token: null },
    );
    assertRefused(byApi, 401);
    assert.deepEqual(byApi.body.error.identity, { methods: ['totp'] });
    const browser = new TestBrowser(api);
    const page = await browser.signIn(SECURITY, answersOf(person));
    assert.ok(asksCode(page));
    for (const code of [{}, { code: phone.wrong() }]) {
      const again = await browser.submit(page, 'new-password', changed(password, code));
      assert.deepEqual([again.status, stepOf(again), asksCode(again)], [401, 'new-password', true]);
    }
    const next = await browser.submit(page, 'new-password', changed(password, { code: phone.fresh() }));
    assert.ok(passkeyOptionsOf(next, 'create'), next.text);
  });
});
