// Passkeys in a real browser, with the virtual authenticator of Chromium.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import { onDatabase } from '../support/api.ts';
import { withApplication } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { itAtLength } from '../support/extent.ts';
import { AT_LOCALHOST, servesAtLocalhost } from '../support/passkeys.ts';
import { makeUser } from '../support/relying-party.ts';
import { VirtualAuthenticator, withoutAutofill } from '../support/virtual-authenticator.ts';
import {
  alertOf,
  enterCode,
  enterPassword,
  makeTwoFactorUser,
  outcome,
  type PageVisitor,
  press,
  sectionOf,
  titleOf,
  words,
} from '../support/visitor.ts';

const chromium = usesChromium();

/** Autofill signs in while the sign-in page is already shown. */
const atSecurity = (page: Page): Promise<void> =>
  page.getByRole('heading', { level: 1, name: words.accountPages.security }).waitFor();

onDatabase('SQLite', 'Passkeys in a browser', { settings: AT_LOCALHOST }, (api) => {
  servesAtLocalhost(api);
  const application = withApplication(api);

  it('come with a script that also tells the zone of the browser, in which times are shown', async () => {
    const page = await chromium.open(api, { timezoneId: 'Asia/Kolkata' });
    await page.goto(`${api.url}/account/sessions`);
    await enterPassword(page, await makeUser(api));
    assert.match(await page.locator('time').first().innerText(), /(IST|GMT\+5:30)$/);
  });

  /** A person who added a passkey on the account page, and signed out. */
  async function withPasskey(person: PageVisitor, code?: () => string) {
    const page = await chromium.open(api);
    const authenticator = await VirtualAuthenticator.in(page);
    await page.goto(`${api.url}/account/security`);
    await enterPassword(page, person);
    if (code) await enterCode(page, code());
    await press(page, words.passkeyAdd);
    await page.getByLabel(words.passkeyName).fill('My computer');
    await press(page, words.passkeyCreate);
    await page.getByRole('status').waitFor();
    assert.match(await sectionOf(page, words.passkeys).innerText(), /My computer/);
    await page.context().clearCookies();
    return { page, authenticator };
  }

  it('are added on the account page, and sign in by the button', async () => {
    const person = await makeUser(api);
    const { page } = await withPasskey(person);
    await withoutAutofill(page);
    await page.goto(application().signIn());
    await press(page, words.passkeySignIn);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
    assert.deepEqual(application().received.at(-1)!.claims()!.amr, ['pop', 'user', 'hwk', 'mfa']);
  });

  itAtLength('sign in by autofill, without a click', async () => {
    const person = await makeUser(api);
    const { page } = await withPasskey(person);
    await page.goto(application().signIn());
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
    await page.goto(`${api.url}/account/security`);
    assert.match(await sectionOf(page, words.passkeys).innerText(), /last used/);
  });

  it('replace the code beside a password', async () => {
    const person = await makeTwoFactorUser(api);
    const { page } = await withPasskey(person, () => person.phone.fresh());
    await withoutAutofill(page);
    await page.goto(application().signIn());
    await enterPassword(page, person);
    assert.equal(await titleOf(page), words.secondFactor);
    await press(page, words.passkeyUse);
    await press(page, words.allow);
    assert.deepEqual(application().received.at(-1)!.claims()!.amr, ['pwd', 'pop', 'mfa']);
  });

  itAtLength('say so when no passkey was used, and the password still works', async () => {
    const person = await makeUser(api);
    const page = await chromium.open(api);
    const authenticator = await VirtualAuthenticator.in(page);
    await authenticator.setUserVerified(false);
    await page.goto(application().signIn());
    await press(page, words.passkeySignIn);
    assert.equal(await alertOf(page), words.passkeyNotUsed);
    await enterPassword(page, person);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  it('do not open the account any more once they are removed', async () => {
    const person = await makeUser(api);
    const { page } = await withPasskey(person);
    await page.goto(`${api.url}/account/security`);
    await atSecurity(page);
    await press(page, words.remove);
    assert.match(await sectionOf(page, words.passkeys).innerText(), new RegExp(words.noPasskeys.slice(0, 20)));
    await page.context().clearCookies();
    // Autofill sends it, and is not offered again after the refusal.
    await page.goto(`${api.url}/account/security`);
    assert.equal(await alertOf(page), words.passkeyWrong);
  });

  it('are refused as copies when their counter goes back', async () => {
    const person = await makeUser(api);
    const { page, authenticator } = await withPasskey(person);
    const [credential] = await authenticator.credentials();
    for (let use = 0; use < 2; use++) {
      await page.goto(`${api.url}/account/security`);
      await atSecurity(page);
      await page.context().clearCookies();
    }
    const other = await chromium.open(api);
    const copy = await VirtualAuthenticator.in(other);
    await copy.add({ ...credential!, signCount: 0 });
    await other.goto(`${api.url}/account/security`);
    assert.equal(await alertOf(other), words.passkeyWrong);
  });

  it('cannot be asked for by another site', async () => {
    const person = await makeUser(api);
    const { page } = await withPasskey(person);
    await page.goto(`http://127.0.0.1:${new URL(api.url).port}/.well-known/openid-configuration`);
    const refusal =
      await page.evaluate(`navigator.credentials.get({ publicKey: { rpId: 'localhost', challenge: new Uint8Array(32) } })
      .then(() => 'signed', (error) => error.name)`);
    assert.equal(refusal, 'SecurityError');
  });

  itAtLength('leave the pages as they are without scripts', async () => {
    const page = await chromium.open(api, { javaScriptEnabled: false });
    await page.goto(application().signIn());
    assert.equal(await page.getByRole('button', { name: words.passkeySignIn }).count(), 0);
    const person = await makeUser(api);
    await enterPassword(page, person);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });
});
