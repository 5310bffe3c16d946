// Signing in from an application, in a real browser.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Page } from 'playwright-core';
import { onDatabase } from '../support/api.ts';
import { startDevice, withApplication } from '../support/application-page.ts';
import { usesChromium } from '../support/chromium.ts';
import { inFullRun, itAtLength } from '../support/extent.ts';
import { makeUser } from '../support/relying-party.ts';
import { logInWith } from '../support/second-factor.ts';
import {
  alertOf,
  enterCode,
  enterPassword,
  follow,
  makeTwoFactorUser,
  outcome,
  press,
  signInTo,
  titleOf,
  words,
} from '../support/visitor.ts';

const chromium = usesChromium({ reusesContexts: true });

onDatabase('SQLite', 'Signing in with a browser', {}, (api) => {
  const application = withApplication(api);
  const open = (): Promise<Page> => chromium.open(api);

  it('starts at an application and ends there, which then knows who it is', async () => {
    const person = await makeUser(api);
    const page = await open();
    await page.goto(application().url);
    await follow(page, 'Sign in');
    assert.equal(await titleOf(page), words.signInTo(application().name));
    await enterPassword(page, person);
    assert.equal(await titleOf(page), words.consentTitle(application().name));
    assert.match(await page.locator('main').innerText(), new RegExp(`${person.name}[\\s\\S]*${words.scopes.openid}`));
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  it('announces a wrong password, keeps the name, and continues with the right one', async () => {
    const person = await makeUser(api);
    const page = await open();
    await page.goto(application().signIn());
    await enterPassword(page, { ...person, password: 'not the password' });
    assert.equal(await alertOf(page), words.wrongPassword);
    assert.equal(await page.getByLabel(words.userName).inputValue(), person.name);
    assert.equal(await page.getByLabel(words.password, { exact: true }).inputValue(), '');
    await enterPassword(page, person);
    assert.equal(await titleOf(page), words.consentTitle(application().name));
  });

  it('ends with a page that tells the application, and does not wait for one that never answers', async () => {
    const person = await makeUser(api);
    const { url, party } = application();
    const { id } = party.application;
    const consumer = { frontchannel_logout_uri: `${url}/out`, frontchannel_logout_session_required: true };
    assert.equal((await api.patch(`/v3/OS-OAUTH2/consumers/${id}`, { consumer })).status, 200);
    for (const answers of [true, false]) {
      const page = await open();
      const told: string[] = [];
      await page.route(`${url}/out?**`, async (route) => {
        told.push(route.request().url());
        if (answers) await route.fulfill({ status: 200, body: 'Signed out here, too' });
      });
      await page.goto(application().signIn());
      await enterPassword(page, person);
      // Allowed once, for both.
      if (answers) await press(page, words.allow);
      assert.equal(await outcome(page), `Hello ${person.id}`);
      const back = new URLSearchParams({ client_id: id, post_logout_redirect_uri: `${url}/bye` });
      await page.goto(`${api.url}/openid/logout?${back}`);
      await page.getByRole('button', { name: words.signOut, exact: true }).click();
      await page.waitForURL(`${url}/bye`);
      const { iss, sid } = Object.fromEntries(new URL(told[0]!).searchParams);
      assert.deepEqual([told.length, iss, sid], [1, api.url, application().received.at(-1)!.claims()!.sid]);
    }
    const without = { frontchannel_logout_uri: null, frontchannel_logout_session_required: null };
    assert.equal((await api.patch(`/v3/OS-OAUTH2/consumers/${id}`, { consumer: without })).status, 200);
  });

  it('finds a user of another domain, even if the same name exists elsewhere', async () => {
    const domain = await api.make('domain', { name: 'another domain' });
    const { name } = await makeUser(api);
    const there = await makeUser(api, { name, domain_id: domain.id, password: 'another password' });
    const page = await open();
    await page.goto(application().signIn());
    await page.getByText(words.otherDomain).click();
    await page.getByLabel(words.domain, { exact: true }).fill(domain.name);
    await enterPassword(page, there);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${there.id}`);
  });

  it('gives the application nothing when the person gives up or denies it', async () => {
    const page = await open();
    await page.goto(application().signIn());
    await press(page, words.cancel);
    assert.equal(await outcome(page), 'Refused: access_denied');
    await page.goto(application().signIn());
    await enterPassword(page, await makeUser(api));
    await press(page, words.deny);
    assert.equal(await outcome(page), 'Refused: access_denied');
  });

  it('asks neither for the password of a signed-in user nor for earlier consent again, but for new scopes', async () => {
    const person = await makeUser(api);
    const page = await open();
    await signInTo(application(), page, person);
    await page.goto(application().signIn());
    assert.equal(await outcome(page), `Hello ${person.id}`);
    const elsewhere = await open();
    await elsewhere.goto(application().signIn());
    await enterPassword(elsewhere, person);
    assert.equal(await outcome(elsewhere), `Hello ${person.id}`);
    await page.goto(application().signIn({ scope: 'openid email' }));
    assert.match(await page.locator('main').innerText(), new RegExp(words.scopes.email!));
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  itAtLength('asks once for both, when the application wants the password again and was not allowed before', async () => {
    const person = await makeUser(api);
    const page = await open();
    await page.goto(application().signIn({ prompt: 'login' }));
    await enterPassword(page, person);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  it('asks for the code of the app, and again when it is wrong', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await open();
    await page.goto(application().signIn());
    await enterPassword(page, person);
    assert.equal(await titleOf(page), words.secondFactor);
    await enterCode(page, person.phone.wrong());
    assert.equal(await alertOf(page), words.wrongCode);
    const code = person.phone.fresh();
    await enterCode(page, `${code.slice(0, 3)} ${code.slice(3)}`);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
  });

  itAtLength('stays at the second step when the page is reloaded', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await open();
    await page.goto(application().signIn());
    await enterPassword(page, person);
    await page.goto(page.url());
    assert.equal(await titleOf(page), words.secondFactor);
    api.clock.advance(301);
    await enterCode(page, person.phone.fresh());
    assert.equal(await alertOf(page), words.tooLate);
    await enterPassword(page, person);
    await enterCode(page, person.phone.fresh());
    assert.equal(await titleOf(page), words.consentTitle(application().name));
  });

  it('asks a remembered device for no code, but others', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await open();
    await page.goto(application().signIn());
    await enterPassword(page, person);
    await enterCode(page, person.phone.fresh(), true);
    await press(page, words.allow);
    for (let times = 0; times < 2; times++) {
      await page.goto(application().signIn({ prompt: 'login' }));
      await enterPassword(page, person);
      assert.equal(await outcome(page), `Hello ${person.id}`);
    }
    const elsewhere = await open();
    await elsewhere.goto(application().signIn());
    await enterPassword(elsewhere, person);
    assert.equal(await titleOf(elsewhere), words.secondFactor);
  });

  itAtLength('takes a recovery code instead, once', async () => {
    const person = await makeTwoFactorUser(api);
    const enter = async (page: Page): Promise<void> => {
      await page.goto(application().signIn());
      await enterPassword(page, person);
      await press(page, words.useRecoveryCode);
      await page.getByLabel(words.recoveryCode).fill(person.codes[0]!.toLowerCase());
      await press(page, words.continueLabel);
    };
    const page = await open();
    await enter(page);
    await press(page, words.allow);
    assert.equal(await outcome(page), `Hello ${person.id}`);
    const elsewhere = await open();
    await enter(elsewhere);
    assert.equal(await alertOf(elsewhere), words.wrongCode);
    await press(elsewhere, words.useCode);
    await enterCode(elsewhere, person.phone.fresh());
    assert.equal(await outcome(elsewhere), `Hello ${person.id}`);
  });

  it('locks the code after too many guesses, and then refuses the right one, too', async () => {
    const person = await makeTwoFactorUser(api);
    const page = await open();
    await page.goto(application().signIn());
    await enterPassword(page, person);
    for (let guesses = 0; guesses < 5; guesses++)
      await logInWith(api, { user: person, ...person }, { verification_code: person.phone.wrong() });
    await enterCode(page, person.phone.fresh());
    assert.equal(await alertOf(page), words.wrongCode);
  });

  it('ends with the application signing the person out, which sends them back there', async () => {
    const person = await makeUser(api);
    const page = await open();
    await signInTo(application(), page, person);
    const hint = application().received.at(-1)!.id_token!;
    const back = `${application().url}/bye`;
    await page.goto(`${api.url}/openid/logout?${new URLSearchParams({ id_token_hint: hint, post_logout_redirect_uri: back })}`);
    assert.equal(await titleOf(page), words.logoutTitle);
    await press(page, words.signOut);
    assert.equal(page.url(), back);
    await page.goto(application().signIn());
    assert.equal(await titleOf(page), words.signInTo(application().name));
  });

  it('says what is wrong with a broken request, and that an old page has expired', async () => {
    const page = await open();
    await page.goto(`${api.url}/openid/authorize?client_id=nobody&response_type=code`);
    assert.equal(await titleOf(page), words.errorTitle);
    assert.match(await page.locator('main').innerText(), /invalid_client/);
    await page.goto(`${api.url}/openid/interaction/never-was`);
    assert.equal(await titleOf(page), words.expiredTitle);
  });

  it('connects a device by the code it shows', async () => {
    const person = await makeUser(api);
    const device = await startDevice(api, application().party.application);
    assert.equal((await device.poll()).error, 'authorization_pending');
    const page = await open();
    await page.goto(`${api.url}/openid/device`);
    assert.equal(await titleOf(page), words.deviceTitle);
    await page.getByLabel(words.deviceCode).fill('NOSUCHCODE');
    await press(page, words.continueLabel);
    assert.equal(await alertOf(page), words.noSuchCode);
    await page.getByLabel(words.deviceCode).fill(device.code.toLowerCase());
    await press(page, words.continueLabel);
    const asked = await page.locator('main').innerText();
    assert.ok(asked.includes(device.code) && asked.includes(words.confirmDeviceText(application().name)), asked);
    await press(page, words.continueLabel);
    await enterPassword(page, person);
    await press(page, words.allow);
    assert.equal(await titleOf(page), words.deviceDoneTitle);
    const tokens = await device.poll();
    const info = await fetch(`${api.url}/openid/userinfo`, { headers: { Authorization: `Bearer ${tokens.access_token}` } });
    assert.equal(((await info.json()) as { sub: string }).sub, person.id);
  });

  itAtLength('takes the code from the address that a device shows, and refuses it when the person cancels', async () => {
    const device = await startDevice(api, application().party.application);
    const page = await open();
    await page.goto(device.complete);
    await page.getByText(words.confirmDeviceText(application().name)).waitFor();
    await press(page, words.cancel);
    assert.equal(await alertOf(page), words.deviceRefused);
    assert.equal((await device.poll()).error, 'access_denied');
  });

  it('expires: after an hour, in another browser, and once it is done', async () => {
    const page = await open();
    await page.goto(application().signIn());
    const address = page.url();
    const elsewhere = await open();
    await elsewhere.goto(address);
    assert.equal(await titleOf(elsewhere), words.expiredTitle);
    const person = await makeUser(api);
    await enterPassword(page, person);
    await press(page, words.allow);
    await page.goto(address);
    assert.equal(await titleOf(page), words.expiredTitle);
    await page.goto(application().signIn({ prompt: 'login' }));
    api.clock.advance(3601);
    await enterPassword(page, person);
    assert.equal(await titleOf(page), words.expiredTitle);
  });
});

onDatabase(
  'SQLite',
  'Guessing with a browser',
  { rateLimits: true, settings: { GATEHOUSE_IDENTITY_LOCKOUT_FAILURE_ATTEMPTS: '3' } },
  (api) => {
    const application = withApplication(api);
    const guess = async (person: { id: string }, times: number): Promise<void> => {
      for (let n = 0; n < times; n++) await api.authenticate({ id: person.id, password: `guess ${n}` });
    };

    it('gives the same message for a locked account and a wrong password', async () => {
      const person = await makeUser(api);
      await guess(person, 3);
      const page = await chromium.open(api);
      await page.goto(application().signIn());
      await enterPassword(page, person);
      assert.equal(await alertOf(page), words.wrongPassword);
    });

    it('says how long to wait after too many attempts', async () => {
      const person = await makeUser(api);
      await guess(person, 10);
      const page = await chromium.open(api);
      await page.goto(application().signIn());
      await enterPassword(page, person);
      const said = await alertOf(page);
      const seconds = Number(/\d+/.exec(said)?.[0]);
      assert.equal(said, words.tooMany(seconds));
      assert.ok(seconds > 0 && seconds <= 60, said);
    });
  },
);

describe('An expired password in a browser', () => {
  onDatabase('SQLite', 'that must be changed', { settings: { GATEHOUSE_IDENTITY_PASSWORD_EXPIRES_DAYS: '30' } }, (api) => {
    const application = withApplication(api);

    it('is changed on the way, and the person goes on', async () => {
      const person = await makeUser(api);
      api.clock.advance(31 * 86_400);
      const page = await chromium.open(api, { javaScriptEnabled: false });
      await page.goto(application().signIn());
      await enterPassword(page, person);
      assert.equal(await alertOf(page), words.expiredPassword);
      const change = async (old: string, fresh: string, again = fresh): Promise<void> => {
        await page.getByLabel(words.currentPassword).fill(old);
        await page.getByLabel(words.newPassword, { exact: true }).fill(fresh);
        await page.getByLabel(words.newPasswordAgain).fill(again);
        await press(page, words.changePassword);
      };
      await change(person.password, 'one new password', 'another new password');
      assert.equal(await alertOf(page), words.passwordsDiffer);
      await change('not the password', 'one new password');
      assert.equal(await alertOf(page), words.wrongPassword);
      await change(person.password, 'one new password');
      await press(page, words.allow);
      assert.equal(await outcome(page), `Hello ${person.id}`);
    });
  });
});

// No database decides what a page does.
for (const kind of inFullRun(['PostgreSQL'] as const, []))
  onDatabase(kind, 'Signing in with a browser', {}, (api) => {
    const application = withApplication(api);

    it('works the same: password, code, consent, account, sign out', async () => {
      const person = await makeTwoFactorUser(api);
      const page = await chromium.open(api);
      await page.goto(application().signIn());
      await enterPassword(page, person);
      await enterCode(page, person.phone.fresh(), true);
      await press(page, words.allow);
      assert.equal(await outcome(page), `Hello ${person.id}`);
      await page.goto(`${api.url}/account`);
      assert.match(await page.locator('main').innerText(), new RegExp(person.name));
      await follow(page, words.accountPages.applications);
      assert.match(await page.locator('main').innerText(), new RegExp(application().name));
      await follow(page, words.signOut);
      await press(page, words.signOut);
      assert.equal(await titleOf(page), words.loggedOutTitle);
      await page.goto(`${api.url}/account`);
      assert.equal(await page.getByLabel(words.userName).isVisible(), true);
    });
  });
