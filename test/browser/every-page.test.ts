// Checks every page: accessibility, keyboard, small screens, and dark mode.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { DESK, keyboardTroubles, lookTroubles, run } from '../support/accessibility.ts';
import { DELETION_ALLOWED } from '../support/account-deletion.ts';
import { assertOk } from '../support/answers.ts';
import { onDatabase, type TestApi } from '../support/api.ts';
import { type ApplicationPage, startDevice, withApplication } from '../support/application-page.ts';
import { makeOrganization } from '../support/applications.ts';
import { usesChromium } from '../support/chromium.ts';
import { connectProvider } from '../support/federation.ts';
import { InvitationClient } from '../support/invitations.ts';
import { smtpSettings } from '../support/mail-server.ts';
import { askToRegister, linkIn, newestMail, newMailbox, startMailServer } from '../support/mailbox.ts';
import { AT_LOCALHOST, servesAtLocalhost } from '../support/passkeys.ts';
import { makeUser } from '../support/relying-party.ts';
import { Phone } from '../support/second-factor.ts';
import { TestBrowser } from '../support/test-browser.ts';
import { enterCode, enterPassword, openAccount, outcome, press, sectionOf, titleOf, words } from '../support/visitor.ts';

const chromium = usesChromium();
const server = await startMailServer();

type Look = (name: string) => Promise<void>;

/** Pages of people who are not signed in, and those that links in mails open. */
async function tourWithMails(api: TestApi, page: Page, look: Look): Promise<void> {
  const [known, fresh] = [newMailbox(), newMailbox()];
  await makeUser(api, { email: known });
  const choose = async (name: string, button: string): Promise<void> => {
    await page.getByLabel(words.newPassword, { exact: true }).fill('a fresh one of a person');
    await page.getByLabel(words.newPasswordAgain).fill(name);
    await press(page, button);
  };
  await page.goto(`${api.url}/openid/forgotten-password`);
  await look('forgotten-password');
  await page.getByLabel(words.nameOrEmail).fill(known);
  await press(page, words.sendLink);
  await look('mail-sent');
  await page.goto(linkIn(await newestMail(server, known)).href);
  await look('reset-password');
  await choose('another', words.savePassword);
  await look('reset-password-wrong');
  await choose('a fresh one of a person', words.savePassword);
  await look('password-saved');
  await page.goto(`${api.url}/openid/new-password?token=none`);
  await look('link-ended');
  await page.goto(`${api.url}/openid/register?domain=nowhere`);
  await look('register-closed');
  await page.goto(`${api.url}/openid/register`);
  await look('register');
  await page.getByLabel(words.emailAddress).fill(fresh);
  await press(page, words.continueLabel);
  await page.goto(linkIn(await newestMail(server, fresh)).href);
  await look('confirm-email');
  await page.getByLabel(words.yourName).fill('Ann');
  await choose('a fresh one of a person', words.createAccount);
  await look('account-ready');
}

/** What the service can ask of people beyond the usual. */
async function tourOfMore(api: TestApi, page: Page, look: Look): Promise<void> {
  const store = async (values: Record<string, string | null>): Promise<void> => {
    const settings = Object.fromEntries(Object.entries(values).map(([key, value]) => [`GATEHOUSE_IDENTITY_${key}`, value]));
    assertOk(await api.patch('/v3/OS-SERVICE/settings', { settings }));
  };
  const asked = {
    REGISTRATION_CONFIRMED_BY: 'administrator',
    REGISTRATION_GIVEN_NAME: 'required',
    REGISTRATION_LANGUAGE: 'optional',
  };
  const terms = { TERMS_VERSION: '1', TERMS_URL: 'https://example.org/terms', TERMS_AT_SIGN_IN: 'true' };
  const nothing = (values: object) => Object.fromEntries(Object.keys(values).map((key) => [key, null]));
  const [email, person] = [newMailbox(), await makeUser(api)];
  await store({ ...asked, ...terms });
  await askToRegister(api, email);
  await page.goto(linkIn(await newestMail(server, email)).href);
  await page.getByLabel(words.yourName).fill('Ann');
  await page.getByLabel(words.givenName).fill('Ann');
  await page.getByLabel(words.newPassword, { exact: true }).fill('a fresh one of a person');
  await page.getByLabel(words.newPasswordAgain).fill('another');
  await page.getByLabel(words.acceptTerms).check();
  await press(page, words.createAccount);
  await look('confirm-email-fields');
  await page.getByLabel(words.newPassword, { exact: true }).fill('a fresh one of a person');
  await page.getByLabel(words.newPasswordAgain).fill('a fresh one of a person');
  await page.getByLabel(words.acceptTerms).check();
  await press(page, words.createAccount);
  await page.getByText(words.accountWaitsTitle).first().waitFor();
  await look('account-waits');
  await openAccount(api, page, 'overview');
  await enterPassword(page, person);
  await page.getByText(words.termsChangedTitle).first().waitFor();
  await look('terms');
  await page.getByLabel(words.acceptTerms).check();
  await press(page, words.continueLabel);
  await page.goto(`${api.url}/openid/logout`);
  await press(page, words.signOut);
  await store(nothing({ ...asked, ...terms }));
}

