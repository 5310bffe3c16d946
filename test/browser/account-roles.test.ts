// Taking roles along from the account page, in a real browser.
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { DESK, keyboardTroubles, lookTroubles } from '../support/accessibility.ts';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { readQrCode } from '../support/qr-codes.ts';
import { FORMATS, makeHolder, makeRoleWorld, makeType, TestCredentialWallet } from '../support/role-credentials.ts';
import { enterPassword, follow, openAccount, press, sectionOf, words } from '../support/visitor.ts';

const chromium = usesChromium();

onDatabase('SQLite', 'Taking roles along', {}, (api) => {
  it('works by the picture on the page, and has no barrier', async () => {
    const world = await makeRoleWorld(api, { formats: ['dc+sd-jwt'], name: 'Shop manager', description: 'Runs the shop' });
    const person = await makeHolder(api, world);
    const page = await chromium.open(api, { bypassCSP: true, viewport: DESK });
    const troubles: string[] = [];
    const look = async (name: string): Promise<void> => {
      troubles.push(...(await lookTroubles(page, name)), ...(await keyboardTroubles(page)).map((text) => `${name}: ${text}`));
    };
    await openAccount(api, page, 'applications');
    await enterPassword(page, person);
    await press(page, words.toWallet);
    const section = sectionOf(page, words.takeRoles);
    const uri = await readQrCode(await page.locator('.qr svg').screenshot());
    assert.equal(uri, await page.getByRole('link', { name: words.walletOpen }).getAttribute('href'));
    const [link, code] = await section.locator('code').allInnerTexts();
    assert.equal(uri, link);
    await look('account-roles-offer');
    const wallet = new TestCredentialWallet(api);
    assert.ok(await wallet.receive(await wallet.token(uri!, code), world.sdJwt));
    await follow(page, words.offerDone);
    await press(page, words.revoke);
    assert.equal(await page.getByRole('status').innerText(), words.credentialIsRevoked);
    await makeType(api, world.application, { name: 'In several formats', formats: FORMATS });
    const { id: longId } = await makeType(api, world.application, { name: 'x'.repeat(120), description: 'y'.repeat(120) });
    for (const id of [world.sdJwt, `${longId}.sd_jwt`]) await wallet.receiveFor(person, id);
    await openAccount(api, page, 'applications');
    await look('account-roles');
    await openAccount(api, page, 'activity');
    await look('account-activity');
    assert.deepEqual(troubles, []);
  });
});
