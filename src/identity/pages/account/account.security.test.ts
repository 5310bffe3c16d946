// The account page is closed to disabled and deleted accounts.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { makeUser } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { logInWith, Phone } from '../../../../test/support/second-factor.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const { es } = LANGUAGES;

onUsualDatabase('The account page', (api) => {
  it('is closed to people of a domain that was disabled, and does nothing for them', async () => {
    const domain = await api.make('domain', { name: uniqueName('domain') });
    const [person, browser] = [await makeUser(api, { domain_id: domain.id }), new TestBrowser(api)];
    const page = await browser.signIn('/account/security', { ...person, domain: domain.name });
    assert.equal(stepOf(await browser.go('/account/security')), stepOf(page));
    const change = {
      current_password: person.password,
      new_password: 'another password of a person',
      new_password_again: 'another password of a person',
    };
    assert.equal((await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } })).status, 200);
    assert.equal(stepOf(await browser.go('/account')), 'password');
    for (const [step, path] of [
      ['two-factor-on', '/account/security'],
      ['change-password', '/account/security'],
      ['end-sessions', '/account/sessions'],
    ] as const) {
      const sent = await browser.send(path, { ...page.forms[0]!.fields, ...change, step });
      assert.equal(stepOf(sent), 'password', `${step}: they are to sign in, which they cannot`);
      assert.doesNotMatch(sent.text, /two-factor-confirm/);
    }
    assert.equal((await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: true } })).status, 200);
    assert.equal(stepOf(await browser.go('/account')), 'password', 'and the session is over');
    await api.logIn({ id: person.id, password: person.password });
  });

  it('makes a file of recovery codes only, whatever a form has in their place', async () => {
    const browser = new TestBrowser(api);
    const page = await browser.signIn('/account/security', await makeUser(api));
    const ask = (codes: string, token = page.forms[0]!.fields.form_token!) =>
      browser.send('/account/security', { form_token: token, step: 'recovery-codes-file', codes });
    const file = await ask('ABCD-EFGH-IJKL-MNOP\r\nABCD-EFGH-IJKL-2345');
    assert.equal(file.headers.get('content-disposition'), 'attachment; filename="recovery-codes.txt"');
    assert.equal(file.headers.get('content-type'), 'text/plain; charset=utf-8');
    for (const codes of ['', 'x\r\nSet-Cookie: a=b', '<script>alert(1)</script>', 'ABCD-EFGH-IJKL-MNOP\n<b>'])
      assert.deepEqual([(await ask(codes)).status, browser.cookie('a')], [400, undefined], codes);
    assert.equal((await ask('ABCD-EFGH-IJKL-MNOP', 'x')).status, 403);
  });

  it('leaves no trace of an application that does not exist', async () => {
    const [person, browser, db] = [await makeUser(api), new TestBrowser(api), await databaseOf(api)];
    try {
      const page = await browser.signIn('/account/security', person);
      const form = { form_token: page.forms[0]!.fields.form_token!, step: 'revoke', application: 'x'.repeat(10_000) };
      assert.equal((await browser.send('/account/applications', form)).status, 200);
      const events = await db.read.selectFrom('audit_events').where('target_id', '=', person.id).select('action').execute();
      assert.ok(!events.some(({ action }) => action === 'consent.revoked'), JSON.stringify(events));
    } finally {
      await db.close();
    }
  });

  it('says in the language of the reader what was refused', async () => {
    const person = await makeUser(api);
    const browser = new TestBrowser(api, { 'Accept-Language': 'es' });
    const page = await browser.signIn('/account/security', person);
    const send = (step: string, values: Record<string, string> = {}, path = '/account/security') =>
      browser.send(path, { form_token: page.forms[0]!.fields.form_token!, step, ...values });
    const passwords = (again: string) => ({ current_password: person.password, new_password: again, new_password_again: again });
    for (const [answer, text] of [
      [await send('forget-device', { device: 'x' }, '/account/sessions'), es.isGone],
      [await send('passkey-rename', { passkey_id: 'x' }), es.passkeysNotAllowed],
      [await send('provider-unlink', { link: 'x' }), es.isGone],
      [await send('change-password', passwords(person.password)), es.passwordSame],
      [await send('two-factor-off', { password: 'wrong' }), es.wrongPassword],
    ] as const) {
      assert.equal(answer.status, 400, text);
      assert.ok(answer.text.includes(text), answer.text);
    }
    assert.match((await browser.send('/account', {})).text, new RegExp(es.refusedText));
    assert.match((await browser.go('/openid/nothing')).text, new RegExp(es.noPageText));
  });

  it('does not offer another language where that would lose what is shown once', async () => {
    const browser = new TestBrowser(api);
    const page = await browser.signIn('/account/security', await makeUser(api));
    assert.match(page.text, /lang="es"/);
    const proposal = await browser.submit(page, 'two-factor-on');
    assert.equal(stepOf(proposal), 'two-factor-confirm');
    assert.doesNotMatch(proposal.text, /lang="es"/);
  });

  describe('where the second factor is turned on', () => {
    async function proposalFor(person: { name: string; password: string }) {
      const browser = new TestBrowser(api);
      const page = await browser.submit(await browser.signIn('/account/security', person), 'two-factor-on');
      const [, key = ''] = /<code class="copy">(\w+)</.exec(page.text) ?? [];
      const { proposed = '' } = page.forms.find(({ fields }) => fields.step === 'two-factor-confirm')!.fields;
      const confirm = (more: Record<string, string>) =>
        browser.submit(page, 'two-factor-confirm', { question: 'q', answer: 'a', ...more });
      return { phone: new Phone(api, key), proposed, confirm };
    }

    it('takes no key that was proposed to somebody else', async () => {
      const [anna, eve] = [await makeUser(api), await makeUser(api)];
      const [own, hers] = [await proposalFor(anna), await proposalFor(eve)];
      const answer = await own.confirm({ proposed: hers.proposed, code: hers.phone.code() });
      assert.ok(answer.status < 500, answer.text);
      assert.doesNotMatch(answer.text, /recovery-codes-file/);
      assert.equal((await logInWith(api, anna)).status, 201, 'it is not on');
      assert.match((await own.confirm({ code: own.phone.code() })).text, /recovery-codes-file/);
    });

    it('takes the code of it for nothing else', async () => {
      const person = await makeUser(api);
      const { phone, confirm } = await proposalFor(person);
      const code = phone.code();
      const wrong = await confirm({ code: phone.wrong() });
      assert.ok(wrong.status < 500, wrong.text);
      assert.doesNotMatch(wrong.text, /recovery-codes-file/);
      assert.equal((await logInWith(api, person)).status, 201, 'a wrong one turned nothing on');
      assert.match((await confirm({ code })).text, /recovery-codes-file/);
      assert.equal((await logInWith(api, person, { verification_code: code })).status, 401);
      api.clock.advance(30);
      assert.equal((await logInWith(api, person, { verification_code: phone.code() })).status, 201);
    });

    it('takes no answer for right where no question was asked', async () => {
      const person = await makeUser(api);
      const { phone, confirm } = await proposalFor(person);
      await confirm({ code: phone.code() });
      for (const answer of ['a', '%20', 'undefined']) {
        const path = `/v3/users/${person.id}/OS-TWO-FACTOR/sec_question?security_answer=${answer}`;
        assert.equal((await api.head(path)).status, 401, answer);
      }
    });
  });

  it('is closed to whoever was disabled, or deleted', async () => {
    const [closed, gone] = [await makeUser(api), await makeUser(api)];
    const [one, other] = [new TestBrowser(api), new TestBrowser(api)];
    await one.signIn('/account', closed);
    await other.signIn('/account', gone);
    assert.equal((await api.patch(`/v3/users/${closed.id}`, { user: { enabled: false } })).status, 200);
    assert.equal((await api.delete(`/v3/users/${gone.id}`)).status, 204);
    for (const browser of [one, other]) assert.equal(stepOf(await browser.go('/account')), 'password');
  });
});
