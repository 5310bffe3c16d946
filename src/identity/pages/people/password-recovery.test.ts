// A forgotten password: a mail with a link, and a new password.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { assertOk } from '../../../../test/support/answers.ts';
import { DEFAULT_PASSWORDS, onDatabase, onUsualDatabase, uniqueName } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import {
  afterRequests,
  askForPassword,
  linkIn,
  mailsTo,
  newestMail,
  newMailbox,
  startMailServer,
} from '../../../../test/support/mailbox.ts';
import { AT_LOCALHOST, PasskeyPerson, servesAtLocalhost } from '../../../../test/support/passkeys.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { assertAtField, redirectTargetOf, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const { en, es } = LANGUAGES;
const FRESH = 'a fresh one of a person';
const again = (password: string) => ({ new_password: password, new_password_again: password });

const server = await startMailServer();
const settings = { ...smtpSettings(server), ...DEFAULT_PASSWORDS };

onUsualDatabase(
  'A forgotten password',
  (api) => {
    it('is replaced by a link in a mail, and the person returns to the application', async () => {
      const email = newMailbox();
      const person = await makeUser(api, { email });
      const token = await api.logIn({ name: person.name, password: person.password });
      const party = await RelyingParty.make(api);
      const browser = new TestBrowser(api);
      const signIn = await browser.go((await party.ask()).url);
      const [href = ''] = /\/openid\/forgotten-password\?interaction=[\w-]+/.exec(signIn.text) ?? [];
      const sent = await browser.submit(await browser.go(href), undefined, { name: person.name });
      assert.equal(sent.status, 200);
      assert.ok(sent.text.includes(en.forgottenSent));

      const mail = await newestMail(server, email);
      assert.equal(mail.subject, 'Choose a new password');
      const link = linkIn(mail);
      assert.equal(link.origin + link.pathname, `${api.url}/openid/new-password`);
      const page = await browser.go(link);
      assert.ok(page.text.includes(`value="${person.name}"`));
      const saved = await browser.submit(page, undefined, again(FRESH));
      assert.equal(saved.status, 200, saved.text);
      assert.ok(saved.text.includes(en.passwordSavedText));

      assert.equal((await api.get('/v3/auth/catalog', { token })).status, 401, 'tokens are revoked');
      await api.logIn({ name: person.name, password: FRESH });
      assert.equal((await api.authenticate({ name: person.name, password: person.password })).status, 401);
      const [, back = ''] = /href="(\/openid\/interaction\/[^"]+)"/.exec(saved.text) ?? [];
      const done = await browser.signIn(back, { name: person.name, password: FRESH });
      assert.ok(redirectTargetOf(done).searchParams.has('code'));
      const [, changed, ...more] = await mailsTo(server, email, 2);
      assert.equal(changed?.subject, 'Your password was changed');
      assert.deepEqual(more, []);
    });

    it('is found by the e-mail address too, in any domain, and the address counts as confirmed afterwards', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const email = newMailbox();
      const person = await makeUser(api, { email, domain_id: domain.id });
      const party = await RelyingParty.make(api);
      await askForPassword(api, email.toUpperCase());
      const browser = new TestBrowser(api);
      await browser.submit(await browser.go(linkIn(await newestMail(server, email))), undefined, again(FRESH));
      const tokens = await party.tokensFor(
        { name: person.name, password: FRESH, domain: domain.name },
        { scope: 'openid email' },
      );
      const { email: claimed, email_verified: isVerified } = await party.userInfo(tokens);
      assert.deepEqual([claimed, isVerified], [email, true]);
      await askForPassword(api, person.name, { domain: domain.name });
      await mailsTo(server, email, 3);
    });

    it('is not replaced by one that breaks the rules, which the page says in the reader’s language', async () => {
      const email = newMailbox();
      const person = await makeUser(api, { email });
      await askForPassword(api, person.name);
      const link = linkIn(await newestMail(server, email));
      const browser = new TestBrowser(api, { 'accept-language': 'es' });
      let page = await browser.go(link);
      for (const [answers, message, field] of [
        [{ new_password: FRESH, new_password_again: 'another' }, es.passwordsDiffer, 'new_password_again'],
        [again('k7#Zq9!'), es.passwordShort(8), 'new_password'],
        [again('Password1'), es.passwordCommon, 'new_password'],
      ] as const) {
        page = await browser.submit(page, undefined, answers);
        assert.equal(page.status, 400);
        assertAtField(page, field, message);
      }
      const chosen = await browser.send('/openid/language', { language: 'en' }, { Referer: page.url });
      assert.ok(chosen.text.includes(en.newPasswordText), chosen.text);
      const saved = await browser.submit(chosen, undefined, again(FRESH));
      assert.ok(saved.text.includes(en.passwordSavedText), 'the link still works');
    });

    it('of an account without a password here is not replaced, and a mail says so', async () => {
      const [email, locked] = [newMailbox(), newMailbox()];
      const user = await api.make('user', { name: uniqueName('person'), email });
      const other = await makeUser(api, { email: locked, options: { lock_password: true } });
      await askForPassword(api, user.name);
      await askForPassword(api, other.name);
      for (const address of [email, locked])
        assert.equal((await newestMail(server, address)).subject, 'Your password cannot be changed here');
    });

    it('of a disabled account, or of one in a disabled domain, leads to no mail', async () => {
      const domain = await api.make('domain', { name: uniqueName('domain') });
      const [closed, elsewhere] = [newMailbox(), newMailbox()];
      const person = await makeUser(api, { email: closed, enabled: false });
      const other = await makeUser(api, { email: elsewhere, domain_id: domain.id });
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assert.equal((await askForPassword(api, person.name)).status, 200);
      assert.equal((await askForPassword(api, other.name, { domain: domain.name })).status, 200);
      await afterRequests(api, server);
      assert.deepEqual([...server.to(closed), ...server.to(elsewhere)], []);
    });
  },
  { settings },
);

onDatabase('SQLite', 'A new password', { settings: { ...settings, ...AT_LOCALHOST } }, (api) => {
  servesAtLocalhost(api);

  it('leaves passkeys, and the page names them: somebody else may have added one', async () => {
    const email = newMailbox();
    const person = await PasskeyPerson.withPasskey(api);
    assertOk(await api.patch(`/v3/users/${person.id}`, { user: { email } }));
    await askForPassword(api, email);
    const browser = new TestBrowser(api);
    const saved = await browser.submit(await browser.go(linkIn(await newestMail(server, email))), undefined, again(FRESH));
    assert.match(saved.text, /<li>a phone<\/li>/);
  });
});
