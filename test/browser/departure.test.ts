// One's own data, and leaving, in a real browser.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { DATA_PAGE, DELETION_ALLOWED } from '../support/account-deletion.ts';
import { onDatabase } from '../support/api.ts';
import { usesChromium } from '../support/chromium.ts';
import { makeUser } from '../support/relying-party.ts';
import { alertOf, enterPassword, follow, press, signInToAccount, titleOf, words } from '../support/visitor.ts';

const chromium = usesChromium();

onDatabase('SQLite', 'Somebody who leaves', { settings: DELETION_ALLOWED }, (api) => {
  it('downloads their data, deletes the account, and keeps it after all', async () => {
    const person = await makeUser(api);
    const page = await chromium.open(api);
    await signInToAccount(api, page, person);
    await page.goto(api.url + DATA_PAGE);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: words.downloadData }).click(),
    ]);
    const file = JSON.parse(await readFile(await download.path(), 'utf8'));
    assert.equal(download.suggestedFilename(), 'my-data.json');
    assert.equal(file.account.id, person.id);

    const name = page.getByLabel(words.typeUserName(person.name));
    await name.fill('somebody else');
    await press(page, words.deleteAccount);
    assert.equal(await alertOf(page), words.deletionWrongName);
    await name.fill(person.name);
    await press(page, words.deleteAccount);
    assert.equal(await titleOf(page), words.deletionPendingTitle);
    assert.equal((await api.authenticate({ id: person.id, password: person.password })).status, 401);

    await page.goto(`${api.url}/account`);
    await enterPassword(page, person);
    assert.equal(await titleOf(page), words.keepAccountTitle);
    await press(page, words.keepAccount);
    assert.equal(await titleOf(page), words.accountKept);
    await follow(page, words.continueLabel);
    await enterPassword(page, person);
    assert.equal(new URL(page.url()).pathname, '/account');
    await api.logIn({ id: person.id, password: person.password });
  });
});
