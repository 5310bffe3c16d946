// A forgotten password, registration and another e-mail address, in a real browser with real mails.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { LANGUAGES } from '../../src/identity/ground/look/index.ts';
import type { Language } from '../../src/platform/languages/index.ts';
import { onDatabase } from '../support/api.ts';
import { withApplication } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { smtpSettings } from '../support/mail-server.ts';
import { linkIn, newestMail, newMailbox, startMailServer } from '../support/mailbox.ts';
import { makeUser } from '../support/relying-party.ts';
import { alertOf, enterPassword, follow, outcome, press, sectionOf, titleOf, words } from '../support/visitor.ts';

const chromium = usesChromium();
const server = await startMailServer();
const settings = { ...smtpSettings(server), GATEHOUSE_IDENTITY_REGISTRATION: 'open' };
const FRESH = 'a fresh one of a person';

onDatabase('SQLite', 'People with a browser and a mailbox', { settings }, (api) => {
  const application = withApplication(api);
  const open = (): Promise<Page> => chromium.open(api);
  const choosePassword = async (page: Page, password: string, again = password): Promise<void> => {
    await page.getByLabel(words.newPassword, { exact: true }).fill(password);
    await page.getByLabel(words.newPasswordAgain).fill(again);
  };

  it('choose a new password for a forgotten one, and are back at the application', async () => {
    const email = newMailbox();
    const person = await makeUser(api, { email });
    const page = await open();
    await page.goto(application().signIn());
    await follow(page, words.forgottenPassword);
    await page.getByLabel(words.nameOrEmail).fill(email);
    await press(page, words.sendLink);
    assert.equal(await titleOf(page), words.lookTitle);
    await page.goto(linkIn(await newestMail(server, email)).href);
    assert.equal(await page.getByLabel(words.userName).inputValue(), person.name);
    await choosePassword(page, FRESH, 'another one');
    await press(page, words.savePassword);
    assert.equal(await alertOf(page), words.passwordsDiffer);
    await choosePassword(page, FRESH);
    await press(page, words.savePassword);
    assert.equal(await titleOf(page), words.passwordSavedTitle);
    await follow(page, words.signIn);
    await enterPassword(page, { name: person.name, password: FRESH });
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
    const news = await newestMail(server, email, 2);
    assert.equal(news.subject, 'Your password was changed');
  });

  it('register, confirm the address by pressing a button, and are back at the application', async () => {
    const email = newMailbox();
    const page = await open();
    await page.goto(application().signIn());
    await follow(page, words.register);
    await page.getByLabel(words.emailAddress).fill('not an address');
    await press(page, words.continueLabel);
    assert.equal(await alertOf(page), words.noAddress);
    await page.getByLabel(words.emailAddress).fill(email);
    await press(page, words.continueLabel);
    assert.match(await page.getByRole('status').innerText(), new RegExp(email));
    await page.goto(linkIn(await newestMail(server, email)).href);
    await page.getByLabel(words.yourName).fill('Ann Example');
    await choosePassword(page, FRESH);
    await press(page, words.createAccount);
    assert.equal(await titleOf(page), words.accountReadyTitle);
    await follow(page, words.signIn);
    await enterPassword(page, { name: email, password: FRESH });
    await press(page, words.allow);
    assert.match(await outcome(page), /^Hello \w+/);
    await page.goto(`${api.url}/account`);
    assert.match(await page.locator('main').innerText(), /Ann Example/);
  });

  it('change their e-mail address, and confirm it on another device', async () => {
    const [former, fresh] = [newMailbox(), newMailbox()];
    const person = await makeUser(api, { email: former });
    const page = await open();
    await page.goto(`${api.url}/account/security`);
    await enterPassword(page, person);
    const section = sectionOf(page, words.emailAddress);
    assert.match(await section.innerText(), new RegExp(`${former}.*not confirmed`));
    await section.getByLabel(words.newEmail).fill(fresh);
    await press(page, words.sendLink);
    assert.equal(await page.getByRole('status').innerText(), words.emailLinkSent);
    const phone = await open();
    await phone.goto(linkIn(await newestMail(server, fresh)).href);
    await enterPassword(phone, person);
    assert.equal(await titleOf(phone), words.newEmailTitle);
    await press(phone, words.confirmEmail);
    assert.equal(await titleOf(phone), words.emailChangedTitle);
    assert.equal((await newestMail(server, former)).subject, 'Your e-mail address was changed');
    await page.reload();
    assert.match(await sectionOf(page, words.emailAddress).innerText(), new RegExp(`${fresh}.*confirmed`));
  });

  it('read all of it in their language', async () => {
    const subjects: Readonly<Partial<Record<Language, string>>> = {
      es: 'Confirme su dirección de correo',
      de: 'Bestätigen Sie Ihre E-Mail-Adresse',
    };
    for (const { language, ...here } of Object.values(LANGUAGES).filter(({ language }) => language in subjects)) {
      const email = newMailbox();
      const page = await chromium.open(api, { locale: language });
      await page.goto(`${api.url}/account`);
      await follow(page, here.register);
      await page.getByLabel(here.emailAddress).fill(email);
      await press(page, here.continueLabel);
      const mail = await newestMail(server, email);
      assert.equal(mail.subject, subjects[language]);
      await page.goto(linkIn(mail).href);
      assert.equal(await titleOf(page), here.confirmTitle);
    }
  });
});
