// Somebody was in the account of a person, who takes it back in a real browser: a new password by mail, then the end of all that acts for them.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { lookTroubles } from '../support/accessibility.ts';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { intrude, intrudedPerson } from '../support/intruder.ts';
import { smtpSettings } from '../support/mail-server.ts';
import { linkIn, newestMail, startMailServer } from '../support/mailbox.ts';
import { enterPassword, follow, openAccount, press, sectionOf, titleOf, turnOnTwoFactor, words } from '../support/visitor.ts';

const chromium = usesChromium();
const server = await startMailServer();
const FRESH = 'a fresh one of a person';

onDatabase('SQLite', 'A person whose account was taken over', { settings: smtpSettings(server) }, (api) => {
  it('chooses a new password, is shown what still acts for them, and ends all of it', async () => {
    const person = await intrudedPerson(api);
    const planted = await intrude(api, person);
    const page = await chromium.open(api, { javaScriptEnabled: false });
    const { SCREENSHOTS: folder } = process.env;
    const look = async (name: string): Promise<void> => {
      if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
    };
    await page.goto(`${api.url}/openid/forgotten-password`);
    await page.getByLabel(words.nameOrEmail).fill(person.email);
    await press(page, words.sendLink);
    await page.goto(linkIn(await newestMail(server, person.email)).href);
    await page.getByLabel(words.newPassword, { exact: true }).fill(FRESH);
    await page.getByLabel(words.newPasswordAgain).fill(FRESH);
    await press(page, words.savePassword);
    assert.match(await page.locator('main').innerText(), new RegExp(words.delegatedStays(planted.all.length)));
    await look('access-after-reset');
    await follow(page, words.seeDelegated);
    await enterPassword(page, { name: person.name, password: FRESH });
    assert.equal(await titleOf(page), words.accountPages.access);
    const section = sectionOf(page, words.delegated);
    assert.equal(await section.getByRole('button', { name: words.end, exact: true }).count(), planted.all.length);
    assert.match(await section.innerText(), new RegExp(planted.program.name));
    await look('access');
    await section.getByRole('listitem').filter({ hasText: planted.program.name }).getByRole('button').click();
    assert.equal(await page.getByRole('status').innerText(), words.delegatedIsEnded);
    assert.deepEqual(
      await planted.working(),
      planted.all.filter((name) => name !== 'application credential'),
    );
    await press(page, words.endAll);
    assert.equal(await page.getByRole('status').innerText(), words.allIsEnded);
    assert.equal(await sectionOf(page, words.delegated).getByText(words.noDelegated).count(), 1);
    await look('access-ended');
    assert.deepEqual(await planted.working(), []);
    await openAccount(api, page, 'activity');
    assert.match(await page.locator('main').innerText(), new RegExp(words.activityEvents['application_credential.created']));
  });

  it('turns on two-factor authentication, and is led to what needs none', async () => {
    const person = await intrudedPerson(api);
    const planted = await intrude(api, person);
    const page = await chromium.open(api, { bypassCSP: true });
    await openAccount(api, page, 'security');
    await enterPassword(page, person);
    await turnOnTwoFactor(api, page);
    const { SCREENSHOTS: folder } = process.env;
    if (folder) await page.screenshot({ path: `${folder}/access-after-two-factor.png`, fullPage: true });
    await follow(page, words.seeDelegated);
    assert.equal(await titleOf(page), words.accountPages.access);
    assert.deepEqual(await lookTroubles(page, 'access'), []);
    await press(page, words.endAll);
    assert.equal(await page.getByRole('status').innerText(), words.allIsEnded);
    assert.deepEqual(await planted.working(), []);
  });
});