/** Somebody who leaves, and stays after all. */
async function tourOfLeaving(api: TestApi, page: Page, look: Look): Promise<void> {
  const person = await makeUser(api);
  await openAccount(api, page, 'data');
  await enterPassword(page, person);
  await look('account-data');
  for (const [name, next] of [
    ['somebody else', 'account-data-trouble'],
    [person.name, 'leaving'],
  ] as const) {
    await page.getByLabel(words.typeUserName(person.name)).fill(name);
    await press(page, words.deleteAccount);
    await look(next);
  }
  await openAccount(api, page, 'data');
  await enterPassword(page, person);
  await look('keep-account');
  await press(page, words.keepAccount);
  await look('account-kept');
}

/** Visits every page, and checks each. */
async function tour(api: TestApi, application: ApplicationPage, page: Page, look: Look): Promise<void> {
  await tourOfMore(api, page, look);
  await tourOfLeaving(api, page, look);
  const person = await makeUser(api, { email: `${'long'.repeat(15)}@example.org` });
  await makeOrganization(api, { user: person });
  const account = (name: Parameters<typeof openAccount>[2]) => openAccount(api, page, name);
  // Nobody answers there.
  const away = { issuer: 'http://127.0.0.1:9', clientId: 'x', clientSecret: 'y' };
  await connectProvider(api, away, { settings: { button_name: 'Acme', email_domains: ['example.org'] } });

  await page.goto(`${api.url}/openid/authorize?client_id=nobody&response_type=code`);
  await look('error');
  await page.goto(`${api.url}/openid/interaction/never-was`);
  await look('expired');
  await page.goto(`${api.url}/nowhere`);
  await look('no-page');

  await page.goto(application.signIn({ scope: 'openid profile email roles organizations offline_access' }));
  await look('sign-in');
  await press(page, words.providerByEmail);
  await look('provider-email');
  await press(page, words.providerBack);
  await press(page, words.providerContinue('Acme'));
  await look('provider-failed');
  await press(page, words.providerBack);
  await enterPassword(page, { ...person, password: 'not the password' });
  await page.getByText(words.otherDomain).click();
  await look('wrong-password');
  await enterPassword(page, person);
  await look('consent');
  await press(page, words.allow);

  await tourWithMails(api, page, look);

  for (const name of ['overview', 'profile', 'security', 'sessions', 'applications', 'access', 'activity'] as const) {
    await account(name);
    await look(`account-${name}`);
  }
  await account('security');
  await press(page, words.passkeyAdd);
  await look('new-passkey');
  await account('security');
  await press(page, words.turnOn);
  await look('key');
  const phone = new Phone(api, await sectionOf(page, words.twoFactor).locator('code').innerText());
  const confirm = async (code: string): Promise<void> => {
    await page.getByLabel(words.code, { exact: true }).fill(code);
    await press(page, words.turnOn);
  };
  await confirm(phone.wrong());
  await look('key-wrong-code');
  await confirm(phone.fresh());
  await look('recovery-codes');
  await page.goto(`${api.url}/openid/logout`);
  await look('logout');
  await press(page, words.signOut);
  await look('logged-out');

  await page.goto(application.signIn());
  await enterPassword(page, person);
  await look('second-factor');
  await enterCode(page, phone.wrong());
  await look('second-factor-wrong');
  await press(page, words.useRecoveryCode);
  await look('recovery');
  await press(page, words.useCode);
  await enterCode(page, phone.fresh(), true);
  // Turning the factor on ended what applications had.
  await press(page, words.allow);
  assert.equal(await outcome(page), `Hello ${person.id}`);

  const elsewhere = await new TestBrowser(api).signIn(new URL('/account', api.url), { ...person, code: () => phone.fresh() });
  assert.equal(elsewhere.status, 200);
  await account('security');
  await page.locator('summary').click();
  await look('account-security-on');
  const section = sectionOf(page, words.changePassword);
  await section.getByLabel(words.currentPassword).fill('not the password');
  await section.getByLabel(words.newPassword, { exact: true }).fill('a new password');
  await section.getByLabel(words.newPasswordAgain).fill('a new password');
  await press(page, words.changePassword);
  await look('account-trouble');
  await account('sessions');
  await look('account-of-much');
  await press(page, words.endOtherSessions);
  await look('account-done');

  const device = await startDevice(api, application.party.application);
  await page.goto(`${api.url}/openid/device`);
  await look('device');
  await page.getByLabel(words.deviceCode).fill('NOSUCHCODE');
  await press(page, words.continueLabel);
  await look('device-wrong');
  await page.getByLabel(words.deviceCode).fill(device.code);
  await press(page, words.continueLabel);
  await look('device-confirm');
  await press(page, words.continueLabel);
  await look('device-done');
  assert.equal(await titleOf(page), words.deviceDoneTitle);

  const client = new InvitationClient(api, server);
  const { link } = await client.invited({ email: `${'very-long'.repeat(6)}@example.org`, name: 'eve' });
  await page.goto(link);
  await look('invitation-of-another-account');
  await page.context().clearCookies();
  await page.goto(link);
  await look('invitation');
  await page.getByLabel(words.invitationPassword, { exact: true }).fill('one');
  await page.getByLabel(words.invitationPasswordAgain).fill('another');
  await press(page, words.invitationCreate);
  await look('invitation-trouble');
  await page.getByLabel(words.invitationPassword, { exact: true }).fill(person.password);
  await page.getByLabel(words.invitationPasswordAgain).fill(person.password);
  await press(page, words.invitationCreate);
  await look('invitation-done');
  await page.goto(link);
  await look('invitation-ended');

  api.clock.advance(31 * 86_400);
  await page.goto(application.signIn());
  await enterPassword(page, person);
  await look('new-password');
  assert.equal(await titleOf(page), words.changePassword);
}

