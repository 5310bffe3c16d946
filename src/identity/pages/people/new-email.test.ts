// A person changes their e-mail address; attacks on that.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { onUsualDatabase, type TestApi } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import {
  askForPassword,
  askToRegister,
  linkIn,
  mailsTo,
  newestMail,
  newMailbox,
  startMailServer,
  tokenIn,
} from '../../../../test/support/mailbox.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { stepOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const { en } = LANGUAGES;
const SECURITY = '/account/security';
const PAGE = '/openid/new-email';

const server = await startMailServer();
const settings = {
  ...smtpSettings(server),
  GATEHOUSE_IDENTITY_REGISTRATION: 'open',
  GATEHOUSE_IDENTITY_REGISTRATION_EMAIL_DOMAINS: 'example.org',
};

interface Person {
  readonly name: string;
  readonly password: string;
}

async function ask(api: TestApi, person: Person, email: string, browser = new TestBrowser(api)) {
  const page = await browser.signIn(SECURITY, person);
  return { browser, answer: await browser.submit(page, 'change-email', { email }) };
}

onUsualDatabase(
  'Another e-mail address',
  (api) => {
    const claimsOf = async (person: Person) => {
      const party = await RelyingParty.make(api);
      const { email, email_verified: verified } = await party.userInfo(await party.tokensFor(person, { scope: 'openid email' }));
      return [email, verified];
    };

    it('is confirmed at the new one, and told to the former one, whose links end', async () => {
      const [former, fresh] = [newMailbox(), newMailbox()];
      const person = await makeUser(api, { email: former });
      assert.deepEqual(await claimsOf(person), [former, false]);
      const { browser, answer } = await ask(api, person, fresh);
      assert.ok(answer.text.includes(en.emailLinkSent), answer.text);
      const mail = await newestMail(server, fresh);
      assert.equal(mail.subject, 'Confirm your new e-mail address');
      assert.deepEqual(await claimsOf(person), [former, false], 'nothing has changed yet');
      await askForPassword(api, person.name);
      const reset = linkIn(await newestMail(server, former));
      const page = await browser.go(linkIn(mail));
      assert.ok(page.text.includes(en.newEmailText(person.name, fresh)), page.text);
      const done = await browser.submit(page, undefined);
      assert.ok(done.text.includes(en.emailChangedTitle), done.text);
      assert.deepEqual(await claimsOf(person), [fresh, true]);
      assert.equal((await mailsTo(server, former, 2))[1]!.subject, 'Your e-mail address was changed');
      assert.equal((await new TestBrowser(api).go(reset)).status, 400);
      assert.equal((await browser.submit(page, undefined)).status, 400, 'it works once');
      assertOk(await api.patch(`/v3/users/${person.id}`, { user: { email: newMailbox() } }));
      assert.equal((await claimsOf(person))[1], false, 'nobody has proved the address that an administrator enters');
    });

    it('becomes the user name of those whose former one was', async () => {
      const [former, fresh] = [newMailbox(), newMailbox()];
      await askToRegister(api, former);
      const password = 'a password that was chosen';
      const form = { name: 'Ann', new_password: password, new_password_again: password };
      const token = tokenIn(await newestMail(server, former));
      await new TestBrowser(api).send('/openid/confirm-email', { token, ...form });
      const { browser } = await ask(api, { name: former, password }, fresh);
      await browser.submit(await browser.go(linkIn(await newestMail(server, fresh))), undefined);
      assert.deepEqual(await claimsOf({ name: fresh, password }), [fresh, true]);
      assert.equal((await api.authenticate({ name: former, password })).status, 401);
    });

    it('can be the one that the account has, if it is not confirmed', async () => {
      const email = newMailbox();
      const person = await makeUser(api, { email });
      const { browser } = await ask(api, person, email);
      await browser.submit(await browser.go(linkIn(await newestMail(server, email))), undefined);
      assert.deepEqual(await claimsOf(person), [email, true]);
      const again = await ask(api, person, email);
      assert.equal(again.answer.status, 400);
      assert.equal(server.to(email).length, 1, 'no mail about a change');
    });

    it('is refused if it is none, of another domain, or managed elsewhere', async () => {
      const person = await makeUser(api);
      for (const email of ['nothing', 'a@b@example.org', 'ann@elsewhere.example', 'ann@sub.example.org'])
        assert.equal((await ask(api, person, email)).answer.status, 400, email);
      const scim = assertOk(await api.get(`/scim/v2/Users/${person.id}`));
      const body = { ...scim, externalId: 'from a provisioning client' };
      assertOk(await api.put(`/scim/v2/Users/${person.id}`, body));
      const page = await new TestBrowser(api).signIn(SECURITY, person);
      assert.ok(page.text.includes(en.emailElsewhere));
      assert.ok(!page.forms.some(({ fields }) => fields.step === 'change-email'));
    });

    it('is not confirmed by somebody whom a provisioning client manages by now', async () => {
      const [person, fresh] = [await makeUser(api), newMailbox()];
      const { browser } = await ask(api, person, fresh);
      const page = await browser.go(linkIn(await newestMail(server, fresh)));
      const scim = assertOk(await api.get(`/scim/v2/Users/${person.id}`));
      assertOk(await api.put(`/scim/v2/Users/${person.id}`, { ...scim, externalId: 'from a provisioning client' }));
      assert.equal((await browser.submit(page, undefined)).status, 400);
      assert.deepEqual(await claimsOf(person), [person.user.email, false]);
    });

    it('is asked for by a mail without any text of the person: it may go to a stranger', async () => {
      const [person, fresh] = [await makeUser(api), newMailbox()];
      const scim = assertOk(await api.get(`/scim/v2/Users/${person.id}`));
      assertOk(await api.put(`/scim/v2/Users/${person.id}`, { ...scim, displayName: 'You won: http://evil.example' }));
      await ask(api, person, fresh);
      const { text, html } = await newestMail(server, fresh);
      assert.doesNotMatch(`${text} ${html}`, /evil/);
    });

    it('answers the same whether somebody has it or not', async () => {
      const [person, other] = [await makeUser(api), await makeUser(api)];
      const answers = [await ask(api, person, other.user.email as string), await ask(api, person, newMailbox())];
      const shown = answers.map(({ answer: { status, text } }) => [status, text.replaceAll(/form_token" value="[^"]+"/g, '')]);
      assert.deepEqual(shown[0], shown[1]);
    });

    it('is left alone by whoever cancels the sign-in: they are not sent to it again', async () => {
      const [person, fresh, browser] = [await makeUser(api), newMailbox(), new TestBrowser(api)];
      await ask(api, person, fresh);
      for (const page of [linkIn(await newestMail(server, fresh)), '/account/data']) {
        const left = await browser.submit(await browser.go(page), 'cancel');
        assert.ok(left.text.includes(en.notSignedInTitle), left.text);
        const again = /<a class="button" href="([^"]+)"/.exec(left.text)![1]!;
        assert.equal(stepOf(await browser.go(again.replaceAll('&amp;', '&'))), 'password');
      }
    });

    it('needs a sign-in of the same account, and a recent one to begin with', async () => {
      const [person, other, fresh] = [await makeUser(api), await makeUser(api), newMailbox()];
      const { browser } = await ask(api, person, fresh);
      const mail = await newestMail(server, fresh);
      const link = linkIn(mail);
      // A program that checks mails, or whoever got the mail by mistake.
      const stranger = new TestBrowser(api);
      const first = await stranger.go(link);
      assert.equal(stepOf(first), 'password');
      assert.equal((await stranger.answerForms(first, other)).status, 400, 'another account');
      const own = new TestBrowser(api);
      const page = await own.answerForms(await own.go(link), person);
      assert.ok(page.text.includes(en.newEmailText(person.name, fresh)), page.text);
      const [form] = page.forms;
      const { form_token: _token, ...rest } = form!.fields;
      assert.equal((await own.send(PAGE, rest)).status, 403, 'no token of the session');
      assert.equal((await own.send(PAGE, { ...form!.fields }, { Origin: 'https://evil.example' })).status, 403);
      assert.equal((await own.submit(page, undefined)).status, 200);
      api.clock.advance(3600);
      const stale = await browser.send(SECURITY, {
        ...(await browser.go(SECURITY)).forms[0]?.fields,
        step: 'change-email',
        email: fresh,
      });
      assert.equal(stepOf(stale), 'password');
    });
  },
  { settings },
);
