// Every form of the pages in a browser that runs no scripts.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { onDatabase } from '../support/api.ts';
import { startDevice, withApplication } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { makeUser } from '../support/relying-party.ts';
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
  signInToAccount,
  titleOf,
  turnOnTwoFactor,
  words,
} from '../support/visitor.ts';

const chromium = usesChromium();

onDatabase('SQLite', 'Without scripts', {}, (api) => {
  const application = withApplication(api);
  const open = (): Promise<Page> => chromium.open(api, { javaScriptEnabled: false });

  it('a person signs in: wrong password, code, remembered device, consent, or not', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await open();
    await page.goto(application().signIn());
    await enterPassword(page, { ...person, password: 'not the password' });
    assert.equal(await alertOf(page), words.wrongPassword);
    await enterPassword(page, person);
    await enterCode(page, person.phone.wrong());
    assert.equal(await alertOf(page), words.wrongCode);
    await enterCode(page, person.phone.fresh(), true);
    await press(page, words.deny);
    assert.equal(await outcome(page), 'Refused: access_denied');
    await page.goto(application().signIn({ prompt: 'login' }));
    await enterPassword(page, person);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  it('a recovery code does', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await open();
    await page.goto(`${api.url}/account`);
    await enterPassword(page, person);
    await press(page, words.useRecoveryCode);
    await press(page, words.useCode);
    await press(page, words.useRecoveryCode);
    await page.getByLabel(words.recoveryCode).fill(person.codes[0]!);
    await press(page, words.continueLabel);
    assert.equal(await titleOf(page), words.account);
  });

  it('the account page does all it does', async () => {
    const person = await makeUser(api);
    const elsewhere = await open();
    await signInToAccount(api, elsewhere, person);
    const page = await open();
    await page.goto(application().signIn());
    await enterPassword(page, person);
    await press(page, words.allow);
    await openAccount(api, page, 'sessions');
    await press(page, words.endOtherSessions);
    assert.equal(await sectionOf(page, words.sessions).getByRole('listitem').count(), 1);
    await openAccount(api, page, 'applications');
    await press(page, words.revoke);
    assert.match(await sectionOf(page, words.applications).innerText(), new RegExp(words.noApplications));
    await openAccount(api, page, 'security');
    const phone = await turnOnTwoFactor(api, page);
    assert.equal(await page.locator('.codes li').count(), 10);
    await follow(page, words.codesAreKept);
    await press(page, words.makeRecoveryCodes);
    assert.equal(await page.locator('.codes li').count(), 10);
    await follow(page, words.codesAreKept);

    await openAccount(api, elsewhere, 'sessions');
    await enterPassword(elsewhere, person);
    await enterCode(elsewhere, phone.fresh(), true);
    await press(elsewhere, words.forget);
    assert.match(await sectionOf(elsewhere, words.devices).innerText(), new RegExp(words.noDevices));

    const section = sectionOf(page, words.twoFactor);
    await section.locator('summary').click();
    await section.getByLabel(words.currentPassword).fill(person.password);
    await press(page, words.turnOff);
    assert.match(await section.innerText(), new RegExp(words.twoFactorOff));
    await sectionOf(page, words.changePassword).getByLabel(words.currentPassword).fill(person.password);
    await page.getByLabel(words.newPassword, { exact: true }).fill('a new password');
    await page.getByLabel(words.newPasswordAgain).fill('a new password');
    await press(page, words.changePassword);
    assert.equal(await page.getByRole('status').innerText(), words.passwordIsChanged);
    await follow(page, words.signOut);
    await press(page, words.signOut);
    assert.equal(await titleOf(page), words.loggedOutTitle);
  });

  it('a device is connected, by its code or by its address', async () => {
    const person = await makeUser(api);
    const page = await open();
    const typed = await startDevice(api, application().party.application);
    await page.goto(`${api.url}/openid/device`);
    await page.getByLabel(words.deviceCode).fill(typed.code);
    await press(page, words.continueLabel);
    await press(page, words.continueLabel);
    await enterPassword(page, person);
    await press(page, words.allow);
    assert.equal(await titleOf(page), words.deviceDoneTitle);
    assert.equal(typeof (await typed.poll()).access_token, 'string');
    const scanned = await startDevice(api, application().party.application);
    await page.goto(scanned.complete);
    await page.getByRole('button').first().click();
    await press(page, words.continueLabel);
    assert.equal(typeof (await scanned.poll()).access_token, 'string');
  });
});
