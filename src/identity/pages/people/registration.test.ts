// People register themselves.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, it } from 'node:test';
import { assertOk, assertRefused } from '../../../../test/support/answers.ts';
import { DEFAULT_PASSWORDS, onDatabase, onUsualDatabase } from '../../../../test/support/api.ts';
import { smtpSettings } from '../../../../test/support/mail-server.ts';
import { askToRegister, linkIn, newestMail, newMailbox, startMailServer } from '../../../../test/support/mailbox.ts';
import { RegistrationClient } from '../../../../test/support/registration.ts';
import { makeUser, RelyingParty } from '../../../../test/support/relying-party.ts';
import { databaseOf } from '../../../../test/support/restartable-api.ts';
import { assertAtField, type BrowserPage, TestBrowser } from '../../../../test/support/test-browser.ts';
import { LANGUAGES } from '../../ground/look/index.ts';

const { en, es } = LANGUAGES;
const PASSWORD = 'a password that was chosen';
const isAccount = ({ url }: BrowserPage): boolean => new URL(url).pathname === '/account';
const ANSWERS = { name: 'Ann Example', new_password: PASSWORD, new_password_again: PASSWORD };

const server = await startMailServer();
const folder = mkdtempSync(join(tmpdir(), 'gatehouse-registration-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const section = (text: string): string => `[registration]\n${text}\n`;
writeFileSync(join(folder, 'keystone.guests.conf'), section('mode = open\nallowed_email_domains = example.org, Example.COM'));
writeFileSync(join(folder, 'keystone.staff.conf'), section('mode = invitation'));

const settings = {
  ...smtpSettings(server),
  ...DEFAULT_PASSWORDS,
  GATEHOUSE_IDENTITY_REGISTRATION: 'open',
  GATEHOUSE_IDENTITY_DOMAIN_CONFIG_DIR: folder,
};

onUsualDatabase(
  'Registration',
  (api) => {
    it('starts at an application, needs a link from a mail, and ends at the application', async () => {
      const email = newMailbox();
      const party = await RelyingParty.make(api);
      const browser = new TestBrowser(api);
      const { url, checks } = await party.ask({ scope: 'openid profile email' });
      const signIn = await browser.go(url);
      const [href = ''] = /\/openid\/register\?interaction=[\w-]+/.exec(signIn.text) ?? [];
      const sent = await browser.submit(await browser.go(href), undefined, {
        email: email.replace('example.org', 'EXAMPLE.org'),
      });
      assert.equal(sent.status, 200, sent.text);
      assert.equal(assertOk(await api.get(`/v3/users?name=${email}`)).users.length, 0, 'there is no account yet');

      const mail = await newestMail(server, email);
      assert.equal(mail.subject, 'Confirm your e-mail address');
      const page = await browser.go(linkIn(mail));
      const done = await browser.submit(page, undefined, ANSWERS);
      assert.equal(done.status, 200, done.text);
      const [, back = ''] = /href="(\/openid\/interaction\/[^"]+)"/.exec(done.text) ?? [];
      const tokens = await party.redeem(await browser.signIn(back, { name: email, password: PASSWORD }), checks);
      const info = await party.userInfo(tokens);
      assert.deepEqual([info.name, info.preferred_username, info.email, info.email_verified], [ANSWERS.name, email, email, true]);
    });

    it('refuses a password that breaks the rules and an empty name, and the link stays valid', async () => {
      const email = newMailbox();
      await askToRegister(api, email);
      const browser = new TestBrowser(api, { 'accept-language': 'es' });
      let page = await browser.go(linkIn(await newestMail(server, email)));
      for (const [answers, message, field] of [
        [{ ...ANSWERS, name: ' \u200b ' }, es.noName, 'name'],
        [{ ...ANSWERS, new_password_again: 'another' }, es.passwordsDiffer, 'new_password_again'],
        [{ ...ANSWERS, new_password: 'k7#Zq9!', new_password_again: 'k7#Zq9!' }, es.passwordShort(8), 'new_password'],
        [{ ...ANSWERS, new_password: 'password1', new_password_again: 'password1' }, es.passwordCommon, 'new_password'],
      ] as const) {
        page = await browser.submit(page, undefined, answers);
        assert.equal(page.status, 400);
        assertAtField(page, field, message);
      }
      assert.ok((await browser.submit(page, undefined, ANSWERS)).text.includes(es.accountReadyTitle));
      const { users } = assertOk(await api.get(`/v3/users?name=${encodeURIComponent(email)}`));
      assert.deepEqual([users.length, users[0].enabled, users[0].email], [1, true, email]);
    });

    it('asks to accept the terms of use as they are now, and stores which were accepted', async () => {
      const store = (values: Record<string, string | null>) =>
        api.patch('/v3/OS-SERVICE/settings', {
          settings: Object.fromEntries(Object.entries(values).map(([key, value]) => [`GATEHOUSE_IDENTITY_${key}`, value])),
        });
      assert.equal((await store({ TERMS_VERSION: '1' })).status, 400, 'nobody could read them');
      assertOk(await store({ TERMS_VERSION: '1', TERMS_URL: 'https://example.org/terms' }));
      const email = newMailbox();
      await askToRegister(api, email);
      const browser = new TestBrowser(api);
      let page = await browser.go(linkIn(await newestMail(server, email)));
      assert.ok(page.text.includes('href="https://example.org/terms"') && page.text.includes(en.acceptTerms));
      // Without a tick, with other words, and with the version that was shown before a change.
      for (const terms of [undefined, 'yes', '1']) {
        if (terms === '1') assertOk(await store({ TERMS_VERSION: '2' }));
        page = await browser.submit(page, undefined, { ...ANSWERS, ...(terms === undefined ? {} : { terms }) });
        assert.equal(page.status, 400);
        assert.ok(page.text.includes(en.termsNotAccepted));
      }
      const done = await browser.submit(page, undefined, { ...ANSWERS, terms: '2' });
      assert.ok(done.text.includes(en.accountReadyTitle), done.text);
      const { users } = assertOk(await api.get(`/v3/users?name=${encodeURIComponent(email)}`));
      const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${users[0].id}&action=user.registered`));
      assert.equal(events[0].detail.terms, '2');
      const db = await databaseOf(api);
      const rows = await db.read.selectFrom('accepted_terms').where('user_id', '=', users[0].id).selectAll().execute();
      await db.close();
      assert.deepEqual(
        rows.map(({ version, url }) => [version, url]),
        [['2', 'https://example.org/terms']],
      );
      assertOk(await store({ TERMS_VERSION: null, TERMS_URL: null }));
    });

    it('has terms that people with an account accept at their next sign-in, if the service wants that', async () => {
      const store = async (values: Record<string, string | null>) =>
        assertOk(
          await api.patch('/v3/OS-SERVICE/settings', {
            settings: Object.fromEntries(
              Object.entries(values).map(([key, value]) => [`GATEHOUSE_IDENTITY_TERMS_${key}`, value]),
            ),
          }),
        );
      const { user, name, password } = await makeUser(api);
      const alone = { GATEHOUSE_IDENTITY_TERMS_AT_SIGN_IN: 'true' };
      assertRefused(await api.patch('/v3/OS-SERVICE/settings', { settings: alone }), 400, /TERMS_VERSION must be set/);
      await store({ VERSION: '1', URL: 'https://example.org/terms', AT_SIGN_IN: 'true' });
      const browser = new TestBrowser(api);
      const asked = await browser.signIn('/account', { name, password });
      assert.ok(asked.text.includes(en.termsChangedTitle) && asked.text.includes('https://example.org/terms'), asked.text);
      const { action, fields } = asked.forms.find((form) => form.fields.step === 'terms')!;
      const send = (values: Record<string, string>) => browser.send(new URL(action, asked.url), { ...fields, ...values });
      for (const values of [{}, { terms: '0' }]) {
        const refused = await send(values);
        assert.ok(refused.status === 400 && refused.text.includes(en.termsNotAccepted), refused.text);
      }
      for (const step of ['skip', 'ask-code', 'code', 'passkey-create', 'wallet'])
        assert.ok(!isAccount(await send({ step, terms: '1' })), step);
      await store({ VERSION: '2' });
      assert.equal((await send({ terms: '1' })).status, 400, 'another version');
      assert.ok(!isAccount(await browser.go('/account')), 'nobody is signed in yet');
      await api.logIn({ id: user.id, password });
      const again = await browser.signIn('/account', { name, password });
      const account = await browser.submit(again, 'terms', { terms: '2' });
      assert.ok(isAccount(account), account.text);
      assert.ok(isAccount(await new TestBrowser(api).signIn('/account', { name, password })), 'once');
      const { events } = assertOk(await api.get(`/v3/OS-AUDIT/events?target_id=${user.id}&action=user.terms_accepted`));
      assert.deepEqual(
        events.map(({ detail }: any) => detail.version),
        ['2'],
      );
      await store({ VERSION: null, URL: null, AT_SIGN_IN: null });
    });

    it('asks for what the domain wants to know, and keeps it', async () => {
      const store = async (values: Record<string, string | null>) =>
        assertOk(
          await api.patch('/v3/OS-SERVICE/settings', {
            settings: Object.fromEntries(
              Object.entries(values).map(([key, value]) => [`GATEHOUSE_IDENTITY_REGISTRATION_${key}`, value]),
            ),
          }),
        );
      await store({ GIVEN_NAME: 'required', LANGUAGE: 'optional' });
      const email = newMailbox();
      await askToRegister(api, email);
      const browser = new TestBrowser(api);
      let page = await browser.go(linkIn(await newestMail(server, email)));
      assert.ok(!page.text.includes('name="family_name"'), 'it is off');
      for (const [more, field, message] of [
        [{ given_name: ' ' }, 'given_name', en.fieldMissing],
        [{ given_name: 'Ann', family_name: 'Example', name: '' }, 'name', en.noName],
      ] as const) {
        page = await browser.submit(page, undefined, { ...ANSWERS, ...more });
        assert.equal(page.status, 400);
        assertAtField(page, field, message);
      }
      page = await browser.submit(page, undefined, { ...ANSWERS, given_name: 'Ann', language: 'no language' });
      assert.ok(page.status === 400 && page.text.includes(en.wrongProfile.preferredLanguage), page.text);
      await store({ FAMILY_NAME: 'required' });
      const said = { ...ANSWERS, name: '', given_name: 'Ann', language: 'es' };
      page = await browser.submit(page, undefined, said);
      assertAtField(page, 'family_name', en.fieldMissing);
      assert.ok(!page.text.includes('name="name"'), 'both parts are the name');
      page = await browser.submit(page, undefined, { ...said, family_name: 'Example' });
      assert.equal(page.status, 200, page.text);
      const { users } = assertOk(await api.get(`/v3/users?name=${encodeURIComponent(email)}`));
      const { given_name, family_name, language } = assertOk(await api.get(`/v3/users/${users[0].id}`)).user;
      assert.deepEqual([given_name, family_name, language], ['Ann', 'Example', 'es']);
      const portal = new RegistrationClient(api);
      assertRefused(await portal.register({ name: newMailbox(), given_name: 'Bob' }), 400, /family_name/);
      assertOk(await portal.register({ name: newMailbox(), given_name: 'Bob', family_name: 'Example' }), 201);
      await store({ GIVEN_NAME: null, FAMILY_NAME: null, LANGUAGE: null });
    });

    it('with an address that has an account sends a mail that says so', async () => {
      const email = newMailbox();
      const person = await makeUser(api, { email });
      assert.equal((await askToRegister(api, email)).status, 200);
      const mail = await newestMail(server, email);
      assert.equal(mail.subject, 'You have an account already');
      assert.ok(mail.text?.includes(`${api.url}/openid/forgotten-password`));
      await api.logIn({ name: person.name, password: person.password });
    });

    it('is for the domain that is named, with its own rules', async () => {
      const domain = await api.make('domain', { name: 'guests' });
      const email = newMailbox();
      const browser = new TestBrowser(api);
      const page = await browser.go('/openid/register?domain=guests');
      assert.ok(page.text.includes('example.org, Example.COM'));
      const elsewhere = await browser.submit(page, undefined, { email: 'ann@elsewhere.example' });
      assert.equal(elsewhere.status, 400);
      assertAtField(elsewhere, 'email', en.addressNotAllowed);
      assert.equal((await browser.submit(page, undefined, { email })).status, 200);
      await browser.submit(await browser.go(linkIn(await newestMail(server, email))), undefined, ANSWERS);
      const { users } = assertOk(await api.get(`/v3/users?domain_id=${domain.id}`));
      assert.deepEqual(
        users.map(({ name }: { name: string }) => name),
        [email],
      );
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertOk(await api.delete(`/v3/domains/${domain.id}`), 204);
    });

    it('ends with what the domain allowed: a link of before opens nothing', async () => {
      const domain = await api.make('domain', { name: 'visitors' });
      const email = newMailbox();
      const browser = new TestBrowser(api);
      await browser.submit(await browser.go('/openid/register?domain=visitors'), undefined, { email });
      const link = linkIn(await newestMail(server, email));
      const page = await browser.go(link);
      const settings = `/v3/OS-SERVICE/domains/${domain.id}/settings`;
      const allow = async (domains: string | null) =>
        assertOk(await api.patch(settings, { settings: { 'registration.allowed_email_domains': domains } }));
      await allow('elsewhere.example');
      for (const closed of [await new TestBrowser(api).go(link), await browser.submit(page, undefined, ANSWERS)])
        assert.ok(closed.text.includes(en.linkEndedTitle), closed.text);
      assert.deepEqual(assertOk(await api.get(`/v3/users?domain_id=${domain.id}`)).users, []);
      await allow(null);
      await browser.submit(await browser.go(link), undefined, ANSWERS);
      assert.equal(assertOk(await api.get(`/v3/users?domain_id=${domain.id}`)).users.length, 1, 'nothing else was wrong');
      assertOk(await api.patch(`/v3/domains/${domain.id}`, { domain: { enabled: false } }));
      assertOk(await api.delete(`/v3/domains/${domain.id}`), 204);
    });

    it('is closed where the domain says so, is disabled, or does not exist: always with the same page', async () => {
      await api.make('domain', { name: 'staff' });
      const disabled = await api.make('domain', { name: 'gone', enabled: false });
      const closed = ['staff', disabled.name, disabled.id, 'nowhere', 'x'.repeat(400)];
      const browser = new TestBrowser(api);
      const pages: string[] = [];
      for (const domain of closed) {
        const page = await browser.go(`/openid/register?domain=${domain}`);
        const sent = await askToRegister(api, newMailbox(), { domain });
        assert.deepEqual([page.status, sent.status], [403, 403]);
        pages.push(page.text, sent.text);
      }
      assert.equal(new Set(pages).size, 1);
      assert.ok(pages[0]!.includes(en.registerClosedText));
    });
  },
  { settings },
);

onDatabase('SQLite', 'Registration by default', { settings: smtpSettings(server) }, (api) => {
  it('is for those who were invited', async () => {
    const browser = new TestBrowser(api);
    assert.equal((await browser.go('/openid/register')).status, 403);
    assert.doesNotMatch((await browser.go('/account')).text, /openid\/register/);
  });
});
