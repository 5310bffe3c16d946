// The account page in a real browser.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { onDatabase } from '../support/api.ts';
import { withApplication } from '../support/application-page.ts';
import { makePerson } from '../support/applications.ts';
import { usesChromium } from '../support/chromium.ts';
import { itAtLength } from '../support/extent.ts';
import { readQrCode } from '../support/qr-codes.ts';
import { makeUser } from '../support/relying-party.ts';
import { Phone } from '../support/second-factor.ts';
import {
  alertOf,
  enterCode,
  enterPassword,
  follow,
  makeTwoFactorUser,
  openAccount,
  outcome,
  press,
  sectionOf,
  signInTo,
  signInToAccount,
  titleOf,
  turnOnTwoFactor,
  words,
} from '../support/visitor.ts';

const chromium = usesChromium({ reusesContexts: true });

/** The QR code on the page. */
async function scanned(page: Page): Promise<string> {
  return readQrCode(await page.locator('.qr svg').screenshot()) ?? 'nothing';
}

onDatabase('SQLite', 'The account page', {}, (api) => {
  const open = (): Promise<Page> => chromium.open(api);
  const application = withApplication(api);

  it('shows who somebody is, where they belong and what is theirs', async () => {
    const { user, password, organization } = await makePerson(api);
    await api.patch(`/v3/users/${user.id}`, { user: { email: 'ann@example.org' } });
    const page = await open();
    await signInTo(application(), page, { ...user, password });
    await openAccount(api, page, 'overview');
    assert.equal(await titleOf(page), words.account);
    const text = (title: string): Promise<string> => sectionOf(page, title).innerText();
    assert.match(await text(words.profile), new RegExp(`${user.name}[\\s\\S]*ann@example.org`));
    assert.match(await text(words.organizations), new RegExp(organization.name));
    await follow(page, words.accountPages.security);
    assert.match(await text(words.twoFactor), new RegExp(words.twoFactorOff));
    await follow(page, words.accountPages.sessions);
    assert.match(await text(words.sessions), new RegExp(words.thisSession));
    assert.match(await text(words.devices), new RegExp(words.noDevices));
    assert.equal(await page.getByRole('button', { name: words.endOtherSessions }).count(), 0);
    await follow(page, words.accountPages.applications);
    assert.match(await text(words.applications), new RegExp(application().name));
  });

  it('shows a name that is made of markup as it is written', async () => {
    const name = '<img src=https://evil.example.org onerror=alert(1)>&amp;"';
    const page = await open();
    await signInToAccount(api, page, await makeUser(api, { name }));
    assert.ok((await sectionOf(page, words.profile).innerText()).includes(name));
    assert.equal(await page.locator('img').count(), 0);
  });

  it('turns two-factor authentication on with the key beside the picture, which says the same', async () => {
    const person = await makeUser(api);
    const page = await open();
    await signInToAccount(api, page, person, 'security');
    await press(page, words.turnOn);
    const section = sectionOf(page, words.twoFactor);
    const key = await section.locator('code').innerText();
    const uri = new URL(await scanned(page));
    assert.equal(uri.searchParams.get('secret'), key);
    assert.equal(decodeURIComponent(uri.pathname), `/Gatehouse:${person.name}`);
    const link = page.getByRole('link', { name: words.openAuthenticator });
    assert.equal(await link.getAttribute('href'), uri.href, 'an app on the same phone opens it');

    const phone = new Phone(api, key);
    const confirm = async (code: string): Promise<void> => {
      await page.getByLabel(words.code, { exact: true }).fill(code);
      await press(page, words.turnOn);
    };
    await confirm(phone.wrong());
    assert.equal(await alertOf(page), words.wrongCode);
    assert.equal(await section.locator('code').innerText(), key);
    await confirm(phone.fresh());
    const codes = await page.locator('.codes li').allInnerTexts();
    assert.equal(codes.length, 10);
    const [file] = await Promise.all([page.waitForEvent('download'), press(page, words.downloadCodes)]);
    assert.equal(file.suggestedFilename(), 'recovery-codes.txt');
    const text = readFileSync(await file.path(), 'utf8');
    assert.ok(text.includes(person.name) && codes.every((code) => text.includes(code)));
    await page.emulateMedia({ media: 'print' });
    assert.deepEqual(await page.locator('.codes li').allInnerTexts(), codes);
    assert.equal(await page.getByRole('button').count(), 0);
    await page.emulateMedia({ media: 'screen' });
    await openAccount(api, page, 'security');
    const later = await page.content();
    assert.ok(!codes.some((code) => later.includes(code)) && !later.includes(key));
    assert.match(await section.innerText(), /On\. 10 /);

    const elsewhere = await open();
    await elsewhere.goto(`${api.url}/account`);
    await enterPassword(elsewhere, person);
    await enterCode(elsewhere, phone.fresh());
    assert.equal(await titleOf(elsewhere), words.account);
  });

  itAtLength('makes new recovery codes, and turns the second factor off for whoever knows the password', async () => {
    const page = await open();
    const person = await makeUser(api);
    await signInToAccount(api, page, person, 'security');
    await turnOnTwoFactor(api, page);
    const first = await page.locator('.codes li').allInnerTexts();
    await follow(page, words.codesAreKept);
    await press(page, words.makeRecoveryCodes);
    const second = await page.locator('.codes li').allInnerTexts();
    assert.equal(new Set([...first, ...second]).size, 20);
    await follow(page, words.codesAreKept);
    const off = async (password: string): Promise<void> => {
      await page.locator('summary', { hasText: words.turnOff }).click();
      await sectionOf(page, words.twoFactor).getByLabel(words.currentPassword).fill(password);
      await press(page, words.turnOff);
    };
    await off('not the password');
    assert.equal(await alertOf(page), words.wrongPassword);
    await off(person.password);
    assert.match(await sectionOf(page, words.twoFactor).innerText(), new RegExp(words.twoFactorOff));
  });

  it('changes the password, names what was wrong, and signs out everywhere else', async () => {
    const person = await makeUser(api);
    const elsewhere = await open();
    await signInToAccount(api, elsewhere, person);
    const page = await open();
    await signInToAccount(api, page, person, 'security');
    const section = sectionOf(page, words.changePassword);
    const change = async (current: string, fresh: string, again = fresh): Promise<void> => {
      await section.getByLabel(words.currentPassword).fill(current);
      await section.getByLabel(words.newPassword, { exact: true }).fill(fresh);
      await section.getByLabel(words.newPasswordAgain).fill(again);
      await press(page, words.changePassword);
    };
    await change(person.password, 'one new password', 'another new password');
    assert.equal(await alertOf(page), words.passwordsDiffer);
    assert.equal(await page.locator('[aria-invalid]').getAttribute('name'), 'new_password_again');
    assert.equal(await page.locator('input[name=new_password_again] + [role=alert]').count(), 1, 'at the field');
    assert.equal(await page.getByRole('alert').count(), 1);
    // What is typed can be looked at, and is sent as a password.
    const types = () => page.evaluate(`[...document.querySelectorAll('#password input[id]')].map(({ type }) => type)`);
    await section.getByLabel(words.showPasswords).check();
    assert.deepEqual(await types(), ['text', 'text', 'text']);
    await section.getByLabel(words.showPasswords).uncheck();
    assert.deepEqual(await types(), ['password', 'password', 'password']);
    await section.getByLabel(words.showPasswords).check();
    await change('not the password', 'one new password');
    assert.equal(await alertOf(page), words.wrongCurrentPassword);
    assert.equal(await page.locator('[aria-invalid]:focus').getAttribute('name'), 'current_password');
    await change(person.password, person.password);
    assert.equal(await alertOf(page), words.passwordSame);
    assert.equal(await page.locator('[aria-invalid]').getAttribute('name'), 'new_password');
    await change(person.password, 'one new password');
    assert.equal(await page.getByRole('status').innerText(), words.passwordIsChanged);
    await page.reload();
    assert.equal(await page.getByRole('status').count(), 0);
    assert.equal(await titleOf(page), words.accountPages.security);
    await api.logIn({ id: person.id, password: 'one new password' });
    await elsewhere.goto(`${api.url}/account`);
    assert.equal(await elsewhere.getByLabel(words.userName).isVisible(), true);
  });

  it('shows the sessions, and signs somebody out of one, or everywhere else', async () => {
    const person = await makeUser(api);
    const elsewhere = await open();
    await signInToAccount(api, elsewhere, person);
    const page = await open();
    await signInToAccount(api, page, person, 'sessions');
    const sessions = sectionOf(page, words.sessions).getByRole('listitem');
    assert.equal(await sessions.count(), 2);
    assert.match(await sessions.first().innerText(), /Chrome on Linux \(this one\)\s+from 127\.0\.0\.1, signed in .* last used /);
    await press(page, words.endSession);
    assert.equal(await page.getByRole('status').innerText(), words.sessionIsEnded);
    assert.equal(await sessions.count(), 1);
    await openAccount(api, elsewhere, 'sessions');
    await enterPassword(elsewhere, person);
    await openAccount(api, page, 'sessions');
    await press(page, words.endOtherSessions);
    assert.equal(await page.getByRole('status').innerText(), words.otherSessionsEnded);
    assert.equal(await sectionOf(page, words.sessions).getByRole('listitem').count(), 1);
    await elsewhere.goto(`${api.url}/account`);
    assert.equal(await elsewhere.getByLabel(words.userName).isVisible(), true);
  });

  itAtLength('forgets a device, which is then asked for a code again', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await open();
    await openAccount(api, page, 'sessions');
    await enterPassword(page, person);
    await enterCode(page, person.phone.fresh(), true);
    const section = sectionOf(page, words.devices);
    assert.match(await section.innerText(), /Chrome[\s\S]*last used/);
    await press(page, words.forget);
    assert.match(await section.innerText(), new RegExp(words.noDevices));
    await page.goto(application().signIn({ prompt: 'login' }));
    await enterPassword(page, person);
    assert.equal(await titleOf(page), words.secondFactor);
  });

  itAtLength('takes back the access of an application, which must ask again', async () => {
    const person = await makeUser(api);
    const page = await open();
    await signInTo(application(), page, person);
    const { access_token: token } = application().received.at(-1)!;
    assert.equal(await application().party.isActive(token), true);
    await openAccount(api, page, 'applications');
    await press(page, words.revoke);
    assert.match(await sectionOf(page, words.applications).innerText(), new RegExp(words.noApplications));
    assert.equal(await application().party.isActive(token), false);
    await page.goto(application().signIn());
    assert.equal(await titleOf(page), words.consentTitle(application().name));
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  itAtLength('leads to signing out, which may also be left', async () => {
    const person = await makeUser(api);
    const page = await open();
    await signInToAccount(api, page, person);
    await follow(page, words.signOut);
    assert.equal(await titleOf(page), words.logoutTitle);
    await press(page, words.stay);
    await page.goto(`${api.url}/account`);
    assert.equal(await titleOf(page), words.account);
    await follow(page, words.signOut);
    await press(page, words.signOut);
    assert.equal(await titleOf(page), words.loggedOutTitle);
    await page.goto(`${api.url}/account`);
    assert.equal(await page.getByLabel(words.userName).isVisible(), true);
  });

  it('signs out without confirmation if nobody is signed in', async () => {
    const page = await open();
    await page.goto(`${api.url}/openid/logout`);
    await page.getByRole('heading', { name: words.loggedOutTitle }).waitFor();
  });
});