/** Things that the content security policy forbids, and other mistakes. */
const INLINE = `[...document.querySelectorAll('*')].filter((one) => one.matches('script:not([src^="/openid/assets/passkeys-"], [src^="/openid/assets/passwords-"]), style, [style], iframe, object, base')
  || [...one.attributes].some(({ name, value }) => name.startsWith('on') || /^javascript:/i.test(value))).map((one) => one.outerHTML)`;

const settings = {
  ...AT_LOCALHOST,
  ...smtpSettings(server),
  GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS: '30',
  GATEHOUSE_IDENTITY_REGISTRATION: 'open',
  ...DELETION_ALLOWED,
};

onDatabase('SQLite', 'Every page', { settings }, (api) => {
  servesAtLocalhost(api);
  const application = withApplication(api);

  it('has no barrier, fits a phone, is reached by keyboard, and has nothing inline', async () => {
    // Our content security policy would block axe, which is a script. Other tests check the policy.
    const page = await chromium.open(api, { bypassCSP: true, viewport: DESK });
    const troubles: string[] = [];
    const seen: string[] = [];
    await tour(api, application(), page, async (name) => {
      seen.push(name);
      const note = (found: readonly string[], where: string) => troubles.push(...found.map((one) => `${name}, ${where}: ${one}`));
      note(await run<string[]>(page, INLINE), 'inline');
      note(await keyboardTroubles(page), 'keyboard');
      troubles.push(...(await lookTroubles(page, name)));
    });
    assert.deepEqual(troubles, []);
    assert.equal(new Set(seen).size, seen.length);
  });
});

onDatabase('SQLite', 'With a keyboard alone', {}, (api) => {
  const application = withApplication(api);

  it('a person signs in, allows, and signs out', async () => {
    const person = await makeUser(api);
    const page = await chromium.open(api);
    const { keyboard } = page;
    const next = async (heading: string): Promise<void> => {
      await page.getByRole('heading', { level: 1, name: heading }).waitFor();
      await page.waitForLoadState();
    };
    await page.goto(application().signIn());
    // The first field gets the focus with the first frame; Enter in the last one sends the form.
    await page.locator('#name:focus').waitFor();
    await keyboard.type(person.name);
    await keyboard.press('Tab');
    await keyboard.type(person.password);
    await keyboard.press('Enter');
    await next(words.consentTitle(application().name));
    await keyboard.press('Tab');
    await keyboard.press('Enter');
    assert.equal(await outcome(page), `Hello ${person.id}`);
    await page.goto(`${api.url}/account`);
    const signOut = page.getByRole('link', { name: words.signOut });
    const hasFocus = () => signOut.evaluate((link) => link === link.ownerDocument.activeElement);
    for (let tabs = 0; tabs < 10 && !(await hasFocus()); tabs++) await keyboard.press('Shift+Tab');
    await keyboard.press('Enter');
    await next(words.logoutTitle);
    await page.locator('button:focus').waitFor();
    await keyboard.press('Enter');
    await next(words.loggedOutTitle);
  });
});
