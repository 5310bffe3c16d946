// Everybody of a domain must have a second factor: nobody gets in by the password alone, nor turns on a factor for somebody else.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { underAttack } from '../../../../test/support/api.ts';
import { AT_LOCALHOST, PasskeyPerson, passkeyOptionsOf, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { isSignedIn, keyOf, MUST, SECURITY, usesStrictDomain } from '../../../../test/support/required-factor.ts';
import { codesOn, enable, logInWith, Phone } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const words = LANGUAGES.en;
const SERVICE = '/v3/OS-SERVICE/settings';

underAttack(
  'A second factor that everybody must have',
  (api) => {
    servesAtLocalhost(api);
    const { domain, require, factorOf, enter, make, enrol } = usesStrictDomain(api);

    it('is turned on between the password and the sign-in, with recovery codes that are shown once', async () => {
      const person = await make();
      const { browser, page } = await enter(person);
      assert.equal(stepOf(page), 'factor-create', page.text);
      assert.match(page.text, /<svg/);
      const wrong = await browser.submit(page, 'factor-create', { code: new Phone(api, keyOf(page)).wrong() });
      assert.equal(wrong.status, 401);
      assert.ok(wrong.text.includes(words.wrongCode));
      assert.equal(keyOf(wrong), keyOf(page), 'it may be in the app already');
      assert.equal(await factorOf(person.id), false);
      const { phone, page: shown } = await enrol(person, { browser, page: wrong });
      const codes = codesOn(shown);
      assert.equal(codes.length, 10, shown.text);
      assert.equal(await factorOf(person.id), true);
      const file = await browser.submit(shown, 'factor-codes');
      assert.ok(file.text.includes(codes[9]!) && file.text.includes(person.name));
      const again = await browser.go(shown.url);
      assert.deepEqual(codesOn(again), []);
      assert.ok(isSignedIn(await browser.submit(again, 'factor-kept')));
      // From now on it is an ordinary second factor.
      const user = { user: { id: person.id }, password: person.password };
      assertRefused(await logInWith(api, user, { verification_code: phone.code() }), 401);
      assertOk(await logInWith(api, user, { verification_code: phone.fresh() }), 201);
      assertOk(await logInWith(api, user, { recovery_code: codes[0] }), 201);
      assert.equal(stepOf((await enter(person)).page), 'code');
    });

    it('is no step that can be left out, and no key of somebody else is accepted', async () => {
      const [person, other] = [await make(), await make()];
      const { browser, page } = await enter(person);
      const theirs = await enter(other);
      for (const step of [
        'skip',
        'code',
        'recovery',
        'ask-code',
        'factor-kept',
        'factor-codes',
        'second-passkey',
        'passkey-create',
        'allow',
      ]) {
        const tried = await browser.send(page.url, { ...page.forms[0]!.fields, step, code: '123456', codes: 'AAAA' });
        assert.ok(!isSignedIn(tried), step);
        assert.notEqual(stepOf(await browser.go(SECURITY)), 'two-factor-off', step);
      }
      const uid = new URL(page.url).pathname.split('/').at(-1)!;
      for (const path of [page.url, SECURITY, `/openid/authorize/${uid}`]) {
        const came = await browser.go(path);
        assert.ok(came.status === 400 || ['password', 'factor-create'].includes(stepOf(came) ?? ''), `${path} ${came.text}`);
      }
      // A key that the attacker knows, in place of the one that the service has proposed.
      const known = new Phone(api, keyOf(theirs.page));
      const planted = await browser.send(page.url, {
        ...page.forms[0]!.fields,
        step: 'factor-create',
        proposed: 'x',
        code: known.fresh(),
      });
      assert.ok(!isSignedIn(planted) && codesOn(planted).length === 0);
      assert.equal(await factorOf(person.id), false);
      // A page of another sign-in.
      const { fields } = theirs.page.forms[0]!;
      const crossed = await browser.send(page.url, { ...fields, code: known.code() });
      assert.ok(!isSignedIn(crossed) && codesOn(crossed).length === 0);
    });

    it('is turned on once: whoever else knows the password does not replace it', async () => {
      const person = await make();
      const thief = await enter(person);
      const owner = await enter(person);
      const { page: shown, browser } = await enrol(person, owner);
      const stolen = await enrol(person, thief);
      assert.deepEqual(codesOn(stolen.page), []);
      assert.equal(stepOf(stolen.page), 'password');
      assert.ok(isSignedIn(await browser.submit(shown, 'factor-kept')));
      assert.ok(!isSignedIn(await thief.browser.send(thief.page.url, { ...thief.page.forms[0]!.fields, step: 'factor-kept' })));
      const both = await make();
      const tries = [await enter(both), await enter(both)];
      const pages = await Promise.all(tries.map((one) => enrol(both, one)));
      assert.equal(pages.filter(({ page }) => codesOn(page).length === 10).length, 1);
    });

    it('is not added by the password where there is another one: that is asked for', async () => {
      const person = await PasskeyPerson.make(api, { domain_id: domain().id });
      await require(null);
      const { browser, page } = await enter(person);
      const adding = await browser.submit(page, 'passkey-new');
      const passkey = person.authenticator.create(passkeyOptionsOf(adding, 'create'));
      await browser.submit(adding, 'passkey-create', { passkey, passkey_name: 'a phone' });
      await require('required');
      const asked = (await enter(person)).page;
      assert.equal(stepOf(asked), 'second-passkey', asked.text);
      assert.ok(!asked.forms.some(({ fields }) => ['factor-create', 'skip'].includes(fields.step ?? '')));
      const alone = new TestBrowser(api);
      assert.ok(isSignedIn(await person.usePasskey(alone, await alone.go(SECURITY))), 'it counts as both');
    });

    it('is asked for at the API, of whoever knows the password; programs can be exempt', async () => {
      const person = await make();
      const logIn = (password = person.password) => logInWith(api, { user: { id: person.id }, password });
      const refused = await logIn();
      assertRefused(refused, 401, MUST);
      assert.equal(refused.headers.get('openstack-auth-receipt'), null);
      assertRefused(await logIn('not the password'), 401, /^The request you have made requires authentication\.$/);
      const preview = assertOk(await api.get(`/v3/users/${person.id}/OS-ACCESS/sign-in`)).sign_in;
      assert.deepEqual(preview.ways.find(({ way }: { way: string }) => way === 'password').asks, ['new_factor']);
      const exempt = { user: { options: { ignore_two_factor_policy: true } } };
      assertOk(await api.patch(`/v3/users/${person.id}`, exempt));
      const token = assertOk(await logIn(), 201) && (await logIn()).headers.get('x-subject-token')!;
      assert.ok(isSignedIn((await enter(person)).page));
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { options: { ignore_two_factor_policy: null } } }));
      assertRefused(await logIn(), 401, MUST);
      // What was there before goes on.
      assertOk(await api.get(`/v3/users/${person.id}`, { token }));
      assertRefused(await api.patch(`/v3/users/${person.id}`, exempt, { token }), 403);
      assertOk(await enable(api, person, undefined, { token }), 201);
    });

    it('is not turned off by the person; an administrator resets it, and another one is turned on', async () => {
      const person = await make();
      const { browser, page, phone } = await enrol(person);
      const account = await browser.submit(page, 'factor-kept');
      assert.ok(account.text.includes(words.twoFactorMustStay));
      assert.ok(!account.forms.some(({ fields }) => fields.step === 'two-factor-off'));
      const { fields } = account.forms.find(({ fields: { step } }) => step === 'recovery-codes')!;
      const off = await browser.send(account.url, { ...fields, step: 'two-factor-off', password: person.password });
      assert.ok(off.text.includes(words.twoFactorMustStay), off.text);
      const login = await logInWith(
        api,
        { user: { id: person.id }, password: person.password },
        { verification_code: phone.fresh() },
      );
      const path = `/v3/users/${person.id}/OS-TWO-FACTOR/two_factor_auth`;
      assertRefused(await api.delete(path, { token: login.headers.get('x-subject-token')! }), 403, /cannot be turned off/);
      assert.equal(await factorOf(person.id), true);
      assertOk(await api.delete(path), 204);
      assert.equal(stepOf((await enter(person)).page), 'factor-create');
    });

    it('concerns sign-ins that are not finished, and not the sessions of before', async () => {
      await require(null);
      const person = await make();
      const { browser, page } = await enter(person);
      assert.ok(isSignedIn(page));
      const late = new TestBrowser(api);
      const form = (await late.go(SECURITY)).forms.find(({ fields }) => fields.step === 'password')!;
      const answers = { ...form.fields, name: person.name, password: person.password, domain: domain().name };
      const done = await late.request(new URL(form.action, api.url), {
        method: 'POST',
        body: new URLSearchParams(answers),
        headers: { Origin: new URL(api.url).origin },
      });
      assert.equal(done.status, 303, done.text);
      await require('required');
      assert.ok(!isSignedIn(await late.go(done.headers.get('location')!)), 'the policy is newer');
      assert.ok(isSignedIn(await browser.go(SECURITY)));
      // Signing in once more in that browser: its session ends with the others, and the sign-in goes on.
      const back = { response_type: 'none', scope: 'openid', redirect_uri: `${api.url}${SECURITY}`, prompt: 'login' };
      const again = await browser.go(`/openid/authorize?${new URLSearchParams({ client_id: 'gatehouse_account', ...back })}`);
      const entered = await browser.submit(again, 'password', {
        name: person.name,
        password: person.password,
        domain: domain().name,
      });
      const { page: shown } = await enrol(person, { browser, page: entered });
      assert.ok(isSignedIn(await browser.submit(shown, 'factor-kept')));
    });

    it('is no looser in a domain than in the service, where nobody is shut out', async () => {
      await require(null);
      assertOk(await api.patch(SERVICE, { settings: { GATEHOUSE_IDENTITY_TWO_FACTOR: 'required' } }));
      const looser = { settings: { 'two_factor.policy': 'optional' } };
      assertRefused(await api.patch(`/v3/OS-SERVICE/domains/${domain().id}/settings`, looser), 400, /must be required/);
      const person = await make();
      assertRefused(await api.authenticate({ id: person.id, password: person.password }), 401, MUST);
      assert.equal(stepOf((await enter(person)).page), 'factor-create');
      assertOk(await api.patch(SERVICE, { settings: { GATEHOUSE_IDENTITY_TWO_FACTOR: null } }));
      assertOk(await api.authenticate({ id: person.id, password: person.password }), 201);
    });
  },
  { settings: AT_LOCALHOST },
);
